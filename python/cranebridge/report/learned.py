"""What a report of learning has beside that of a run: trials, what was changed, pictures.

With a crane it is the report of a run of the best trial with these sections in it; without one it
is a page of these sections alone, with the same banner.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cranebridge.errors import MissingDependencyError
from cranebridge.limits import Verdict, exit_code
from cranebridge.report.rows import sentences, verdict_rows
from cranebridge.study import Cell, Study, draw

NO_PICTURES = "There are no pictures of the trials: Matplotlib, which draws them, is not installed."


@dataclass(frozen=True, eq=False)
class LearnedPart:
    """The sections of a learning.

    Attributes
    ----------
    verdicts : tuple of Verdict
        All of them: of the solution, of learning, of the best trial.
    sentence : str
        What was learned, for the banner.
    remarks : tuple of str
        Law and model, why it ended, floors and notes.
    columns, rows : tuple
        The table of trials: texts, and whether they are numbers.
    pictures : tuple of tuple of str
        Title and data of each chart, that of the error over trials first.
    """

    verdicts: tuple[Verdict, ...]
    sentence: str
    remarks: tuple[str, ...]
    columns: tuple[tuple[str, bool], ...]
    rows: tuple[tuple[tuple[str, bool], ...], ...]
    pictures: tuple[tuple[str, str], ...]

    @property
    def status(self) -> str:
        """In a word, as that of a run."""
        return "failed" if exit_code(self.verdicts) else "passed"

    def values(self) -> dict[str, Any]:
        """Return what the page's head and its table of verdicts are made of."""
        return {
            "status": self.status,
            "findings": sentences.findings(self.verdicts),
            "verdicts": verdict_rows(self.verdicts),
        }


def learned_part(study: Study, verdicts: Sequence[Verdict], sentence: str) -> LearnedPart:
    """Return the sections from tables and charts of a learning.

    Parameters
    ----------
    study : Study
        With the table ``trials``.
    verdicts : sequence of Verdict
        All of them.
    sentence : str
        What was learned.
    """
    table = study.table("trials")
    remarks = study.remarks
    try:
        pictures = tuple((chart.title, _data(draw(chart))) for chart in study.charts)
    except MissingDependencyError:
        pictures, remarks = (), (*remarks, NO_PICTURES)
    rows = tuple(tuple(_cell(value) for value in row) for row in table.rows)
    numbers = [any(number for _, number in column) for column in zip(*rows, strict=True)]
    columns = tuple(zip(table.columns, numbers, strict=True))
    return LearnedPart(tuple(verdicts), sentence, remarks, columns, rows, pictures)


def _data(picture: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(picture).decode()}"


def _cell(value: Cell) -> tuple[str, bool]:
    """Return the text of a cell, and whether it is a number."""
    if value is None:
        return "", False
    return (f"{value:.4g}", True) if isinstance(value, float) else (str(value), False)
