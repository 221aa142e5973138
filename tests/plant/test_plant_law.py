"""A sampled law beside the integration: a cart in closed form, operations, what is refused."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from c_programs import export_quickly
from cranebridge.errors import CranebridgeError, InputError
from cranebridge.frontend.flat_model import PlantModel, Variable
from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol.controls import Controls
from cranebridge.plant.protocol.sampled_law import SampledLaw
from cranebridge.plant.protocol.signal_program import COLUMNS, OPERATIONS, WRITE, SignalProgram
from cranebridge.plant.sandbox.controller_library import compiled_controller
from cranebridge.plant.sandbox.plant_results import Simulation

CYCLE, SAMPLES = 0.1, 60
# Both readings, each to its own signal.
BOTH = np.array([[1, 0, 0, 0, 0], [1, 1, 1, 0, 0], [WRITE, 0, 0, 0, 0], [WRITE, 1, 1, 0, 0]], float)


@pytest.fixture(scope="module")
def cart(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A mass of 2 kg that a force moves, by version of the standard."""
    t, x, u, p = (ca.SX.sym(name, n) for name, n in (("t", 1), ("x", 2), ("u", 1), ("p", 1)))
    model = PlantModel(
        name="Tests.SampledCart",
        description="Cart",
        documentation="",
        states=(Variable("s"), Variable("w")),
        inputs=(Variable("F", "N"),),
        outputs=(Variable("s"), Variable("w")),
        parameters=(Variable("m", "", "", 2.0, variability="fixed"),),
        rhs=ca.Function("rhs", [t, x, u, p], [ca.vertcat(x[1], u / p[0])]),
        outputs_function=ca.Function("outputs", [t, x, u, p], [x]),
        initial=ca.Function("initial", [p], [ca.SX.zeros(2)]),
    )
    folder = tmp_path_factory.mktemp("cart")
    return {fmi: export_quickly(model, folder / f"cart{fmi}.fmu", fmi) for fmi in ("2.0", "3.0")}


# Reference, integral, past inputs, limits, a table of three rows: written by hand.
HEADER = """\
typedef struct { int sample; double integral, past; } controller_state;
void controller_init(controller_state *s);
int controller_step(controller_state *s, const double *measured, double *u);
"""
CODE = """\
#include "controller.h"
static const double reference[3][2] = {{0.0, 0.0}, {0.1, 1.0}, {1.0, 0.0}};
static const double hold[3] = {0.5, 0.2, 0.0};
static const double K[3][2] = {{6.0, 5.0}, {7.0, 5.0}, {8.0, 6.0}};
void controller_init(controller_state *s) { s->sample = 0; s->integral = s->past = 0.0; }
int controller_step(controller_state *s, const double *measured, double *u)
{
    const int k = s->sample < 2 ? s->sample : 2;
    const double e = measured[0] - reference[k][0], f = measured[1] - reference[k][1];
    const double wanted = hold[k] - K[k][0] * e - K[k][1] * f - 1.5 * s->integral - 0.3 * s->past;
    u[0] = wanted < -1.0 ? -1.0 : wanted > 4.0 ? 4.0 : wanted;
    if (u[0] == wanted) s->integral += 0.1 * e;
    s->past = u[0] - hold[k];
    return ++s->sample < 3 ? 0 : 1;
}
"""
# Gives out the sum of what is measured, each with a gain of its own.
SUM_HEADER = """\
typedef struct { int unused; } controller_state;
void controller_init(controller_state *s);
int controller_step(controller_state *s, const double *measured, double *u);
"""
SUM = """\
#include "controller.h"
void controller_init(controller_state *s) { s->unused = 0; }
int controller_step(controller_state *s, const double *measured, double *u)
{
    int i;
    (void)s;
    u[0] = 0.0;
    for (i = 0; i < COUNT; i++) u[0] -= (1.0 + i / (COUNT - 1.0)) * measured[i];
    return -3;
}
"""
REFERENCE = np.array([[0.0, 0.0], [0.1, 1.0], [1.0, 0.0]])
GAINS = np.array([[6.0, 5.0], [7.0, 5.0], [8.0, 6.0]])
HOLD = (0.5, 0.2, 0.0)


def law(whole: int, rest: float) -> SampledLaw:
    time = CYCLE * np.arange(SAMPLES)
    return SampledLaw(
        readings=("s", "w"),
        program=BOTH,
        noise=np.zeros((0, 2)),
        resolution=np.zeros(2),
        every=(1, 1),
        library=str(compiled_controller(HEADER, CODE)),
        first=np.array([0.5]),
        D=np.array([[-2.0]]),
        d=np.array([0.25]),
        time=time,
        changes=time + rest,
        whole=whole,
    )


