"""The motion of a plant in the twin's signals, as dense as its integrator knows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse import speed_references
from cranebridge.limits import Limits, Motion
from cranebridge.numerics import LazyColumns
from cranebridge.plant.sandbox import Simulation
from cranebridge.twin import Crane, equations_of_motion
from cranebridge.twin.language import names
from cranebridge.verify.mapping import Points, exact_rates, fed, inside
from cranebridge.verify.tracking.derived_signals import add_derived
from cranebridge.verify.tracking.plant_run import PlantRun, why_unwatched
from cranebridge.verify.tracking.steps import Indices, integral, long_steps, rate

Array = NDArray[np.float64]

# Steps of the integrator that are shorter than this part of the whole are passed over.
SHORTEST = 1e-6
IN_STEPS = "in Co-Simulation the motion is known at the communication points only"
HELD = "the controls are held, so that the accelerations jump with every sample"


@dataclass(frozen=True, eq=False)
class _Rows:
    """Readings of the plant over time; `starts` of the integrator's steps, or None for samples."""

    time: Array
    readings: Array
    states: Array
    starts: Indices | None

    def rate(self, values: Array) -> Array:
        """Return time derivatives of columns."""
        if self.starts is not None:
            return rate(self.time, self.starts, values)
        return np.asarray(_spline(self.time, values).derivative()(self.time))


def _spline(time: Array, values: Array) -> Any:
    """Return a spline through samples: cubic, or what few samples bear."""
    from scipy.interpolate import make_interp_spline

    return make_interp_spline(time, values, k=min(3, time.size - 1))


def plant_motion(
    run: PlantRun,
    simulation: Simulation,
    limits: Limits | None = None,
    parameters: Mapping[str, float] | None = None,
) -> Motion:
    """Return all signals of a simulated plant that can be judged, and why others cannot.

    Where limits are given, what they bound is known better than by two differentiations. The
    plant's parameters are those of the run, if no others are given.
    """
    rows = _rows(simulation)
    crane = run.problem.crane
    missing = {"swing": why_unwatched(run.problem.path)}
    achieved = run.signals(names(crane.outputs), rows.readings)
    error = achieved - run.problem.path(rows.time).T
    u = applied_inputs(run, rows.time, rows.readings, rows.starts, simulation.given)
    values = LazyColumns(
        {f"tracking.{name}": error[:, i] for i, name in enumerate(names(crane.outputs))}
        | {f"y.{name}": achieved[:, i] for i, name in enumerate(names(crane.outputs))}
        | {f"u.{name}": u[:, i] for i, name in enumerate(names(crane.inputs))}
    )
    own = run.values if parameters is None else parameters
    velocities = _exact_velocities(run, rows, u, limits, own)
    _coordinates(run, rows, velocities, values, missing)
    _powers(run, values, missing)
    ropes = [name for name in names(crane.ropes) if not run.mapping.missing([name])]
    forces = run.signals(tuple(ropes), rows.readings)
    values.add({f"rope.{name}": forces[:, i] for i, name in enumerate(ropes)})
    for name in names(crane.ropes):
        if name not in ropes:
            missing[f"rope.{name}"] = f"the plant gives no force of rope {name}"
    if rows.starts is None or run.settings.feed == "hold" or simulation.given is not None:
        why = IN_STEPS if rows.starts is None else HELD
        for name in names(crane.coordinates):
            missing[f"jerk.{name}"] = why
    else:
        _add_rates(rows, values, "a", "jerk")
        for name in names(crane.coordinates):
            if f"jerk.{name}" not in values:
                missing[f"jerk.{name}"] = missing[f"a.{name}"]
    add_derived(crane, run.parameters, values, missing)
    return Motion(
        source="plant",
        crane=crane,
        time=rows.time,
        values=values,
        missing=missing,
        end=float(run.feedforward.time[-1]),
        sampled=rows.starts is None,
    )


def _rows(simulation: Simulation) -> _Rows:
    dense = simulation.dense
    if dense is None:
        return _Rows(simulation.time, simulation.outputs, simulation.states, None)
    shortest = SHORTEST * (simulation.time[-1] - simulation.time[0])
    rows, starts = long_steps(dense.time, dense.starts, shortest)
    if rows.size == dense.time.size:
        return _Rows(dense.time, dense.outputs, dense.states, starts)
    return _Rows(dense.time[rows], dense.outputs[rows], dense.states[rows], starts)


