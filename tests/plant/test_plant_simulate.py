"""One interface over FMI 2 and 3, Model Exchange and Co-Simulation; orders are observed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from fmu_driver import Exported
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

from cranebridge.errors import InputError
from cranebridge.plant.child.co_simulation import communication_points
from cranebridge.plant.child.fmi.fmi_errors import FmuError
from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol import Instantiation, SimulationRequest
from cranebridge.plant.protocol.controls import Controls, Drives
from cranebridge.plant.sandbox.child_process import PlantStatusError

Open = Callable[..., Plant]
GRAVITY = 9.81
TIMES = np.linspace(0.0, 3.0, 31)
both_loops = pytest.mark.usefixtures("loop")


@pytest.fixture(scope="module")
def opened(exported: Callable[[str, int], Exported], backend: str) -> Iterator[Open]:
    """Plants, each opened once: the child process serves all tests of this file."""
    plants: dict[tuple[str, int, str], Plant] = {}

    def get(name: str, fmi: int = 2, interface: str = "me") -> Plant:
        if (backend, fmi, interface) == ("pyfmi", 3, "cs"):
            pytest.skip("PyFMI runs no Co-Simulation of FMI 3")
        key = (name, fmi, interface)
        if key not in plants:
            plants[key] = Plant(exported(name, fmi).path, interface=interface, backend=backend)
        return plants[key]

    yield get
    for plant in plants.values():
        plant.close()


def torque(t: np.ndarray | float) -> np.ndarray | float:
    return 5.0 * np.sin(3.0 * np.asarray(t))


def pendulum(
    times: np.ndarray, start: tuple[float, float] = (0.7, 0.25), m: float = 2.0, feedback=None
) -> np.ndarray:
    inertia = m * 1.5**2

    def rhs(t: float, x: np.ndarray) -> list[float]:
        tau = torque(t) + (feedback(t, x) if feedback else 0.0)
        moment = tau - 0.1 * x[1] - m * GRAVITY * 1.5 * np.sin(x[0])
        return [x[1], moment / inertia]

    options = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-13}
    return solve_ivp(rhs, (times[0], times[-1]), start, t_eval=times, **options).y.T


def fine_controls(steps: int = 3000) -> Controls:
    t = np.linspace(0.0, 3.0, steps + 1)
    rates = 15.0 * np.cos(3.0 * t)
    return Controls.cubic(t, torque(t)[:, None], rates[:, None], ["tau"])


# ---------------------------------------------------------------------------- Model Exchange


@both_loops
@pytest.mark.parametrize("fmi", [2, 3])
def test_model_exchange_follows_the_exact_solution(opened, fmi):
    result = opened("pendulum", fmi).simulate(times=TIMES, inputs=fine_controls())
    exact = pendulum(TIMES)
    assert result.states[-1] == pytest.approx(exact[-1], abs=1e-9)
    # between the steps the error of the dense output comes on top
    assert result.states == pytest.approx(exact, abs=1e-8)
    assert result.column("phi") == pytest.approx(result.states[:, 0], abs=1e-15)
    wanted = 1.5 * np.sin(result.states[:, 0])
    assert result.column("position[1]") == pytest.approx(wanted, abs=1e-12)
    assert result.log == ()


@pytest.mark.parametrize(
    "method",
    ["DOP853", "LSODA", "Radau", "BDF", "RK45", "CVODE", "DOP853 in Python"],
    indirect=True,
)
def test_all_integrators_agree(opened, backend, method):
    if backend == "pyfmi" and method in ("DOP853", "LSODA"):
        pytest.skip(f"{method} is not offered with PyFMI")
    times = np.linspace(0.0, 1.0, 6)
    result = opened("pendulum").simulate(
        times=times, inputs=fine_controls(), method=method, rtol=1e-8, atol=1e-10
    )
    assert np.abs(result.states - pendulum(times)).max() < 2e-6
    assert result.steps > 0
    assert result.evaluations > 0


@both_loops
@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("interface", ["me", "cs"])
def test_parameters_and_start_values_are_set(opened, fmi, interface):
    result = opened("pendulum", fmi, interface).simulate(
        times=TIMES, parameters={"m": 3.0}, start={"phi": -0.2, "omega": 1.0}, step=0.1
    )
    torque_free = solve_ivp(
        lambda _t, x: [x[1], -(0.1 * x[1]) / 6.75 - GRAVITY / 1.5 * np.sin(x[0])],
        (0.0, 3.0),
        [-0.2, 1.0],
        method="DOP853",
        t_eval=TIMES,
        rtol=1e-12,
        atol=1e-12,
    )
    assert result.states == pytest.approx(torque_free.y.T, abs=1e-7)


@both_loops
def test_tighter_tolerances_give_smaller_errors(opened):
    exact = pendulum(TIMES)
    errors = [
        np.abs(
            opened("pendulum")
            .simulate(times=TIMES, inputs=fine_controls(), rtol=rtol, atol=rtol)
            .states
            - exact
        ).max()
        for rtol in (1e-5, 1e-8, 1e-11)
    ]
    assert errors[0] > 10 * errors[1] > 100 * errors[2]


@both_loops
def test_sampling_held_linear_and_continuous_has_orders_one_two_and_more(opened):
    def error(controls: Controls) -> float:
        result = opened("pendulum").simulate(times=times, inputs=controls)
        return float(np.abs(result.states - exact).max())

    def observed(make: Callable[[np.ndarray], Controls], step: float) -> tuple[float, float]:
        coarse, fine = (
            error(make(np.linspace(0.0, 1.0, round(1 / h) + 1))) for h in (2 * step, step)
        )
        return float(np.log2(coarse / fine)), fine

    times = np.linspace(0.0, 1.0, 11)
    exact = pendulum(times)
    hold, hold_error = observed(lambda t: Controls.hold(t, torque(t), ["tau"]), 0.005)
    linear, linear_error = observed(lambda t: Controls.linear(t, torque(t), ["tau"]), 0.005)
    # coarser, so that the error of the input stands above that of the integrator
    cubic, _ = observed(
        lambda t: Controls.cubic(t, torque(t), 15.0 * np.cos(3.0 * t), ["tau"], stops=t), 0.05
    )
    assert hold == pytest.approx(1.0, abs=0.05)
    assert linear == pytest.approx(2.0, abs=0.05)
    assert cubic == pytest.approx(4.0, abs=0.3)
    assert hold_error > 100 * linear_error
    assert linear_error > 100 * error(fine_controls())


@both_loops
def test_held_input_of_an_integrator_is_exact(opened):
    t = np.linspace(0.0, 1.0, 201)
    result = opened("integrator").simulate(
        times=[0.0, 0.5, 1.0], inputs=Controls.hold(t, t[:, None], ["u"])
    )
    wanted = 0.005 * sum(t[:-1]) + 1.0 - np.cos(1.0)
    assert result.states[-1, 0] == pytest.approx(wanted, abs=1e-12)


@both_loops
def test_output_at_a_jump_of_the_input_is_the_one_after_it(opened):
    controls = Controls.hold([0.0, 0.5, 1.0], [[1.0], [2.0], [2.0]], ["u"])
    result = opened("integrator").simulate(times=[0.0, 0.5, 1.0], inputs=controls)
    x, y = result.states[:, 0], result.outputs[:, 0]
    assert y - x * result.time == pytest.approx([3.0, 6.0, 6.0], abs=1e-12)


@both_loops
def test_a_stop_at_a_kink_saves_steps_and_keeps_the_order(opened, backend):
    kink = Controls.linear([0.0, 0.4711, 1.0], [[0.0], [5.0], [-5.0]], ["tau"])
    blind = Controls(kink.coefficients, kink.breakpoints, kink.names, np.empty(0))
    plant, times = opened("pendulum"), [0.0, 1.0]
    with_stop = plant.simulate(times=times, inputs=kink)
    without = plant.simulate(times=times, inputs=blind)
    best = plant.simulate(times=times, inputs=kink, rtol=1e-13, atol=1e-14)
    # one rejected step costs less of the many short ones of PyFMI's Radau5ODE
    part = {"own": 0.8, "pyfmi": 1.0}[backend]
    assert with_stop.evaluations < part * without.evaluations
    assert with_stop.states[-1] == pytest.approx(best.states[-1], abs=1e-10)


@both_loops
def test_the_integrator_says_where_it_cannot_go_on(opened):
    with pytest.raises(PlantStatusError, match=r"cannot go on at t = (0\.99|1)|not finite"):
        opened("edge").simulate(times=[0.0, 2.0], inputs=Controls.constant([0.0], ["u"]))


# ---------------------------------------------------------------------------- drives


@both_loops
@pytest.mark.parametrize("fmi", [2, 3])
def test_drive_controller_closes_the_loop_in_every_evaluation(opened, fmi):
    t = np.linspace(0.0, 3.0, 601)
    reference = Controls.from_ppoly(CubicSpline(t, np.sin(t)[:, None]), ["phi"])
    drives = Drives(("tau",), ("phi",), ("omega",), (40.0,), (10.0,), reference)
    result = opened("pendulum", fmi).simulate(
        times=TIMES, inputs=fine_controls().with_drives(drives)
    )

    def feedback(t: float, x: np.ndarray) -> float:
        return 40.0 * (np.sin(t) - x[0]) + 10.0 * (np.cos(t) - x[1])

    assert result.states == pytest.approx(pendulum(TIMES, feedback=feedback), abs=1e-8)


@both_loops
def test_no_step_reaches_over_a_kink_of_a_drive_reference(opened):
    times = np.array([0.0, 0.2137, 0.6243, 1.0])
    reference = Controls.linear(times, [[0.7], [0.9], [0.2], [0.5]], ["phi"])
    gains = ((40.0,), (10.0,))
    drives = Drives(("tau",), ("phi",), ("omega",), *gains, reference)
    controls = Controls.constant([0.0], ["tau"]).with_drives(drives)
    result = opened("pendulum").simulate(times=times, inputs=controls, rtol=1e-9, atol=1e-11)
    # A step over a kink is tried again and again until it ends there: 55 rejected instead of 1.
    assert result.rejected <= 2


@both_loops
def test_last_held_sample_holds_for_good(opened):
    controls = Controls.hold([0.0, 0.5, 1.0], [[0.0], [1.0], [5.0]], ["tau"])
    assert controls([0.25, 0.75, 1.0, 9.0])[:, 0].tolist() == [0.0, 1.0, 5.0, 5.0]
    times = np.linspace(1.0, 3.0, 5)
    held = opened("pendulum").simulate(times=np.append(0.0, times), inputs=controls)
    start = dict(zip(("phi", "omega"), held.states[1], strict=True))
    constant = Controls.constant([5.0], ["tau"])
    again = opened("pendulum").simulate(times=times, inputs=constant, start=start)
    assert held.states[1:] == pytest.approx(again.states, abs=1e-8)


def test_drive_controller_in_cosimulation_converges_to_the_continuous_one(opened):
    reference = Controls.constant([0.5], ["phi"])
    drives = Drives(("tau",), ("phi",), ("omega",), (40.0,), (10.0,), reference)
    controls = Controls.constant([0.0], ["tau"]).with_drives(drives)
    times = np.linspace(0.0, 1.0, 11)
    exact = opened("pendulum").simulate(times=times, inputs=controls)
    run = opened("pendulum", 2, "cs").simulate_halving(step=0.01, times=times, inputs=controls)
    assert run.order[0] == pytest.approx(1.0, abs=0.1)
    assert np.abs(run.finest.states - exact.states).max() < 0.01


def test_feeding_back_an_output_with_feedthrough_is_refused(opened):
    drives = Drives(
        ("tau",), ("alpha",), ("omega",), (1.0,), (1.0,), Controls.constant([0.0], ["r"])
    )
    with pytest.raises(InputError, match="'alpha' depends directly on tau"):
        opened("pendulum").simulate(
            times=TIMES, inputs=Controls.constant([0.0], ["tau"]).with_drives(drives)
        )


# ---------------------------------------------------------------------------- Co-Simulation


def test_cosimulation_with_input_derivatives_has_order_four(opened):
    plant = opened("integrator", 2, "cs")
    t = np.linspace(0.0, 2.0, 2001)
    controls = Controls.from_ppoly(CubicSpline(t, np.exp(t)[:, None]), ["u"])
    run = plant.simulate_halving(
        step=0.5, times=[0.0, 1.0, 2.0], inputs=controls, outputs=["x"], rtol=1e-12
    )
    assert "order 3" in run.fine.interpolation
    assert run.order[0] == pytest.approx(4.0, abs=0.15)
    wanted = np.exp(2.0) - 1.0 + 1.0 - np.cos(2.0)
    assert run.finest.outputs[-1, 0] == pytest.approx(wanted, abs=1e-4)


@pytest.mark.parametrize("fmi", [2, 3])
def test_cosimulation_with_held_inputs_has_order_one_and_says_so(opened, fmi):
    plant = opened("integrator", fmi, "cs")
    t = np.linspace(0.0, 1.0, 1001)
    controls = Controls.from_ppoly(CubicSpline(t, np.exp(t)[:, None]), ["u"])
    run = plant.simulate_halving(
        step=0.02, times=[0.0, 1.0], inputs=controls, outputs=["x"], input_derivatives=False
    )
    assert "held" in run.coarse.interpolation
    assert run.order[0] == pytest.approx(1.0, abs=0.02)
    assert run.finest.steps == 200


def test_output_times_and_stops_are_communication_points():
    times = np.array([0.0, 0.1, 0.4])
    controls = Controls.hold([0.0, 0.25, 1.0], [[0.0], [1.0], [1.0]], ["u"])
    fmu = Instantiation("2.0", "cs", "own", "", "plant", "token", 0, 0, False)
    request = SimulationRequest(
        fmu=fmu, times=times, controls=controls, references={"u": 1}, step=0.1
    )
    points = communication_points(request)
    assert [t for t, _ in points] == pytest.approx([0.0, 0.1, 0.175, 0.25, 0.325, 0.4])
    assert [output for _, output in points] == [True, True, False, False, False, True]
    with pytest.raises(FmuError, match=r"one length only.*from 0\.075 to 0\.1 s"):
        communication_points(dataclasses.replace(request, variable_step=False))


def test_halving_needs_cosimulation(opened):
    with pytest.raises(InputError, match="for Co-Simulation"):
        opened("integrator").simulate_halving(step=0.1, times=[0.0, 1.0])


# ---------------------------------------------------------------------------- evaluations


@pytest.mark.parametrize("fmi", [2, 3])
def test_derivatives_at_many_states_inputs_and_parameters(opened, fmi):
    rng = np.random.default_rng(2)
    states, inputs = rng.normal(size=(50, 2)), rng.normal(size=(50, 1))
    parameters = np.column_stack([rng.uniform(1, 3, 50), rng.uniform(1, 3, 50)])
    rates, outputs = opened("pendulum", fmi).derivatives(
        states, inputs, parameters, parameter_names=["m", "length"], outputs=["alpha", "energy"]
    )
    m, length = parameters.T
    moment = inputs[:, 0] - 0.1 * states[:, 1] - m * GRAVITY * length * np.sin(states[:, 0])
    alpha = moment / (m * length**2)
    assert rates == pytest.approx(np.column_stack([states[:, 1], alpha]), rel=1e-13, abs=1e-13)
    assert outputs[:, 0] == pytest.approx(alpha, rel=1e-13)


def test_derivatives_of_ten_thousand_states_take_one_call(opened):
    states = np.random.default_rng(3).normal(size=(10_000, 2))
    rates, outputs = opened("pendulum").derivatives(states)
    assert rates[:, 0] == pytest.approx(states[:, 1])
    assert outputs.shape == (10_000, 4)
    with pytest.raises(InputError, match="2 columns are needed"):
        opened("pendulum").derivatives(states[:, :1])


@pytest.mark.parametrize("fmi", [2, 3])
def test_linearization_is_exact(opened, fmi):
    result = opened("pendulum", fmi).directional([0.4, 1.0], [2.0], outputs=["position[1]"])
    assert result.exact
    wanted = [[0.0, 1.0], [-GRAVITY / 1.5 * np.cos(0.4), -0.1 / 4.5]]
    assert pytest.approx(np.array(wanted), abs=1e-13) == result.A
    assert pytest.approx(np.array([[0.0], [1 / 4.5]]), abs=1e-13) == result.B
    assert pytest.approx(np.array([[1.5 * np.cos(0.4), 0.0]]), abs=1e-13) == result.C
    assert pytest.approx(np.zeros((1, 1))) == result.D


def test_single_evaluations_need_model_exchange(opened):
    with pytest.raises(InputError, match="needs Model Exchange"):
        opened("pendulum", 2, "cs").derivatives([[0.0, 0.0]])
