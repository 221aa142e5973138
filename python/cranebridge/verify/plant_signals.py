"""The motion of a plant in the twin's signals, as dense as its integrator knows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse.speed_drives import speed_references
from cranebridge.limits.limits import Limits
from cranebridge.limits.motion import Motion
from cranebridge.plant.results import Simulation
from cranebridge.twin import Crane, equations_of_motion
from cranebridge.twin.crane import names
from cranebridge.verify.plant_run import PlantRun
from cranebridge.verify.readings import Points, exact_rates
from cranebridge.verify.speed_loops import fed, inside
from cranebridge.verify.steps import Indices, integral, long_steps, rate

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


def plant_motion(run: PlantRun, simulation: Simulation, limits: Limits | None = None) -> Motion:
    """Return all signals of a simulated plant that can be judged, and why others cannot.

    Where limits are given, what they bound is known better than by two differentiations.
    """
    rows = _rows(simulation)
    crane = run.problem.crane
    values: dict[str, Array] = {}
    missing: dict[str, str] = {}
    achieved = run.signals(names(crane.outputs), rows.readings)
    error = achieved - run.problem.path(rows.time).T
    values |= {f"tracking.{name}": error[:, i] for i, name in enumerate(names(crane.outputs))}
    u = applied_inputs(run, rows.time, rows.readings, rows.starts, simulation.given)
    _coordinates(run, rows, _exact_velocities(run, rows, u, limits), values, missing)
    values |= {f"u.{name}": u[:, i] for i, name in enumerate(names(crane.inputs))}
    _powers(run, values, missing)
    for name in names(crane.ropes):
        if run.mapping.missing([name]):
            missing[f"rope.{name}"] = f"the plant gives no force of rope {name}"
        else:
            values[f"rope.{name}"] = run.signals((name,), rows.readings)[:, 0]
    if rows.starts is None or run.settings.feed == "hold" or simulation.given is not None:
        for name in names(crane.coordinates):
            values.pop(f"jerk.{name}", None)
            missing[f"jerk.{name}"] = IN_STEPS if rows.starts is None else HELD
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
    return _Rows(dense.time[rows], dense.outputs[rows], dense.states[rows], starts)


def _exact_velocities(
    run: PlantRun, rows: _Rows, u: Array, limits: Limits | None
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
    points = Points(run.problem, run.values, rows.states, u, rows.time, where)
    return exact_rates(points, run.plant, run.mapping, shown)


def _coordinates(
    run: PlantRun,
    rows: _Rows,
    velocities: Mapping[str, Array],
    values: dict[str, Array],
    missing: dict[str, str],
) -> None:
    """Add coordinates, velocities, accelerations and jerks as far as the plant tells them."""
    coordinates = names(run.problem.crane.coordinates)
    read: dict[str, dict[str, Array]] = {}
    for group, prefix in (("q", ""), ("v", "v."), ("a", "a.")):
        shown = [name for name in coordinates if not run.mapping.missing([prefix + name])]
        columns = run.signals(tuple(prefix + name for name in shown), rows.readings)
        read[group] = dict(zip(shown, columns.T, strict=True))
    dense = rows.starts is not None
    if dense:
        read["v"] |= {name: velocities[name][:, 0] for name in velocities}
        _differentiate(rows, read["q"], read["v"])
    _differentiate(rows, read["v"], read["a"])
    read["jerk"] = {}
    if dense:
        _differentiate(rows, read["a"], read["jerk"])
    for name in coordinates:
        words = {"q": name, "v": f"velocity of {name}", "a": f"acceleration of {name}"}
        for group, known in read.items():
            if name in known:
                values[f"{group}.{name}"] = known[name]
            else:
                missing[f"{group}.{name}"] = f"the plant gives no {words.get(group, words['a'])}"


def _differentiate(rows: _Rows, signals: dict[str, Array], rates: dict[str, Array]) -> None:
    """Add the rates of signals as far as they are not known."""
    wanted = [name for name in signals if name not in rates]
    if wanted:
        found = rows.rate(np.column_stack([signals[name] for name in wanted]))
        rates |= dict(zip(wanted, found.T, strict=True))


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
            u[:, crane_inputs.index(name)] += drives.kp[i] * (wanted[:, i] - position)
            u[:, crane_inputs.index(name)] += drives.kv[i] * (wanted_rate[:, i] - velocity)
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
        u[:, inputs.index(loop.input)] = readings[:, run.readings.index(loop.force_name)]
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
    function, used, varies = _drive_matrix(crane)
    coordinates = names(crane.coordinates)
    if any(f"v.{name}" not in values for name in used):
        return {}
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


def _powers(run: PlantRun, values: dict[str, Array], missing: dict[str, str]) -> None:
    speeds = drive_speeds(run.problem.crane, run.parameters, values)
    if not speeds:
        missing["power"] = "the plant does not give the velocities of all drives"
    values |= {f"power.{name}": values[f"u.{name}"] * speed for name, speed in speeds.items()}


def energy_balance(run: PlantRun, simulation: Simulation, motion: Motion) -> float | None:
    """Return (change of energy - work) / energy moved, or None where the plant does not tell."""
    inputs = names(run.problem.crane.inputs)
    if run.disturbed is not None:  # their work is not the drives'
        return None
    if "energy" not in run.readings or any(f"power.{n}" not in motion.values for n in inputs):
        return None
    rows = _rows(simulation)
    energy = rows.readings[:, run.readings.index("energy")]
    total = np.sum([motion.values[f"power.{name}"] for name in inputs], axis=0)
    if rows.starts is None:
        work = float(_spline(rows.time, total).integrate(*rows.time[[0, -1]]))
    else:
        work = integral(rows.time, rows.starts, total)
    moved = max(float(np.ptp(energy)), 1e-9)
    return (float(energy[-1] - energy[0]) - work) / moved
