"""Other plants that the same controls are tried on are judged, each by its name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cart import Cart
from overhead_plants import drum_fmu

from cranebridge.inverse import ServoProblem, solve_index1
from cranebridge.job import verify_scenario
from cranebridge.limits import Limits, Range, Verdict
from cranebridge.path import make_path
from cranebridge.plant.plant import Plant
from cranebridge.scenario import load_scenario
from cranebridge.verify import PlantMap, Verified
from cranebridge.verify.settings import Settings
from cranebridge.verify.tracking.on_plant import track_plant

BASE = ["plant.certify=false", "limits.tracking=0.01"]
HEAVY = "plant.variants={heavy={m=101.0}, same={m=100.0}}"


def found(verified: Verified) -> dict[str, Verdict]:
    return {verdict.name: verdict for verdict in verified.verdicts}


@pytest.fixture(scope="module")
def verified() -> Verified:
    return verify_scenario(load_scenario("overhead", [*BASE, HEAVY]))


def test_variant_with_an_error_above_the_limit_fails_by_its_name(verified) -> None:
    heavy, same = (found(verified)[f"variant {name}"] for name in ("heavy", "same"))
    assert (heavy.status, heavy.limit) == ("failed", 0.01)
    assert "variant heavy: tracking of z" in heavy.message
    assert same.status == "passed"
    assert "variant same: tracking of" in same.message
    assert verified.exit_code == 1
    # the plant itself keeps everything
    assert [v.name for v in verified.verdicts if not v.passed] == ["variant heavy"]


def test_variant_is_judged_as_the_plant_would_be(verified) -> None:
    alone = verify_scenario(load_scenario("overhead", [*BASE, "plant.parameters={m=101.0}"]))
    largest = found(alone)["tracking of z"]
    heavy = found(verified)["variant heavy"]
    assert heavy.value == pytest.approx(largest.value, rel=1e-9)
    assert heavy.time == largest.time
    # during the manoeuvre, as before
    assert verified.tracking.variants["heavy"]["z"] == pytest.approx(
        alone.tracking.max_error["z"], rel=1e-3
    )


def test_variant_is_judged_by_all_limits_and_by_obstacles() -> None:
    """One per cent more load falls by decimetres: onto a floor that the plant itself clears."""
    floor = 'obstacles=[{kind="stack", x=[-1.0, 9.0], height=[-4.2]}]'
    loose = ["limits.tracking=99", floor]
    verified = verify_scenario(
        load_scenario("overhead", [*BASE, *loose, "path.goal=[5.0, -4.0]", HEAVY])
    )
    heavy = found(verified)["variant heavy"]
    assert heavy.status == "failed"
    assert "variant heavy: plant clearance of obstacle 1" in heavy.message
    assert [v.name for v in verified.verdicts if not v.passed] == ["variant heavy"]


def test_velocity_of_a_variant_is_that_with_its_own_parameters(tmp_path: Path) -> None:
    """A drum twice as wide turns half as fast: the cart, which alone is shown, moves alike."""
    path = make_path({"kind": "line", "start": [0.0], "goal": [1.0], "duration": 2.0}, ("s",))
    problem = ServoProblem(Cart(), path, {"m": 2.0})
    solution = solve_index1(problem, np.linspace(0.0, 2.0, 201))
    # the profile is symmetric: fastest in the middle, by a difference over 2e-4 s
    before, after = path(np.array([1.0 - 1e-4, 1.0 + 1e-4]))[0]
    fastest = (after - before) / 2e-4
    limits = Limits(v={"s": Range(-0.9 * fastest, 0.9 * fastest)})
    with Plant(drum_fmu(tmp_path)) as plant:
        mapping = PlantMap(problem.crane, plant.info, {})
        settings = Settings(variants={"wide": {"r": 1.0}})
        tracking = track_plant(solution, plant, mapping, settings, limits)
    judged = {verdict.name: verdict for verdict in tracking.verdicts}
    for name in ("plant v.s", "variant wide"):
        assert judged[name].status == "failed"
        assert judged[name].value == pytest.approx(fastest, rel=1e-5), name
