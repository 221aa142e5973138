"""A crane in the terminal: its quantities, equations and structure."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape

from cranebridge.frontend import Variable
from cranebridge.job import CheckedCrane, CheckedModel
from cranebridge.terminal.checks import kind_text, show_combinations
from cranebridge.terminal.tables import make_table
from cranebridge.twin import Quantity
from cranebridge.twin.language import names


def show_crane(console: Console, result: CheckedCrane, full: bool) -> None:
    """Print a crane: its quantities, equations and structure, and what to do next."""
    crane = result.crane
    console.print(f"[bold]{escape(crane.name)}[/bold]: {escape(crane.description)}")
    motions = names(crane.motions)
    for group in ("coordinates", "inputs", "outputs", "multipliers", "ropes"):
        own = [entry for entry in getattr(crane, group) if entry.name not in motions]
        _show_quantities(console, group, own)
    _show_quantities(console, "motions", crane.motions)
    table = make_table("parameter", "value", "unit", "meaning", right=(1,))
    console.print()
    for entry in crane.parameters:
        meaning = f"{entry.meaning} (in no equation)" if entry.name in result.unused else None
        row = (entry.name, f"{entry.value:.9g}", entry.unit, meaning or entry.meaning)
        table.add_row(*map(escape, row))
    console.print(table)
    for remark in crane.remarks():
        console.print(escape(remark))
    _show_equation_texts(console, result, full)
    if result.structure is None:
        console.print(f"\n[bold red]not solvable[/bold red]: {escape(result.problem)}")
    else:
        structure = result.structure
        console.print(f"\nindex {structure.index}, {kind_text(structure)}")
        show_combinations(console, structure)
        table = make_table("output", "derivatives of the path needed", right=(1,))
        for name, needed in structure.path_derivatives.items():
            table.add_row(name, str(needed))
        console.print(table)
    console.print(f"\n{escape(result.advice)}")
    if result.scenario:
        console.print(f"\n{escape(result.scenario.rstrip())}")


def show_model(console: Console, result: CheckedModel, full: bool) -> None:
    """Print a Modelica model: its variables, what was reduced, and what could follow a path."""
    model = result.model
    console.print(f"[bold]{escape(model.name)}[/bold]: {escape(model.description)}")
    _show_variables(console, "input", model.inputs, "start")
    if result.held:
        held = ", ".join(f"{one.name} = {one.start:.9g}" for one in result.held)
        console.print(f"no controls, they keep their start values: {escape(held)}; see --inputs")
    _show_variables(console, "output", model.outputs)
    _show_variables(console, "state", model.states, "start")
    _show_variables(console, "parameter", model.parameters, "value")
    for remark in model.remarks:
        console.print(escape(remark))
    if result.best is not None:
        chosen = ", ".join(output.name for output in result.best.crane.outputs)
        console.print(f"\nwith the outputs {escape(chosen)}")
        _show_equation_texts(console, result.best, full)
    inputs = ", ".join(result.inputs)
    table = make_table("outputs", "with the inputs " + inputs, "index", right=(2,))
    console.print()
    for one in result.choices if full else result.choices[:_CHOICES]:
        dimension = f" of dimension {one.internal_dynamics}" if one.internal_dynamics else ""
        index = "" if one.index is None else str(one.index)
        table.add_row(escape(", ".join(one.outputs)), f"{one.kind}{dimension}", index)
    console.print(table)
    if len(result.choices) > _CHOICES and not full:
        console.print(f"and {len(result.choices) - _CHOICES} more; --full shows all of them.")
    console.print(f"\n{escape(result.advice)}")
    if result.scenario:
        console.print(f"\n{escape(result.scenario.rstrip())}")


_CHOICES = 20
"""Choices of outputs that are shown."""


def _show_variables(
    console: Console, title: str, variables: Sequence[Variable], value: str = ""
) -> None:
    if not variables:
        return
    titles = [title, *([value] if value else []), "unit", "meaning"]
    table = make_table(*titles, right=(1,) if value else ())
    console.print()
    for one in variables:
        number = [f"{one.start:.9g}"] if value else []
        table.add_row(*map(escape, [one.name, *number, one.unit or "1", one.description]))
    console.print(table)


def _show_quantities(console: Console, group: str, quantities: Sequence[Quantity]) -> None:
    if not quantities:
        return
    table = make_table(group.removesuffix("s"), "unit", "meaning")
    console.print()
    for entry in quantities:
        table.add_row(entry.name, escape(entry.unit), escape(entry.meaning))
    console.print(table)


_EQUATIONS = {
    "motion": "equations of motion",
    "constraint": "constraints",
    "output": "outputs",
    "rope": "rope forces",
}


def _show_equation_texts(console: Console, result: CheckedCrane, full: bool) -> None:
    cut = False
    for group, title in _EQUATIONS.items():
        members = [entry for entry in result.equations if entry.group == group]
        if not members:
            continue
        console.print(f"\n[bold]{title}[/bold]")
        for entry in members:
            text = entry.text(full)
            cut |= text != entry.text()
            console.print(f"  {escape(text)}")
    if cut:
        console.print("\nLong equations are cut; --full shows all of them.")
