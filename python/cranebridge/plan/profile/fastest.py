"""Which profile is the fastest on a given geometry within the limits of a crane.

All profiles are steps averaged over windows of time (:mod:`cranebridge.path.profiles.scurve`): one
window is the polynomial, two are the three-phase profile, three and four an S-curve with limits up
to jerk and snap. The shares of the windows are searched with a quick look at each motion; the best
of each family is written as keys of ``[path]``, in few digits, and its limits are judged on the
exact solution of just these keys.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import minimize

from cranebridge.inverse import ServoProblem
from cranebridge.limits import Limits, Verdict
from cranebridge.path import (
    LIMITS,
    SHAPE,
    Combined,
    Cylindrical,
    Hold,
    Line,
    Path,
    Profile,
    Rotation,
    make_path,
)
from cranebridge.path.profiles import MAX_SMOOTHNESS, limits_reached, step_class
from cranebridge.path.shapes import way_length
from cranebridge.plan.profile.duration_estimate import (
    FINE_TIMES,
    TIMES,
    AveragedStep,
    DurationEstimator,
)
from cranebridge.plan.profile.leave_geometry import NOT_LOOKED
from cranebridge.plan.timing import Timing, check_limits, shortest_duration, worst_verdict

# Least share by which a window is divided into one and all later ones.
_LEAST_SHARE = 0.02
# The largest: beyond a half slopes of a kind would add up.
_MOST_SHARE = 0.5
# Shares from which a search starts.
_FIRST_SHARES = (0.1, 0.2, 0.3, 0.4)
# Looks at motions for each share that is searched.
_LOOKS = 25
# What takes longer than the best by this factor is not followed up.
_INTERESTING = 1.15
_Shares = tuple[float, tuple[float, ...]]
# Longer than the quick look says, until the exact solution keeps the limits.
_LONGER = (1.0002, 1.0005, 1.001, 1.002, 1.005, 1.01, 1.02)
_DIGITS = 5


@dataclass(frozen=True, eq=False)
class Candidate:
    """A profile on the given geometry at its shortest duration within the limits.

    Attributes
    ----------
    keys : mapping
        Of ``[path]``: what to write in place of the profile's keys that stand there.
    duration : float
        In s; a motion with these keys keeps all limits.
    active : Verdict or None
        The limit that a faster motion of this shape fails; None if a tenth less fails none.
    problem : ServoProblem
        The problem with this path.
    """

    keys: Mapping[str, Any]
    duration: float
    active: Verdict | None
    problem: ServoProblem

    @property
    def profile(self) -> str:
        """Name of the profile."""
        return str(self.keys["profile"])

    def as_dict(self) -> dict[str, object]:
        """Return it for JSON."""
        active = None if self.active is None else self.active.as_dict()
        return {"keys": dict(self.keys), "duration": self.duration, "active": active}


@dataclass(frozen=True, eq=False)
class Fastest:
    """How fast a geometry can be passed.

    Attributes
    ----------
    own : Timing
        With the path's own profile.
    candidates : tuple of Candidate
        Other profiles, the fastest first; empty where the path is no line, cylindrical line,
        rotation, or combined of these.
    beyond : str
        What is said of paths that leave the geometry.
    """

    own: Timing
    candidates: tuple[Candidate, ...]
    beyond: str

    @property
    def best(self) -> Candidate | None:
        """The fastest of the other profiles, if it is faster than the path's own."""
        first = self.candidates[0] if self.candidates else None
        return first if first is not None and first.duration < self.own.duration else None

    def as_dict(self) -> dict[str, object]:
        """Return it for JSON: what is known of the own profile, and the others."""
        others = [candidate.as_dict() for candidate in self.candidates]
        return {**self.own.as_dict(), "profiles": others, "beyond": self.beyond}


