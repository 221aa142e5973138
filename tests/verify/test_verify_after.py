"""After the end counts: the error against the goal, the swing that is left, a lasting offset."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console

from cranebridge.job import verify_on_twin, verify_scenario
from cranebridge.job.campaign.campaign_work import scenario_work
from cranebridge.limits import Motion, Verdict
from cranebridge.report.html import render
from cranebridge.scenario import load_scenario
from cranebridge.terminal import show_verified
from cranebridge.twin import find_crane
from cranebridge.verify import Verified
from cranebridge.verify.tracking.figures import Figures, figures_of

OVERHEAD = find_crane("overhead")
PUSH = 'disturbance=[{on="load.x", kind="step", value=300.0, from=3.5}]'
"""The overhead crane's motion ends at 3 s."""
ELASTIC = [
    "plant.parameters={k_r=2e5, d_r=500.0, d_t=0.0, F_c=0.0, d_w=0.0, M_c=0.0, tau_t=0.0, "
    "tau_w=0.0}",
    "plant.variants={}",
]
"""An elastic rope and nothing else: the load hangs m g / k_r = 4.905 mm too low."""
STRETCH = 100.0 * 9.81 / 2e5


def found(verified: Verified) -> dict[str, Verdict]:
    return {verdict.name: verdict for verdict in verified.verdicts}


@pytest.fixture(scope="module")
def pushed() -> Verified:
    return verify_scenario(load_scenario("overhead", [PUSH, "plant.certify=false"]))


@pytest.fixture(scope="module")
def elastic() -> Verified:
    return verify_scenario(load_scenario("overhead-real", [*ELASTIC, "limits.swing=2e-3"]))


def test_plant_that_is_pushed_away_after_the_goal_fails(pushed) -> None:
    """Trolley of 10 kg, load of 100 kg on 1 m: the centre of both is pushed, the load swings.

    x = F t^2 / (2 (m + m_t)) + m_t / (m + m_t) F / (m w^2) (1 - cos w t) with
    w^2 = g / l (1 + m / m_t), for the 1.5 s that it is pushed.
    """
    t, w = 1.5, np.sqrt(9.81 * 11.0)
    away = 300.0 * t**2 / 220.0 + 10.0 / 110.0 * 3.0 / w**2 * (1.0 - np.cos(w * t))
    verdict = found(pushed)["tracking of x"]
    assert verdict.value == pytest.approx(away, rel=1e-3)
    assert (verdict.status, verdict.time) == ("failed", pytest.approx(5.0))
    assert "after the end" in verdict.message
    assert pushed.exit_code == 1
    # what was during the manoeuvre is told as it was
    assert max(pushed.tracking.max_error.values()) < 1e-6
    assert pushed.tracking.error_after == pytest.approx(away, rel=1e-3)


def test_swing_has_the_limit_of_the_tracking_error_and_says_so(pushed) -> None:
    verdict = found(pushed)["residual swing of x"]
    assert (verdict.status, verdict.limit) == ("failed", 1e-3)
    assert "limits.tracking, as limits.swing is not given" in verdict.message
    assert "in the 2 s after the end" in verdict.message
    x = pushed.tracking.error[pushed.tracking.time >= 3.0, 0]
    assert verdict.value == pytest.approx(0.5 * np.ptp(x), rel=1e-4)


def test_stretched_rope_is_a_lasting_offset_and_no_swing(elastic) -> None:
    tracking = elastic.tracking
    assert tracking.lasting_offset["z"] == pytest.approx(-STRETCH, rel=0.02)
    assert abs(tracking.lasting_offset["x"]) < 0.1 * STRETCH
    errors = tracking.error[tracking.time >= 5.0]
    swings = 0.5 * np.ptp(errors, axis=0)
    assert tracking.residual_swing == pytest.approx(swings.max(), rel=1e-3)
    assert found(elastic)["residual swing of z"].value == pytest.approx(swings[1], rel=1e-3)
    assert swings[1] < 0.1 * STRETCH
    # against the goal it is an error, and judged as that
    assert found(elastic)["tracking of z"].value > STRETCH


