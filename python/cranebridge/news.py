"""What work tells of itself while it goes on, to whoever shows how far it is and what is left.

The part that is done, where it is known. A compiler says nothing until it is done, but the length
of its source says how long that takes: it is foreseen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[float], None]
"""Told the part of some work that is done, from 0 to 1."""
Listener = Callable[[float], None]

_listeners: list[Listener] = []


def unwatched(_done: float) -> None:
    """Tell nobody which part is done."""


def foresee(seconds: float) -> None:
    """Tell how long the work that begins now takes, in s of an idle processor of today."""
    for listener in tuple(_listeners):
        listener(seconds)


@contextmanager
def foreseeing(listener: Listener) -> Iterator[None]:
    """Let a listener be told what is foreseen, in whatever thread."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)
