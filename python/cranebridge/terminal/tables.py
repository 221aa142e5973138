"""What all results share in the terminal: tables, verdicts, and where the files are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path as FilePath

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from cranebridge.limits import Verdict

MARKS = {
    "passed": "[green]passed[/green]",
    "failed": "[bold red]FAILED[/bold red]",
    "not judged": "[bold yellow]NOT JUDGED[/bold yellow]",
}


def make_table(*titles: str, right: tuple[int, ...] = ()) -> Table:
    """Return a table without lines; the columns of the given numbers stand to the right."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for i, title in enumerate(titles):
        table.add_column(escape(title), justify="right" if i in right else "left")
    return table


def show_names(console: Console, title: str, rows: Mapping[str, str]) -> None:
    """Print names, such as those of cranes, with what each is."""
    table = make_table(title, "what it is")
    for name, description in rows.items():
        table.add_row(escape(name), escape(description))
    console.print(table)


def show_verdicts(console: Console, verdicts: Sequence[Verdict]) -> None:
    """Print verdicts, a line each."""
    for verdict in verdicts:
        console.print(f"{MARKS[verdict.status]}  {escape(verdict.message)}")


def show_folder(console: Console, folder: FilePath | None) -> None:
    """Print where the files are, or how to have them."""
    if folder is None:
        console.print("nothing was written; -o DIR writes the signals and summary.json")
        return
    console.print(f"wrote {escape(str(folder))}")
    if (folder / "report.html").is_file():
        console.print(f"report: {escape(str((folder / 'report.html').resolve()))}")
