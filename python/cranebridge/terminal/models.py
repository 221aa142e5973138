"""Two models compared, in the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from cranebridge.job import ModelComparison

_WORDS = {0: "agree", 1: "differ", 2: "not compared in full"}


def show_comparison(console: Console, found: ModelComparison) -> None:
    """Print how far two models agree: the finding, a sentence for each variable, notes."""
    console.print(f"[bold]{_WORDS[found.exit_code]}[/bold]: {escape(found.sentence())}")
    for sentence in found.sentences():
        console.print(f"  {escape(sentence)}")
    notes = list(found.certificate.notes)
    if found.common_source is not None:
        notes.append(found.common_source.sentence("Both models"))
    for note in notes:
        console.print(f"[yellow]note[/yellow]: {escape(note)}")