def fastest_profile(
    problem: ServoProblem,
    limits: Limits,
    table: Mapping[str, Any],
    leaving: Callable[[float], str] = lambda duration: NOT_LOOKED,
) -> Fastest:
    """Find the profile that is the fastest on the geometry of a path.

    Parameters
    ----------
    problem : ServoProblem
        A flat crane and its path.
    limits : Limits
        What must be kept.
    table : mapping
        The ``[path]`` table that the path was made of.
    leaving : callable
        Says what would be gained by leaving the geometry, given the shortest duration on it [s];
        see :mod:`cranebridge.plan.profile.leave_geometry`.

    Raises
    ------
    InputError
        If no duration keeps the limits, or none of them restricts the duration.
    """
    own = shortest_duration(problem, limits)
    found: list[Candidate] = []
    if all(isinstance(part, _GEOMETRIES) for part in _leaves(problem.path)):
        search = _ProfileSearch(problem, limits, table, own.duration)
        families = search.families()
        found = [c for family in families if (c := search.first_confirmed(family)) is not None]
    ranked = sorted(found, key=lambda candidate: candidate.duration)
    least = min([own.duration, *(candidate.duration for candidate in ranked)])
    return Fastest(own, tuple(ranked), leaving(least))


class _ProfileSearch:
    """Looks for the shares of windows with which a geometry is passed the fastest."""

    def __init__(
        self, problem: ServoProblem, limits: Limits, table: Mapping[str, Any], guess: float
    ) -> None:
        self._problem, self._limits, self._table = problem, limits, table
        self._look = DurationEstimator(problem, limits)
        # as smooth as the path was asked to be; a three-phase profile is at least of class 1
        self._smoothness = int(min(max(problem.path.smoothness(), 1), MAX_SMOOTHNESS))
        self._best = guess
        moving = [part for part in _leaves(problem.path) if not isinstance(part, Hold)]
        units = {output.name: output.unit for output in problem.crane.outputs}
        self._has_length = all(
            way_length(part) and len({units[name] for name in part.outputs}) == 1 for part in moving
        )

    def families(self) -> list[list[_Shares]]:
        """Return durations and shares of polynomial, three-phase profile and S-curves."""
        found = [self._best_shares(1, ())]
        for windows in (2, 3, 4) if self._has_length else (2,):
            found.append(self._best_shares(windows, found[-1][1]))
        return [[found[0]], [found[1]], sorted(found[2:])]

    def _best_shares(self, windows: int, before: tuple[float, ...]) -> _Shares:
        """Return the shortest duration with a number of windows, and their shares.

        Starts from the best shares of one window less.
        """
        known: dict[tuple[float, ...], float] = {}

        def duration(shares: Sequence[float]) -> float:
            point = tuple(float(x) for x in np.clip(shares, _LEAST_SHARE, _MOST_SHARE).round(4))
            if point not in known:
                known[point] = self._shortest(point, _INTERESTING * self._best, TIMES)
                self._best = min(self._best, known[point])
            return known[point]

        if windows == 1:
            return self._shortest((), math.inf, FINE_TIMES), ()
        for share in _FIRST_SHARES:
            duration((*before, share))
        _descend(duration, min(known, key=lambda point: known[point]))
        shares = min(known, key=lambda point: known[point])
        return self._shortest(shares, math.inf, FINE_TIMES), shares

    def _shortest(self, shares: tuple[float, ...], most: float, times: int) -> float:
        path = retimed(self._problem.path, self._profile(shares))
        return self._look.shortest(path, self._best, most, times)

    def _profile(self, shares: tuple[float, ...]) -> Profile:
        windows = _windows(1.0, shares)
        return AveragedStep(windows=windows, steps=step_class(len(windows), self._smoothness))

    def first_confirmed(self, family: Sequence[_Shares]) -> Candidate | None:
        """Return the first of a family that the exact solution confirms."""
        found = (self._confirmed(*shares) for shares in family)
        return next((candidate for candidate in found if candidate is not None), None)

    def _confirmed(self, duration: float, shares: tuple[float, ...]) -> Candidate | None:
        """Return the shares as keys whose motion keeps the limits, by the exact solution."""
        if not math.isfinite(duration):
            return None
        for longer in _LONGER:
            keys = self._keys(_windows(longer * duration, shares))
            path = make_path(with_keys(self._table, keys), self._problem.path.outputs)
            problem = replace(self._problem, path=path)
            if worst_verdict(check_limits(problem, self._limits, path.duration)) is None:
                return Candidate(keys, path.duration, self._active(problem), problem)
        return None

    def _active(self, problem: ServoProblem) -> Verdict | None:
        """Return the limit that stands in the way of a faster motion."""
        for factor in (0.998, 0.99, 0.95, 0.9):
            verdicts = check_limits(problem, self._limits, factor * problem.path.duration)
            worst = worst_verdict(verdicts)
            if worst is not None:
                return worst
        return None

    def _keys(self, windows: tuple[float, ...]) -> dict[str, Any]:
        """Return the keys of ``[path]`` that give these windows."""
        smooth = {"smoothness": self._smoothness}
        timed = {"duration": rounded(sum(windows), up=True), **smooth}
        if len(windows) == 1:
            return {"profile": "polynomial", **timed}
        if len(windows) == 2:
            return {"profile": "three-phase", **timed, "ramp": rounded(windows[1])}
        steps = step_class(len(windows), self._smoothness)
        return {"profile": "s-curve", **smooth, **_limit_keys(self._problem.path, windows, steps)}


