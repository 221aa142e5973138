"""Plans in the terminal: the path that was found, and its cross-check by another method."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from cranebridge.terminal.tables import MARKS, make_table

if TYPE_CHECKING:  # optimisers take long to import
    from cranebridge.job import CrossCheckResult
    from cranebridge.plan import Plan


def show_plan(console: Console, plan: Plan) -> None:
    """Print the path that was found: duration, cost, active limits, other ways."""
    cost = "" if plan.objective == "time" else f", cost {plan.cost:.6g}"
    console.print(
        f"plan: least {plan.objective}, {plan.way}, in {plan.duration:.4f} s{cost}; finer splines "
        f"may gain another {100.0 * plan.remaining:.2g} %"
        if plan.remaining < 1.0
        else f"plan: least {plan.objective}, {plan.way}, in {plan.duration:.4f} s{cost}"
    )
    for other in plan.alternatives:
        found = f"{other.cost:.4f} on the first splines"
        if other.cost == float("inf"):
            found = escape(other.why) or "no plan found"
        console.print(f"other way: {escape(other.way)}: {found}")
    if plan.active:
        table = make_table("active limit", "at", "unit", "when [s]", right=(1,))
        for one in plan.active:
            spans = ", ".join(f"{begin:.3f}-{end:.3f}" for begin, end in one.spans[:4])
            more = ", ..." if len(one.spans) > 4 else ""
            table.add_row(escape(one.name), f"{one.limit:g}", one.unit, spans + more)
        console.print(table)
    for note in plan.notes:
        console.print(f"[yellow]note[/yellow]: {escape(note)}")


def show_cross_check(console: Console, result: CrossCheckResult, folder: FilePath | None) -> None:
    """Print a motion found without flatness, and the flat plan beside it."""
    found, flat = result.opinion, result.flat
    name = escape(result.request.given.name)
    console.print(f"[bold]{name}[/bold]: least {found.objective}, by {found.method}")
    table = make_table("method", "duration [s]", "cost", "change", "seconds", right=(1, 2, 3, 4))
    change = "-" if found.change is None else f"{found.change:.1e}"
    seconds = f"{found.seconds:.2f}"
    table.add_row(found.method, f"{found.duration:.5f}", f"{found.cost:.7g}", change, seconds)
    if flat is not None:
        left = f"{flat.remaining * flat.cost:.1e}" if flat.remaining < 1.0 else "-"
        row = (f"{flat.duration:.5f}", f"{flat.cost:.7g}", left, f"{flat.seconds:.2f}")
        table.add_row("flat", *row)
    console.print(table)
    console.print(
        "change: of the cost, from half as fine a mesh (collocation), in the last step (gradient), "
        "and what finer splines may still gain (flat)"
    )
    if result.without:
        console.print(escape(result.without))
    _show_touched(console, result)
    if found.errors:
        units = {output.name: output.unit for output in found.crane.outputs}
        table = make_table("output", "largest error", "rms error", "unit", right=(1, 2))
        for output, error in found.errors.items():
            table.add_row(output, f"{error.largest:.4g}", f"{error.rms:.4g}", units[output])
        console.print(table)
    for one in found.broken:
        text = f"{one.name} is {one.value:.6g} at {one.time:.3f} s, allowed is "
        console.print(f"{MARKS['failed']}  {escape(f'{text}[{one.least:g}, {one.most:g}]')}")
    nothing = "nothing was written; -o DIR writes the signals"
    console.print(nothing if folder is None else f"wrote {escape(str(folder))}")


def _show_touched(console: Console, result: CrossCheckResult) -> None:
    """Print the limits that are reached, for how much of the time, by either method."""
    found, flat = result.opinion, result.flat
    columns = {found.method: {one.signal: 0.0 for one in found.active}}
    for one in found.active:
        columns[found.method][one.signal] += one.share
    if flat is not None:
        columns["flat"] = {
            active.name: sum(end - begin for begin, end in active.spans) / flat.duration
            for active in flat.active
        }
    titles = tuple(columns)
    table = make_table("limit reached, part of the time", *titles, right=(1, 2)[: len(titles)])
    for signal in dict.fromkeys(name for column in columns.values() for name in column):
        row = (f"{100.0 * x[signal]:.0f} %" if signal in x else "-" for x in columns.values())
        table.add_row(escape(signal), *row)
    if table.row_count:
        console.print(table)
