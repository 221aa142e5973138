"""Between the output times: nodes within the integrator's own steps, with both sides of a jump."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import casadi as ca
import numpy as np
import pytest
from fmu_driver import Exported
from foreign import misbehaving_fmu
from numpy.polynomial import chebyshev
from scipy.integrate import solve_ivp

from cranebridge.frontend.flat_model import PlantModel, Variable
from cranebridge.plant.child.integrators.dense import lobatto
from cranebridge.plant.export.fmu_export import export_fmu
from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol.controls import Controls
from cranebridge.plant.sandbox import answers
from cranebridge.plant.sandbox.child_process import PlantStatusError, PlantValueError
from cranebridge.plant.sandbox.plant_results import Dense

TIMES = np.linspace(0.0, 3.0, 31)
TORQUE = Controls.linear([0.0, 1.0, 2.0, 3.0], [[0.0], [5.0], [-5.0], [0.0]], ["tau"])
Open = Callable[..., Plant]
both_loops = pytest.mark.usefixtures("loop")


@pytest.fixture(scope="module")
def opened(exported: Callable[[str, int], Exported]) -> Iterator[Open]:
    plants: dict[tuple[str, int], Plant] = {}

    def get(name: str, fmi: int = 2) -> Plant:
        if (name, fmi) not in plants:
            plants[name, fmi] = Plant(exported(name, fmi).path)
        return plants[name, fmi]

    yield get
    for plant in plants.values():
        plant.close()


def steps(dense: Dense) -> Iterator[slice]:
    ends = [*dense.starts[1:].tolist(), len(dense.time)]
    for begin, end in zip(dense.starts.tolist(), ends, strict=True):
        yield slice(begin, end)


def exact_pendulum(times: np.ndarray) -> np.ndarray:
    """States by SciPy, piece by piece between the kinks of the torque."""

    def rhs(t: float, x: np.ndarray) -> list[float]:
        torque = np.interp(t, [0.0, 1.0, 2.0, 3.0], [0.0, 5.0, -5.0, 0.0])
        return [x[1], (torque - 0.1 * x[1] - 2.0 * 9.81 * 1.5 * np.sin(x[0])) / 4.5]

    x, found = np.array([0.7, 0.25]), np.zeros((len(times), 2))
    for begin in (0.0, 1.0, 2.0):
        options = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-13, "dense_output": True}
        piece = solve_ivp(rhs, (begin, begin + 1.0), x, **options)
        inside = (times >= begin) & (times <= begin + 1.0)
        found[inside] = np.array([piece.sol(t) for t in times[inside]]).reshape(-1, 2)
        x = piece.y[:, -1]
    return found


@both_loops
@pytest.mark.parametrize("fmi", [2, 3])
def test_nodes_are_the_lobatto_points_of_the_steps_and_lie_on_the_motion(opened, fmi):
    run = opened("pendulum", fmi).simulate(times=TIMES, inputs=TORQUE, dense=True)
    dense = run.dense
    assert len(dense.starts) == run.steps
    assert (dense.time[0], dense.time[-1]) == (0.0, 3.0)
    for step in steps(dense):
        t = dense.time[step]
        count = 9 if t[-1] - t[0] >= 3.0 / 20000.0 else 5
        cosines = np.cos(np.pi * np.arange(count) / (count - 1))
        wanted = (t[0] + t[-1]) / 2 - (t[-1] - t[0]) / 2 * cosines
        assert t == pytest.approx(wanted, abs=1e-15)
    # a step begins where the last one has ended, with the same states: nothing jumps here
    for before, after in itertools.pairwise(steps(dense)):
        assert dense.time[before][-1] == dense.time[after][0]
        assert (dense.states[before][-1] == dense.states[after][0]).all()
    # tolerances 1e-10: the integrator's own error, as in the tests of the output times
    assert dense.states == pytest.approx(exact_pendulum(dense.time), abs=1e-8)
    height = run.output_names.index("position[1]")
    assert dense.outputs[:, height] == pytest.approx(1.5 * np.sin(dense.states[:, 0]), abs=1e-12)


@both_loops
def test_nine_nodes_of_a_step_tell_the_motion_between_them(opened):
    dense = opened("pendulum").simulate(times=[0.0, 3.0], inputs=TORQUE, dense=True).dense
    alpha = 3  # an output that is no polynomial of the states
    longest = max(steps(dense), key=lambda step: np.ptp(dense.time[step]))
    t = dense.time[longest]
    assert len(t) == 9
    at = np.linspace(-1.0, 1.0, 41)
    between = (t[0] + t[-1]) / 2 + (t[-1] - t[0]) / 2 * at
    nodes = -np.cos(np.pi * np.arange(9) / 8)
    found = chebyshev.chebval(at, chebyshev.chebfit(nodes, dense.outputs[longest, alpha], 8))
    phi, omega = exact_pendulum(between).T
    torque = np.interp(between, [0.0, 1.0, 2.0, 3.0], [0.0, 5.0, -5.0, 0.0])
    wanted = (torque - 0.1 * omega - 2.0 * 9.81 * 1.5 * np.sin(phi)) / 4.5
    # order 7 dense output at tolerance 1e-10; the step is about 0.2 s
    assert found == pytest.approx(wanted, abs=1e-7)


@pytest.mark.parametrize(
    "method",
    ["DOP853", "LSODA", "Radau", "BDF", "RK45", "CVODE", "DOP853 in Python"],
    indirect=True,
)
def test_dense_changes_nothing_at_the_output_times(opened, method):
    options = {"times": TIMES, "inputs": TORQUE, "method": method, "rtol": 1e-7, "atol": 1e-9}
    plain = opened("pendulum").simulate(**options)
    dense = opened("pendulum").simulate(**options, dense=True)
    assert plain.dense is None
    assert (plain.states == dense.states).all()
    assert (plain.outputs == dense.outputs).all()
    counters = ("steps", "rejected", "events")
    assert [getattr(plain, key) for key in counters] == [getattr(dense, key) for key in counters]
    assert dense.dense.states == pytest.approx(exact_pendulum(dense.dense.time), abs=2e-5)
    kinks = {0.0, 1.0, 2.0}
    assert kinks <= set(dense.dense.time[dense.dense.starts].tolist())


@both_loops
def test_the_interpolant_is_made_once_a_step(opened):
    ends = {"times": [0.0, 3.0], "inputs": TORQUE}
    plain = opened("pendulum").simulate(**ends)
    dense = opened("pendulum").simulate(**ends, dense=True)
    # the first step has an output time in it already: its begin
    assert dense.evaluations - plain.evaluations == 3 * (dense.steps - 1)
    # output times in every step: the nodes need no evaluation more
    many = {"times": np.linspace(0.0, 3.0, 3001), "inputs": TORQUE}
    plain = opened("pendulum").simulate(**many)
    assert opened("pendulum").simulate(**many, dense=True).evaluations == plain.evaluations


@both_loops
def test_both_sides_of_a_jump_of_the_input_are_seen(opened):
    held = Controls.hold([0.0, 0.5, 1.0], [[1.0], [2.0], [2.0]], ["u"])
    dense = opened("integrator").simulate(times=[0.0, 1.0], inputs=held, dense=True).dense
    u = (dense.outputs[:, 0] - dense.states[:, 0] * dense.time) / 3.0  # y = 3 u + x t
    at = np.flatnonzero(dense.time == 0.5)
    assert len(at) == 2
    assert at[1] in dense.starts
    assert u[: at[1]] == pytest.approx(1.0, abs=1e-14)
    assert u[at[1] :] == pytest.approx(2.0, abs=1e-14)


@both_loops
def test_states_before_and_after_an_event_are_seen(tmp_path):
    with Plant(misbehaving_fmu(tmp_path, "BOUNCE", 2, 1)) as plant:
        run = plant.simulate(times=np.linspace(0.0, 1.0, 11), dense=True)
    dense, fall = run.dense, np.sqrt(2.0 / 9.81)
    # as many steps as the integrator's: one that an event has cut short is one
    assert len(dense.starts) == run.steps
    left = dense.starts[1:] - 1
    assert (dense.time[left] == dense.time[left + 1]).all()
    jumps = left[dense.states[left, 1] != dense.states[left + 1, 1]]
    assert dense.time[jumps] == pytest.approx([fall, 2.0 * fall], abs=1e-9)
    for row, speed in zip(jumps, (9.81 * fall, 0.5 * 9.81 * fall), strict=True):
        assert dense.states[row] == pytest.approx([0.0, -speed], abs=1e-8)
        assert dense.states[row + 1] == pytest.approx([0.0, 0.5 * speed], abs=1e-8)
    free = dense.time < fall - 1e-9
    assert dense.states[free, 0] == pytest.approx(1.0 - 9.81 / 2 * dense.time[free] ** 2, abs=1e-9)


@both_loops
def test_a_value_that_is_not_finite_between_the_output_times_is_an_error(tmp_path):
    with Plant(misbehaving_fmu(tmp_path, "GAP")) as plant:
        ramp = Controls.linear([0.0, 1.0], [[0.0], [1.0]], ["u"])
        ends = {"times": [0.0, 1.0], "inputs": ramp}
        assert plant.simulate(**ends).outputs[-1, 0] == pytest.approx(0.5, abs=1e-12)
        with pytest.raises(PlantValueError, match="y is nan between the output times"):
            plant.simulate(**ends, dense=True)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("dense.time", None),
        ("dense.time", [0.0, 2.0, 1.0]),
        ("dense.time", [[0.0, 1.0, 2.0]]),
        ("dense.time", [0.0, np.nan, 2.0]),
        ("dense.starts", None),
        ("dense.starts", [1.0]),
        ("dense.starts", [0.0, 3.0]),
        ("dense.starts", [0.0, np.inf]),
        ("dense.outputs", [[1.0], [1.0]]),
        ("dense.states", None),
    ],
)
def test_nodes_that_make_no_sense_are_refused(name, value):
    """What comes from the child process may have been changed by foreign code."""
    good = {
        "dense.time": np.array([0.0, 1.0, 2.0]),
        "dense.starts": np.array([0.0, 1.0]),
        "dense.outputs": np.zeros((3, 1)),
        "dense.states": np.zeros((3, 2)),
    }
    assert answers.nodes(good, ("y",), ("a", "b"), ()).starts.tolist() == [0, 1]
    changed = {key: array for key, array in good.items() if key != name}
    if value is not None:
        changed[name] = np.array(value)
    with pytest.raises(PlantStatusError, match="the child process returned no"):
        answers.nodes(changed, ("y",), ("a", "b"), ())


@pytest.mark.parametrize(("name", "column", "who"), [("outputs", 0, "y"), ("states", 1, "b")])
def test_nodes_that_are_not_finite_are_refused_with_their_name(name, column, who):
    good = {
        "dense.time": np.array([0.0, 1.0, 2.0]),
        "dense.starts": np.array([0.0, 1.0]),
        "dense.outputs": np.zeros((3, 1)),
        "dense.states": np.zeros((3, 2)),
    }
    good[f"dense.{name}"][2, column] = np.inf
    with pytest.raises(PlantValueError, match=f"{who} is inf between .* at node number 2"):
        answers.nodes(good, ("y",), ("a", "b"), ())


@pytest.fixture(scope="module")
def gain(tmp_path_factory):
    """An FMU without states, y = 2 u + t."""
    t, x, u, p = ca.SX.sym("t"), ca.SX.sym("x", 0), ca.SX.sym("u"), ca.SX.sym("p", 0)
    model = PlantModel(
        name="Gain",
        states=(),
        inputs=(Variable("u"),),
        outputs=(Variable("y"),),
        parameters=(),
        rhs=ca.Function("rhs", [t, x, u, p], [ca.SX(0, 1)]),
        outputs_function=ca.Function("outputs", [t, x, u, p], [2 * u + t]),
        initial=ca.Function("initial", [p], [ca.SX(0, 1)]),
    )
    return export_fmu(model, tmp_path_factory.mktemp("gain") / "gain.fmu")


@both_loops
def test_a_plant_without_states_has_nodes_too(gain):
    ramp = Controls.linear([0.0, 1.0], [[0.0], [1.0]], ["u"])
    with Plant(gain) as plant:
        dense = plant.simulate(times=[0.0, 1.0], inputs=ramp, dense=True).dense
        rates = plant.rates(np.zeros((1, 0)), [[5.0]])
    assert dense.outputs[:, 0] == pytest.approx(3.0 * dense.time, abs=1e-15)
    assert dense.states.shape == (len(dense.time), 0)
    assert rates.output_rates == pytest.approx(np.array([[1.0]]), abs=1e-12)


def test_cosimulation_has_no_dense_output(exported):
    with Plant(exported("pendulum", 2).path, interface="cs") as plant:
        assert plant.simulate(times=[0.0, 0.1], dense=True).dense is None


def test_short_steps_get_five_nodes_with_their_ends_exact():
    t = lobatto(0.1, 0.3, short=0.2000001)
    assert t.tolist()[0::4] == [0.1, 0.3]
    assert len(t) == 5
    assert len(lobatto(0.1, 0.3, short=0.19)) == 9
    tiny = lobatto(1.0, 1.0 + 4e-16, short=1.0)
    assert (np.diff(tiny) >= 0.0).all()
    assert (tiny[0], tiny[-1]) == (1.0, 1.0 + 4e-16)
