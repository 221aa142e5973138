"""All inverse methods at the scenario's step: what they agree on, what they cost, who refuses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import CranebridgeError
from cranebridge.inverse import Feedforward, solve_index1, solve_minimal, time_grid
from cranebridge.scenario import Scenario
from cranebridge.study.result import Cell, Chart, Study, Table
from cranebridge.study.variants import (
    VARIANTS,
    condition,
    control_error,
    coordinate_error,
    require_flat,
    sizes,
)
from cranebridge.twin.crane import names

Array = NDArray[np.float64]

COLUMNS = (
    "method",
    "error_u",
    "error_q",
    "error_ropes",
    "residual",
    "unknowns",
    "condition",
    "seconds",
    "refused",
)


def methods(scenario: Scenario) -> Study:
    """Solve a scenario by every method at its own step.

    Parameters
    ----------
    scenario : Scenario
        Crane, path and ``solve.step``.
    """
    problem = scenario.problem
    require_flat(problem, "the study of methods")
    times = time_grid(problem.path.duration, scenario.tables.solve.step)
    exact = solve_index1(problem, times)
    step, row = float(times[1] - times[0]), times.size // 3
    solvers: dict[str, Callable[[], Feedforward]] = {"minimal": lambda: solve_minimal(problem, times)}
    for variant in VARIANTS:
        solvers[variant.label] = lambda variant=variant: variant.solve(problem, times)  # type: ignore[misc]
    conditions = {
        variant.label: lambda variant=variant: condition(variant, exact, row, step)  # type: ignore[misc]
        for variant in VARIANTS
    }
    rows: list[tuple[Cell, ...]] = [("index1", 0.0, 0.0, 0.0, exact.max_residual, None, None, exact.seconds, None)]
    found: dict[str, Feedforward] = {"index1": exact}
    for label, solve in solvers.items():
        try:
            found[label] = solve()
            number = conditions[label]() if label in conditions else None
        except CranebridgeError as error:
            rows.append((label, *(None for _ in COLUMNS[1:-1]), str(error)))
            continue
        rows.append(_row(label, found[label], exact, number))
    return Study(
        kind="methods",
        scenario=scenario.name,
        title=f"Inverse methods on '{scenario.name}' with a step of {step:g} s",
        remarks=(
            f"{times.size - 1} steps; errors are relative to the largest value of each control, "
            "against index1.",
        ),
        tables=(Table("methods", "Agreement, condition and cost", COLUMNS, tuple(rows)),),
        charts=(_errors(found, exact), *_controls(found)),
    )
