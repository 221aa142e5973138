"""How fast a path can be: uniform time scaling and the shortest duration within limits.

The path keeps its shape, only time is stretched: gamma(t) becomes gamma(t / s), and its k-th
derivative is divided by s^k. Speeds fall with s, accelerations and what they cause with s^2; what
gravity causes stays, so that not every limit can be met by going slowly.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cranebridge.errors import InputError, SolutionError
from cranebridge.inverse import Feedforward, ServoProblem
from cranebridge.inverse.index1 import point_solver, require_smoothness, solve_index1
from cranebridge.limits import Limits, Verdict, judge_solution
from cranebridge.path import LIMITS, ScaledPath

# So slow that only gravity is left (accelerations fall with the square), and so fast that a limit
# which is kept even then is no limit.
_SLOWEST = 1e4
_FASTEST = 1e-3
_TIMES = 500


def scale_problem(problem: ServoProblem, duration: float) -> ServoProblem:
    """Return the same problem with the path stretched to another duration [s]."""
    if not math.isfinite(duration) or duration <= 0.0:
        raise InputError(f"the duration must be a positive number of seconds, got {duration:g}")
    path = problem.path
    if any(path.moving_ends):
        end = "starts" if path.moving_ends[0] else "ends"
        raise InputError(
            f"the path {end} moving: with another duration it would do so with other velocities; "
            "plan it anew for the state that is wanted"
        )
    base, before = (path.base, path.factor) if isinstance(path, ScaledPath) else (path, 1.0)
    scaled = ScaledPath(path.outputs, base, before * (duration / path.duration))
    return replace(problem, path=scaled)


def scale_scenario(
    scenario: Mapping[str, Any], duration: float, now: float | None = None
) -> dict[str, Any]:
    """Return a scenario whose path takes another duration: its durations, ramps, times and limits.

    The solution's step stays.

    Parameters
    ----------
    scenario : mapping
        With a ``path`` table.
    duration : float
        The wanted duration [s].
    now : float, optional
        The duration that the path has [s], for S-curves, whose tables do not state it.
    """
    result = copy.deepcopy({key: value for key, value in scenario.items()})
    table = result.get("path")
    if not isinstance(table, dict):
        raise InputError("the scenario has no [path] table to scale")
    now = max(_durations(table), default=0.0) if now is None else now
    if now <= 0.0:
        raise InputError("the scenario's [path] table states no duration to scale")
    _scale(table, duration / now)
    return result


def _durations(table: Mapping[str, Any]) -> list[float]:
    own = [float(table["duration"])] if "duration" in table else []
    own += [float(time) for key in ("times", "knots") for time in table.get(key, ())[-1:]]
    return own + [d for part in table.get("parts", ()) for d in _durations(part)]


def _scale(table: dict[str, Any], factor: float) -> None:
    for key in ("duration", "ramp"):
        if key in table:
            table[key] = float(table[key]) * factor
    for order, key in enumerate(LIMITS[:3], start=1):
        if key in table:
            table[key] = float(table[key]) / factor**order
    if "higher" in table:
        higher = enumerate(table["higher"], start=4)
        table["higher"] = [float(limit) / factor**order for order, limit in higher]
    if "derivatives" in table:
        table["derivatives"] = [
            [[float(x) / factor**k for x in row] for k, row in enumerate(piece)]
            for piece in table["derivatives"]
        ]
    for key in ("times", "knots"):
        if key in table:
            table[key] = [float(time) * factor for time in table[key]]
    for part in table.get("parts", ()):
        _scale(part, factor)


@dataclass(frozen=True, eq=False)
class Timing:
    """The shortest duration of a path within limits.

    Attributes
    ----------
    duration : float
        In s; a motion of this duration keeps all limits.
    factor : float
        Divided by the duration that the path had.
    active : Verdict
        The limit that a shorter duration fails, with the value that it then has; "solution" where
        the motion itself ends, because the load would have to fall faster than gravity pulls it.
    verdicts : list of Verdict
        All limits at the shortest duration.
    problem : ServoProblem
        The problem with its path stretched to it.
    """

    duration: float
    factor: float
    active: Verdict
    verdicts: list[Verdict]
    problem: ServoProblem

    def as_dict(self) -> dict[str, object]:
        """Return it for JSON."""
        return {
            "duration": self.duration,
            "factor": self.factor,
            "active": self.active.as_dict(),
            "verdicts": [verdict.as_dict() for verdict in self.verdicts],
        }


def shortest_duration(problem: ServoProblem, limits: Limits, tolerance: float = 1e-4) -> Timing:
    """Find the shortest duration at which a path keeps all limits.

    Bisection on the exact solution, of the duration's logarithm. It ends at a duration that keeps
    the limits while one shorter by `tolerance` does not; should they also be kept at some much
    shorter duration (where forces cancel by chance), that is not found.

    Parameters
    ----------
    problem : ServoProblem
        A flat crane and its path.
    limits : Limits
        What must be kept.
    tolerance : float
        Relative accuracy of the duration.

    Raises
    ------
    InputError
        If no duration keeps the limits, or none of them restricts the duration.
    StructureError
        If the crane is not flat or the path not smooth enough.
    """
    require_smoothness(problem, point_solver(problem).stages.structure)
    original = problem.path.duration
    if not any(limits.in_force(problem.crane)):
        raise InputError(
            "no limit restricts the duration; state limits of drive forces, speeds, accelerations "
            "or rope forces"
        )
    slowest = check_limits(problem, limits, original * _SLOWEST)
    worst = worst_verdict(slowest)
    if worst is not None:
        raise InputError(
            f"no duration can meet the limits: however slow, {worst.message}; gravity alone "
            "demands it"
        )
    good, bad = _bracket(problem, limits, original)
    while good > bad * (1.0 + tolerance):
        middle = math.sqrt(good * bad)
        if worst_verdict(check_limits(problem, limits, middle)) is None:
            good = middle
        else:
            bad = middle
    active = worst_verdict(check_limits(problem, limits, bad))
    if active is None:  # pragma: no cover - `bad` was found to fail
        raise AssertionError("the lower bound of the bisection keeps the limits")
    verdicts = check_limits(problem, limits, good)
    return Timing(good, good / original, active, verdicts, scale_problem(problem, good))


def _bracket(problem: ServoProblem, limits: Limits, original: float) -> tuple[float, float]:
    """Return a duration that keeps the limits and a shorter one that does not."""
    if worst_verdict(check_limits(problem, limits, original)) is None:
        good = original
        while good > original * _FASTEST:
            if worst_verdict(check_limits(problem, limits, good / 2.0)) is not None:
                return good, good / 2.0
            good /= 2.0
        raise InputError(f"no limit restricts the duration: all are kept even at {good:.3g} s")
    bad = original
    while bad < original * _SLOWEST:
        if worst_verdict(check_limits(problem, limits, bad * 2.0)) is None:
            return bad * 2.0, bad
        bad *= 2.0
    raise InputError("no duration can meet the limits")  # pragma: no cover - found before


def check_limits(problem: ServoProblem, limits: Limits, duration: float) -> list[Verdict]:
    """Judge the limits with the path at a duration; without a solution, that is the verdict."""
    try:
        return judge_solution(_solve(problem, duration), limits)
    except SolutionError as error:
        # no solution where one is needed, in numbers that JSON has
        return [Verdict("solution", "failed", str(error), value=0.0, limit=1.0, margin=-1.0)]


def _solve(problem: ServoProblem, duration: float) -> Feedforward:
    scaled = scale_problem(problem, duration)
    return solve_index1(scaled, np.linspace(0.0, scaled.path.duration, _TIMES + 1))


def worst_verdict(verdicts: list[Verdict]) -> Verdict | None:
    """Return the failed verdict that is furthest beyond its limit, in proportion to it."""
    failed = [verdict for verdict in verdicts if not verdict.passed]
    return min(failed, key=_distance, default=None)


def _distance(verdict: Verdict) -> float:
    if verdict.margin is None or verdict.limit is None:
        return -math.inf
    return verdict.margin / (abs(verdict.limit) or 1.0)
