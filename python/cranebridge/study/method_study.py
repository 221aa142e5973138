"""All inverse methods at the scenario's step: what they agree on, what they cost, who refuses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import CranebridgeError
from cranebridge.inverse import Feedforward, solve_index1, solve_minimal, time_grid
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
from cranebridge.twin.language import names

Array = NDArray[np.float64]

COLUMNS = (
    "method",
    "error_u",
    "error_q",
    "error_ropes",
    "residual",
    "condition",
    "seconds",
    "refused",
)
# More points make a picture no clearer.
PLOTTED = 2000


def methods(scenario: Scenario, progress: Progress = ignore_progress) -> Study:
    """Solve a scenario by every method at its own step.

    Parameters
    ----------
    scenario : Scenario
        Crane, path and ``solve.step``.
    progress : callable
        Called with the fraction that is done.
    """
    problem = scenario.problem
    require_flat(problem, "the study of methods")
    times = time_grid(problem.path.duration, scenario.tables.solve.step)
    exact = solve_index1(problem, times)
    solutions: dict[str, Feedforward] = {}
    rows = [_row("index1", exact, exact, None)]
    for i, variant in enumerate((None, *VARIANTS)):
        progress(i / (len(VARIANTS) + 1))
        label = "minimal" if variant is None else variant.label
        try:
            found = (
                solve_minimal(problem, times) if variant is None else variant.solve(problem, times)
            )
            rows.append(_row(label, found, exact, _condition(variant, exact)))
        except CranebridgeError as error:
            rows.append((label, *(None for _ in COLUMNS[1:-1]), str(error)))
            continue
        solutions[label] = found
    step = float(times[1] - times[0])
    return Study(
        kind="methods",
        scenario=scenario.name,
        title=f"Inverse methods on '{scenario.name}' with a step of {step:g} s",
        remarks=(
            f"{times.size - 1} steps. Errors of controls and ropes are relative to the largest "
            "value of each, against the exact solution (index1); condition of Newton's matrix in a "
            "step at a third of the path.",
        ),
        tables=(StudyTable("methods", "Agreement, condition and cost", COLUMNS, tuple(rows)),),
        charts=(_errors(solutions, exact), *_controls(solutions, exact)),
    )


def _condition(variant: Variant | None, exact: Feedforward) -> float | None:
    """Return the condition of a variant that takes steps."""
    if variant is None:
        return None
    step = float(exact.time[1] - exact.time[0])
    return condition(variant, exact, exact.time.size // 3, step)


def _row(
    label: str, found: Feedforward, exact: Feedforward, number: float | None
) -> tuple[Cell, ...]:
    ropes = None
    if exact.ropes.size:
        ropes = float((np.abs(found.ropes - exact.ropes) / sizes(exact.ropes)).max())
    return (
        label,
        control_error(found, exact),
        coordinate_error(found, exact),
        ropes,
        found.max_residual,
        number,
        found.seconds,
        None,
    )


def _thinned(time: Array) -> slice:
    return slice(None, None, max(1, time.size // PLOTTED))


def _errors(solutions: dict[str, Feedforward], exact: Feedforward) -> Chart:
    """Return the largest relative error of all controls over time, after the exact start."""
    part = slice(1, None, _thinned(exact.time).step)
    scale = sizes(exact.u)
    lines = {
        label: (
            exact.time[part].tolist(),
            (np.abs(found.u - exact.u) / scale).max(axis=1)[part].tolist(),
        )
        for label, found in solutions.items()
    }
    return Chart("errors", "Error of the controls", "time [s]", "relative error", lines, log="y")


def _controls(solutions: dict[str, Feedforward], exact: Feedforward) -> list[Chart]:
    """Return each control of the exact solution and of the Euler schemes, as in the thesis."""
    crane, part = exact.problem.crane, _thinned(exact.time)
    shown = {label: found for label, found in solutions.items() if label.endswith("euler")}
    charts = []
    for column, (name, quantity) in enumerate(zip(names(crane.inputs), crane.inputs, strict=True)):
        lines = {
            label: (found.time[part].tolist(), found.u[part, column].tolist())
            for label, found in {"index1 (exact)": exact, **shown}.items()
        }
        label = f"{name} [{quantity.unit}]"
        charts.append(Chart(f"control_{name}", quantity.meaning, "time [s]", label, lines, log=""))
    return charts
