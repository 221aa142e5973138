"""A child process started in advance: it is ready when the first FMU is opened.

Starting Python with NumPy and FMPy takes longer than most simulations; a command that will need a
plant says so at once, and the child starts while the scenario is read and solved.
"""

from __future__ import annotations

import atexit

from cranebridge.plant.sandbox import Sandbox

MEMORY = 2 * 2**30
"""Bytes of address space that a child may use unless something else is asked for."""

_waiting: list[Sandbox] = []


def prepare() -> None:
    """Start a child that the next plant takes."""
    if not _waiting:
        _waiting.append(Sandbox(60.0, MEMORY))


def take(timeout: float, memory: int) -> Sandbox:
    """Return the child that waits, if it has these limits, else a new one."""
    if _waiting and memory == MEMORY:
        child = _waiting.pop()
        if child.alive:
            child.timeout = timeout
            return child
        child.close()
    return Sandbox(timeout, memory)


@atexit.register
def _end() -> None:
    """End a child that nobody took."""
    while _waiting:
        _waiting.pop().close()
