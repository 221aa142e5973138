"""Tracking by the gradient of the cost in the controls, after Kelley and Bryson.

From the controls that hold the start, steps are taken along the negative gradient, or along
conjugate directions (Polak and Ribiere, never backwards), as far as a line search says. Nothing is
asked of the crane but forward dynamics, and no limits are kept. It is slow near the optimum and
needs no solver of large systems: a second opinion on
:mod:`cranebridge.plan.collocation.direct_collocation`.

References
----------
H. J. Kelley, Gradient theory of optimal flight paths, ARS J. 30 (1960) 947-954.
A. E. Bryson, W. F. Denham, A steepest-ascent method for solving optimum programming problems,
J. Appl. Mech. 29 (1962) 247-257.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import SolutionError
from cranebridge.inverse import Piecewise
from cranebridge.plan.collocation.line_search import CostAlong, armijo, brent
from cranebridge.plan.collocation.shooting import Form, Shooting, shoot
from cranebridge.plan.task import TrackingCost
from cranebridge.progress import Progress, ignore_progress
from cranebridge.twin import Crane

Array = NDArray[np.float64]
Direction = Literal["conjugate", "steepest"]
LineSearch = Literal["brent", "armijo"]

_SEARCHES: Mapping[str, Callable[[CostAlong, float, float, float], tuple[float, float]]] = {
    "brent": brent,
    "armijo": armijo,
}
# The distance that is tried first in the first step.
_FIRST = 1000.0


@dataclass(frozen=True)
class Descent:
    """How the least cost is looked for.

    Attributes
    ----------
    iterations : int
        At most this many.
    direction : {"conjugate", "steepest"}
        Which way to go.
    line_search : {"brent", "armijo"}
        How far: to the least cost, or as far as the cost falls enough.
    tolerance : float
        Ends when the gradient has fallen to this part of the first.
    """

    iterations: int = 200
    direction: Direction = "conjugate"
    line_search: LineSearch = "brent"
    tolerance: float = 1e-9


@dataclass(frozen=True, eq=False)
class GradientSolution:
    """The motion that was found; arrays have a row for each node.

    Attributes
    ----------
    form : {"ode", "constrained"}
        Of the equations.
    time, q, v, u : numpy.ndarray
        Time in s, coordinates, velocities, inputs.
    costs, gradients : numpy.ndarray
        Cost and size of the gradient at the begin and after every step.
    """

    crane: Crane
    form: Form
    time: Array
    q: Array
    v: Array
    u: Array
    costs: Array
    gradients: Array

    @property
    def cost(self) -> float:
        """The least cost that was found."""
        return float(self.costs[-1])

    @property
    def controls(self) -> Piecewise:
        """u as piecewise linear functions."""
        slope = np.diff(self.u, axis=0) / np.diff(self.time)[:, None]
        return Piecewise(np.stack([slope, self.u[:-1]]), self.time)


def track_by_gradient(
    crane: Crane,
    parameters: Mapping[str, float],
    tracking: TrackingCost,
    steps: int = 300,
    descent: Descent | None = None,
    progress: Progress = ignore_progress,
) -> GradientSolution:
    """Find the motion that follows a path best, without limits and with a free end.

    Parameters
    ----------
    crane : Crane
        The crane, at rest at the begin.
    parameters : mapping of str to float
        All of its parameters.
    tracking : TrackingCost
        The path and what is weighed.
    steps : int
        Of equal length; the controls are linear in each.
    descent : Descent, optional
        How the least cost is looked for.
    progress : callable
        Called with the part that is done, if all iterations are needed.

    Raises
    ------
    InputError
        If the end is not free.
    SolutionError
        If the crane does not move as its controls that hold it tell.
    """
    problem = shoot(crane, parameters, tracking, steps)
    controls, costs, gradients = descend(problem, problem.hold(), descent or Descent(), progress)
    motion = problem.motion(controls)
    n = len(crane.coordinates)
    return GradientSolution(
        crane,
        problem.form,
        problem.time,
        motion[:, :n],
        motion[:, n:],
        controls * problem.scales,
        costs,
        gradients,
    )


def descend(
    problem: Shooting, controls: Array, descent: Descent, progress: Progress = ignore_progress
) -> tuple[Array, Array, Array]:
    """Return the controls of the least cost, and costs and sizes of gradients on the way there.

    Conjugate directions: d = -g + max(0, <g, g - g_before> / <g_before, g_before>) d_before, with
    the integral of the product over time as the inner product.
    """
    now = problem.cost(controls)
    if not np.isfinite(now):
        raise SolutionError(
            "the crane has no motion with the controls that the descent starts from"
        )
    gradient = problem.gradient(controls)
    direction = -gradient
    size = problem.product(gradient, gradient)
    costs, sizes, distance = [now], [np.sqrt(size)], _FIRST
    search = _SEARCHES[descent.line_search]
    for i in range(descent.iterations):
        progress(i / descent.iterations)
        if sizes[-1] <= descent.tolerance * sizes[0]:
            break
        slope = problem.product(gradient, direction)
        if slope >= 0.0:
            direction, slope = -gradient, -size
        found, now = search(_along(problem, controls, direction), now, slope, distance)
        if found == 0.0:
            break
        distance = found
        controls = controls + distance * direction
        before, gradient = gradient, problem.gradient(controls)
        turn = problem.product(gradient, gradient - before) / size
        size = problem.product(gradient, gradient)
        factor = max(0.0, turn) if descent.direction == "conjugate" else 0.0
        direction = -gradient + factor * direction
        costs.append(now)
        sizes.append(np.sqrt(size))
    return controls, np.array(costs), np.array(sizes)


def _along(problem: Shooting, controls: Array, direction: Array) -> CostAlong:
    return lambda distance: problem.cost(controls + distance * direction)
