"""Forward integrators on the scenario's crane: error against step, drift, condition, cost.

The crane moves freely (no drives) from a state of its path, so that its energy is conserved; the
reference is an adaptive integration with tight tolerances, because conservation alone proves
nothing. The dumbbell of Uhlar 2009 and the free rotary crane of thesis 2.4 show the
momentum maps beside it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from cranebridge.errors import CranebridgeError
from cranebridge.forward import (
    METHODS,
    MechanicalSystem,
    dumbbell,
    free_rotary_crane,
    integrate,
    make_scheme,
    system_of_crane,
)
from cranebridge.inverse import solve_index1
from cranebridge.progress import Progress, ignore_progress
from cranebridge.scenario import Scenario
from cranebridge.study.study_result import Cell, Chart, Study, StudyTable
from cranebridge.study.variants import require_flat

Array = NDArray[np.float64]

DURATION = 0.5
COUNTS = (25, 50, 100, 200)
CONDITION_STEPS = (1e-1, 1e-2, 1e-3, 1e-4)
REFERENCE = 1e-12
# Where on the path the free motion starts, as a part of its duration: the crane is moving there.
START = 0.35
COLUMNS = (
    "system",
    "integrator",
    "step",
    "error_q",
    "order",
    "energy_drift",
    "momentum_drift",
    "constraint_error",
    "seconds",
)


@dataclass(frozen=True, eq=False)
class _Case:
    """A system that moves freely from a state for a while."""

    name: str
    system: MechanicalSystem
    q: Array
    v: Array
    duration: float


def integrators(
    scenario: Scenario, counts: Sequence[int] = COUNTS, progress: Progress = ignore_progress
) -> Study:
    """Study the forward integrators on the free motion of a scenario's crane.

    Parameters
    ----------
    scenario : Scenario
        Crane and path.
    counts : sequence of int
        Numbers of steps, in increasing order.
    progress : callable
        Called with the fraction that is done.

    Raises
    ------
    StructureError
        If the crane is no system M q'' = f - G^T lambda, as those with massless pulleys.
    """
    cases = [_of_scenario(scenario), *_of_literature()]
    rows: list[tuple[Cell, ...]] = []
    remarks: list[str] = []
    charts: list[Chart] = []
    conditions: list[tuple[Cell, ...]] = []
    for i, case in enumerate(cases):

        def report_part(part: float, before: int = i) -> None:
            progress((before + part) / len(cases))

        found, refused = _run(case, counts, report_part)
        rows += found
        remarks += refused
        charts += _charts(case, found)
        conditions += _conditions(case)
    return Study(
        kind="integrators",
        scenario=scenario.name,
        title=f"Forward integrators on the free motion of '{scenario.name}'",
        remarks=tuple(remarks),
        tables=(
            StudyTable(
                "integrators", "Errors against a tight reference, and drift", COLUMNS, tuple(rows)
            ),
            StudyTable(
                "condition",
                "Condition of the iteration matrix, as the schemes are printed",
                ("system", "integrator", "step", "condition"),
                tuple(conditions),
            ),
        ),
        charts=(*charts, *_condition_charts(conditions)),
    )


def _of_scenario(scenario: Scenario) -> _Case:
    problem = scenario.problem
    system = system_of_crane(problem.crane, problem.parameters)
    require_flat(problem, "the study of integrators")
    end = problem.path.duration
    solution = solve_index1(problem, np.array([0.0, START * end, end]))
    return _Case(scenario.name, system, solution.q[1], solution.v[1], DURATION)


def _of_literature() -> list[_Case]:
    pair, crane = dumbbell(), free_rotary_crane()
    return [
        _Case("dumbbell", pair.system, pair.q, pair.v, 0.2),
        _Case("free rotary crane", crane.system, crane.q, crane.v, DURATION),
    ]


def _run(
    case: _Case, counts: Sequence[int], progress: Progress
) -> tuple[list[tuple[Cell, ...]], list[str]]:
    """Return the rows of all integrators, and who refuses or fails and why."""
    reference = _reference(case)
    rows: list[tuple[Cell, ...]] = []
    remarks = []
    for i, method in enumerate(METHODS):
        progress(i / len(METHODS))
        last: tuple[float, float] | None = None
        for count in counts:
            times = np.linspace(0.0, case.duration, count + 1)
            try:
                motion = integrate(case.system, method, case.q, case.v, times)
            except CranebridgeError as error:
                remarks.append(f"{case.name}, {method}: {error}")
                break
            h, error_q = case.duration / count, float(np.abs(motion.q[-1] - reference).max())
            order = math.log(last[1] / error_q) / math.log(last[0] / h) if last else None
            last = h, error_q
            momentum = motion.momentum_drift if motion.momenta.size else None
            drifts = motion.energy_drift, momentum, motion.constraint_error
            rows.append((case.name, method, h, error_q, order, *drifts, motion.seconds))
    return rows, remarks


def _reference(case: _Case) -> Array:
    """Return the coordinates at the end, from the accelerations by an adaptive method.

    Over so short a time the constraints drift by no more than the tolerance. No branch of a joint
    angle can be lost, as nothing is solved for by Newton's method.
    """
    n, none = case.system.size, np.zeros(case.system.u.numel())

    def rates(_: float, state: Array) -> Array:
        return np.concatenate([state[n:], case.system.accelerations(state[:n], state[n:], none)[0]])

    start = np.concatenate([case.q, case.v])
    options = {"method": "DOP853", "rtol": REFERENCE, "atol": REFERENCE}
    found = solve_ivp(rates, (0.0, case.duration), start, **options)
    return np.asarray(found.y[:n, -1], dtype=float)


def _conditions(case: _Case) -> list[tuple[Cell, ...]]:
    rows: list[tuple[Cell, ...]] = []
    for method in METHODS:
        try:
            scheme = make_scheme(case.system, method, case.q)
            values = [scheme.condition(case.q, case.v, h) for h in CONDITION_STEPS]
        except CranebridgeError:
            continue
        rows += [(case.name, method, h, c) for h, c in zip(CONDITION_STEPS, values, strict=True)]
    return rows


def _charts(case: _Case, rows: list[tuple[Cell, ...]]) -> list[Chart]:
    name = "_".join("".join(c if c.isalnum() else " " for c in case.name).split())
    charts = []
    for column, what in (("error_q", "Error of the coordinates"), ("energy_drift", "Energy drift")):
        lines = _lines(rows, COLUMNS.index("step"), COLUMNS.index(column))
        unit = "largest error" if column == "error_q" else "largest change [J]"
        title = f"{what}: {case.name}"
        charts.append(Chart(f"{column}_{name}", title, "step [s]", unit, lines))
    return charts


def _condition_charts(rows: list[tuple[Cell, ...]]) -> list[Chart]:
    first = [row for row in rows if rows and row[0] == rows[0][0]]
    title = "Condition of the iteration matrix" + (f": {first[0][0]}" if first else "")
    return [Chart("condition", title, "step [s]", "condition number", _lines(first, 2, 3))]


def _lines(
    rows: list[tuple[Cell, ...]], x: int, y: int
) -> dict[str, tuple[list[float], list[float]]]:
    """Return the lines of all integrators in some rows."""
    lines: dict[str, tuple[list[float], list[float]]] = {}
    for row in rows:
        horizontal, vertical = row[x], row[y]
        if isinstance(horizontal, float) and isinstance(vertical, float):
            xs, ys = lines.setdefault(str(row[1]), ([], []))
            xs.append(horizontal)
            ys.append(vertical)
    return lines
