"""Index, path derivatives and freedoms of many cranes: by hand, and from their derivative arrays.

A derivative array has all equations of a crane, each differentiated as often, and knows nothing of
offsets. The index is the least number of differentiations with which the rates of the state follow
from the state: they do with as many as claimed and do not with one less. Likewise with one less
than the index the coordinates, multipliers and inputs follow from the path, and depend on the path
derivatives that are claimed and on no higher ones.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from internal_cranes import hook_problem, jib_problem, mast_problem
from redundant_cranes import (
    RedundantBridge,
    RedundantDoublePendulum,
    RedundantGantry,
    RedundantLuffingJib,
    RedundantQuadrotor,
)
from rope_cranes import (
    Displacements,
    OneLump,
    OneLumpStretches,
    Polar,
    RigidLumps,
    Stretches,
    TwoLumps,
    TwoLumpsStretches,
)
from test_determined_controls import FreeHead, Rotator
from test_determined_controls import problem_of as rotary_problem

from cranebridge.inverse import ServoProblem
from cranebridge.inverse.extension import Structure
from cranebridge.inverse.extension.servo_structure import equation_names, servo_dae
from cranebridge.inverse.index1 import structure_of
from cranebridge.inverse.index1.starting import start_of
from cranebridge.path import Line, polynomial
from cranebridge.scenario import load_scenario
from cranebridge.structure import SIGNAL, VARIABLE
from cranebridge.structure.random_states import StagedEquations
from cranebridge.structure.ranks import scales
from further import mostly_further

# Singular values with rows and columns of size one.
ZERO = 1e-9

# Why, in one line each: the load's path tells the rope's direction by its acceleration (two
# derivatives), with it where the drives are, whose motion tells the forces (two more): index 5.
# A second pendulum, or a lump, puts two more between load and drive. A quantity that drives push
# directly needs two. Free values are those of coordinates that no drive and no path moves.
READY = [
    ("overhead", 5, (4, 4), 0),
    ("gantry", 5, (4, 4), 0),
    ("ship-to-shore", 5, (4, 4), 0),
    ("bridge", 5, (4, 4, 4), 0),
    ("rotary", 5, (4, 4, 4), 0),
    ("rotary-redundant", 5, (4, 4, 4), 0),
    ("rotary-rotationless", 5, (4, 4, 4), 0),
    ("luffing-jib", 5, (4, 4, 4), 0),
    ("flexible-jib", 5, (4, 4, 4), 2),  # the jib bends
    ("navy2d", 5, (4, 4), 0),
    ("navy2d-pulley", 5, (4, 4, 2), 0),  # z_0: the pulley, pulled by its own winch
    ("navy3d", 5, (4, 4, 4), 0),
    ("navy3d-pulley", 7, (6, 6, 6, 4), 0),  # a pulley with mass between load and winches
    ("cablev-rotate", 5, (4, 4, 4, 4, 4, 4, 2), 0),  # x_0 is the gantry's own place
    ("double-pendulum", 7, (6, 6), 0),
    ("quadrotor", 7, (6, 6), 0),  # the attitude lies between thrust and load
    ("two-mass", 3, (2, 2), 0),
    ("rpr", 3, (2, 2, 2), 6),  # legs that no path moves
    ("body-gantry", 5, (4, 4), 0),
    ("cylinder-crane", 5, (4, 4, 4), 0),
    ("knuckle-boom", 5, (4, 4, 4), 0),
    ("portal", 5, (4, 4, 4, 2), 0),  # psi is pushed by the travel drives
    ("spreader", 5, (4, 4, 4, 4, 4, 4, 2), 0),  # the warp is a sum of rope lengths
]
ROPE = "crane.rope.stiffness=2e7"
LUMP = ("crane.rope.lumps=1", "crane.rope.lump_mass=2", "crane.rope.lump_length=0.5")
# The others are in tests/twin/test_elastic_ropes.py.
ELASTIC = [
    (name, lumps, outputs) for name, outputs in (("overhead", 2), ("rotary", 3)) for lumps in (0, 1)
]


def planar(crane) -> ServoProblem:
    path = Line(("x", "z"), (0.0, -20.0), (6.0, -10.0), polynomial(6.0, smoothness=8))
    return ServoProblem(crane, path, crane.parameter_values())


OWN = [
    (planar(Displacements()), 5, (4, 4), 0),
    (planar(Stretches()), 5, (4, 4), 0),
    (planar(Polar()), 5, (4, 4), 0),
    (planar(OneLump()), 7, (6, 6), 0),
    (planar(OneLumpStretches()), 7, (6, 6), 0),
    (planar(TwoLumps()), 9, (8, 8), 0),
    (planar(TwoLumpsStretches()), 9, (8, 8), 0),
    (planar(RigidLumps()), 9, (8, 8), 0),
    (rotary_problem(FreeHead()), 5, (4, 4, 4), 2),
    (rotary_problem(Rotator()), 5, (4, 4, 4), 2),
    (hook_problem(100.0), 5, (4, 4), 2),  # the load swings below the hook
    (mast_problem(4.0, 50.0), 3, (2,), 2),
    (jib_problem(30.0, 30.0), 5, (4, 4, 4), 2),
]


def same_as(ready: str, crane) -> ServoProblem:
    problem = load_scenario(ready).problem
    return ServoProblem(crane, problem.path, problem.parameters)


# The ready cranes in swing angles once more, with ropes as constraints.
REDUNDANT = [
    ("gantry", RedundantGantry(), 5, (4, 4), 0),
    ("double-pendulum", RedundantDoublePendulum(), 7, (6, 6), 0),
    ("quadrotor", RedundantQuadrotor(), 7, (6, 6), 0),
    ("luffing-jib", RedundantLuffingJib(), 5, (4, 4, 4), 0),
    ("bridge", RedundantBridge(), 5, (4, 4, 4), 0),
]
# Derivative arrays of several seconds each.
LONG = {"rotary-rotationless", "cablev-rotate", "spreader", "luffing-jib", "bridge", "knuckle-boom"}
LONG |= {"navy3d-pulley", "double-pendulum", "quadrotor", "flexible-jib", "portal", "rpr"}
LONG |= {"cylinder-crane", "ship-to-shore", "navy3d", "rotary-redundant"}


def claimed(structure: Structure) -> tuple[int, tuple[int, ...], int]:
    derivatives = tuple(structure.path_derivatives.values())
    return structure.index, derivatives, structure.internal_dynamics


@pytest.mark.parametrize(("name", "index", "derivatives", "free"), READY)
def test_structure_of_ready_cranes_is_that_by_hand(name, index, derivatives, free) -> None:
    structure = structure_of(load_scenario(name).problem)
    assert claimed(structure) == (index, derivatives, free)
    assert structure.lowest


@pytest.mark.parametrize(("name", "lumps", "outputs"), ELASTIC)
def test_elastic_ropes_have_index_5_and_two_more_for_each_lump(name, lumps, outputs) -> None:
    smooth = "path.smoothness=6"
    problem = load_scenario(name, [ROPE, *(LUMP if lumps else ()), smooth]).problem
    structure = structure_of(problem)
    assert claimed(structure) == (5 + 2 * lumps, (4 + 2 * lumps,) * outputs, 0)
    assert structure.lowest


@pytest.mark.parametrize(
    ("problem", "index", "derivatives", "free"), OWN, ids=lambda value: _name(value)
)
def test_structure_of_other_cranes_is_that_by_hand(problem, index, derivatives, free) -> None:
    structure = structure_of(problem)
    assert claimed(structure) == (index, derivatives, free)
    assert structure.lowest


@pytest.mark.parametrize(("ready", "crane", "index", "derivatives", "free"), REDUNDANT)
def test_the_form_of_a_crane_changes_nothing(ready, crane, index, derivatives, free) -> None:
    structure = structure_of(same_as(ready, crane))
    assert claimed(structure) == (index, derivatives, free)


def _name(value: object) -> str | None:
    return value.crane.name if isinstance(value, ServoProblem) else None


# Six derivatives of stiff springs between positions leave no digits to judge ranks by: lumps with
# stretches and rigid ones only.
ARRAYS = [
    problem
    for problem, *_ in OWN
    if type(problem.crane) not in (OneLump, TwoLumps, TwoLumpsStretches)
]
NAMES = [name for name, *_ in READY] + [problem.crane.name for problem in ARRAYS]
DEEP = LONG | {OneLumpStretches.name, RigidLumps.name}


@pytest.mark.parametrize("name", mostly_further(NAMES, *(set(NAMES) - DEEP)))
def test_what_is_claimed_holds_in_the_derivative_array_and_no_less_does(name) -> None:
    own = {problem.crane.name: problem for problem in ARRAYS}
    problem = own[name] if name in own else load_scenario(name).problem
    structure = structure_of(problem)
    index = structure.index
    assert _rates_follow(problem, structure, index)
    assert not _rates_follow(problem, structure, index - 1)
    orders = _path_orders(problem, structure, index - 1)
    assert orders == tuple(structure.path_derivatives.values())


def _array(problem: ServoProblem, structure: Structure, times: int):
    """Return keys and Jacobian of all equations differentiated so often, where they hold."""
    dae = servo_dae(structure.model, equation_names(problem.crane))
    equations = StagedEquations.up_to(dae, [times] * len(dae.residuals), 0)
    start = start_of(structure.model, problem.start_coordinates(), problem.parameter_vector)
    state = equations.consistent(start, Random(5), 0.3)
    assert state is not None
    jacobian = np.array(equations.function(*state)[1])
    return equations.keys, jacobian


def _kernel(jacobian: np.ndarray) -> np.ndarray:
    rows, columns = scales(jacobian)
    _, values, directions = np.linalg.svd(jacobian * rows * columns)
    rank = int((values > ZERO * values[0]).sum())
    return directions[rank:] * columns


def _rates_follow(problem: ServoProblem, structure: Structure, times: int) -> bool:
    """Return whether q'', lambda' and u' follow from q, q', lambda, u and the path."""
    keys, jacobian = _array(problem, structure, times)
    coordinates = len(problem.crane.coordinates)
    unknown, rates = [], []
    for column, (kind, j, order) in enumerate(keys):
        first = 2 if j < coordinates else 1
        if kind == VARIABLE and order >= first:
            rates.append(order == first)
            unknown.append(column)
    directions = np.abs(_kernel(jacobian[:, unknown]))
    size = directions.max(axis=0, initial=0.0)
    return bool((size[np.array(rates)] <= 1e-7 * max(size.max(initial=0.0), 1e-300)).all())


