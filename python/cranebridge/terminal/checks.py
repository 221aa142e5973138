"""A check in the terminal: structure, path, internal dynamics, stages, closed loop, duration."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.markup import escape

from cranebridge.inverse import StructureCheck
from cranebridge.inverse.extension import Structure
from cranebridge.job import ScenarioCheck
from cranebridge.terminal.tables import make_table, show_verdicts

if TYPE_CHECKING:  # optimisers take long to import
    from cranebridge.plan import Fastest


def show_check(console: Console, name: str, result: ScenarioCheck) -> None:
    """Print a check: structure, path, stages, assumptions, ropes, and what is wrong."""
    check = result.check
    structure = check.structure
    console.print(f"[bold]{escape(name)}[/bold]: index {structure.index}, {kind_text(structure)}")
    if not structure.lowest:
        console.print("that the path needs so many derivatives was not shown, only not refuted")
    show_combinations(console, structure)
    _show_path(console, check)
    _show_equations(console, check)
    if check.internal is not None:
        _show_internal(console, result)
    if check.stages:
        _show_stages(console, check)
        _show_assumptions(console, check)
        rates = ", ".join(f"v.{name} = {x:.6g}" for name, x in check.initial_velocities.items())
        start = "at rest and in equilibrium" if check.static_start else f"moving {rates}".strip()
        console.print(f"\ninitial state: consistent, {escape(start)}")
    _show_loop(console, result)
    show_verdicts(console, result.verdicts)
    if result.common_source is not None:
        console.print(f"[yellow]note[/yellow]: {escape(result.common_source.sentence())}")
    for problem in check.problems:
        console.print(f"\n[bold red]not solvable[/bold red]: {escape(problem)}")


def kind_text(structure: Structure) -> str:
    """Return whether a problem is flat, or how many internal states it has."""
    if structure.flat:
        return "flat: the controls follow from the path alone"
    dimension = f"internal dynamics of dimension {structure.internal_dynamics}"
    if structure.controls_determined:
        return f"{dimension} that do not act on the controls, which follow from the path alone"
    return dimension


def show_combinations(console: Console, structure: Structure) -> None:
    """Print which equations were combined, and why."""
    for remark in structure.remarks:
        console.print(escape(remark))


def _show_path(console: Console, result: StructureCheck) -> None:
    table = make_table("output", "derivatives needed", "derivatives of the path", right=(1, 2))
    for name, needed in result.structure.path_derivatives.items():
        order = result.smoothness[name]
        table.add_row(name, str(needed), "all" if math.isinf(order) else f"{order:.0f}")
    console.print(table)


def _show_equations(console: Console, result: StructureCheck) -> None:
    structure = result.structure
    counts = np.array(structure.differentiations)
    table = make_table("differentiated", "equations", right=(0,))
    for count in sorted(set(structure.differentiations), reverse=True):
        members = [structure.equations[i] for i in np.flatnonzero(counts == count)]
        table.add_row(f"{count} times", ", ".join(members))
    console.print(table)


def _show_internal(console: Console, result: ScenarioCheck) -> None:
    """Print the kind of the internal dynamics, and what the exact solution tells."""
    check = result.check
    assert check.internal is not None
    console.print(f"\n{check.internal.meaning}")
    table = make_table("free states", "eigenvalues at the start", "eigenvalues at the end")
    table.add_row(
        escape(", ".join(check.internal.states)),
        check.internal.start.text,
        check.internal.end.text,
    )
    console.print(table)
    for note in () if check.solution is None else check.solution.notes[1:]:
        console.print(escape(note))
    show_verdicts(console, result.verdicts)


def _show_stages(console: Console, result: StructureCheck) -> None:
    table = make_table("stage", "size", "rank", "condition", "worst at", right=(0, 1, 2, 3, 4))
    for stage in result.stages:
        table.add_row(
            str(stage.stage),
            str(stage.size),
            str(stage.rank),
            f"{stage.condition:.3g}",
            f"{stage.time:.3f} s",
        )
    console.print(table)


def _show_assumptions(console: Console, result: StructureCheck) -> None:
    table = make_table("assumption of the proof", "holds", "why")
    words = {True: "yes", False: "no", None: "-"}
    for assumption in result.assumptions:
        table.add_row(assumption.name, words[assumption.holds], escape(assumption.reason))
    console.print(table)


def _show_loop(console: Console, result: ScenarioCheck) -> None:
    """Print poles and margins of the controller."""
    if result.no_loop:
        console.print(f"\n[bold red]no control[/bold red]: {escape(result.no_loop)}")
    loop = result.loop
    if loop is None:
        return
    console.print(f"\n[bold]closed loop[/bold]: {escape(loop.title)}")
    for titles, rows in (loop.pole_table(), loop.margin_table()):
        table = make_table(*titles, right=tuple(range(1, len(titles))))
        for row in rows:
            table.add_row(*map(escape, row))
        if rows:
            console.print(table)
    for line in loop.observed_lines():
        console.print(f"sensors, {escape(line)}")
    for note in loop.notes:
        console.print(f"[yellow]note[/yellow]: {escape(note)}")


def show_fastest(console: Console, fastest: Fastest) -> None:
    """Print how fast the path can be: with its own profile, and with the fastest one."""
    own, best = fastest.own, fastest.best
    console.print(f"\nshortest duration: {own.duration:.4g} s; {escape(own.active.message)}")
    if best is None:
        if fastest.candidates:
            console.print("no other profile is faster on this geometry")
    else:
        ratio = own.duration / best.duration
        reason = "" if best.active is None else f"; {best.active.message}"
        text = f"fastest profile: {best.profile}, {best.duration:.4g} s, {ratio:.3g} times as fast"
        console.print(escape(f"{text}{reason}"))
        for line in _key_lines(best.keys):
            console.print(f"  {escape(line)}", soft_wrap=True)
    others = [c for c in fastest.candidates if c is not best]
    if others:
        console.print("; ".join(f"{c.profile}: {c.duration:.4g} s" for c in others))
    console.print(escape(fastest.beyond))


def _key_lines(keys: Mapping[str, Any], before: str = "path") -> list[str]:
    """Return keys as settings, a line for each table."""
    own = {key: value for key, value in keys.items() if key != "parts"}
    lines = [f"{before}: " + ", ".join(f"{k} = {json.dumps(v)}" for k, v in own.items())]
    for i, part in enumerate(keys.get("parts", ())):
        if part:
            lines += _key_lines(part, f"{before}.parts[{i}]")
    return lines
