"""A motion found without flatness: a second opinion on a plan, or the best that drives can do."""

from __future__ import annotations

import time as clock
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.forward import crane_dynamics
from cranebridge.limits import Limits
from cranebridge.plan.collocation.collocation_solution import ActiveLimit, CollocationSolution
from cranebridge.plan.collocation.direct_collocation import solve_collocation, track_by_collocation
from cranebridge.plan.collocation.gradient import Descent, GradientSolution, track_by_gradient
from cranebridge.plan.collocation.refine_mesh import Mesh
from cranebridge.plan.task import Bounds, PlanTask, TrackingRequest, bounds_of
from cranebridge.progress import Progress, ignore_progress
from cranebridge.twin import Crane
from cranebridge.twin.language import names

Array = NDArray[np.float64]

# Of the gradient method: what is left to gain after them is stated.
_ITERATIONS = 100
# Beyond a limit by this part of its range is rounding of the optimiser, no more.
_ROUNDING = 1e-5


@dataclass(frozen=True)
class TrackingError:
    """How far an output is from what was asked, in its unit.

    Attributes
    ----------
    largest, rms : float
        Over the points of the motion; rms by the trapezoidal rule over time.
    """

    largest: float
    rms: float


@dataclass(frozen=True)
class BrokenLimit:
    """A limit that a motion does not keep: the value that is furthest beyond it."""

    name: str
    value: float
    least: float
    most: float
    time: float

    def as_dict(self) -> dict[str, object]:
        """Return it for JSON; a side without limit is null."""
        sides = (x if np.isfinite(x) else None for x in (self.least, self.most))
        value = {"name": self.name, "value": self.value, "time": self.time}
        return value | dict(zip(("least", "most"), sides, strict=True))


@dataclass(frozen=True, eq=False)
class FullStateMotion:
    """A motion with its controls, found without flatness.

    Attributes
    ----------
    crane : Crane
        Which crane.
    method, objective : str
        How it was found, and what is least.
    time, target, q, v, u, ropes : numpy.ndarray
        A row for each time: s, wanted outputs (none without a path to follow), coordinates,
        velocities, inputs, rope forces [N].
    cost : float
        What was made least.
    change : float or None
        By how much the cost differs from that on half as fine a mesh, or before the last step.
    active : tuple of ActiveLimit
        Limits that are reached.
    broken : tuple of BrokenLimit
        Limits that are not kept.
    errors : mapping of str to TrackingError
        By output, where a path was followed.
    seconds : float
        Computing time.
    """

    crane: Crane
    method: str
    objective: str
    time: Array
    target: Array
    q: Array
    v: Array
    u: Array
    ropes: Array
    cost: float
    change: float | None
    active: tuple[ActiveLimit, ...] = ()
    broken: tuple[BrokenLimit, ...] = ()
    errors: Mapping[str, TrackingError] = field(default_factory=dict)
    seconds: float = field(default=0.0, compare=False)

    @property
    def duration(self) -> float:
        """From the first to the last time [s]."""
        return float(self.time[-1] - self.time[0])

    def columns(self) -> Iterator[tuple[str, Array]]:
        """Yield the CSV columns: name with prefix, and values."""
        yield "time", self.time
        groups = (
            ("gamma", self.crane.outputs if self.target.size else (), self.target),
            ("q", self.crane.coordinates, self.q),
            ("v", self.crane.coordinates, self.v),
            ("u", self.crane.inputs, self.u),
            ("rope", self.crane.ropes, self.ropes),
        )
        for prefix, quantities, values in groups:
            for column, name in enumerate(names(quantities)):
                yield f"{prefix}.{name}", values[:, column]

    def as_dict(self) -> dict[str, Any]:
        """Return the entry ``plan`` of ``summary.json``."""
        result: dict[str, Any] = {
            "objective": self.objective,
            "method": self.method,
            "duration": self.duration,
            "cost": self.cost,
            "cost_change": self.change,
            "active": [
                {"name": one.signal, "side": one.side, "share": one.share} for one in self.active
            ],
            "broken": [one.as_dict() for one in self.broken],
            "seconds": self.seconds,
        }
        if self.errors:
            result["max_error"] = {name: error.largest for name, error in self.errors.items()}
            result["rms_error"] = {name: error.rms for name, error in self.errors.items()}
        return result


def second_opinion(task: PlanTask, progress: Progress = ignore_progress) -> FullStateMotion:
    """Find the motion of a task by collocation; `progress` gets the part that is done.

    Raises
    ------
    InputError
        If the task asks for what collocation has not, or cannot be met.
    SolutionError
        If no motion is found.
    """
    started = clock.perf_counter()
    found = solve_collocation(task, progress=progress)
    return _collocated(found, task.objective, task.limits, None, started)


