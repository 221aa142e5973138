"""Do all ropes pull? A rope can only pull; where the solution asks it to push, it is slack."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.index1 import solve_index1
from cranebridge.limits.verdict import Verdict
from cranebridge.twin.crane import names

Array = NDArray[np.float64]

# A rope force of exactly zero at rest is allowed: what counts as negative is above rounding.
ZERO = 1e-9
FINE_TIMES = 2001
ZOOM_TIMES = 201


def judge_ropes(solution: Feedforward) -> list[Verdict]:
    """Judge each rope: its smallest force, when, and the times in which it would push.

    An exact solution is looked at between its grid times too.
    """
    return [
        _judge(solution, column, name)
        for column, name in enumerate(names(solution.problem.crane.ropes))
    ]


def _judge(solution: Feedforward, column: int, name: str) -> Verdict:
    time, force = _samples(solution, column)
    limit = -ZERO * np.abs(force).max()
    # The first time at which it is least, not the one where rounding makes it so.
    worst = int(np.argmax(force <= force.min() + 1e-12 * np.abs(force).max()))
    value = 0.0 if limit <= force[worst] <= 0.0 else float(force[worst])
    passed = value >= 0.0
    message = f"rope {name} pulls with at least {value:.6g} N (at {time[worst]:.4g} s)"
    if not passed:
        spans = ", ".join(f"{a:.3f} s to {b:.3f} s" for a, b in _spans(time, force < limit))
        message = (
            f"rope {name} would have to push from {spans}, with up to {-value:.6g} N "
            f"at {time[worst]:.3f} s"
        )
    return Verdict(
        name=f"rope {name} pulls",
        passed=passed,
        value=value,
        limit=0.0,
        margin=value,
        unit="N",
        time=float(time[worst]),
        message=message,
    )


def _samples(solution: Feedforward, column: int) -> tuple[Array, Array]:
    """Return times and forces, refined where the force is least and where it changes its sign."""
    if solution.order > 0:
        return solution.time, solution.ropes[:, column]
    problem, end = solution.problem, solution.problem.path.duration
    time = np.union1d(solution.time, np.linspace(0.0, end, FINE_TIMES))
    force = solve_index1(problem, time).ropes[:, column]
    for _ in range(2):
        negative = force < -ZERO * np.abs(force).max()
        where = {int(np.argmin(force)), *(int(i) for i in np.flatnonzero(np.diff(negative)))}
        zoomed = [
            np.linspace(time[max(i - 1, 0)], time[min(i + 1, time.size - 1)], ZOOM_TIMES)
            for i in where
        ]
        time = np.union1d(time, np.concatenate(zoomed))
        force = solve_index1(problem, time).ropes[:, column]
    return time, force


def _spans(time: Array, inside: NDArray[np.bool_]) -> list[tuple[float, float]]:
    """Return the first and last time of each run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], inside, [False]]).astype(int)))
    return [
        (float(time[begin]), float(time[end - 1]))
        for begin, end in zip(edges[::2], edges[1::2], strict=True)
    ]
