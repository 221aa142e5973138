"""A solution in parts is the whole one, bit by bit."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from cranebridge.inverse import solve_in_parts, solve_index1

SIGNALS = ("time", "gamma", "q", "v", "a", "u", "lam", "ropes")


@pytest.mark.parametrize("mode", ["always", "never"])
@pytest.mark.parametrize(("name", "most"), [("rotary", 100), ("cablev-rotate", 333), ("rotary", 7)])
def test_parts_are_the_whole_bit_by_bit(name, most, mode, problem) -> None:
    servo = problem(name)
    # 2.5 s and 5 s are where expansions and phases of the path meet: parts end there, too
    times = np.linspace(0.0, servo.path.duration, 801)
    whole = solve_index1(servo, times, mode)
    parts = list(solve_in_parts(servo, times, most, mode))
    for name in SIGNALS:
        joined = np.concatenate([getattr(part, name) for part in parts])
        assert joined.tobytes() == np.ascontiguousarray(getattr(whole, name)).tobytes()
    nodes = [part.nodes for part in parts]
    for name in ("time", "jerk", "u_rate", "gamma_rate"):
        joined = np.concatenate([getattr(one, name) for one in nodes])
        assert joined.tobytes() == np.ascontiguousarray(getattr(whole.nodes, name)).tobytes()
    for part in parts:
        assert part.time.size <= most
        assert part.nodes.time[part.nodes.grid].tolist() == part.time.tolist()
    assert max(part.time.size for part in parts) - min(part.time.size for part in parts) <= 1
    # relative to fewer terms they are larger, and rounding nevertheless
    assert whole.max_residual <= max(part.max_residual for part in parts) < 1e-13


def test_joined_parts_share_a_time(problem) -> None:
    servo = problem("rotary")
    times = np.linspace(0.0, 20.0, 101)
    parts = list(solve_in_parts(servo, times, 30, joined=True))
    assert len(parts) == 4
    assert all(a.time[-1] == b.time[0] for a, b in pairwise(parts))
    assert all(a.u[-1].tolist() == b.u[0].tolist() for a, b in pairwise(parts))
    assert parts[-1].time[-1] == 20.0
