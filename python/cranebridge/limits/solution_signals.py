"""The signals of a computed solution as a motion that can be judged, between its times too."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cranebridge.inverse import Feedforward, Samples, Signal, needing_jerks, sample, signals
from cranebridge.limits.judged_motion import Array, Motion
from cranebridge.limits.judging import judge
from cranebridge.limits.limits import Limits
from cranebridge.limits.verdict import Verdict
from cranebridge.numerics import LazyColumns, distinct
from cranebridge.twin import Crane

# A solution on fewer times is looked at on this many: no profile of a path swings so fast.
FINE_TIMES = 2001
# Parts into which both intervals beside an extreme are divided.
CLOSER = 10


def judge_solution(solution: Feedforward, limits: Limits) -> list[Verdict]:
    """Judge a solution by the limits that are in force."""
    wanted = [signal for signal, _ in limits.in_force(solution.problem.crane)]
    return judge(solution_motion(solution, wanted), limits)


def solution_motion(solution: Feedforward, wanted: Sequence[Signal]) -> Motion:
    """Return the signals of a solution over time.

    An exact solution is looked at between its times, too: on a fine grid, once more around the
    extremes of the wanted signals, and at both sides of the path's knots, where jerks jump. A
    time-stepping solution is known at its own times, and gives no jerks.
    """
    crane = solution.problem.crane
    if solution.nodes is None:
        samples = sample(solution, solution.time)
        time, values = samples.time, _columns(samples, crane)
        return Motion(
            "solution",
            crane,
            time,
            values,
            missing=dict.fromkeys(
                needing_jerks(crane), f"the method {solution.method} gives no jerks; index1 does"
            ),
        )
    times = solution.time
    if times.size < FINE_TIMES:
        times = distinct(np.append(times, np.linspace(times[0], times[-1], FINE_TIMES)))
    samples = sample(solution, times, both_sides=True)
    closer = _around_extremes(samples, wanted)
    if not closer.size:
        return Motion("solution", crane, samples.time, _columns(samples, crane))
    more = sample(solution, closer)
    time = np.concatenate([samples.time, more.time])
    order = np.argsort(time, kind="stable")
    rough, fine = _columns(samples, crane), _columns(more, crane)
    values = LazyColumns({})
    values.each(rough, lambda title: np.concatenate([rough[title], fine[title]])[order])
    return Motion("solution", crane, time[order], values)


def _columns(samples: Samples, crane: Crane) -> LazyColumns:
    """Return the samples by title, as far as there are any; powers where they are asked for."""
    columns, known = LazyColumns({}), signals(crane)
    there = [title for title, signal in known.items() if signal.group in samples.values]
    columns.each(there, lambda title: samples.value(known[title]))
    return columns


def _around_extremes(samples: Samples, wanted: Sequence[Signal]) -> Array:
    """Return times between those next to the extremes of the wanted signals."""
    time, last = samples.time, samples.time.size - 1
    found = [np.empty(0)]
    for signal in wanted:
        values = samples.value(signal)
        for k in {int(np.argmin(values)), int(np.argmax(values))}:
            for i in (k - 1, k):
                if 0 <= i < last and time[i + 1] > time[i]:
                    found.append(np.linspace(time[i], time[i + 1], CLOSER + 1)[1:-1])
    return distinct(np.concatenate(found))