def test_offset_stands_beside_the_swing_in_summary_report_and_terminal(elastic) -> None:
    told = elastic.tracking.as_dict()
    assert told["lasting_offset"]["z"] == elastic.tracking.lasting_offset["z"]
    assert told["residual_swing"] == elastic.tracking.residual_swing
    scenario = load_scenario("overhead-real", ELASTIC)
    page = render(scenario, elastic).replace("\u00a0", " ")
    size = f"{1e3 * abs(told['lasting_offset']['z']):.3g} mm"
    assert f"lasting offset {size} (in z)" in page
    assert (
        f'lasting offset <span class="soft">after the end</span></td><td class="number">{size}'
        in page
    )
    console = Console(file=io.StringIO(), width=200)
    show_verified(console, scenario, elastic, None)
    lines = [line.split() for line in console.file.getvalue().splitlines()]
    assert ["lasting", "offset", f"{STRETCH:.1e}", "m"] in lines


def test_limit_of_the_swing_is_its_own() -> None:
    """The drives of the real crane hold its trolley, and the load swings on by some mm."""
    swings = ["plant.variants={}", "limits.tracking=0.1"]
    tight = verify_scenario(load_scenario("overhead-real", [*swings, "limits.swing=1e-3"]))
    failed = [verdict for verdict in tight.verdicts if not verdict.passed]
    assert [verdict.name for verdict in failed] == ["residual swing of x"]
    assert failed[0].limit == 1e-3
    assert "limits.tracking" not in failed[0].message
    assert failed[0].value == tight.tracking.residual_swing > 1e-3
    assert tight.exit_code == 1


def test_swing_that_nobody_watches_is_wanted_only_where_a_limit_is_stated() -> None:
    unwatched = ["plant.settle=0", "plant.certify=false"]
    silent = verify_scenario(load_scenario("overhead", unwatched))
    assert silent.exit_code == 0
    assert not any("swing" in name for name in found(silent))
    assert "lasting_offset" not in silent.tracking.as_dict()
    stated = verify_scenario(load_scenario("overhead", [*unwatched, "limits.swing=1"]))
    assert stated.exit_code == 1
    verdict = found(stated)["residual swing of x"]
    assert verdict.status == "not judged"
    assert "plant.settle" in verdict.message


@pytest.mark.parametrize(("settle", "status"), [(1.0, "passed"), (0.0, "not judged")])
def test_twin_as_plant_is_watched_too(settle: float, status: str) -> None:
    settings = ["limits.swing=1e-3", f"plant.settle={settle}", "solve.step=0.05"]
    verdicts = found(verify_on_twin(load_scenario("overhead", settings)))
    assert verdicts["residual swing of z"].status == status


def test_row_of_a_campaign_tells_swing_and_offset_apart(elastic) -> None:
    runner = scenario_work(load_scenario("overhead-real", [*ELASTIC, "limits.swing=2e-3"])).begin()
    try:
        row = runner(0, {"plant.parameters.k_r": 2e5})
    finally:
        runner.close()
    assert row["lasting_offset"] == pytest.approx(STRETCH, rel=0.02)
    assert row["residual_swing"] == pytest.approx(elastic.tracking.residual_swing, rel=1e-6)
    assert row["passed.residual swing of x"] is True


def after(offset: float, swing: float) -> Figures:
    """Return the figures of a load that swings about a place beside its goal, for 20 s."""
    time = np.linspace(0.0, 21.0, 2101)
    error = np.where(time >= 1.0, offset + swing * np.sin(np.pi * time), 0.0)
    values = {"tracking.x": error, "tracking.z": 0.0 * time}
    values |= {f"u.{one.name}": 0.0 * time for one in OVERHEAD.inputs}
    return figures_of(Motion("plant", OVERHEAD, time, values, end=1.0))


def test_feedback_that_reduces_the_swing_looks_better_than_none() -> None:
    """Though the load hangs lower with it: 12 t on a rope that stretches by 29 mm."""
    without, law = after(0.0, 13.5e-3), after(-29e-3, 2.8e-3)
    assert without.residual_swing == pytest.approx(13.5e-3, rel=1e-6)
    assert law.residual_swing == pytest.approx(2.8e-3, rel=1e-6)
    assert without.lasting_offset == pytest.approx(0.0, abs=1e-5)
    assert law.lasting_offset == pytest.approx(29e-3, rel=1e-3)
    assert law.error_after == pytest.approx(31.8e-3, rel=1e-6)


def test_peak_of_an_input_is_its_largest_magnitude() -> None:
    time = np.linspace(0.0, 2.0, 3)
    values = {"tracking.x": 0.0 * time, "tracking.z": 0.0 * time}
    values |= {"u.F_t": np.array([3.0, -5.0, 4.0]), "u.M_w": np.array([-1.0, 2.0, 0.0])}
    figures = figures_of(Motion("plant", OVERHEAD, time, values))
    assert figures.peak == {"F_t": 5.0, "M_w": 2.0}
