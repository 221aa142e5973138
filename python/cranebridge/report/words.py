"""The report in words: the verdict in a sentence, the facts, the error budget."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tomli_w

from cranebridge.limits.verdict import Verdict
from cranebridge.report.series import margins
from cranebridge.report.source import Tracking
from cranebridge.report.units import quantity
from cranebridge.scenario import Scenario
from cranebridge.solve import Solved, versions
from cranebridge.twin.crane import Quantity

_SOURCES = {
    "sampling": "sampling and interpolation of the controls",
    "integrator": "integrator of the plant",
    "model": "difference between twin and plant",
}


@dataclass(frozen=True)
class BudgetRow:
    """One line of the error budget; `place` is where its dot stands, 0 to 100, on a log axis."""

    label: str
    value: float | None
    text: str
    kind: str
    place: float | None


@dataclass(frozen=True)
class Budget:
    """The error budget as a table and a picture."""

    rows: tuple[BudgetRow, ...]
    ticks: tuple[tuple[float, str], ...]


def all_verdicts(solved: Solved, tracking: Tracking | None) -> list[Verdict]:
    """Return the verdicts of the verification, then those of the solution that it did not judge."""
    later = [] if tracking is None else list(tracking.verdicts)
    judged = {verdict.name for verdict in later}
    return later + [verdict for verdict in solved.verdicts if verdict.name not in judged]


def status(solved: Solved, tracking: Tracking | None) -> str:
    """Return passed or failed; a solution that was not verified is solved at best."""
    if not all(verdict.passed for verdict in all_verdicts(solved, tracking)):
        return "failed"
    return "solved" if tracking is None else "passed"


def sentence(solved: Solved, tracking: Tracking | None) -> str:
    """Return the verdict in a sentence or two, with the numbers."""
    failed = [verdict for verdict in all_verdicts(solved, tracking) if not verdict.passed]
    parts = [_finding(verdict) for verdict in failed]
    solution = solved.feedforward
    if tracking is None:
        parts.append(
            "the feedforward was computed and not yet verified on a plant; its equations hold to "
            f"{solution.max_residual:.1e} (relative)"
        )
    else:
        parts.append(_tracked(solved, tracking))
    if solved.scenario.crane.ropes and not any("rope" in verdict.name for verdict in failed):
        name, _, force, time = min(margins(solved, tracking), key=lambda entry: entry[2])
        parts.append(f"all ropes pull, {name} least with {quantity(force, 'N', 4)} at {time:.2f} s")
    return "; ".join(parts) + "."


def _finding(verdict: Verdict) -> str:
    if verdict.message:
        return verdict.message.rstrip(".")
    value, limit = (quantity(number, verdict.unit) for number in (verdict.value, verdict.limit))
    return f"{verdict.name} is {value} where {limit} is allowed"


def _tracked(solved: Solved, tracking: Tracking) -> str:
    """Tell how well the load follows the path, and how well that is known."""
    crane, limit = solved.scenario.crane, solved.scenario.tables.limits.tracking
    worst = []
    for unit in dict.fromkeys(output.unit for output in crane.outputs):
        errors = {part.name: tracking.max_error[part.name] for part in _of(crane.outputs, unit)}
        name = max(errors, key=lambda key: errors[key])
        allowed = f"; {quantity(limit, 'm')} allowed" if unit == "m" else ""
        worst.append(f"{quantity(errors[name], unit)} (in {name}{allowed})")
    known = [value for value in tracking.budget.values() if value is not None]
    budget = ", ".join(f"{name} {quantity(value, 'm')}" for name, value in tracking.budget.items())
    text = f"the load follows the path within {' and '.join(worst)}"
    if known:
        text += f"; error budget: {budget}"
    swing = quantity(tracking.residual_swing, "m")
    return f"{text}; residual swing after the end {swing}"


def _of(quantities: Sequence[Quantity], unit: str) -> list[Quantity]:
    return [part for part in quantities if part.unit == unit]


def facts(
    scenario: Scenario, solved: Solved, tracking: Tracking | None, certificate: Mapping[str, Any]
) -> list[tuple[str, str]]:
    """Return what a reader needs to repeat the result: label and text."""
    solution, structure = solved.feedforward, solved.structure
    path, tables = scenario.problem.path, scenario.tables
    kind = "flat" if structure.flat else f"internal dynamics {structure.internal_dynamics}"
    smooth = path.smoothness()
    plant = tables.plant.fmu or tables.plant.model or "none"
    exact = "exact on the grid" if solution.order == 0 else f"order {solution.order} in the step"
    rows = [
        ("Scenario", scenario.name),
        ("Crane", f"{scenario.crane.name}: {scenario.crane.description}"),
        ("Parameters", ", ".join(_parameter(scenario, part) for part in scenario.crane.parameters)),
        (
            "Path",
            f"{tables.path.get('kind', '')}, {path.duration:g} s, "
            f"class C{'∞' if math.isinf(smooth) else smooth}",
        ),
        ("Index", f"{structure.index}, {kind}"),
        ("Method", f"{solution.method}, step {tables.solve.step:g} s, {exact}"),
        ("Largest residual", f"{solution.max_residual:.1e} (relative)"),
    ]
    if tracking is not None:
        interface = {"me": "Model Exchange", "cs": "Co-Simulation"}[tables.plant.interface]
        rows.append(("Plant", f"{plant}, {interface}"))
        if tracking.energy_balance is not None:
            rows.append(("Energy balance", f"{tracking.energy_balance:.1e} (relative)"))
    for key, value in certificate.items():
        if isinstance(value, str | int | float) and value not in ("", None):
            text = f"{value:.2e}" if isinstance(value, float) else str(value)
            text = {"True": "yes", "False": "no"}.get(text, text)
            rows.append((f"Certificate: {key.replace('_', ' ')}", text))
    rows.append(("Versions", ", ".join(f"{name} {text}" for name, text in versions().items())))
    rows.append(("Scenario SHA-256", scenario_hash(scenario)))
    rows.append(("Solution SHA-256", _array_hash(solution.time, solution.q, solution.u)))
    if solution.notes:
        rows.append(("Notes", " ".join(solution.notes)))
    return rows


def _parameter(scenario: Scenario, part: Quantity) -> str:
    value = scenario.problem.parameters[part.name]
    unit = "" if part.unit == "1" else " " + part.unit.replace("*", "·").replace("^2", "²")
    return f"{part.name} = {value:.6g}{unit}"


def scenario_hash(scenario: Scenario) -> str:
    """Return the SHA-256 of the complete scenario file."""
    return hashlib.sha256(tomli_w.dumps(scenario.complete()).encode()).hexdigest()


def _array_hash(*arrays: np.ndarray[Any, Any]) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array, dtype="<f8").tobytes())
    return digest.hexdigest()


def make_budget(solved: Solved, tracking: Tracking) -> Budget:
    """Return the error budget on a common logarithmic axis, from its parts to the limit."""
    outputs = _of(solved.scenario.crane.outputs, "m")
    measured = max((tracking.max_error[part.name] for part in outputs), default=None)
    entries: list[tuple[str, float | None, str]] = [
        (_SOURCES.get(name, name), value, "source") for name, value in tracking.budget.items()
    ]
    entries.append(("largest error measured", measured, "measured"))
    entries.append(("limit", solved.scenario.tables.limits.tracking, "limit"))
    shown = [value for _, value, _ in entries if value and math.isfinite(value)]
    low = math.floor(math.log10(min(shown))) if shown else -9
    high = max(math.ceil(math.log10(max(shown))), low + 1) if shown else -3

    def place(value: float | None) -> float | None:
        if value is None or not math.isfinite(value) or value <= 0.0:
            return None
        return 100.0 * (math.log10(value) - low) / (high - low)

    step = -(-(high - low) // 5)
    ticks = tuple(
        (100.0 * (power - low) / (high - low), quantity(10.0**power, "m", 1))
        for power in range(low, high + 1, step)
    )
    rows = tuple(
        BudgetRow(label, value, quantity(value, "m"), kind, place(value))
        for label, value, kind in entries
    )
    return Budget(rows, ticks)
