"""The load follows: every scenario on its FMU, sampling orders, budget, drives, verdicts."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest
from overhead_plants import cart_fmu, overhead_fmu

from cranebridge.errors import InputError
from cranebridge.job import verify_on_twin, verify_scenario
from cranebridge.limits import judge_solution
from cranebridge.plant.export.fmu_export import cached_fmu
from cranebridge.scenario import load_scenario
from cranebridge.verify.certificate.model_part import _differences, _propagate
from cranebridge.verify.certificate.outcome import Certificate, Comparison
from cranebridge.verify.tracking.steps import integral, rate
from further import further

OPEN_LOOP = [
    "overhead",
    "rotary",
    further("rotary-light"),
    further("rotary-long"),
    "rotary-redundant",
    "navy2d",
    further("navy2d-safe"),
    further("navy2d-pulley"),
    "navy2d-pulley-safe",
    "navy3d",
    further("navy3d-pulley"),
    further("navy3d-pulley-safe"),
    further("cablev-rotate"),
    further("cablev-translate"),
    "cablev-general",
]
PUSHING = {"navy2d", "navy2d-pulley", "navy3d-pulley"}


@pytest.mark.parametrize("name", OPEN_LOOP)
def test_load_follows_to_a_micrometre_in_open_loop(name: str) -> None:
    verified = verify_scenario(load_scenario(name))
    assert max(verified.tracking.max_error.values()) < 1e-6
    assert verified.exit_code == (1 if name in PUSHING else 0)
    budget = verified.tracking.budget
    for part in budget.as_dict().values():
        assert part is not None
        assert 0.0 <= part < 1e-6
    assert next(v for v in verified.verdicts if v.name == "error explained").passed
    balance = verified.tracking.energy_balance
    # The work is integrated on the integrator's own steps, to its tolerance of 1e-10.
    assert balance is None or abs(balance) < 1e-7


# FMI 2 by Co-Simulation: test_other_interfaces_start_moving_too in test_verify_moving; FMI 3:
# test_co_simulation_that_asks_for_controls_follows_whatever_its_step.
@pytest.mark.parametrize(
    ("fmi", "interface"), [("3.0", "me"), further("2.0", "cs"), further("3.0", "cs")]
)
def test_other_interfaces_follow_too(fmi: str, interface: str) -> None:
    settings = [f"plant.fmi='{fmi}'", f"plant.interface='{interface}'", "plant.step=0.002"]
    verified = verify_scenario(load_scenario("overhead", settings))
    assert max(verified.tracking.max_error.values()) < 1e-6


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
    assert tracking.budget.sampling == pytest.approx(max(tracking.max_error.values()), rel=0.01)
    assert tracking.budget.integrator < 1e-6
    assert tracking.budget.model is None


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
    assert tracking.budget.sampling == pytest.approx(error, rel=0.01)


def test_twin_as_plant_follows_and_has_a_budget() -> None:
    tracking = verify_on_twin(load_scenario("overhead")).tracking
    assert max(tracking.max_error.values()) < 1e-6
    assert 0.0 < tracking.budget.sampling < 1e-6
    assert 0.0 < tracking.budget.integrator < 1e-6
    assert tracking.budget.model is None
    # each drive's power is its own force times its own speed
    assert set(tracking.powers) == {"F_t", "M_w"}
    for name, power in tracking.powers.items():
        values = tracking.motion.values[f"power.{name}"]
        expected = np.interp(tracking.time, tracking.motion.time, values)
        assert power == pytest.approx(expected, abs=1e-3 * np.abs(expected).max())


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


@pytest.mark.parametrize(("kp", "kv"), [(2e3, 6e2), (0.0, 6e2)])
def test_judged_inputs_are_what_moves_the_plant(kp: float, kv: float) -> None:
    """Their impulse is the momentum of trolley and load: position and speed are fed back.

    Nothing else pushes along x. The payload is not the twin's, so that both feedbacks act.
    """
    drives = [
        f"plant.drives.F_t={{coordinate = 's', kp = {kp}, kv = {kv}}}",
        "plant.drives.M_w={coordinate = 'l', kp = 4e2, kv = 1e2}",
    ]
    base = ["plant.parameters={m = 120.0}", "plant.certify=false", "limits.u={F_t = 1e4}"]
    verified = verify_scenario(load_scenario("overhead", [*base, *drives, "plant.settle=1"]))
    motion = verified.tracking.motion
    force, time = motion.values["u.F_t"], motion.time
    momentum = 10.0 * motion.values["v.s"] + 120.0 * motion.values["v.x"]
    impulse = np.concatenate([[0.0], np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(time))])
    assert np.ptp(momentum) > 200.0
    assert impulse == pytest.approx(momentum, abs=2.0)
    # what is judged is this force
    judged = next(v for v in verified.verdicts if v.name == "plant u.F_t")
    assert judged.value == pytest.approx(np.abs(force).max(), rel=1e-3)


def test_drive_references_on_the_perfect_plant_change_nothing() -> None:
    drives = [
        "plant.drives.F_t={coordinate = 's', kp = 2e3, kv = 6e2}",
        "plant.drives.M_w={coordinate = 'l', kp = 4e2, kv = 1e2}",
    ]
    tracking = verify_scenario(load_scenario("overhead", drives)).tracking
    assert max(tracking.max_error.values()) < 1e-6


@pytest.mark.parametrize("name", ["overhead-real", further("rotary-real")])
def test_imperfect_plants_are_held_and_each_imperfection_has_its_cost(name: str) -> None:
    verified = verify_scenario(load_scenario(name))
    cost = {key: max(errors.values()) for key, errors in verified.tracking.variants.items()}
    assert verified.exit_code == 0
    # The stiff rope's stretch m g / k_r = 98 um is what is left without imperfections.
    assert cost.pop("none") < 3e-4
    assert set(cost) == {"friction", "elasticity", "lag", "payload +20 %", "payload -20 %"}
    assert all(3e-4 < value < 0.1 for value in cost.values())


def test_a_load_that_is_lost_on_a_variant_leaves_the_others() -> None:
    """20 kg less than the feedforward holds: without loops the winch pulls the load up to it."""
    variants = "plant.variants={lighter={m=80.0}, heavier={m=101.0}}"
    settings = ["plant.drives={}", "plant.settle=10.0", variants]
    verified = verify_scenario(load_scenario("overhead-real", settings))
    tracking = verified.tracking
    assert tracking.variants["lighter"] == {}
    assert tracking.failed_variants["lighter"]
    assert tracking.variants["heavier"]["z"] > 0.5
    told = tracking.as_dict()["variants"]
    assert told["lighter"] == {"failed": tracking.failed_variants["lighter"]}
    assert set(told["heavier"]) == {"x", "z"}
    # one that could not be finished is not judged, which is no promise
    verdict = next(v for v in verified.verdicts if v.name == "variant lighter")
    assert verdict.status == "not judged"
    assert "could not be finished" in verdict.message
    assert verified.exit_code == 1


LIMITS = [
    "limits.u={M_w = 120.0}",
    "limits.q={l = [0.5, 4.5]}",
    "limits.v={s = 99.0}",
    "limits.a={x = 1.0}",
    "limits.jerk={s = 1e4, x = 1.0}",
    "limits.power={F_t = 1.0}",
    "limits.rope=[10.0, 900.0]",
]


def test_everything_is_judged_on_the_plant_as_on_the_solution() -> None:
    verified = verify_scenario(load_scenario("overhead", LIMITS))
    found = {verdict.name: verdict for verdict in verified.verdicts}
    for name in ("u.M_w", "q.l", "v.s", "a.x", "jerk.s", "jerk.x", "power.F_t"):
        solution, plant = found[name], found[f"plant {name}"]
        assert plant.status == solution.status
        # Jerks are second derivatives of the plant's velocities on its steps: 1e-10/(0.1 s)^2.
        assert plant.value == pytest.approx(solution.value, rel=1e-5)
    # Most extremes occur twice on this symmetric path; that of the winch does not.
    assert found["plant u.M_w"].time == pytest.approx(found["u.M_w"].time, abs=1e-3)
    assert found["plant u.M_w"].status == "failed"  # the reference's peak is 145.8 N*m
    assert found["plant v.s"].status == "passed"
    assert found["plant rope T_cable pulls"].status == "failed"  # more than 900 N


def test_velocities_that_the_plant_does_not_put_out_are_those_of_its_motion() -> None:
    # L_1 has no velocity output: its speed comes from the plant's dense output.
    settings = ["limits.v={L_1 = 99.0}", "limits.a={L_1 = 99.0}"]
    verified = verify_scenario(load_scenario("navy2d-safe", settings))
    found = {verdict.name: verdict for verdict in verified.verdicts}
    for name in ("v.L_1", "a.L_1"):
        assert found[f"plant {name}"].value == pytest.approx(found[name].value, rel=1e-5)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (["plant.feed=hold"], "held"),
        (["plant.interface=cs"], "communication points"),
    ],
)
def test_jerk_of_held_controls_and_of_co_simulation_is_not_judged(settings, reason) -> None:
    base = [*settings, "limits.tracking=1", "plant.certify=false"]
    waived = verify_scenario(load_scenario("overhead", base))
    assert waived.exit_code == 0
    given = verify_scenario(load_scenario("overhead", [*base, "limits.jerk={s = 1e6}"]))
    verdict = next(v for v in given.verdicts if v.name == "plant jerk.s")
    assert verdict.status == "not judged"
    assert reason in verdict.message
    assert given.exit_code == 1


@pytest.mark.parametrize("step", [further(0.5), 5.0])
def test_extremes_do_not_depend_on_the_compared_times(step: float) -> None:
    base = ["limits.tracking=0.0115", "plant.variants={}"]
    fine = verify_scenario(load_scenario("overhead-real", [*base, "plant.step=0.01"]))
    coarse = verify_scenario(load_scenario("overhead-real", [*base, f"plant.step={step}"]))
    assert fine.exit_code == coarse.exit_code == 1
    for a, b in zip(fine.verdicts, coarse.verdicts, strict=True):
        assert (a.name, a.status) == (b.name, b.status)
        assert a.value == pytest.approx(b.value, rel=1e-2)
    a, b = fine.tracking, coarse.tracking
    assert b.residual_swing == pytest.approx(a.residual_swing, rel=1e-2)
    assert b.max_error == pytest.approx(a.max_error, rel=1e-2)
    assert b.rms_error == pytest.approx(a.rms_error, rel=1e-2)
    # The window after the end is watched for its two seconds, whatever the step.
    assert a.time[-1] == b.time[-1] == 7.0
    assert a.motion.time[-1] == b.motion.time[-1] == 7.0


def test_co_simulation_in_a_few_steps_is_not_judged() -> None:
    # Three communication points in five seconds show no error; what is between them is not known.
    settings = ["plant.interface=cs", "plant.step=5.0", "limits.tracking=99"]
    verified = verify_scenario(load_scenario("overhead", settings))
    statuses = {verdict.name: verdict.status for verdict in verified.verdicts}
    assert statuses["tracking of x"] == "not judged"
    assert verified.exit_code == 1


def test_residual_swing_is_half_of_the_range_after_the_end() -> None:
    tracking = verify_scenario(load_scenario("overhead-real", ["plant.variants={}"])).tracking
    after = tracking.error[tracking.time >= 5.0]
    assert np.ptp(after, axis=0).max() > 2e-3
    # 10 ms samples of a swing of 4 s miss its extreme by 1e-4 of it at most
    assert tracking.residual_swing == pytest.approx(0.5 * np.ptp(after, axis=0).max(), rel=1e-3)
    assert tracking.error_after == pytest.approx(np.abs(after).max(), rel=1e-3)
    for i, name in enumerate("xz"):
        mean = np.trapezoid(after[:, i], dx=0.01) / 2.0
        assert tracking.lasting_offset[name] == pytest.approx(mean, abs=1e-5)


def test_energy_balance_is_what_friction_takes() -> None:
    # Viscous friction only: the loss is the integral of d_t v_s^2.
    settings = [
        "plant.parameters={k_r = 1e7, d_r = 0.0, d_t = 5.0, F_c = 0.0, d_w = 0.0, M_c = 0.0, "
        "tau_t = 0.0, tau_w = 0.0}",
        "plant.variants={}",
    ]
    tracking = verify_scenario(load_scenario("overhead-real", settings)).tracking
    s = tracking.feedforward.problem.crane.coordinates
    assert s[0].name == "s"
    v_s = tracking.motion.values["v.s"]
    loss = np.trapezoid(5.0 * v_s**2, tracking.motion.time)
    energy = 100.0 * 9.81 * 3.0  # the load is lifted by 3 m, and moved besides
    assert tracking.energy_balance < -1e-3
    assert -loss / energy == pytest.approx(tracking.energy_balance, rel=0.1)


def holding_fmu(directory: Path) -> Path:
    """The overhead crane by FMI 3, as if it could not ask for inputs within its steps."""
    path = directory / "holding.fmu"
    source = cached_fmu("OverheadCrane", fmi="3.0")
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "modelDescription.xml":
                for flag in (b"providesIntermediate", b"canReturnEarlyAfterIntermediate"):
                    assert flag + b'Update="true"' in content
                    content = content.replace(flag + b'Update="true"', b"")
            new.writestr(name, content)
    return path


def test_co_simulation_budget_knows_its_order(tmp_path: Path) -> None:
    # Controls held over a communication step: an error of order 1, of which the half step shows
    # half.
    settings = [f"plant.fmu='{holding_fmu(tmp_path)}'", "plant.interface=cs", "limits.tracking=1"]
    verified = verify_scenario(load_scenario("overhead", [*settings, "plant.step=0.005"]))
    budget = verified.tracking.budget
    assert budget.error > 1e-3
    assert budget.integrator == pytest.approx(budget.error, rel=0.05)
    assert next(v for v in verified.verdicts if v.name == "error explained").passed


@pytest.mark.parametrize("step", [further(0.005), 0.1])
def test_co_simulation_that_asks_for_controls_follows_whatever_its_step(step: float) -> None:
    settings = ["plant.fmi='3.0'", "plant.interface=cs", f"plant.step={step}"]
    verified = verify_scenario(load_scenario("overhead", settings))
    assert max(verified.tracking.max_error.values()) < 1e-6
    assert next(v for v in verified.verdicts if v.name == "error explained").passed


def test_sampling_part_is_the_error_of_the_controls_alone() -> None:
    # Coarse controls, fine integration: what is left of the error is all sampling, and the
    # factor 16/15 of order 4 is seen.
    settings = ["solve.step=0.1", "plant.tolerance=1e-12"]
    budget = verify_scenario(load_scenario("overhead", settings)).tracking.budget
    assert budget.sampling == pytest.approx(budget.error, rel=0.02)
    assert budget.integrator < 1e-3 * budget.sampling


def test_model_part_grows_as_a_free_load_does() -> None:
    # An acceleration of the trolley that is off by d moves it by d t^2 / 2, whatever hangs on it.
    verified = verify_scenario(load_scenario("overhead"))
    certificate = verified.certificate
    size = {e.quantity: e.difference * e.scale for e in certificate.compared}
    free = max(size[f"acceleration of {name}"] for name in "slxz") * 3.0**2 / 2
    assert 0.1 * free < verified.tracking.budget.model < 10.0 * free


def test_model_part_of_motions_is_the_acceleration_that_would_make_them() -> None:
    # a constant acceleration that differs by 8 d moves by d in half a second
    compared = Comparison("motion of x", "motions", 1e-3, 0.5)
    certificate = Certificate((compared,), (), "", 1)
    assert _differences(certificate, ("s", "x")) == pytest.approx([8.0 * 0.5e-3] * 2)


def test_growth_along_a_motion_that_changes_is_that_of_the_middle_of_each_step() -> None:
    """x' = t x: a push at t_k has grown by exp((T^2 - t_k^2) / 2), exactly by the mean slope."""
    time = np.linspace(0.0, 2.0, 21)
    found = _propagate(time, time[:, None, None], np.ones((21, 1, 1)), np.array([3.0]))
    wanted = 3.0 * 0.1 * np.exp(0.5 * (4.0 - time[:-1] ** 2)).sum()
    assert found == pytest.approx(wanted, rel=1e-9)


