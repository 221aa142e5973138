"""Enumerations in C that are written from a table: what a function answers, with its meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Status:
    """An answer.

    Attributes
    ----------
    name : str
        Of the constant in C, after the prefix.
    code : int
        Its value; errors are negative.
    meaning : str
        What it says, in a sentence.
    """

    name: str
    code: int
    meaning: str


def enumerators(prefix: str, statuses: Sequence[Status]) -> str:
    """Return the lines of an enumeration, each with its meaning."""
    last = len(statuses) - 1
    return "\n".join(
        f"    {prefix}_{status.name} = {status.code}{',' if i < last else ''} "
        f"/* {status.meaning} */"
        for i, status in enumerate(statuses)
    )
