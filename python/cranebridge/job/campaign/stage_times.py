"""How far a long part of a job is, in words: some seconds apart, with the time left."""

from __future__ import annotations

import time

from cranebridge.progress import Progress, StageReport
from cranebridge.readable import duration_text

SELDOM = 2.0
"""Seconds between two sentences: without a terminal each is a line."""


def stage_with_time_left(report_stage: StageReport, what: str) -> Progress:
    """Report that a part of a job begins; returns what is called with the fraction done of it.

    Parameters
    ----------
    report_stage : callable
        Called with sentences.
    what : str
        What the part is called.
    """
    report_stage(what)
    begin = last = time.monotonic()

    def progress(done: float) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < SELDOM or not 0.0 < done < 1.0:
            return
        last = now
        left = (now - begin) * (1.0 - done) / done
        report_stage(f"{what}, {100.0 * done:.0f} %, {duration_text(left)} left")

    return progress
