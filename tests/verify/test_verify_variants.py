"""Other plants that the same controls are tried on are judged, each by its name."""

from __future__ import annotations

import pytest

from cranebridge.job import verify_scenario
from cranebridge.limits import Verdict
from cranebridge.scenario import load_scenario
from cranebridge.verify import Verified

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
