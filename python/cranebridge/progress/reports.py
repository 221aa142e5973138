"""What work reports of itself while it goes on: its stages, and which part of a stage is done.

A compiler says nothing until it is done, but the length of its source says how long that takes:
that is estimated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[float], None]
"""Called with the part of some work that is done, from 0 to 1."""
StageReport = Callable[[str], None]
"""Called with the name of a stage as it begins, or with a sentence on how it goes on."""

_receivers: list[Callable[[float], None]] = []


def ignore_progress(_done: float) -> None:
    """Do nothing with the part that is done."""


def ignore_stage(_stage: str) -> None:
    """Do nothing with the stage that begins."""


def estimate(seconds: float) -> None:
    """Report how long the work that begins now takes, in s of an idle processor of today."""
    for receiver in tuple(_receivers):
        receiver(seconds)


@contextmanager
def receiving_estimates(receiver: Callable[[float], None]) -> Iterator[None]:
    """Let a receiver have what is estimated, in whatever thread."""
    _receivers.append(receiver)
    try:
        yield
    finally:
        _receivers.remove(receiver)