def _exact_velocities(
    run: PlantRun,
    rows: _Rows,
    u: Array,
    limits: Limits | None,
    parameters: Mapping[str, float],
) -> dict[str, Array]:
    """Return the velocities of limited coordinates of which the plant shows positions only.

    The integrator's interpolation is off by its tolerance: differentiated twice within a step of a
    millisecond, that is a thousandth of an acceleration. So its exact derivatives are asked for,
    and one differentiation is left.
    """
    if limits is None or rows.starts is None:
        return {}
    moving = ("v", "a", "jerk")
    limited = {s.name for s, _ in limits.in_force(run.problem.crane) if s.group in moving}
    shown = [
        name
        for name in names(run.problem.crane.coordinates)
        if name in limited
        and not run.mapping.missing([name])
        and run.mapping.missing([f"v.{name}"])
    ]
    where = ("",) * len(rows.time)
    points = Points(run.problem, parameters, rows.states, u, rows.time, where)
    return exact_rates(points, run.plant, run.mapping, shown)


def _coordinates(
    run: PlantRun,
    rows: _Rows,
    velocities: Mapping[str, Array],
    values: LazyColumns,
    missing: dict[str, str],
) -> None:
    """Add coordinates, velocities and accelerations as far as the plant tells them."""
    coordinates = names(run.problem.crane.coordinates)
    shown = {
        group: [name for name in coordinates if not run.mapping.missing([prefix + name])]
        for group, prefix in (("q", ""), ("v", "v."), ("a", "a."))
    }
    wanted = tuple(n if g == "q" else f"{g}.{n}" for g, found in shown.items() for n in found)
    titles = (f"{group}.{name}" for group, found in shown.items() for name in found)
    values.add(dict(zip(titles, run.signals(wanted, rows.readings).T, strict=True)))
    if rows.starts is not None:
        values.add({f"v.{name}": found[:, 0] for name, found in velocities.items()})
        _add_rates(rows, values, "q", "v")
    _add_rates(rows, values, "v", "a")
    for name in coordinates:
        words = {"q": name, "v": f"velocity of {name}", "a": f"acceleration of {name}"}
        for group, what in words.items():
            if f"{group}.{name}" not in values:
                missing[f"{group}.{name}"] = f"the plant gives no {what}"


def _add_rates(rows: _Rows, values: LazyColumns, of: str, group: str) -> None:
    """Add the rates of signals as far as they are not known; made where they are asked for."""
    known = [title.removeprefix(f"{of}.") for title in values if title.startswith(f"{of}.")]
    wanted = [name for name in known if f"{group}.{name}" not in values]

    def rates() -> dict[str, Array]:
        found = rows.rate(np.column_stack([values[f"{of}.{name}"] for name in wanted]))
        return {f"{group}.{name}": found[:, i] for i, name in enumerate(wanted)}

    values.later([f"{group}.{name}" for name in wanted], rates)


def applied_inputs(
    run: PlantRun,
    times: Array,
    readings: Array,
    starts: Indices | None = None,
    given: Array | None = None,
) -> Array:
    """Return the applied inputs: what a sampled controller gave, or feedforward and drives."""
    feedforward, crane_inputs = run.feedforward, names(run.problem.crane.inputs)
    within = times if starts is None else _middles(times, starts)
    if inside(run.speed):
        return _drive_forces(run, times, readings)
    if run.law is not None and given is not None:
        return run.law.inputs(given, within)
    u = feedforward.controls(times)
    if run.speed:
        base = fed(feedforward, run.speed)
        u = base(np.clip(times, base.x[0], base.x[-1]))
    elif run.settings.feed == "hold":
        held = np.searchsorted(feedforward.time, within, side="right") - 1
        u = feedforward.u[np.clip(held, 0, None)]
    elif run.settings.feed == "linear":
        columns = [np.interp(times, feedforward.time, column) for column in feedforward.u.T]
        u = np.column_stack(columns)
    if run.drives is None:
        return u
    drives = run.drives
    wanted, wanted_rate = drives.reference(times), drives.velocity(times)
    for i, name in enumerate(drives.inputs):
        if name in crane_inputs:
            position = readings[:, run.readings.index(drives.positions[i])]
            velocity = readings[:, run.readings.index(drives.velocities[i])]
            added = drives.kp[i] * (wanted[:, i] - position)
            added += drives.kv[i] * (wanted_rate[:, i] - velocity)
            u[:, crane_inputs.index(name)] += run.mapping.units.factor(name) * added
    return u


