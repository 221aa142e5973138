"""All signals of a feedforward at wanted times, with their exact time derivatives.

For index1 and inversion nothing is interpolated: the problem is solved at these very times, and the
rates come from the last stage. Other methods are interpolated between the times of their grid.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.piecewise import hermite
from cranebridge.inverse.problem import ServoProblem, time_grid
from cranebridge.inverse.signal_groups import DERIVED, SIGNAL_GROUPS, Signal, needing_jerks
from cranebridge.numerics import LazyColumns
from cranebridge.twin import Crane, equations_of_motion

if TYPE_CHECKING:
    from cranebridge.inverse.kernels import MappedFunctions

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Samples:
    """Signals over time.

    Attributes
    ----------
    crane : Crane or None
        Whose signals they are; None of a plant without a twin.
    time : numpy.ndarray
        A time stands twice where both sides of a knot of the path are wanted.
    values, rates : dict of str to numpy.ndarray
        By group: a row for each time, a column for each signal; time derivatives where they are
        known.
    accuracy : str
        How exact the values are, in words.
    """

    crane: Crane | None
    time: Array
    values: Mapping[str, Array]
    rates: Mapping[str, Array]
    accuracy: str

    def value(self, signal: Signal) -> Array:
        """Return the values of a signal."""
        return self.values[signal.group][:, signal.position]

    def rate(self, signal: Signal) -> Array:
        """Return the time derivatives of a signal."""
        return self.rates[signal.group][:, signal.position]


def sample(feedforward: Feedforward, times: Array, both_sides: bool = False) -> Samples:
    """Return all signals at the given times.

    Parameters
    ----------
    feedforward : Feedforward
        The solution.
    times : numpy.ndarray
        Increasing, within the feedforward's, at least two.
    both_sides : bool
        Add the knots of the path, each with the values of its left and of its right side: there
        jerks and the rates of inputs jump.
    """
    problem = feedforward.problem
    if feedforward.nodes is None:
        return _interpolated(feedforward, times)
    if times is not feedforward.time:
        if both_sides:
            # Grid times that differ from a knot by rounding only would make intervals of no length.
            knots = np.asarray(problem.path.knots)
            inner = knots[(knots > times[0]) & (knots < times[-1])]
            distance = np.abs(np.subtract.outer(times, inner)).min(axis=1, initial=np.inf)
            times = times[distance > 1e-9 * problem.path.duration]
        feedforward = solved_at(feedforward, times)
    return _exact(feedforward, both_sides)


def solved_at(feedforward: Feedforward, times: Array) -> Feedforward:
    """Solve the problem of an exact feedforward at other times within its own."""
    if feedforward.exact_at is not None:
        return feedforward.exact_at(times)
    from cranebridge.inverse.index1 import solve_index1

    return solve_index1(feedforward.problem, times)


def cycle_times(feedforward: Feedforward, cycle: float) -> Array:
    """Return the times of a controller's cycle, counted from the path's start, over the motion.

    Before the path they are negative. Where the motion begins or ends within a cycle, that time is
    there, too.
    """
    inner = time_grid(feedforward.problem.path.duration, cycle)
    first, last = float(feedforward.time[0]), float(feedforward.time[-1])
    tiny = 1e-9 * cycle
    before = -cycle * np.arange(np.ceil(-first / cycle - tiny), 0.0, -1.0)
    after = inner[-1] + cycle * np.arange(1.0, np.ceil((last - inner[-1]) / cycle - tiny) + 1.0)
    return np.concatenate([np.maximum(before, first), inner, np.minimum(after, last)])


def _exact(solution: Feedforward, both_sides: bool) -> Samples:
    """Return what an exact solution knows at its own times, or at its nodes."""
    nodes = solution.nodes
    assert nodes is not None
    rows = slice(None) if both_sides else nodes.grid
    values = {
        "q": nodes.q[rows],
        "v": nodes.v[rows],
        "a": nodes.a[rows],
        "jerk": nodes.jerk[rows],
        "u": nodes.u[rows],
        "lambda": nodes.lam[rows],
        "rope": nodes.ropes[rows],
        "gamma": nodes.gamma[rows],
    }
    rates = {"a": nodes.jerk[rows], "lambda": nodes.lam_rate[rows], "u": nodes.u_rate[rows]}
    known = {**rates, "q": values["v"], "v": values["a"], "gamma": nodes.gamma_rate[rows]}
    all_values, all_rates = LazyColumns(values), LazyColumns(known)

    @cache
    def derived() -> tuple[Array, dict[str, Array]]:
        return _derived(solution.problem, values, rates)

    # Few ask for these, and they take longer than all others.
    all_values.later(DERIVED, lambda: derived()[1])
    all_rates.later(["rope"], lambda: {"rope": derived()[0]})
    return Samples(
        crane=solution.problem.crane,
        time=nodes.time[rows],
        values=all_values,
        rates=all_rates,
        accuracy="solved exactly at these times; largest residual of an equation, relative to its "
        f"terms: {solution.max_residual:.1e}",
    )


def _interpolated(feedforward: Feedforward, times: Array) -> Samples:
    """Interpolate between the grid's times; rates are those of the interpolation."""
    f, problem = feedforward, feedforward.problem
    grid = f.time
    t = np.clip(times, grid[0], grid[-1])

    def linear(values: Array) -> Array:
        columns = [np.interp(t, grid, values[:, i]) for i in range(values.shape[1])]
        return np.column_stack(columns) if columns else np.zeros((t.size, 0))

    path = problem.path.derivatives(times, 1)
    values = {
        "q": f.coordinates(t),
        "v": hermite(grid, (f.v[:-1], f.a[:-1]), (f.v[1:], f.a[1:]))(t),
        "a": linear(f.a),
        "u": f.controls(t),
        "lambda": linear(f.lam),
        "rope": linear(f.ropes),
        "gamma": path[0].T,
    }
    still = {name: np.zeros_like(values[name]) for name in ("a", "lambda", "u")}
    _, derived = _derived(problem, values, still)
    unknown = needing_jerks(problem.crane)
    values |= {group: array for group, array in derived.items() if group not in unknown}
    slopes = {
        name: linear(np.gradient(array, grid, axis=0) if array.shape[1] else array)
        for name, array in (("u", f.u), ("a", f.a), ("lambda", f.lam), ("rope", f.ropes))
    }
    on_grid = times.size == grid.size and np.allclose(times, grid, rtol=0.0, atol=1e-12)
    return Samples(
        crane=problem.crane,
        time=times,
        values=values,
        rates={"q": values["v"], "v": values["a"], "gamma": path[1].T, **slopes},
        accuracy=f"method {f.method} of order {f.order}, largest relative residual "
        f"{f.max_residual:.1e}, {'at' if on_grid else 'interpolated between'} the times of its "
        f"grid ({grid.size} times); rates of inputs by differences",
    )


