"""A scenario solved for many values of some keys in one call, as a table: `--sweep`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from cranebridge.errors import CranebridgeError, InputError
from cranebridge.inverse import Feedforward, time_grid, with_friction
from cranebridge.inverse.index1 import solve_parameter_sets
from cranebridge.job.checks import judge
from cranebridge.job.folder import open_folder, require_usable
from cranebridge.job.running import key_of
from cranebridge.job.solving import solve_scenario
from cranebridge.limits import Verdict
from cranebridge.numerics import write_columns
from cranebridge.progress import Progress, ignore_progress
from cranebridge.scenario import Scenario, Variation
from cranebridge.twin.language import names
from cranebridge.version_info import versions

MOST = 100_000
"""Points of a sweep: a table of more is a campaign."""
# What is done, as a part of the time, when all points are read.
_READ = 0.05
# What is done when all are solved.
_SOLVED = 0.65


@dataclass(frozen=True, eq=False)
class SweptPoint:
    """What became of one combination of values.

    Attributes
    ----------
    values : dict of str to float
        By key.
    verdicts : tuple of Verdict
        What was judged; empty where there is no solution.
    figures : dict of str to float
        Largest magnitude of each input, least and largest rope forces.
    reason : str
        Why there is no solution.
    """

    values: dict[str, float]
    verdicts: tuple[Verdict, ...] = ()
    figures: dict[str, float] | None = None
    reason: str = ""

    @property
    def status(self) -> str:
        """Whether it was solved and keeps its limits."""
        if self.reason:
            return "not solved"
        return "passed" if all(verdict.passed for verdict in self.verdicts) else "failed"

    def as_dict(self) -> dict[str, Any]:
        """Return the entry of ``summary.json``."""
        found: dict[str, Any] = {"values": self.values, "status": self.status}
        if self.reason:
            return found | {"reason": self.reason}
        verdicts = [verdict.as_dict() for verdict in self.verdicts]
        return found | {"figures": self.figures, "verdicts": verdicts}


@dataclass(frozen=True, eq=False)
class Sweep:
    """A table of solutions.

    Attributes
    ----------
    scenario : Scenario
        What was varied.
    keys : tuple of str
        By what.
    points : tuple of SweptPoint
        All combinations, the last key varying fastest.
    """

    scenario: Scenario
    keys: tuple[str, ...]
    points: tuple[SweptPoint, ...]

    @property
    def exit_code(self) -> int:
        """0 if all were solved and keep their limits, else 1."""
        return 0 if all(point.status == "passed" for point in self.points) else 1

    def as_dict(self) -> dict[str, Any]:
        """Return the content of ``summary.json``."""
        return {
            "scenario": self.scenario.name,
            "crane": self.scenario.crane.name,
            "sweep": {"keys": list(self.keys), "points": [p.as_dict() for p in self.points]},
            "versions": versions(),
        }

    def columns(self) -> dict[str, list[float]]:
        """Return the columns of ``sweep.csv``; what is not known is nan."""
        found = {key: [point.values[key] for point in self.points] for key in self.keys}
        found["passed"] = [float(point.status == "passed") for point in self.points]
        solved = [point.figures or {} for point in self.points]
        for name in dict.fromkeys(name for figures in solved for name in figures):
            found[name] = [figures.get(name, np.nan) for figures in solved]
        margins = [
            {f"margin.{v.name}": v.margin for v in point.verdicts if v.margin is not None}
            for point in self.points
        ]
        for name in dict.fromkeys(name for one in margins for name in one):
            found[name] = [one.get(name, np.nan) for one in margins]
        return found


def sweep_into(
    scenario: Scenario,
    given: Sequence[str],
    folder: Path | None = None,
    force: bool = False,
    progress: Progress = ignore_progress,
) -> Sweep:
    """Solve a scenario for all combinations of values, and write the table if a folder is given.

    Parameters
    ----------
    scenario : Scenario
        What is varied.
    given : sequence of str
        ``KEY=FIRST:LAST:COUNT`` each, such as ``crane.m=1000:30000:100``.
    folder : pathlib.Path, optional
        Gets ``sweep.csv``, ``summary.json`` and ``scenario.toml``.
    force : bool
        Replace an earlier result.
    progress : callable, optional
        Called with the fraction that is done.
    """
    axes = dict(map(read_sweep, given))
    if folder is None:
        return _sweep(scenario, axes, progress)
    task = {"verb": "sweep", "sweep": list(given), "scenario": scenario.complete()}
    key = key_of(task, scenario.files)
    require_usable(folder, force, key)
    found = _sweep(scenario, axes, progress)
    with open_folder(folder, key, force) as results:
        columns = [(name, np.array(values)) for name, values in found.columns().items()]
        results.write("sweep.csv", lambda file: write_columns(file, columns))
        text = tomli_w.dumps(scenario.complete())
        results.write("scenario.toml", lambda file: file.write(text))
        results.write_json("summary.json", found.as_dict())
        results.finish()
    return found


def read_sweep(text: str) -> tuple[str, list[float]]:
    """Read ``KEY=FIRST:LAST:COUNT``."""
    key, equals, values = text.partition("=")
    parts = values.split(":")
    try:
        first, last, count = float(parts[0]), float(parts[1]), int(parts[2])
        whole = len(parts) == 3 and np.isfinite([first, last]).all()
    except (ValueError, IndexError):
        whole = False
    if not (equals and key.strip() and whole):
        raise InputError(
            f"--sweep takes KEY=FIRST:LAST:COUNT, such as crane.m=1000:30000:100, got '{text}'"
        )
    if count < 1 or (count == 1 and first != last):
        raise InputError(f"--sweep {text}: from {first:g} to {last:g} there are two values or more")
    if count > MOST:
        raise InputError(f"--sweep {text} has {count:,} values, more than {MOST:,}; take fewer")
    return key.strip(), np.linspace(first, last, count).tolist()


def _sweep(scenario: Scenario, axes: dict[str, list[float]], progress: Progress) -> Sweep:
    total = int(np.prod([len(values) for values in axes.values()]))
    if total > MOST:
        raise InputError(f"the sweep has {total:,} points, more than {MOST:,}; take fewer values")
    vary, keys = Variation(scenario), tuple(axes)
    points = [dict(zip(keys, one, strict=True)) for one in itertools.product(*axes.values())]
    scenarios, found = list[Scenario](), list[SweptPoint]()
    for point in points:
        scenarios.append(vary(point))
        progress(_READ * len(scenarios) / total)
    solved = _solve_all(scenario, scenarios, progress)
    for values, one, result in zip(points, scenarios, solved, strict=True):
        if isinstance(result, str):
            found.append(SweptPoint(values, reason=result))
        else:
            found.append(SweptPoint(values, judge(result, one), _figures(result)))
        progress(_SOLVED + (1.0 - _SOLVED) * len(found) / total)
    return Sweep(scenario, keys, tuple(found))


def _solve_all(
    base: Scenario, scenarios: Sequence[Scenario], progress: Progress
) -> list[Feedforward | str]:
    """Return the solutions, or why there is none: in one call where only parameters differ."""
    settings, problem = base.tables.solve, base.problem
    alike = all(
        (one.problem.path, one.problem.initial) == (problem.path, problem.initial)
        for one in scenarios
    )
    if settings.method == "index1" and alike:
        times = time_grid(problem.path.duration, settings.step)
        sets = [one.problem.parameters for one in scenarios]
        found = solve_parameter_sets(problem, sets, times, settings.compile)
        return [
            one.reason if one.solution is None else _with_friction(one.solution, point)
            for one, point in zip(found, scenarios, strict=True)
        ]
    solved = list[Feedforward | str]()
    for one in scenarios:
        solved.append(_solve_one(one))
        progress(_READ + (_SOLVED - _READ) * len(solved) / len(scenarios))
    return solved


def _with_friction(solution: Feedforward, scenario: Scenario) -> Feedforward | str:
    try:
        return with_friction(solution, scenario.friction)
    except CranebridgeError as error:
        return str(error)


def _solve_one(scenario: Scenario) -> Feedforward | str:
    try:
        return solve_scenario(scenario).feedforward
    except CranebridgeError as error:
        return str(error)


def _figures(solution: Feedforward) -> dict[str, float]:
    crane = solution.problem.crane
    peaks = zip(names(crane.inputs), np.abs(solution.u).max(axis=0).tolist(), strict=True)
    found = {f"peak.{name}": value for name, value in peaks}
    for i, name in enumerate(names(crane.ropes)):
        force = solution.ropes[:, i]
        found |= {f"least.{name}": float(force.min()), f"most.{name}": float(force.max())}
    return found
