"""The ready scenarios of the tower crane with a flexible jib, as a user runs them."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from cranebridge.job import verify_scenario
from cranebridge.scenario import load_scenario

BOTH = ("flexible-jib", "flexible-jib-outer")
RESISTING = (
    *("crane.d_b=5e4", "crane.M_cb=2e4", "crane.d_t=300", "crane.F_ct=500", "crane.v_c=0.2"),
    *("crane.d_w=50", "crane.M_cw=200", "crane.omega_c=0.05"),
    *("crane.c_d=5", "crane.w_x=8", "crane.w_y=-5"),
)


@pytest.mark.parametrize(("name", "kind"), [(BOTH[0], "stable"), (BOTH[1], "saddle")])
def test_run_passes_all_verdicts(name: str, kind: str, run, tmp_path) -> None:
    code, text, _ = run("run", name, "-o", str(tmp_path / "r"))
    assert code == 0, text
    summary = json.loads((tmp_path / "r" / "summary.json").read_text())
    assert summary["status"] == "passed"
    assert all(verdict["passed"] for verdict in summary["verdicts"])
    assert summary["certificate"]["status"] == "same"
    assert summary["internal_dynamics"]["kind"] == kind
    # DOP853 at 1e-10 over half a minute, and controls in cubics of 10 ms at 9.4 rad/s
    assert max(summary["tracking"]["max_error"].values()) < 1e-6
    first = float((tmp_path / "r" / "feedforward.csv").read_text().splitlines()[1].split(",")[0])
    assert (first < -2.0) == (kind == "saddle")


@pytest.mark.parametrize("name", BOTH)
def test_plant_starts_with_the_rope_leaning_in_the_wind(name: str) -> None:
    settings = [*RESISTING, "limits.q.eta=1.0", "limits.u.M_b=1e6"]
    verified = verify_scenario(load_scenario(name, settings))
    assert verified.exit_code == 0
    assert verified.tracking is not None
    assert max(verified.tracking.max_error.values()) < 1e-6
    assert verified.certificate is not None
    assert verified.certificate.max_relative_difference < 1e-9


def test_path_over_the_critical_radius_is_refused_with_time_and_place(run) -> None:
    scenario = load_scenario("flexible-jib-outer", ["path.goal=[30.0, 1.0, -15.0]"])
    times = np.linspace(0.0, 15.0, 1501)
    radius = np.hypot(*scenario.problem.path(times)[:2])
    when = np.interp(-25.0 * (3.0 - np.sqrt(15.0 / 7.0)), -radius, times)
    code, text, _ = run("check", "flexible-jib-outer", "--set", "path.goal=[30.0, 1.0, -15.0]")
    assert code == 2
    found = re.search(r"singular near t = ([\d.]+) s at .*s = ([\d.]+)", " ".join(text.split()))
    assert found is not None
    assert float(found[1]) == pytest.approx(when, abs=0.05)
    assert float(found[2]) == pytest.approx(38.4037, abs=0.1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("check", "flexible-jib", "--shortest"), "shortest duration is found for flat cranes"),
        *(
            (("study", kind, "flexible-jib"), 'not flat.*solve.method = "inversion" solves it')
            for kind in ("convergence", "methods", "integrators")
        ),
    ],
)
def test_what_needs_a_flat_crane_says_so_in_a_sentence(arguments, said, run, tmp_path) -> None:
    folder = ("-o", str(tmp_path / "s")) if arguments[0] == "study" else ()
    code, _, errors = run(*arguments, *folder)
    assert code == 2
    assert "Traceback" not in errors
    assert re.search(said, " ".join(errors.split()))
    assert not (tmp_path / "s").exists()


def test_notes_name_the_controls_that_end_after_the_path(run) -> None:
    text = " ".join(run("check", "flexible-jib")[1].split())
    assert "The controls end 20 s after the path. Then 1.2e-02 of the motion is left" in text
