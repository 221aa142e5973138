"""The load follows: every scenario on its FMU, sampling orders, budget, drives, verdicts."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from cranebridge.verification import run_scenario, verify_on_twin, verify_scenario

from cranebridge.errors import InputError
from cranebridge.scenario import load_scenario

OPEN_LOOP = [
    "overhead",
    "rotary",
    "rotary-light",
    "rotary-long",
    "rotary-redundant",
    "navy2d",
    "navy2d-safe",
    "navy2d-pulley",
    "navy2d-pulley-safe",
    "navy3d",
    "navy3d-pulley",
    "navy3d-pulley-safe",
    "cablev-rotate",
    "cablev-translate",
    "cablev-general",
]
PUSHING = {"navy2d", "navy2d-pulley", "navy3d-pulley"}


@pytest.mark.parametrize("name", OPEN_LOOP)
def test_load_follows_to_a_micrometre_in_open_loop(name: str) -> None:
    verified = verify_scenario(load_scenario(name))
    assert max(verified.tracking.max_error.values()) < 1e-6
    assert verified.exit_code == (1 if name in PUSHING else 0)
    for part in verified.tracking.budget.values():
        assert 0.0 <= part < 1e-6
    balance = verified.tracking.energy_balance
    # Simpson's rule on 10 ms samples of the power.
    assert balance is None or abs(balance) < 1e-5


@pytest.mark.parametrize(("fmi", "interface"), [("3.0", "me"), ("2.0", "cs"), ("3.0", "cs")])
def test_other_interfaces_follow_too(fmi: str, interface: str) -> None:
    settings = [f"plant.fmi='{fmi}'", f"plant.interface='{interface}'", "plant.step=0.002"]
    verified = verify_scenario(load_scenario("overhead", settings))
    # FMI 3 has no input derivatives: the controls are held over 2 ms, an error of first order.
    limit = 5e-2 if (fmi, interface) == ("3.0", "cs") else 1e-6
    assert max(verified.tracking.max_error.values()) < limit


def error_of(feed: str, step: float) -> float:
    settings = [f"plant.feed={feed}", f"solve.step={step}", "plant.settle=0", "plant.certify=false"]
    tracking = verify_scenario(load_scenario("overhead", settings)).tracking
    return max(tracking.max_error.values())


@pytest.mark.parametrize(("feed", "order"), [("hold", 1.0), ("linear", 2.0)])
def test_sampled_controls_have_their_order(feed: str, order: float) -> None:
    coarse, fine = error_of(feed, 0.02), error_of(feed, 0.01)
    assert np.log2(coarse / fine) == pytest.approx(order, abs=0.15)


def test_continuous_controls_are_of_order_4_and_far_better() -> None:
    coarse, fine = error_of("exact", 0.1), error_of("exact", 0.05)
    assert np.log2(coarse / fine) > 3.5
    assert error_of("exact", 0.005) < 1e-3 * error_of("linear", 0.005)
    assert error_of("linear", 0.005) < 1e-1 * error_of("hold", 0.005)


def test_budget_names_sampling_for_held_controls() -> None:
    settings = ["plant.feed=hold", "plant.certify=false"]
    tracking = verify_scenario(load_scenario("overhead", settings)).tracking
    assert tracking.budget["sampling"] == pytest.approx(max(tracking.max_error.values()), rel=0.05)
    assert tracking.budget["integrator"] < 1e-6
    assert tracking.budget["model"] is None


def test_budget_of_a_time_stepping_method_contains_its_own_error() -> None:
    settings = [
        "solve.method=index3",
        "solve.step=0.02",
        "plant.certify=false",
        "limits.tracking=1",
    ]
    tracking = verify_scenario(load_scenario("overhead", settings)).tracking
    error = max(tracking.max_error.values())
    assert error > 1e-3
    assert tracking.budget["sampling"] == pytest.approx(error, rel=0.05)


def test_twin_as_plant_follows_and_has_a_budget() -> None:
    tracking = verify_on_twin(load_scenario("rotary")).tracking
    assert max(tracking.max_error.values()) < 1e-6
    assert 0.0 < tracking.budget["sampling"] < 1e-6
    assert 0.0 < tracking.budget["integrator"] < 1e-6
    assert tracking.budget["model"] is None


def test_wrong_payload_drifts_in_open_loop_and_is_held_by_the_drives() -> None:
    base = ["plant.parameters={m = 120.0}", "plant.certify=false", "limits.tracking=0.1"]
    drives = [
        "plant.drives.F_t={coordinate = 's', kp = 2e3, kv = 6e2}",
        "plant.drives.M_w={coordinate = 'l', kp = 4e2, kv = 1e2}",
    ]
    free = verify_scenario(load_scenario("overhead", base))
    held = verify_scenario(load_scenario("overhead", [*base, *drives]))
    assert max(free.tracking.max_error.values()) > 1.0
    assert max(held.tracking.max_error.values()) < 0.2
    assert free.exit_code == 1
    # What the drives add shows in the applied inputs.
    assert np.abs(held.tracking.u - free.tracking.u).max() > 1.0


def test_drive_references_on_the_perfect_plant_change_nothing() -> None:
    drives = [
        "plant.drives.F_t={coordinate = 's', kp = 2e3, kv = 6e2}",
        "plant.drives.M_w={coordinate = 'l', kp = 4e2, kv = 1e2}",
    ]
    tracking = verify_scenario(load_scenario("overhead", drives)).tracking
    assert max(tracking.max_error.values()) < 1e-6


@pytest.mark.parametrize("name", ["overhead-real", "rotary-real"])
def test_imperfect_plants_are_held_and_each_imperfection_has_its_cost(name: str) -> None:
    verified = verify_scenario(load_scenario(name))
    cost = {key: max(errors.values()) for key, errors in verified.tracking.variants.items()}
    assert verified.exit_code == 0
    # The stiff rope's stretch m g / k_r = 98 um is what is left without imperfections.
    assert cost.pop("none") < 3e-4
    assert set(cost) == {"friction", "elasticity", "lag", "payload +20 %", "payload -20 %"}
    assert all(3e-4 < value < 0.1 for value in cost.values())


def test_limits_on_drives_are_judged_on_the_plant() -> None:
    settings = ["limits.u={M_w = 120.0}", "limits.v={s = 99.0}", "limits.power={F_t = 1.0}"]
    verified = verify_scenario(load_scenario("overhead", settings))
    passed = {verdict.name: verdict.passed for verdict in verified.verdicts}
    assert passed["plant input M_w"] is False  # the reference's peak is 145.8 N*m
    assert passed["plant speed s"] is True
    assert passed["plant power F_t"] is False


def test_scenario_without_a_plant_is_told_so() -> None:
    example = Path(__file__).parents[2] / "examples" / "spring_trolley.toml"
    with pytest.raises(InputError, match=r"names no plant: add plant\.model"):
        verify_scenario(load_scenario(str(example)))


def test_interrupted_run_resumes(tmp_path, monkeypatch) -> None:
    scenario, folder = load_scenario("overhead"), tmp_path / "result"

    def interrupt(stage: str) -> None:
        if stage == "verify":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_scenario(scenario, folder, tell=interrupt)
    assert (folder / "feedforward.csv").is_file()
    certificate = folder / "certificate.json"
    before = certificate.stat().st_mtime_ns
    stages: list[str] = []
    verified = run_scenario(scenario, folder, tell=stages.append)
    assert "certify" not in stages
    assert certificate.stat().st_mtime_ns == before
    assert verified.exit_code == 0
    assert (folder / "report.html").is_file()
    assert not (folder / ".run.json").exists()
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["tracking"]["max_error"]["x"] < 1e-6
    with pytest.raises(InputError, match="exists"):
        run_scenario(scenario, folder)


def test_interrupted_run_of_another_scenario_is_not_resumed(tmp_path) -> None:
    folder = tmp_path / "result"

    def interrupt(stage: str) -> None:
        if stage == "verify":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_scenario(load_scenario("overhead"), folder, tell=interrupt)
    other = load_scenario("overhead", ["crane.m=90"])
    with pytest.raises(InputError, match="interrupted run of another scenario"):
        run_scenario(other, folder)
    stages: list[str] = []
    run_scenario(other, folder, force=True, tell=stages.append)
    assert "certify" in stages
