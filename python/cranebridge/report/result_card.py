"""A result in a few lines, for notebooks: what it is, its figures and its verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cranebridge.limits import Verdict
from cranebridge.report.html import template
from cranebridge.report.rows import verdict_rows

Rows = Sequence[Sequence[str]]


@dataclass(frozen=True)
class ResultCard:
    """What is shown of a result; nothing in it is taken for HTML.

    Attributes
    ----------
    kind, name : str
        What it is, and of which scenario.
    status, sentence : str
        In a word, and in a sentence.
    facts : sequence of (str, str)
        What is known of it: label and text.
    tables : sequence
        Titles and rows of each.
    verdicts : iterable of Verdict
        What was judged.
    """

    kind: str
    name: str
    status: str = ""
    sentence: str = ""
    facts: Rows = ()
    tables: Sequence[tuple[Sequence[str], Rows]] = ()
    verdicts: Iterable[Verdict] = ()

    def render(self) -> str:
        """Return the card as a piece of HTML that can stand in any page."""
        return template("card.html").render(
            kind=self.kind,
            name=self.name,
            status=self.status,
            sentence=self.sentence,
            facts=self.facts,
            tables=self.tables,
            verdicts=verdict_rows(self.verdicts),
        )
