"""States of a plant at which it is compared with the twin, seen in the twin's coordinates.

They lie along the motion that the feedforward makes of the plant, with its velocities, controls and
times; around the start; and at random in the box that the motion spans, there also with other
parameter values. Positions and velocities in the twin's coordinates come from the plant's readings
and their rates, coordinates that the plant does not give from the twin's constraints.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import SolutionError
from cranebridge.forward import CraneDynamics, crane_dynamics
from cranebridge.inverse import Feedforward, ServoProblem
from cranebridge.plant import Plant
from cranebridge.twin.language import names
from cranebridge.verify.certificate.speed_laws import drive_laws, shown_forces
from cranebridge.verify.mapping import PlantMap, Points, fed, inside, read_points

Array = NDArray[np.float64]

# How many states are compared: along the motion, around its start, anywhere in its box.
ALONG = 64
AROUND = 8
AT_RANDOM = 16
PARAMETER_SETS = 4
# Parameters are changed by up to this part; those that are zero by up to this value.
CHANGE = 0.1
# States are taken this far from the start and from the box of the motion: absolute, and as a part
# of their size.
REACH = 0.1
REACH_PART = 0.05
# The box is larger than the motion by this part.
MARGIN = 0.1
# Integration tolerance of the motion along which states are taken: they need not be exact.
TOLERANCE = 1e-6
_NEWTON_STEPS = 20


@dataclass(frozen=True, eq=False)
class PlantStates:
    """States of the plant in the twin's coordinates; a row for each.

    Attributes
    ----------
    q, v, a : numpy.ndarray
        Coordinates, velocities and accelerations. Where the plant does not give a coordinate, q and
        v come from the constraints and a is nan.
    ropes : numpy.ndarray
        Rope forces, nan where the plant gives none.
    u, p : numpy.ndarray
        The twin's inputs and parameters.
    where : tuple of str
        Where each state lies, in words.
    rate : numpy.ndarray
        Rates of the coordinates, nan where the plant does not give the coordinate: what v should
        be where the plant states velocities of its own.
    exact_a, exact_v : tuple of bool
        For each coordinate: whether its acceleration and velocity come from exact derivatives.
    given : tuple of bool
        Which coordinates the plant gives.
    exact : bool
        Whether the rates of the plant's readings come from exact derivatives.
    drives : numpy.ndarray
        What drives with a speed loop do; see `cranebridge.verify.certificate.speed_laws`.
    """

    q: Array
    v: Array
    a: Array
    rate: Array
    ropes: Array
    u: Array
    p: Array
    where: tuple[str, ...]
    exact_a: tuple[bool, ...]
    exact_v: tuple[bool, ...]
    given: tuple[bool, ...]
    exact: bool
    drives: Array


def plant_states(
    solution: Feedforward, plant: Plant, mapping: PlantMap, rng: np.random.Generator
) -> PlantStates:
    """Return states of the plant, for all sets of parameters."""
    along = _along(solution, plant, mapping)
    parts = [_seen(solution, along, plant, mapping)]
    # what is near is so in SI units; states are in those of the plant
    near = REACH / np.abs([mapping.units.factor(name) for name in plant.info.states])
    span = box_around(along.x, near), box_around(along.u)
    for index in range(PARAMETER_SETS):
        problem = changed_parameters(solution.problem, mapping, rng) if index else solution.problem
        points = _random(problem, solution, mapping, along.x[0], near, span, rng, index)
        parts.append(_seen(solution, points, plant, mapping))

    def stacked(column: str) -> Array:
        return np.concatenate([getattr(part, column) for part in parts])

    def everywhere(flags: str) -> tuple[bool, ...]:
        return tuple(np.all([getattr(part, flags) for part in parts], axis=0).tolist())

    return PlantStates(
        q=stacked("q"),
        v=stacked("v"),
        a=stacked("a"),
        rate=stacked("rate"),
        ropes=stacked("ropes"),
        u=stacked("u"),
        p=stacked("p"),
        where=tuple(text for part in parts for text in part.where),
        exact_a=everywhere("exact_a"),
        exact_v=everywhere("exact_v"),
        given=parts[0].given,
        exact=parts[0].exact,
        drives=stacked("drives"),
    )


def _along(solution: Feedforward, plant: Plant, mapping: PlantMap) -> Points:
    """Drive the plant with the feedforward and take states on its way."""
    problem = solution.problem
    given = fed(solution, inside(mapping.speed))
    controls = mapping.controls(given, problem)
    parameters = mapping.parameters(problem, solution.q[0], solution.v[0])
    times = np.linspace(solution.time[0], solution.time[-1], ALONG)
    run = plant.simulate(
        times=times,
        inputs=controls,
        parameters=parameters,
        start=mapping.start(problem, solution.q[0], solution.v[0]),
        outputs=[],
        rtol=TOLERANCE,
        atol=1e-2 * TOLERANCE,
    ).complete()
    where = tuple(f"on the way at t = {t:.3f} s" for t in times)
    u = given(times)
    return Points(problem, parameters, run.states, u, times, where)


def _random(
    problem: ServoProblem,
    solution: Feedforward,
    mapping: PlantMap,
    start: Array,
    reach: Array,
    span: tuple[tuple[Array, Array], tuple[Array, Array]],
    rng: np.random.Generator,
    index: int,
) -> Points:
    """Take states around the start and at random in the box of the motion."""
    parameters = mapping.parameters(problem, solution.q[0], solution.v[0])
    (x_low, x_high), (u_low, u_high) = span
    near = start + reach_of(start, reach) * rng.uniform(-1.0, 1.0, (AROUND, start.size))
    far = rng.uniform(x_low, x_high, (AT_RANDOM, start.size))
    count = AROUND + AT_RANDOM
    u = rng.uniform(u_low, u_high, (count, u_low.size))
    time = rng.uniform(solution.time[0], solution.time[-1], count)
    suffix = f", parameter set {index}" if index else ""
    where = (*[f"near the start{suffix}"] * AROUND, *[f"at random{suffix}"] * AT_RANDOM)
    return Points(problem, parameters, np.concatenate([near, far]), u, time, where)


def box_around(values: Array, reach: Array | float = REACH) -> tuple[Array, Array]:
    """Return the corners of a box that is a little larger than what the values span."""
    low, high = values.min(axis=0), values.max(axis=0)
    wider = reach_of(np.maximum(np.abs(low), np.abs(high)), reach) + MARGIN * (high - low)
    return low - wider, high + wider


def reach_of(values: Array, reach: Array | float = REACH) -> Array:
    """Return how far states are taken from these."""
    return np.asarray(reach + REACH_PART * np.abs(values))


def changed_parameters(
    problem: ServoProblem, mapping: PlantMap, rng: np.random.Generator
) -> ServoProblem:
    """Return the problem with other values of the parameters that reach the plant."""
    reached = mapping.reached_parameters()
    values = {}
    for name, value in problem.parameters.items():
        factor = rng.uniform(1.0 - CHANGE, 1.0 + CHANGE)
        away = rng.uniform(0.5 * CHANGE, CHANGE)
        values[name] = value if name not in reached else value * factor if value else away
    return replace(problem, parameters=values)


def _seen(solution: Feedforward, points: Points, plant: Plant, mapping: PlantMap) -> PlantStates:
    """Look at the plant's states in the twin's coordinates."""
    crane, problem, count = mapping.crane, points.problem, len(points.x)
    coordinates = names(crane.coordinates)
    read = read_points(points, plant, mapping)
    p = np.tile(problem.parameter_vector, (count, 1))

    def kinematics(signal: str) -> list[Array]:
        # A function is mapped over the columns of its arguments.
        values = mapping.kinematics(signal)(read.values.T, read.rates.T, read.second.T, p.T)
        return [np.array(part)[0] for part in values]

    n = len(coordinates)
    q, v = np.zeros((count, n)), np.zeros((count, n))
    a, rate = np.full((count, n), np.nan), np.full((count, n), np.nan)
    given = [name not in mapping.missing(coordinates) for name in coordinates]
    exact_a, exact_v = [True] * n, [True] * n
    for i, name in enumerate(coordinates):
        if given[i]:
            used = mapping.read_by(name)
            q[:, i], v[:, i], a[:, i] = kinematics(name)
            rate[:, i] = v[:, i]
            exact_v[i] = bool(read.exact[used].all())
            exact_a[i] = exact_v[i] and bool(read.exact_second[used].all())
        if not mapping.missing([f"v.{name}"]):
            v[:, i], a[:, i], _ = kinematics(f"v.{name}")
            exact_v[i] = True
            exact_a[i] = bool(read.exact[mapping.read_by(f"v.{name}")].all())
        if not mapping.missing([f"a.{name}"]):
            a[:, i], exact_a[i] = kinematics(f"a.{name}")[0], True
    q, v = complete(crane_dynamics(crane), q, v, p, np.array(given), problem)
    ropes = np.full((count, len(crane.ropes)), np.nan)
    for i, name in enumerate(names(crane.ropes)):
        if not mapping.missing([name]):
            ropes[:, i] = mapping.signals([name], read.values, problem.parameter_vector)[:, 0]
    flags = tuple(exact_a), tuple(exact_v), tuple(given), bool(read.exact.all())
    u = shown_forces(points, read, mapping)
    drives = drive_laws(solution, points, read, mapping, v)
    return PlantStates(q, v, a, rate, ropes, u, p, points.where, *flags, drives)


def complete(
    dynamics: CraneDynamics,
    q: Array,
    v: Array,
    p: Array,
    given: NDArray[np.bool_],
    problem: ServoProblem,
) -> tuple[Array, Array]:
    """Find the coordinates that the plant does not give from the twin's constraints.

    Raises
    ------
    SolutionError
        If the constraints do not determine them.
    """
    if given.all():
        return q, v
    q, v = q.copy(), v.copy()
    q[:, ~given] = problem.start_coordinates()[~given]
    count = len(q)
    manifold = dynamics.manifold.map(count)
    for _ in range(_NEWTON_STEPS):
        h, H = _constraints(manifold, q, p)
        part = H[:, :, ~given]
        if not h.size or np.linalg.matrix_rank(part).min() < (~given).sum():
            missing = np.array(names(problem.crane.coordinates))[~given]
            raise SolutionError(f"the constraints do not determine {', '.join(missing)}")
        step = np.einsum("kij,kj->ki", np.linalg.pinv(part), h)
        q[:, ~given] -= step
        if np.abs(step).max() <= 1e-13 * (1.0 + np.abs(q).max()):
            break
    h, H = _constraints(manifold, q, p)
    rest = np.einsum("kij,kj->ki", H[:, :, given], v[:, given])
    v[:, ~given] = -np.einsum("kij,kj->ki", np.linalg.pinv(H[:, :, ~given]), rest)
    return q, v


def _constraints(manifold: ca.Function, q: Array, p: Array) -> tuple[Array, Array]:
    h, H = (np.array(part) for part in manifold(q.T, p.T))
    count = len(q)
    return h.T, H.reshape(len(H), count, q.shape[1]).transpose(1, 0, 2)
