"""How fast the inverse methods converge: error against step, observed orders, conditions.

The pictures of the thesis (Figures 4.3-4.4, 5.3-5.8) as numbers, for every method that
integrates. The exact solution (index1) is the reference. An integrator applied to the servo
constraints without index reduction is shown beside them: its controls do not converge.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import CranebridgeError, StructureError
from cranebridge.forward import direct_servo
from cranebridge.inverse import Feedforward, ServoProblem, solve_index1
from cranebridge.progress import Progress, ignore_progress
from cranebridge.scenario import Scenario
from cranebridge.study.study_result import Cell, Chart, Study, StudyTable
from cranebridge.study.variants import (
    VARIANTS,
    Variant,
    condition,
    control_error,
    coordinate_error,
    require_flat,
    sizes,
)

Array = NDArray[np.float64]

# Doubled numbers of steps; they meet the knots of the three-phase paths, a quarter from each end.
COUNTS = (20, 40, 80, 160, 320, 640)
CONDITION_STEPS = (1e-1, 1e-2, 1e-3, 1e-4)
# Below this, errors are rounding and their quotients say nothing.
ROUNDING = 1e-10


def convergence(
    scenario: Scenario, counts: Sequence[int] = COUNTS, progress: Progress = ignore_progress
) -> Study:
    """Study how the error of all methods depends on the step.

    Parameters
    ----------
    scenario : Scenario
        Crane and path; its own method and step do not matter.
    counts : sequence of int
        Numbers of steps over the path, in increasing order.
    progress : callable
        Called with the fraction that is done.
    """
    problem = scenario.problem
    require_flat(problem, "the study of convergence")
    exact = {count: solve_index1(problem, _grid(problem, count)) for count in counts}
    rows: list[tuple[Cell, ...]] = []
    remarks: list[str] = []
    lines: dict[str, tuple[list[float], list[float]]] = {}
    for i, variant in enumerate(VARIANTS):
        progress(i / (len(VARIANTS) + 1))
        found, refusal = _errors(variant, exact)
        if refusal:
            name = f"{variant.method} {variant.coordinates}".strip()
            remarks.append(f"{name}: {refusal}")
        rows += _rows(variant.label, variant.order, found)
        if found:
            lines[variant.label] = ([h for h, _, _, _ in found], [e for _, e, _, _ in found])
    progress(len(VARIANTS) / (len(VARIANTS) + 1))
    direct, refusal = _direct(problem, exact[counts[-1]], counts)
    if refusal:
        remarks.append(refusal)
    for label, points in direct.items():
        lines[label] = points
        rows += _rows(label, None, [(h, e, None, None) for h, e in zip(*points, strict=True)])
    conditions, condition_lines = _conditions(exact[counts[-1]])
    columns = ("method", "step", "error_u", "order", "expected", "error_q", "seconds")
    return Study(
        kind="convergence",
        scenario=scenario.name,
        title=f"Convergence of the inverse methods on '{scenario.name}'",
        remarks=tuple(dict.fromkeys(remarks)),  # schemes refused for one reason
        tables=(
            StudyTable(
                "convergence", "Largest errors against the exact solution", columns, tuple(rows)
            ),
            conditions,
        ),
        charts=(
            Chart("controls", "Error of the controls", "step [s]", "relative error", lines),
            condition_lines,
        ),
    )


def _grid(problem: ServoProblem, count: int) -> Array:
    return np.linspace(0.0, problem.path.duration, count + 1)


Errors = list[tuple[float, float, float | None, float | None]]


def _errors(variant: Variant, exact: dict[int, Feedforward]) -> tuple[Errors, str]:
    """Return step, error of u, error of q and seconds for each count, and why some are missing."""
    found: Errors = []
    refusal = ""
    for reference in exact.values():
        problem, times = reference.problem, reference.time
        try:
            solution = variant.solve(problem, times)
        except StructureError as error:
            return found, str(error)
        except CranebridgeError as error:
            refusal = refusal or str(error)
            continue
        errors = control_error(solution, reference), coordinate_error(solution, reference)
        found.append((float(times[1] - times[0]), *errors, solution.seconds))
    return found, refusal


def _rows(label: str, expected: int | None, found: Errors) -> list[tuple[Cell, ...]]:
    """Return the rows of a method, with the order observed from one step to the next."""
    rows: list[tuple[Cell, ...]] = []
    for i, (h, error, error_q, seconds) in enumerate(found):
        order = None
        if i and min(error, found[i - 1][1]) > ROUNDING:
            order = math.log(found[i - 1][1] / error) / math.log(found[i - 1][0] / h)
        rows.append((label, h, error, order, expected, error_q, seconds))
    return rows


def _direct(
    problem: ServoProblem, exact: Feedforward, counts: Sequence[int]
) -> tuple[dict[str, tuple[list[float], list[float]]], str]:
    """Return the errors of integrators applied directly to the index-5 problem."""
    lines: dict[str, tuple[list[float], list[float]]] = {}
    for method in ("energy-momentum", "implicit-euler"):
        steps, errors = [], []
        for count in counts:
            h = problem.path.duration / count
            try:
                found = direct_servo(
                    problem.crane, problem.parameters, problem.path, exact.q[0], h, method
                )
            except StructureError as error:
                return lines, f"direct {method}: {error}"
            except CranebridgeError:
                continue  # the coarsest steps need not converge
            difference = np.abs(found.u - exact.controls(found.at)) / sizes(exact.u)
            steps.append(h)
            errors.append(float(difference.max()))
        if steps:
            lines[f"direct {method} (index not reduced)"] = steps, errors
    return lines, ""


def _conditions(exact: Feedforward) -> tuple[StudyTable, Chart]:
    """Return the condition numbers of the Euler schemes' iteration matrices against the step."""
    row = len(exact.time) // 3
    rows: list[tuple[Cell, ...]] = []
    lines: dict[str, tuple[list[float], list[float]]] = {}
    for variant in (variant for variant in VARIANTS if variant.scheme == "euler"):
        try:
            values = [condition(variant, exact, row, h) for h in CONDITION_STEPS]
        except StructureError:
            continue
        lines[variant.label] = list(CONDITION_STEPS), values
        rows += [(variant.label, h, c) for h, c in zip(CONDITION_STEPS, values, strict=True)]
    title = "Condition of the iteration matrix"
    return (
        StudyTable("condition", title, ("method", "step", "condition"), tuple(rows)),
        Chart("condition", title, "step [s]", "condition number", lines),
    )
