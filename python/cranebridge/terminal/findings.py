"""What this machine can do, in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

if TYPE_CHECKING:
    from cranebridge.job.checks import Diagnosis

_MARKS = {
    "works": "[green]works[/green]",
    "limited": "[bold yellow]limited[/bold yellow]",
    "missing": "[bold red]MISSING[/bold red]",
    "not installed": "not installed",
}


def show_diagnosis(console: Console, diagnosis: Diagnosis) -> None:
    """Print all findings, what to do, and whether the main job can be done."""
    width = max(len(finding.part) for finding in diagnosis.findings)
    for finding in diagnosis.findings:
        mark = _MARKS[finding.status] + " " * (13 - len(finding.status))
        console.print(f"{finding.part:{width}}  {mark}  {escape(finding.found)}")
        if finding.advice:
            console.print(" " * (width + 17) + escape(finding.advice))
    if diagnosis.able:
        console.print("\nthe main job can be done: cranebridge run rotary")
    else:
        missing = ", ".join(f.part for f in diagnosis.findings if f.status == "missing")
        console.print(f"\n[bold red]the main job cannot be done[/bold red]: {escape(missing)}")
