"""Results as tables for the terminal."""

from __future__ import annotations

import math
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from cranebridge.inverse.check import Check
from cranebridge.limits.verdict import Verdict
from cranebridge.solve import Solved

if TYPE_CHECKING:
    from cranebridge.verification import Verified
    from cranebridge.verify import Certificate


def show_check(console: Console, name: str, result: Check) -> None:
    """Print a check: structure, path, stages, assumptions, ropes, and what is wrong."""
    structure = result.structure
    kind = (
        "flat: the controls follow from the path alone"
        if structure.flat
        else f"internal dynamics of dimension {structure.internal_dynamics}"
    )
    console.print(f"[bold]{escape(name)}[/bold]: index {structure.index}, {kind}")
    _show_path(console, result)
    _show_equations(console, result)
    if result.stages:
        _show_stages(console, result)
        _show_assumptions(console, result)
        start = "at rest and in equilibrium" if result.static_start else "moving"
        console.print(f"\ninitial state: consistent, {start}")
        _show_verdicts(console, result.verdicts)
    for problem in result.problems:
        console.print(f"\n[bold red]not solvable[/bold red]: {escape(problem)}")


def show_solution(
    console: Console, solved: Solved, folder: FilePath | None, verdicts: bool = True
) -> None:
    """Print what was solved: size, accuracy, largest controls, verdicts, where it is."""
    solution, crane = solved.feedforward, solved.scenario.crane
    console.print(
        f"[bold]{escape(solved.scenario.name)}[/bold]: crane '{crane.name}', index "
        f"{solved.structure.index}, method {solution.method}, {solution.time.size} points in "
        f"{solution.seconds:.3f} s, largest relative residual {solution.max_residual:.1e}"
    )
    if solution.order:
        console.print(f"controls carry an error of order {solution.order} in the step")
    for note in solution.notes:
        console.print(f"[yellow]note[/yellow]: {escape(note)}")
    table = _table("input", "least", "largest", "unit", "meaning", right=(1, 2))
    for column, quantity in enumerate(crane.inputs):
        values = solution.u[:, column]
        table.add_row(
            quantity.name,
            f"{values.min():.6g}",
            f"{values.max():.6g}",
            quantity.unit,
            quantity.meaning,
        )
    console.print(table)
    if not verdicts:
        return
    _show_verdicts(console, solved.verdicts)
    if folder is None:
        console.print("nothing was written; -o DIR writes feedforward.csv and summary.json")
    else:
        console.print(f"wrote {escape(str(folder))}/feedforward.csv, summary.json, scenario.toml")


def show_certificate(console: Console, name: str, certificate: Certificate) -> None:
    """Print a certificate: the differences of all signals, and the parameters compared."""
    word = "the same machine" if certificate.passed else "NOT the same machine"
    console.print(
        f"[bold]{escape(name)}[/bold]: twin and plant are {word}: largest relative difference "
        f"{certificate.max_relative_difference:.1e} at {certificate.samples} random states, "
        f"{escape(certificate.where)}"
    )
    table = _table("signal", "relative difference", right=(1,))
    for signal, difference in certificate.differences.items():
        table.add_row(signal, f"{difference:.1e}")
    console.print(table)
    table = _table("plant parameter", "value", "default", "unit", "from", right=(1, 2))
    for row in certificate.parameters:
        values = (f"{row[key]:.9g}" for key in ("value", "default"))
        table.add_row(str(row["name"]), *values, str(row["unit"]), str(row["from"]))
    console.print(table)


def show_verified(console: Console, verified: Verified, folder: FilePath | None) -> None:
    """Print what was verified: errors, budget, verdicts, and where the report is."""
    show_solution(console, verified.solved, None, verdicts=False)
    tracking = verified.tracking
    table = _table("output", "largest error", "rms error", "unit", right=(1, 2))
    for output in verified.solved.scenario.crane.outputs:
        table.add_row(
            output.name,
            f"{tracking.max_error[output.name]:.2e}",
            f"{tracking.rms_error[output.name]:.2e}",
            output.unit,
        )
    console.print(table)
    parts = ", ".join(
        f"{name} {'not known' if value is None else format(value, '.1e')}"
        for name, value in tracking.budget.items()
    )
    console.print(f"error budget: {parts}; after the end: {tracking.residual_swing:.1e}")
    _show_variants(console, verified)
    _show_verdicts(console, verified.verdicts)
    if folder is not None:
        console.print(f"wrote {escape(str(folder))}")
        if (folder / "report.html").is_file():
            console.print(f"report: {escape(str((folder / 'report.html').resolve()))}")


def _show_variants(console: Console, verified: Verified) -> None:
    """Print what each imperfection of the plant costs."""
    variants = verified.tracking.variants
    if not variants:
        return
    outputs = verified.solved.scenario.crane.outputs
    titles = [f"{output.name} [{output.unit}]" for output in outputs]
    table = _table("largest error with", *titles, right=tuple(range(1, len(titles) + 1)))
    for name, errors in variants.items():
        table.add_row(escape(name), *(f"{errors[output.name]:.2e}" for output in outputs))
    console.print(table)


def _show_path(console: Console, result: Check) -> None:
    table = _table("output", "derivatives needed", "derivatives of the path", right=(1, 2))
    for name, needed in result.structure.path_derivatives.items():
        order = result.smoothness[name]
        table.add_row(name, str(needed), "all" if math.isinf(order) else f"{order:.0f}")
    console.print(table)


def _show_equations(console: Console, result: Check) -> None:
    structure = result.structure
    counts = np.array(structure.equation_offsets)
    table = _table("differentiated", "equations", right=(0,))
    for count in sorted(set(structure.equation_offsets), reverse=True):
        members = [structure.equations[i] for i in np.flatnonzero(counts == count)]
        table.add_row(f"{count} times", ", ".join(members))
    console.print(table)


def _show_stages(console: Console, result: Check) -> None:
    table = _table("stage", "size", "rank", "condition", "worst at", right=(0, 1, 2, 3, 4))
    for stage in result.stages:
        table.add_row(
            str(stage.stage),
            str(stage.size),
            str(stage.rank),
            f"{stage.condition:.3g}",
            f"{stage.time:.3f} s",
        )
    console.print(table)


def _show_assumptions(console: Console, result: Check) -> None:
    table = _table("of the seeds", "holds", "why")
    words = {True: "yes", False: "no", None: "-"}
    for assumption in result.assumptions:
        table.add_row(assumption.name, words[assumption.holds], escape(assumption.reason))
    console.print(table)


def _show_verdicts(console: Console, verdicts: list[Verdict]) -> None:
    for verdict in verdicts:
        mark = "[green]passed[/green]" if verdict.passed else "[bold red]FAILED[/bold red]"
        console.print(f"{mark}  {escape(verdict.message)}")


def _table(*titles: str, right: tuple[int, ...] = ()) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for i, title in enumerate(titles):
        table.add_column(escape(title), justify="right" if i in right else "left")
    return table
