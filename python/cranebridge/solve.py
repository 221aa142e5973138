"""Solve a scenario: the method that it asks for, the verdicts, and the files of the result."""

from __future__ import annotations

import json
import os
import platform
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import tomli_w

import cranebridge
from cranebridge.errors import InputError, StructureError
from cranebridge.inverse.check import Check, check, require_consistent
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.index1 import solve_index1, structure_of
from cranebridge.inverse.index3 import solve_index3
from cranebridge.inverse.problem import time_grid
from cranebridge.inverse.projection import solve_projection
from cranebridge.inverse.ropes import judge_ropes
from cranebridge.inverse.structure import Structure
from cranebridge.limits import Limits, check_limits
from cranebridge.limits.verdict import Verdict
from cranebridge.plan.timing import Timing, shortest_duration
from cranebridge.scenario import Scenario

if TYPE_CHECKING:
    from cranebridge.verification import Verified


@dataclass(frozen=True, eq=False)
class Solved:
    """A solved scenario: the feedforward, its structure and its verdicts."""

    scenario: Scenario
    structure: Structure
    feedforward: Feedforward
    verdicts: list[Verdict]

    @property
    def exit_code(self) -> int:
        """0 if all verdicts passed, else 1."""
        return 0 if all(verdict.passed for verdict in self.verdicts) else 1

    def summary(self) -> dict[str, Any]:
        """Return the content of ``summary.json``."""
        solution = self.feedforward
        return {
            "scenario": self.scenario.name,
            "crane": self.scenario.crane.name,
            "method": self.scenario.tables.solve.method,
            "step": self.scenario.tables.solve.step,
            "structure": self.structure.as_dict(),
            "solve": {
                "how": solution.method,
                "points": int(solution.time.size),
                "max_residual": solution.max_residual,
                "residuals": solution.residual,
                "order": solution.order,
                "interpolation_order": solution.interpolation_order,
                "seconds": solution.seconds,
                "notes": list(solution.notes),
            },
            "verdicts": [verdict.as_dict() for verdict in self.verdicts],
            "versions": versions(),
        }


def check_scenario(scenario: Scenario) -> Check:
    """Check a scenario: its servo problem, and the margins to its limits."""
    result = check(scenario.problem, scenario.tables.solve.method)
    given = set(scenario.tables.limits.model_fields_set) - {"ropes", "tracking"}
    if scenario.tables.limits.ropes == "ignore":
        result = replace(result, verdicts=[])
    if result.problems or not result.structure.flat or not given:
        return result
    times = time_grid(scenario.problem.path.duration, scenario.tables.solve.step)
    solution = solve_index1(scenario.problem, times)
    return replace(result, verdicts=[*result.verdicts, *_judge_limits(scenario, solution)])


def find_shortest(scenario: Scenario) -> Timing:
    """Find the shortest duration at which the path of a scenario keeps its limits."""
    return shortest_duration(scenario.problem, scenario_limits(scenario))


def solve_scenario(scenario: Scenario, progress: Callable[[float], None] | None = None) -> Solved:
    """Solve a scenario by the method that it asks for and judge its ropes."""
    problem, settings = scenario.problem, scenario.tables.solve
    times = time_grid(problem.path.duration, settings.step)
    structure = structure_of(problem.crane)
    if structure.flat:
        require_consistent(problem, structure)
    if settings.method == "index1":
        solution = solve_index1(problem, times, settings.compile)
    elif settings.method == "index3":
        solution = solve_index3(problem, times, settings.scheme, progress)
    elif settings.method == "projection":
        solution = solve_projection(problem, times, settings.scheme, settings.coordinates, progress)
    else:
        raise StructureError(
            "an energy-momentum scheme on the servo constraints themselves, without index "
            "reduction, has control forces that grow as the step shrinks (see `cranebridge study "
            "integrators`); use index1, index3 or projection"
        )
    verdicts = judge_ropes(solution) if scenario.tables.limits.ropes == "pull" else []
    verdicts += _judge_limits(scenario, solution)
    return Solved(scenario, structure, solution, verdicts)


def scenario_limits(scenario: Scenario) -> Limits:
    """Return the limits of a scenario."""
    table = scenario.tables.limits.model_dump()
    given = {key: value for key, value in table.items() if value != {}}
    return Limits.from_mapping(given, scenario.crane)


def _judge_limits(scenario: Scenario, solution: Feedforward) -> list[Verdict]:
    """Judge forces, speeds, accelerations, jerks, powers and least rope forces."""
    limits = replace(scenario_limits(scenario), ropes="ignore")
    return check_limits(solution, limits)


def write_results(result: Solved | Verified, folder: FilePath, force: bool = False) -> None:
    """Write the CSV files, ``summary.json`` and ``scenario.toml`` of a result into a new folder.

    The folder appears only when it is complete. An existing one is replaced only if `force` is
    given and it holds a result of ours or nothing.
    """
    require_writable(folder, force)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as temporary:
        work = FilePath(temporary) / folder.name
        work.mkdir()
        solved = result if isinstance(result, Solved) else result.solved
        solved.feedforward.write_csv(work / "feedforward.csv")
        if not isinstance(result, Solved):
            result.tracking.write_csv(work / "tracking.csv")
        (work / "summary.json").write_text(json.dumps(result.summary(), indent=2) + "\n")
        write_scenario(work, solved.scenario)
        if folder.exists():
            shutil.rmtree(folder)
        os.replace(work, folder)


def write_scenario(folder: FilePath, scenario: Scenario) -> None:
    """Write the complete scenario, so that the run can be repeated."""
    with (folder / "scenario.toml").open("wb") as file:
        tomli_w.dump(scenario.complete(), file)


def require_writable(folder: FilePath, force: bool) -> None:
    """Raise an InputError if results cannot or must not be written to `folder`."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"output '{folder}' exists and is not a folder")
    if folder.exists() and not force:
        raise InputError(
            f"output folder '{folder}' exists; choose another with -o, or replace it with --force"
        )
    if folder.exists() and any(folder.iterdir()) and not (folder / "summary.json").is_file():
        raise InputError(
            f"output folder '{folder}' holds other files; --force replaces only earlier results"
        )
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent):
            pass
    except OSError as error:
        raise InputError(f"output folder '{folder}' cannot be written: {error.strerror}") from error


def versions() -> dict[str, str]:
    """Return the versions that a result depends on."""
    packages = ("casadi", "numpy", "scipy")
    return {
        "cranebridge": cranebridge.__version__,
        "python": platform.python_version(),
        **{package: metadata.version(package) for package in packages},
    }