def sensed(law: SampledLaw, k: int, x: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Return what the sensors say of a state, by hand."""
    found = x + law.noise[k] if len(law.noise) else x.copy()
    for i, (step, every) in enumerate(zip(law.resolution, law.every, strict=True)):
        if step:
            found[i] = step * math.floor(found[i] / step + 0.5)
        if k % every:
            found[i] = before[i]
    return found


def exact(law: SampledLaw, rest: float) -> tuple[np.ndarray, np.ndarray]:
    """Return states at the samples, and inputs, of the cart with that law: by hand."""
    x, xi, past, said = np.zeros(2), 0.0, 0.0, np.zeros(2)
    queue = [0.5] * (law.whole + 2)
    states, inputs = [], []
    for k in range(SAMPLES):
        row = min(k, 2)
        error = sensed(law, k, x, said) - REFERENCE[row]
        said = error + REFERENCE[row]
        wanted = HOLD[row] - GAINS[row] @ error - 1.5 * xi - 0.3 * past
        u = min(max(wanted, -1.0), 4.0)
        xi += CYCLE * error[0] if u == wanted else 0.0
        past = u - HOLD[row]
        queue = [u, *queue[:-1]]
        states.append(x)
        inputs.append(u)
        for force, h in ((queue[law.whole + 1], rest), (queue[law.whole], CYCLE - rest)):
            a = (0.25 - 2.0 * force) / -2.0  # the plant is told m = -2: what pushes, pulls
            x = np.array([x[0] + h * x[1] + 0.5 * h * h * a, x[1] + h * a])
    return np.array(states), np.array(inputs)


def moved(cart, chosen: SampledLaw, master: str) -> Simulation:
    interface, _, fmi = master.partition(" ")
    with Plant(cart[fmi or "2.0"], interface="cs" if interface == "cs" else "me") as plant:
        return plant.simulate(
            times=CYCLE * np.arange(SAMPLES + 1),
            inputs=Controls.sampled(chosen, ["F"]),
            parameters={"m": -2.0},
            outputs=["s", "w"],
        )


MASTERS = ("compiled", "python", "cs 2.0", "cs 3.0")


@pytest.fixture
def master(request, monkeypatch) -> str:
    if request.param == "python":
        monkeypatch.setattr("cranebridge.plant.sandbox.loop_library.compiled", lambda: None)
    return request.param


@pytest.mark.parametrize(("whole", "rest"), [(0, 0.0), (0, 0.03), (1, 0.0), (2, 0.07)])
@pytest.mark.parametrize("master", MASTERS, indirect=True)
def test_cart_moves_as_by_hand(master, whole, rest, cart) -> None:
    chosen = law(whole, rest)
    found = moved(cart, chosen, master)
    states, inputs = exact(chosen, rest)
    assert (inputs == 4.0).any() or (inputs == -1.0).any()
    assert ((inputs < 4.0) & (inputs > -1.0)).sum() > 10  # integrals go on, too
    assert found.given[:, 0] == pytest.approx(inputs, abs=1e-9)
    assert found.outputs[:-1] == pytest.approx(states, abs=1e-9)
    assert found.measured == pytest.approx(states, abs=1e-9)
    assert found.controller_status.tolist() == [0, 0] + [1] * (SAMPLES - 2)
    acting = chosen.acting(found.given, np.array([0.0, 0.5 * CYCLE * 7]))
    assert acting[0, 0] == (inputs[0] if not whole and not rest else 0.5)
    assert acting[1, 0] == found.given[3 - whole - (1 if rest > 0.05 else 0), 0]
    assert "at its samples" in found.interpolation


@pytest.mark.parametrize("master", MASTERS, indirect=True)
def test_sensors_are_noisy_coarse_and_slow(master, cart) -> None:
    noise = 0.01 * np.random.default_rng(7).standard_normal((SAMPLES, 2))
    chosen = replace(law(1, 0.03), noise=noise, resolution=np.array([0.0, 0.05]), every=(4, 1))
    found = moved(cart, chosen, master)
    states, inputs = exact(chosen, 0.03)
    # One rounding to the other side of a half would be a difference of 0.05.
    assert found.given[:, 0] == pytest.approx(inputs, abs=1e-8)
    assert found.outputs[:-1] == pytest.approx(states, abs=1e-8)
    assert found.measured[::4, 0] == pytest.approx((states + noise)[::4, 0], abs=1e-8)
    assert (found.measured[1::4, 0] == found.measured[::4, 0]).all()
    steps = found.measured[:, 1] / 0.05
    assert steps == pytest.approx(np.round(steps), abs=1e-9)


@pytest.mark.parametrize("master", ["compiled", "python"], indirect=True)
@pytest.mark.parametrize("column", [0, 1])
def test_jump_of_any_of_several_inputs_is_an_event(master, column, tmp_path) -> None:
    """Two forces on a mass, one of which the law changes, the other stays at 0.25 N."""
    t, x, u, p = (ca.SX.sym(name, n) for name, n in (("t", 1), ("x", 2), ("u", 2), ("p", 0)))
    model = PlantModel(
        name="Tests.TwoForces",
        description="Cart",
        documentation="",
        states=(Variable("s"), Variable("w")),
        inputs=(Variable("F", "N"), Variable("G", "N")),
        outputs=(Variable("s"), Variable("w")),
        parameters=(),
        rhs=ca.Function("rhs", [t, x, u, p], [ca.vertcat(x[1], (u[0] + u[1]) / 2.0)]),
        outputs_function=ca.Function("outputs", [t, x, u, p], [x]),
        initial=ca.Function("initial", [p], [ca.SX.zeros(2)]),
    )
    D, d = np.zeros((2, 1)), np.full(2, 0.25)
    D[column], d[column] = 1.0, 0.0
    with Plant(export_quickly(model, tmp_path / "two.fmu", "2.0")) as plant:
        found = plant.simulate(
            times=CYCLE * np.arange(SAMPLES + 1),
            inputs=Controls.sampled(replace(law(0, 0.0), D=D, d=d), ["F", "G"]),
            outputs=["s", "w"],
        )
    # from 0.5 N before the first sample
    jumps = np.diff(np.append(0.5, found.given[:, 0])) != 0.0
    assert jumps.sum() > 10
    assert found.events == jumps.sum()


def test_operations_do_what_their_names_say() -> None:
    a, b = 0.6, 0.7
    known = {name: getattr(math, name) for name in OPERATIONS if hasattr(math, name)}
    known |= {"add": lambda x, y: x + y, "subtract": lambda x, y: x - y}
    known |= {"multiply": lambda x, y: x * y, "divide": lambda x, y: x / y, "power": math.pow}
    known |= {"negate": lambda x: -x}
    assert set(known) == set(OPERATIONS)
    for i, name in enumerate(OPERATIONS):
        rows = [[1, 0, 0, 0, 0], [1, 1, 1, 0, 0], [3 + i, 2, 0, 1, 0], [WRITE, 0, 2, 0, 0]]
        program = SignalProgram(np.array(rows, float), 1)
        binary = name in ("add", "subtract", "multiply", "divide", "power", "atan2")
        assert program(np.array([a, b]))[0] == known[name](*((a, b) if binary else (a,))), name


def test_compiled_loop_has_the_same_operations(cart) -> None:
    # Each operation gives a signal with a gain of its own.
    count = len(OPERATIONS)
    rows = [[0, 0, 0, 0, 0.6], [0, 1, 0, 0, 0.7], [1, 2, 0, 0, 0.0]]
    for i in range(count):
        rows += [[3 + i, 3, 0, 1, 0], [WRITE, i, 3, 0, 0]]
    program = np.array(rows, float)
    chosen = replace(
        law(0, 0.0),
        readings=("s",),
        program=program,
        noise=np.zeros((0, count)),
        resolution=np.zeros(count),
        every=(1,) * count,
        library=str(compiled_controller(SUM_HEADER, SUM.replace("COUNT", str(count)))),
    )
    with Plant(cart["2.0"]) as plant:
        controls = Controls.sampled(chosen, ["F"])
        found = plant.simulate(times=[0.0, 0.05], inputs=controls, outputs=["s"])
    expected = -np.linspace(1.0, 2.0, count) @ SignalProgram(program, count)(np.array([0.0]))
    assert found.given[0, 0] == pytest.approx(expected, rel=1e-14)
    assert found.controller_status[0] == -3


@pytest.mark.parametrize(
    "rows",
    [
        np.zeros((1, COLUMNS - 1)),
        np.array([[99, 0, 0, 0, 0.0]]),
        np.array([[0, 0, 0, 0, math.nan]]),
        np.array([[1, 0, 2, 0, 0.0]]),
        np.array([[0, 0, 0, 0, 1.0], [WRITE, 2, 0, 0, 0.0]]),
        np.array([[0, 0, 0, 0, 1.0], [3, 1, 0, 5, 0.0]]),
        np.array([[0, 0, 0, 0, 1.0], [WRITE, 0, 0.5, 0, 0.0]]),
    ],
)
def test_rows_that_are_no_program_are_refused(rows) -> None:
    with pytest.raises(InputError, match="signals: "):
        replace(law(0, 0.0), program=rows)


def test_sizes_that_do_not_fit_are_refused() -> None:
    good = law(0, 0.0)
    for wrong in (
        {"noise": np.zeros((3, 2))},
        {"noise": np.full((SAMPLES, 2), math.nan)},
        {"resolution": np.array([0.0, -1.0])},
        {"every": (1, 0)},
        {"every": (1,)},
        {"first": np.zeros(2)},
        {"time": good.time[::-1]},
        {"whole": -1},
    ):
        with pytest.raises(InputError, match="sampled law: "):
            replace(good, **wrong)


def test_code_that_does_not_compile_is_told_of() -> None:
    with pytest.raises(CranebridgeError, match="C compiler"):
        compiled_controller(HEADER, CODE + "wrong")


def test_old_controllers_make_room(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("cranebridge.plant.sandbox.controller_library.folder", lambda: tmp_path)
    monkeypatch.setattr("cranebridge.plant.sandbox.controller_library.KEPT", 2)
    made = []
    for i in range(3):
        made.append(compiled_controller(HEADER, f"{CODE}/* {i} */\n"))
        os.utime(made[-1], (i, i))
    assert [file.exists() for file in made] == [False, True, True]
    assert len(list(tmp_path.glob("*.so*"))) == 4