def follow(
    order: TrackingRequest,
    mesh: Mesh | None = None,
    steps: int = 100,
    progress: Progress = ignore_progress,
) -> FullStateMotion:
    """Find the motion that follows a path best.

    Parameters
    ----------
    order : TrackingRequest
        What is asked.
    mesh : Mesh, optional
        Of collocation.
    steps : int
        Of the gradient method.
    progress : callable
        Called with the part that is done.

    Raises
    ------
    InputError
        If the start breaks a limit, or limits contain jerks.
    SolutionError
        If no motion is found.
    """
    started = clock.perf_counter()
    if order.method == "collocation":
        found = track_by_collocation(
            order.crane, order.parameters, order.tracking, order.limits, mesh, progress
        )
        return _collocated(found, "tracking", order.limits, order, started)
    descended = track_by_gradient(
        order.crane,
        order.parameters,
        order.tracking,
        steps,
        descent=Descent(_ITERATIONS),
        progress=progress,
    )
    return _descended(descended, order, started)


def require_collocation(method: str) -> None:
    """Refuse a method that follows paths only."""
    if method == "gradient":
        raise InputError(
            "path.method = 'gradient' follows a path that is given as path.track; for a path to be "
            "found use 'flat' or 'collocation'."
        )


def _collocated(
    found: CollocationSolution,
    objective: str,
    limits: Limits,
    order: TrackingRequest | None,
    started: float,
) -> FullStateMotion:
    at = found.sample(found.time)
    change = found.cost_change
    return _opinion(
        _StatesAndControls(found.crane, found.parameters, at.time, at.q, at.v, at.u),
        limits,
        order,
        method="collocation",
        objective=objective,
        cost=found.cost,
        change=change if np.isfinite(change) else None,
        active=found.active,
        started=started,
    )


def _descended(found: GradientSolution, order: TrackingRequest, started: float) -> FullStateMotion:
    motion = _StatesAndControls(
        found.crane, order.parameters, found.time, found.q, found.v, found.u
    )
    change = float(abs(found.costs[-1] - found.costs[-2])) if found.costs.size > 1 else None
    return _opinion(
        motion,
        order.limits,
        order,
        method="gradient",
        objective="tracking",
        cost=found.cost,
        change=change,
        active=(),
        started=started,
    )


@dataclass(frozen=True, eq=False)
class _StatesAndControls:
    """States and controls, a row for each time."""

    crane: Crane
    parameters: Mapping[str, float]
    time: Array
    q: Array
    v: Array
    u: Array


def _opinion(
    motion: _StatesAndControls,
    limits: Limits,
    order: TrackingRequest | None,
    *,
    started: float,
    **known: Any,
) -> FullStateMotion:
    """Add what follows from states and controls: rope forces, errors, broken limits."""
    crane, count = motion.crane, motion.time.size
    dynamics = crane_dynamics(crane)
    p = np.array([motion.parameters[name] for name in names(crane.parameters)])
    q, v, u = (values.T for values in (motion.q, motion.v, motion.u))
    many = np.tile(p[:, None], count)
    a, lam = dynamics.accelerations.map(count)(q, v, u, many)
    outputs = np.array(dynamics.outputs.map(count)(q, many)).T
    target = np.zeros((count, 0)) if order is None else order.tracking.at(motion.time)[0].T
    bounds = bounds_of(crane, limits)
    signals = bounds.function.map(count)(q, v, a, np.zeros(a.shape), lam, u, many)
    return FullStateMotion(
        crane=crane,
        time=motion.time,
        target=target,
        q=motion.q,
        v=motion.v,
        u=motion.u,
        ropes=np.array(dynamics.ropes.map(count)(q, v, a, lam, u, many)).T,
        broken=_broken(bounds, motion.time, np.array(signals).T),
        errors={} if order is None else _errors(crane, motion.time, outputs - target),
        seconds=clock.perf_counter() - started,
        **known,
    )


def _broken(bounds: Bounds, time: Array, values: Array) -> tuple[BrokenLimit, ...]:
    """Return the limits that are not kept."""
    # the controls of the first time are read off a polynomial: limits begin at the next point
    beyond = np.maximum(bounds.least - values, values - bounds.most)[1:]
    found = []
    for i, signal in enumerate(bounds.signals):
        worst = int(np.argmax(beyond[:, i])) + 1
        if beyond[worst - 1, i] > _ROUNDING * bounds.size[i]:
            numbers = values[worst, i], bounds.least[i], bounds.most[i], time[worst]
            found.append(BrokenLimit(signal.title, *map(float, numbers)))
    return tuple(found)


def _errors(crane: Crane, time: Array, error: Array) -> dict[str, TrackingError]:
    mean = np.trapezoid(error**2, time, axis=0) / (time[-1] - time[0])
    largest = np.abs(error).max(axis=0)
    rows = zip(names(crane.outputs), largest.tolist(), np.sqrt(mean).tolist(), strict=True)
    return {name: TrackingError(most, rms) for name, most, rms in rows}
