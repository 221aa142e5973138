"""What all results say of themselves in the same words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from cranebridge.limits import Verdict
from cranebridge.report.rows import quantity
from cranebridge.twin.language import Quantity


def counted(verdicts: Sequence[Verdict]) -> str:
    """Return how verdicts came out, those that did not pass by name.

    Examples
    --------
    >>> counted([Verdict("tracking", "passed", "fine"), Verdict("limit on u.M", "failed", "no")])
    '1 of 2 verdicts failed (limit on u.M)'
    """
    texts = []
    for status in ("failed", "not judged"):
        found = [verdict.name for verdict in verdicts if verdict.status == status]
        if found:
            more = ", ..." if len(found) > 2 else ""
            named = ", ".join(found[:2]) + more
            texts.append(f"{len(found)} of {len(verdicts)} verdicts {status} ({named})")
    if texts:
        return ", ".join(texts)
    word = "verdict" if len(verdicts) == 1 else "verdicts"
    return f"{len(verdicts)} {word} passed" if verdicts else "nothing judged"


def status(verdicts: Iterable[Verdict], good: str = "passed") -> str:
    """Return in a word how verdicts came out: "failed", unless all passed."""
    return good if all(verdict.passed for verdict in verdicts) else "failed"


def extremes_table(
    parts: Sequence[Quantity], values: NDArray[np.float64]
) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Return titles and rows of a table with the least and largest value of each signal."""
    rows = [
        (
            part.name,
            quantity(float(values[:, i].min()), part.unit, 4),
            quantity(float(values[:, i].max()), part.unit, 4),
            part.meaning,
        )
        for i, part in enumerate(parts)
    ]
    return ("Control", "Least", "Largest", ""), rows