def test_step_calculus_is_exact_for_polynomials() -> None:
    starts = np.array([0, 9, 14])
    edges = (0.0, 0.4, 0.5, 1.0)
    time = np.concatenate(
        [
            0.5 * (a + b) - 0.5 * (b - a) * np.cos(np.pi * np.arange(n) / (n - 1))
            for a, b, n in zip(edges[:-1], edges[1:], (9, 5, 9), strict=True)
        ]
    )
    values = (time**4)[:, None]
    assert rate(time, starts, values)[:, 0] == pytest.approx(4 * time**3, abs=1e-12)
    assert integral(time, starts, values[:, 0]) == pytest.approx(0.2, abs=1e-14)


def test_twin_as_plant_judges_what_the_plant_judges() -> None:
    scenario = load_scenario("overhead", LIMITS)
    verified = verify_on_twin(scenario)
    twin = {v.name: v for v in verified.verdicts}
    solution = judge_solution(verified.feedforward, scenario.limits)
    for verdict in solution:
        on_twin = twin[f"plant {verdict.name}"]
        assert on_twin.status == verdict.status
        assert on_twin.value == pytest.approx(verdict.value, rel=2e-2)


def test_rope_force_that_the_plant_does_not_give_is_not_judged(tmp_path) -> None:
    outputs = ("x", "z", "s", "l", "v_s", "v_l")
    fmu = overhead_fmu(tmp_path, "no_rope", outputs=outputs)
    settings = [f"plant.fmu='{fmu}'", "plant.certify=false"]
    verified = verify_scenario(load_scenario("overhead", settings))
    verdict = next(v for v in verified.verdicts if v.name == "plant rope T_cable pulls")
    assert verdict.status == "not judged"
    assert "no force of rope T_cable" in verdict.message
    assert verified.exit_code == 1
    waived = verify_scenario(load_scenario("overhead", [*settings, "limits.ropes=ignore"]))
    assert waived.exit_code == 0
    assert "rope.T_cable" not in dict(verified.tracking.columns())


def test_scenario_without_a_plant_is_told_so() -> None:
    example = Path(__file__).parents[2] / "examples" / "spring_trolley.toml"
    with pytest.raises(InputError, match=r"names no plant: add plant\.model"):
        verify_scenario(load_scenario(str(example)))


def test_crane_without_constraints_and_ropes_is_verified(tmp_path) -> None:
    # Everything that is stacked over times must stand sizes of zero.
    cart = Path(__file__).with_name("cart.py")
    model = cart_fmu(tmp_path)
    file = tmp_path / "cart.toml"
    file.write_text(
        f'[crane]\nmodel = "{cart}:Cart"\n[path]\nkind = "line"\nstart = [0.0]\ngoal = [1.0]\n'
        f'duration = 2.0\n[plant]\nfmu = "{model}"\n[plant.map.signals]\n"v.s" = "w"\n'
    )
    scenario = load_scenario(str(file))
    for verified in (verify_scenario(scenario), verify_on_twin(scenario)):
        assert verified.exit_code == 0
        assert max(verified.tracking.max_error.values()) < 1e-6  # controls every 10 ms