def given_speeds(run: PlantRun, times: Array, given: Array | None = None) -> dict[str, Array]:
    """Return the velocity references of drives with a speed loop, by coordinate."""
    if not run.speed:
        return {}
    inputs = names(run.problem.crane.inputs)
    if run.law is not None and given is not None:
        acting = run.law.inputs(given, times)
        return {loop.coordinate: acting[:, inputs.index(loop.input)] for loop in run.speed}
    wanted = speed_references(run.feedforward, run.speed)
    values = wanted.speeds(np.clip(times, wanted.times[0], wanted.times[-1]))
    return {loop.coordinate: values[:, i] for i, loop in enumerate(run.speed)}


def _drive_forces(run: PlantRun, times: Array, readings: Array) -> Array:
    """Return what drives with a speed loop give, as the plant shows it; others as they are fed."""
    u, inputs = run.feedforward.controls(times), names(run.problem.crane.inputs)
    for loop in inside(run.speed):
        shown = readings[:, run.readings.index(loop.force_name)]
        u[:, inputs.index(loop.input)] = run.mapping.units.si(loop.force_name, shown)
    return u


def _middles(times: Array, starts: Indices) -> Array:
    """Return for each node the middle of its step: at its ends two samples meet."""
    counts = np.diff(np.append(starts, times.size))
    middle = 0.5 * (times[starts] + times[starts + counts - 1])
    return np.repeat(middle, counts)


@cache
def _drive_matrix(crane: Crane) -> tuple[ca.Function, tuple[str, ...], bool]:
    """Return B(q)^T as a function, the coordinates whose velocities it takes, and if q matters."""
    model = equations_of_motion(crane)
    transposed = model.input_matrix.T
    columns = {int(column) for column in transposed.sparsity().get_triplet()[1]}
    function = ca.Function("B", [model.q, model.p], [ca.densify(transposed)])
    used = tuple(name for i, name in enumerate(names(crane.coordinates)) if i in columns)
    return function, used, bool(ca.depends_on(transposed, model.q))


def drive_speeds(crane: Crane, parameters: Array, values: Mapping[str, Array]) -> dict[str, Array]:
    """Return the speed that belongs to each input, its power per unit; none if one is not known."""
    if not _knows_drives(crane, values):
        return {}
    function, _, varies = _drive_matrix(crane)
    coordinates = names(crane.coordinates)
    count = len(next(iter(values.values())))
    zero = np.zeros(count)
    q = np.column_stack([values.get(f"q.{name}", zero) for name in coordinates])
    v = np.column_stack([values.get(f"v.{name}", zero) for name in coordinates])
    if not varies:
        constant = np.array(function(q[0], parameters))
        return dict(zip(names(crane.inputs), constant @ v.T, strict=True))
    matrices = np.array(function(q.T, parameters))
    shaped = matrices.reshape(len(crane.inputs), count, len(coordinates))
    speeds = np.einsum("ikj,kj->ik", shaped, v)
    return dict(zip(names(crane.inputs), speeds, strict=True))


def _knows_drives(crane: Crane, values: Mapping[str, Array]) -> bool:
    """Return whether the velocities of all drives are known."""
    return all(f"v.{name}" in values for name in _drive_matrix(crane)[1])


def _powers(run: PlantRun, values: LazyColumns, missing: dict[str, str]) -> None:
    """Add the powers of the drives; made where they are asked for."""
    crane = run.problem.crane
    if not _knows_drives(crane, values):
        missing["power"] = "the plant does not give the velocities of all drives"
        return

    def powers() -> dict[str, Array]:
        speeds = drive_speeds(crane, run.parameters, values)
        return {f"power.{name}": values[f"u.{name}"] * speed for name, speed in speeds.items()}

    values.later([f"power.{name}" for name in names(crane.inputs)], powers)


def energy_balance(run: PlantRun, simulation: Simulation, motion: Motion) -> float | None:
    """Return (change of energy - work) / energy moved, or None where the plant does not tell."""
    inputs = names(run.problem.crane.inputs)
    if run.disturbed is not None or run.problem.crane.motions:  # their work is not the drives'
        return None
    if "energy" not in run.readings or any(f"power.{n}" not in motion.values for n in inputs):
        return None
    rows = _rows(simulation)
    energy = run.mapping.units.factor("energy") * rows.readings[:, run.readings.index("energy")]
    total = np.sum([motion.values[f"power.{name}"] for name in inputs], axis=0)
    if rows.starts is None:
        work = float(_spline(rows.time, total).integrate(*rows.time[[0, -1]]))
    else:
        work = integral(rows.time, rows.starts, total)
    moved = max(float(np.ptp(energy)), 1e-9)
    return (float(energy[-1] - energy[0]) - work) / moved
