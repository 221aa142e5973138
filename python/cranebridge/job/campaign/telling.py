"""How far a long part of a job is, told in words: some seconds apart, with the time left."""

from __future__ import annotations

import time
from collections.abc import Callable

from cranebridge.readable import duration_text

SELDOM = 2.0
"""Seconds between two sentences: without a terminal each is a line."""


def part_teller(tell: Callable[[str], None], what: str) -> Callable[[float], None]:
    """Tell that a part of a job begins, and return what is to be told the fraction done of it.

    Parameters
    ----------
    tell : callable
        Told sentences.
    what : str
        What the part is called.
    """
    tell(what)
    begin = last = time.monotonic()

    def progress(done: float) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < SELDOM or not 0.0 < done < 1.0:
            return
        last = now
        left = (now - begin) * (1.0 - done) / done
        tell(f"{what}, {100.0 * done:.0f} %, {duration_text(left)} left")

    return progress
