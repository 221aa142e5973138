"""Accelerations of a plant whose drives change within milliseconds, so that its steps are short."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cranebridge.inverse.sampling import sample
from cranebridge.inverse.signal_groups import signals
from cranebridge.job import verify_scenario
from cranebridge.path import Pieces
from cranebridge.plan.flat.smoothing import smoothed
from cranebridge.scenario import Scenario, load_scenario

RAMP = 0.002  # s, in which drives change that would jump: as in a stop of 2 s


def with_ramps(name: str, *settings: str) -> Scenario:
    """Return a ready scenario whose drives would jump at both ends, but for short ramps."""
    shorter = (*settings, "path.smoothness=3", "path.duration=3.0")
    scenario, jumping = load_scenario(name, settings), load_scenario(name, shorter)
    path = jumping.problem.path
    # a polynomial of degree 7: all of its derivatives at the begin are all of it
    rows = path.derivatives([1e-12], 7)[:, :, 0]
    rows[1:4] = 0.0
    nested = (tuple(tuple(row) for row in rows.tolist()),)
    pieces = Pieces(path.outputs, (0.0, path.duration), nested, 4)
    ends = np.zeros((5, len(path.outputs))), np.zeros((5, len(path.outputs)))
    ends[0][0], ends[1][0] = path([0.0])[:, 0], path([path.duration])[:, 0]
    mean = smoothed(pieces, RAMP, ends, (False, False))
    return scenario.with_problem(replace(scenario.problem, path=mean))


def test_the_plants_accelerations_are_those_of_the_solution_in_ramps_too() -> None:
    # The pulley has no mass: the plant shows where it is, not how fast it moves.
    limits = "limits.a={x_0 = 99.0, L_0 = 99.0, L_1 = 99.0}"
    scenario = with_ramps("navy2d-safe", limits, "solve.step=0.001")
    verified = verify_scenario(scenario)
    motion, solution = verified.tracking.motion, verified.feedforward
    # within the path and not at its ends, where solution and plant are on either side of a kink
    inside = (motion.time > 0.0) & (motion.time < solution.time[-1])
    times, at = np.unique(motion.time[inside], return_inverse=True)
    assert np.sum(times < RAMP) > 5  # the ramp is seen
    wanted = sample(solution, times)
    for name in ("a.x_0", "a.L_0", "a.L_1"):
        value = wanted.value(signals(scenario.crane)[name])[at]
        # a limit that is touched counts as kept to 1e-6
        size = float(np.abs(value).max())
        assert motion.values[name][inside] == pytest.approx(value, abs=1e-6 * size)
