"""What is asked of a plan: from which state, to which goal, within which limits, at what cost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse import ServoProblem
from cranebridge.limits import Limits
from cranebridge.path import Path
from cranebridge.plan.task.obstacles import Obstacle
from cranebridge.twin import Crane
from cranebridge.twin.language import names, require_no_motions

Array = NDArray[np.float64]
Objective = Literal["time", "effort", "weighted"]

OBJECTIVES: Mapping[str, str] = {
    "time": "the shortest duration",
    "effort": "the least effort of the drives in the given duration",
    "weighted": "duration plus path.effort times effort",
}
METHODS: Mapping[str, str] = {
    "flat": "the load path as a spline, everything else from the stages of index 1",
    "collocation": "the full state space by Radau collocation; needs no flat crane",
    "gradient": "the adjoint gradient after Kelley and Bryson; for tracking",
}

# An input counts as used at least by this part of what the most used one of its unit is.
_HARDLY_USED = 1e-2


@dataclass(frozen=True, eq=False)
class State:
    """A state of a crane: all coordinates and velocities, consistent with its constraints.

    Attributes
    ----------
    q, v : numpy.ndarray
        In the crane's order.
    """

    q: Array
    v: Array

    @property
    def moving(self) -> bool:
        """Whether a velocity is not zero."""
        return bool(np.any(self.v != 0.0))


@dataclass(frozen=True)
class Via:
    """A point that the load passes.

    Attributes
    ----------
    point : tuple of float
        Its outputs.
    time : float or None
        When [s]; whenever it suits if None.
    """

    point: tuple[float, ...]
    time: float | None = None


@dataclass(frozen=True, eq=False)
class PlanTask:
    """A motion to be found.

    Attributes
    ----------
    crane : Crane
        Which crane.
    parameters : mapping of str to float
        All of its parameters.
    start : State
        Where it starts, moving or at rest.
    goal : State or None
        Where it ends; None for a stop: at rest wherever that is soonest.
    limits : Limits
        What must be kept.
    objective : {"time", "effort", "weighted"}
        What is least: see `OBJECTIVES`.
    duration : float or None
        In s; given for "effort", else free.
    effort : float
        Weight of the effort in "weighted" [s].
    via : tuple of Via
        Points passed on the way, in order.
    obstacles : tuple of Obstacle
        What must not be touched.
    """

    crane: Crane
    parameters: Mapping[str, float]
    start: State
    goal: State | None
    limits: Limits
    objective: Objective = "time"
    duration: float | None = None
    effort: float = 0.0
    via: tuple[Via, ...] = ()
    obstacles: tuple[Obstacle, ...] = field(default_factory=tuple)

    def __post_init__(self) -> None:
        require_no_motions(self.crane, "planning", "give a path that is not planned")

    @property
    def parameter_vector(self) -> Array:
        """The parameter values in the crane's order."""
        return np.array([self.parameters[name] for name in names(self.crane.parameters)])

    def problem(self, path: Path) -> ServoProblem:
        """Return the servo problem of a path; Newton's method starts at the given state."""
        known: dict[str, float] = {}
        if path.moving_ends[0]:
            known = dict(zip(names(self.crane.coordinates), self.start.q.tolist(), strict=True))
        return ServoProblem(self.crane, path, dict(self.parameters), known)


def effort_scales(crane: Crane, limits: Limits) -> Array:
    """Return by what each input is divided in the effort: half of the range that it may have.

    The effort is the integral of the sum of ((u - u_rest) / scale)^2 over time, u_rest the input
    that holds the goal; without a limit the scale is 1 in the input's unit.
    """
    ranges = _input_ranges(crane, limits)
    return np.where(np.isfinite(ranges), 0.5 * ranges, 1.0)


def effort_scales_by_use(crane: Crane, limits: Limits, used: Array) -> Array:
    """Return the scales of the effort, with what is used of an input that has no limit.

    One that is hardly used counts as if it were used by a hundredth of what the most used one of
    its unit is: rounding is no measure.
    """
    units = np.array([quantity.unit for quantity in crane.inputs])
    largest = np.array([used[units == unit].max() for unit in units])
    used = np.maximum(used, _HARDLY_USED * largest)
    used = np.where(used > 0.0, used, 1.0)
    return np.where(np.isfinite(_input_ranges(crane, limits)), effort_scales(crane, limits), used)


def _input_ranges(crane: Crane, limits: Limits) -> Array:
    """Return the range that each input may have, infinite without a limit."""
    bounds = (limits.u.get(name) for name in names(crane.inputs))
    return np.array([math.inf if bound is None else bound.most - bound.least for bound in bounds])
