"""A child process started in advance: it is ready when the first FMU is opened.

Starting Python with NumPy and FMPy takes longer than most simulations; a command that will need a
plant says so at once, and the child starts while the scenario is read and solved.
"""

from __future__ import annotations

import atexit

from cranebridge.plant.sandbox.child_process import Sandbox

MEMORY = 2 * 2**30
"""Bytes of address space that a child may use unless something else is asked for."""

_waiting: list[Sandbox] = []


def prepare() -> None:
    """Start a child that the next plant takes."""
    if not _waiting:
        _waiting.append(Sandbox(60.0, MEMORY))


def take(timeout: float, memory: int) -> Sandbox | None:
    """Return the child that waits, if there is one with this memory limit."""
    if not _waiting or memory != MEMORY:
        return None
    child = _waiting.pop()
    child.timeout = timeout
    return child


@atexit.register
def discard() -> None:
    """End a child that nobody took."""
    while _waiting:
        _waiting.pop().close()