@cache
def _derived_function(crane: Crane) -> MappedFunctions:
    """Build rates of rope forces and the values of derived groups from the motion, its rates and p.

    Arguments are q, v, a, lambda, u, then the rates of the last three, then p.
    """
    from cranebridge.inverse.kernels import MappedFunctions

    model = equations_of_motion(crane)
    motion = [model.q, model.v, model.a, model.lam, model.u]
    rates = [ca.SX.sym("rate", part.numel()) for part in motion[2:]]
    state, moving = ca.vertcat(*motion), ca.vertcat(model.v, model.a, *rates)
    found = [SIGNAL_GROUPS[group].expression(model, rates[0]) for group in DERIVED]
    function = ca.Function(
        "derived",
        [*motion, *rates, model.p],
        [ca.densify(ca.jtimes(model.ropes, state, moving)), *map(ca.densify, found)],
    )
    return MappedFunctions((function,), "never")  # compiling it takes longer than it is evaluated


def _derived(
    problem: ServoProblem, values: dict[str, Array], rates: dict[str, Array]
) -> tuple[Array, dict[str, Array]]:
    """Return rates of rope forces and derived groups, from the rates of a, lambda and u."""
    columns = [values[name] for name in ("q", "v", "a", "lambda", "u")]
    columns += [rates[name] for name in ("a", "lambda", "u")]
    rope_rates, *found = _derived_function(problem.crane)(
        "derived", *columns, problem.parameter_vector
    )
    return rope_rates, dict(zip(DERIVED, found, strict=True))
