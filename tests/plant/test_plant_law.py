"""A sampled law beside the integration: a cart in closed form, operations, what is refused."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from cranebridge.errors import InputError
from cranebridge.plant.controls import Controls
from cranebridge.plant.export import export_fmu
from cranebridge.plant.model import PlantModel, Variable
from cranebridge.plant.plant import Plant
from cranebridge.plant.sampled_law import SampledLaw
from cranebridge.plant.signal_program import COLUMNS, OPERATIONS, WRITE, SignalProgram

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
    return {fmi: export_fmu(model, folder / f"cart{fmi}.fmu", fmi=fmi) for fmi in ("2.0", "3.0")}


def law(whole: int, rest: float) -> SampledLaw:
    """A law of all parts: reference, integral, past inputs, limits, a table of three rows."""
    time = CYCLE * np.arange(SAMPLES)
    gains = np.array([[[6.0, 5.0]], [[7.0, 5.0]], [[8.0, 6.0]]])
    return SampledLaw(
        readings=("s", "w"),
        program=BOTH,
        reference=np.array([[0.0, 0.0], [0.1, 1.0], [1.0, 0.0]]),
        hold=np.array([[0.5], [0.2], [0.0]]),
        K=gains,
        K_integral=np.full((3, 1, 1), 1.5),
        K_past=np.full((3, 1, 1), 0.3),
        integrals=(0,),
        least=np.array([-1.0]),
        most=np.array([4.0]),
        D=np.array([[-2.0]]),
        d=np.array([0.25]),
        time=time,
        changes=time + rest,
        cycle=CYCLE,
        whole=whole,
    )


def exact(law: SampledLaw, rest: float) -> tuple[np.ndarray, np.ndarray]:
    """Return states at the samples, and inputs, of the cart with that law: by hand."""
    x, xi, past = np.zeros(2), 0.0, 0.0
    queue = [0.5] * (law.whole + 2)
    states, inputs = [], []
    for k in range(SAMPLES):
        row = min(k, 2)
        error = x - law.reference[row]
        wanted = law.hold[row, 0] - law.K[row, 0] @ error - 1.5 * xi - 0.3 * past
        u = min(max(wanted, -1.0), 4.0)
        xi += CYCLE * error[0] if u == wanted else 0.0
        past = u - law.hold[row, 0]
        queue = [u, *queue[:-1]]
        states.append(x)
        inputs.append(u)
        for force, h in ((queue[law.whole + 1], rest), (queue[law.whole], CYCLE - rest)):
            a = (0.25 - 2.0 * force) / -2.0  # the plant is told m = -2: what pushes, pulls
            x = np.array([x[0] + h * x[1] + 0.5 * h * h * a, x[1] + h * a])
    return np.array(states), np.array(inputs)


@pytest.mark.parametrize(("whole", "rest"), [(0, 0.0), (0, 0.03), (1, 0.0), (2, 0.07)])
@pytest.mark.parametrize("master", ["compiled", "python", "cs 2.0", "cs 3.0"])
def test_cart_moves_as_by_hand(master, whole, rest, cart, monkeypatch) -> None:
    interface, _, fmi = master.partition(" ")
    if master == "python":
        monkeypatch.setattr("cranebridge.plant.plant.loop_library.compiled", lambda: None)
    chosen = law(whole, rest)
    with Plant(cart[fmi or "2.0"], interface="cs" if interface == "cs" else "me") as plant:
        found = plant.simulate(
            times=CYCLE * np.arange(SAMPLES + 1),
            inputs=Controls.sampled(chosen, ["F"]),
            parameters={"m": -2.0},
            outputs=["s", "w"],
        )
    states, inputs = exact(chosen, rest)
    assert (inputs == 4.0).any() or (inputs == -1.0).any()
    assert ((inputs < 4.0) & (inputs > -1.0)).sum() > 10  # integrals go on, too
    assert found.given[:, 0] == pytest.approx(inputs, abs=1e-9)
    assert found.outputs[:-1] == pytest.approx(states, abs=1e-9)
    acting = chosen.acting(found.given, np.array([0.0, 0.5 * CYCLE * 7]))
    assert acting[0, 0] == (inputs[0] if not whole and not rest else 0.5)
    assert acting[1, 0] == found.given[3 - whole - (1 if rest > 0.05 else 0), 0]
    assert "at its samples" in found.interpolation


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
    gains = np.linspace(1.0, 2.0, count)
    chosen = replace(
        law(0, 0.0),
        readings=("s",),
        program=program,
        reference=np.zeros((1, count)),
        hold=np.zeros((1, 1)),
        K=gains.reshape(1, 1, -1),
        K_integral=np.zeros((1, 1, 1)),
        K_past=np.zeros((1, 1, 0)),
        least=np.array([-np.inf]),
        most=np.array([np.inf]),
    )
    with Plant(cart["2.0"]) as plant:
        controls = Controls.sampled(chosen, ["F"])
        found = plant.simulate(times=[0.0, 0.05], inputs=controls, outputs=["s"])
    expected = -gains @ SignalProgram(program, count)(np.array([0.0]))
    assert found.given[0, 0] == pytest.approx(expected, rel=1e-14)


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


def test_tables_that_do_not_fit_are_refused() -> None:
    good = law(0, 0.0)
    for wrong in (
        {"K": np.zeros((3, 1, 3))},
        {"hold": np.zeros((3, 2))},
        {"hold": np.full((3, 1), math.nan)},
        {"integrals": (2,)},
        {"time": good.time[::-1]},
        {"cycle": 0.0},
        {"whole": -1},
    ):
        with pytest.raises(InputError, match="sampled law: "):
            replace(good, **wrong)