def _descend(duration: Callable[[Sequence[float]], float], first: tuple[float, ...]) -> None:
    """Search from the best point known, by the simplex method of Nelder and Mead."""
    size = len(first)
    simplex = [np.array(first)]
    for i in range(size):
        step = np.zeros(size)
        step[i] = 0.08 if first[i] < 0.35 else -0.08
        simplex.append(simplex[0] + step)
    options = {"initial_simplex": simplex, "maxfev": _LOOKS * size, "xatol": 2e-3, "fatol": 1e-4}
    minimize(duration, first, method="Nelder-Mead", options=options)


def _windows(duration: float, shares: Sequence[float]) -> tuple[float, ...]:
    """Divide a duration: each share is that of all later windows in what is left."""
    windows = [duration]
    for share in shares:
        rest = windows.pop()
        windows += [(1.0 - share) * rest, share * rest]
    return tuple(windows)


def _limit_keys(path: Path, windows: Sequence[float], steps: int) -> dict[str, Any]:
    """Return the limits of an S-curve with these windows; of a part that holds there are none."""
    if isinstance(path, Combined):
        return {"parts": [_limit_keys(part, windows, steps) for part in path.parts]}
    distance = way_length(path)
    if distance is None:
        return {}
    values = [rounded(limit) for limit in limits_reached(windows, distance, steps)]
    keys: dict[str, Any] = dict(zip(LIMITS, values[:3], strict=False))
    return keys | ({"higher": values[3:]} if len(values) > 3 else {})


def rounded(value: float, up: bool = False) -> float:
    """Round a positive number to a few digits; downwards unless told otherwise."""
    unit = 10.0 ** (math.floor(math.log10(value)) - _DIGITS + 1)
    digits = math.ceil(value / unit) if up else math.floor(value / unit)
    return float(f"{digits * unit:.{_DIGITS}g}")


def with_keys(table: Mapping[str, Any], keys: Mapping[str, Any]) -> dict[str, Any]:
    """Return a ``[path]`` table with other keys of its profile, also in its parts."""
    kept = {key: value for key, value in table.items() if key not in SHAPE}
    result = {**kept, **{key: value for key, value in keys.items() if key != "parts"}}
    if "parts" in table:
        own = keys.get("parts") or [{}] * len(table["parts"])
        result["parts"] = [with_keys(*pair) for pair in zip(table["parts"], own, strict=True)]
    return result


def retimed(path: Path, profile: Profile) -> Path:
    """Return a path that is passed with another profile."""
    if isinstance(path, Combined):
        return replace(path, parts=tuple(retimed(part, profile) for part in path.parts))
    if isinstance(path, Hold):
        return replace(path, seconds=profile.end)
    if isinstance(path, Line | Cylindrical | Rotation):
        return replace(path, profile=profile)
    raise TypeError(f"a path of type {type(path).__name__} has no profile")


_GEOMETRIES = (Line, Cylindrical, Rotation, Hold)


def _leaves(path: Path) -> list[Path]:
    if isinstance(path, Combined):
        return [leaf for part in path.parts for leaf in _leaves(part)]
    return [path]