def _path_orders(problem: ServoProblem, structure: Structure, times: int) -> tuple[int, ...]:
    """Return the highest derivative of each output's path on which q, q', lambda or u depend."""
    keys, jacobian = _array(problem, structure, times)
    rows, columns = scales(jacobian)
    jacobian = jacobian * rows * columns
    coordinates = len(problem.crane.coordinates)
    of_state, higher = [], []
    for k, (kind, j, order) in enumerate(keys):
        if kind == VARIABLE:
            (of_state if order <= (1 if j < coordinates else 0) else higher).append(k)
    # what the higher derivatives can take up is left out
    left, values, _ = np.linalg.svd(jacobian[:, higher])
    rest = left[:, int((values > ZERO * values[0]).sum()) :].T
    of_state_left = rest @ jacobian[:, of_state]
    highest = [0] * len(problem.crane.outputs)
    for k, (kind, output, order) in enumerate(keys):
        if kind == SIGNAL and np.abs(rest @ jacobian[:, k]).max(initial=0.0) > 1e-8:
            moved = np.linalg.lstsq(of_state_left, rest @ jacobian[:, k], rcond=None)[0]
            if np.abs(moved).max(initial=0.0) > 1e-8:
                highest[output] = max(highest[output], order)
    return tuple(highest)
