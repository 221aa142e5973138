"""Solutions with more times than memory should hold: solved, judged and written part by part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse import (
    Feedforward,
    add_friction,
    follow_friction,
    require_consistent,
    time_grid,
)
from cranebridge.inverse.index1 import solve_in_parts, solve_index1, structure_of
from cranebridge.job.checks import judge
from cranebridge.limits import Verdict, worst
from cranebridge.numerics import distinct, write_header, write_rows
from cranebridge.progress import Progress, ignore_progress
from cranebridge.scenario import Scenario, speed_drives
from cranebridge.verify import Verified

Array = NDArray[np.float64]

LONG = 200_000
"""More times than these are solved in parts."""
PART = 40_000
"""Times in a part: with all signals and what judging them takes, some 50 MB."""
KEPT = 2001
"""Times of the whole that are kept for summaries, beside those of the largest controls."""


def is_long(scenario: Scenario) -> bool:
    """Return whether a scenario is solved in parts.

    The method must know each time by itself, and references of speed drives need the whole motion.
    """
    settings, duration = scenario.tables.solve, scenario.problem.path.duration
    many = settings.method == "index1" and duration > LONG * settings.step
    return many and not speed_drives(scenario.tables)


def solve_long(scenario: Scenario, file: TextIO, progress: Progress = ignore_progress) -> Verified:
    """Solve a scenario, and write all signals as CSV on the way.

    Limits are judged on each part, with the first time of the next one; what counts is the worst.
    A rope force or a limit that is met exactly is compared with the largest value of the part.

    Returns
    -------
    Verified
        With a solution that keeps some of the times, those of the largest controls among them.
    """
    problem, settings = scenario.problem, scenario.tables.solve
    structure = structure_of(problem)
    if structure.flat:
        require_consistent(problem, structure)
    times = time_grid(problem.path.duration, settings.step)
    friction = None
    if scenario.friction:  # the springs remember: their whole motion is followed first
        ends = np.array([0.0, problem.path.duration])
        friction = follow_friction(solve_index1(problem, ends), scenario.friction)
    kept, judged, residuals, seconds, written = [], [], [], 0.0, 0
    for part in solve_in_parts(problem, times, PART, settings.compile, joined=True):
        part = part if friction is None else add_friction(part, friction)
        rows = part.time.size if part.time[-1] == times[-1] else part.time.size - 1
        _write(file, part, rows, header=written == 0)
        written += rows
        judged.append(judge(part, scenario))
        kept.append(_kept(part, max(1, times.size // KEPT)))
        residuals.append(part.residual)
        seconds += part.seconds
        progress(written / times.size)
    whole = solve_index1(problem, distinct(np.concatenate(kept)), settings.compile)
    whole = whole if friction is None else add_friction(whole, friction)
    largest = {name: max(one[name] for one in residuals) for name in residuals[0]}
    whole = replace(whole, residual=largest, seconds=seconds, solved=times.size)
    return Verified(whole, structure, scenario.limits, _worst(judged))


def _write(file: TextIO, part: Feedforward, rows: int, header: bool) -> None:
    titles, columns = zip(*part.columns(), strict=True)
    if header:
        write_header(file, titles)
    write_rows(file, np.column_stack(columns)[:rows])


def _kept(part: Feedforward, every: int) -> Array:
    """Return some of the times of a part: its ends, and where the controls are largest."""
    rows = {0, part.time.size - 1, *range(0, part.time.size, every)}
    rows |= {int(row) for find in (np.argmin, np.argmax) for row in find(part.u, axis=0)}
    return np.asarray(part.time[sorted(rows)])


def _worst(judged: Sequence[tuple[Verdict, ...]]) -> tuple[Verdict, ...]:
    return tuple(worst(parts) for parts in zip(*judged, strict=True))
