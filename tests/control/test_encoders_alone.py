"""Drive encoders alone: the swing is told by what it does to the drives, and lag looks the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from cranebridge.control.design import stiffness
from cranebridge.control.design.law import LawDesign, design_law
from cranebridge.control.model.reference_motion import ReferenceMotion
from cranebridge.control.observer.filter import Observer, design_observer
from cranebridge.control.observer.sensors import Sensor
from cranebridge.control.simulation.loop_motion import draw_noise
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.problem import time_grid
from cranebridge.scenario import load_scenario

CYCLE, END, LAG = 0.005, 1000, 0.02
ENCODERS = (Sensor("q.s", 1e-3), Sensor("q.l", 1e-3))


@cache
def solution():
    problem = load_scenario("overhead-real").problem
    return solve_index1(problem, time_grid(problem.path.duration, CYCLE))


@cache
def design(believed: bool = False) -> LawDesign:
    """Return the default law with encoders; `believed`: with a growth that must not be changed."""

    def sensed(reference: ReferenceMotion, coordinates: Sequence[str]) -> Observer:
        found = design_observer(reference, coordinates, ENCODERS)
        return replace(found, given=found.states) if believed else found

    limits = load_scenario("overhead-real").limits
    return design_law(solution(), CYCLE, "lqr", limits=limits, sensing=sensed)


def lagging(made: LawDesign, samples: int = 1500) -> np.ndarray:
    """Return the errors of a crane whose drives lag, step by step: readings, law, plant, filter."""
    observer, reference, law = made.observer, made.reference, made.law
    p, noise = observer.parameter_vector, draw_noise(observer, samples, 1)
    q, v, force = reference.q[0], reference.v[0], reference.hold[0]
    estimate = [q, v, np.zeros(0), np.diag(observer.variance)]
    # of first order: what is held moves the force by this part of the difference in a cycle
    part = 1.0 - np.exp(-CYCLE / LAG)
    errors = []
    for k in range(samples):
        at = min(k, END)
        errors.append(np.linalg.norm(q[2:] - reference.outputs[at]))
        if errors[-1] > 10.0:
            break
        y = np.array(observer.readings(q, v, p)[0])[:, 0] + noise[k]
        estimate = list(observer.update(*estimate, y, np.ones(2), p))
        off = np.concatenate([np.array(part_)[:, 0] for part_ in estimate[:2]])
        u = reference.hold[at] - law.K[at] @ (off - np.hstack([reference.q[at], reference.v[at]]))
        mean = u + (force - u) * LAG / CYCLE * part
        force = force + (u - force) * part
        q, v = (np.array(x)[:, 0] for x in observer.motion.step(q, v, mean, [0.0, 0.0], p, CYCLE))
        estimate = list(observer.predict(*estimate, u, p, CYCLE))
    return np.array(errors)


def test_lag_is_stood_with_encoders_alone() -> None:
    made = design()
    assert made.robustness.observed
    assert made.robustness.all
    assert made.robustness.largest < 1.0
    text = "\n".join(made.describe())
    assert "the loop with its filter, frozen at start and goal, stands all that is asked" in text
    assert "are stood with its filter" in text
    (told,) = (one for one in made.remarks() if "no payload estimated" in one)
    assert "control.observer.disturbances = {'parameter.m' = SIZE}" in told
    errors = lagging(made)
    # 1 mm of noise, and no sensor of the load
    assert errors.max() < 0.05
    assert errors[END + 200 :].max() < 0.03


def test_filter_that_believes_the_drives_is_said_to_lose_the_load_and_does() -> None:
    made = design(believed=True)
    robustness = made.robustness
    assert not robustness.all
    assert not robustness.late
    # the audit found 1.083 with four more cycles and a lag of 20 ms, and 1.05 with the lag alone
    assert robustness.largest > 1.08
    text = "\n".join(made.describe())
    assert "does not stand all that is asked of it: largest |z| = 1." in text
    assert "does not even stand 4 more cycles of delay and a lag of 20 ms" in text
    assert "with the filter they are not" in text
    assert lagging(made).max() > 10.0


def test_only_drives_are_believed_less() -> None:
    believed, made = design(believed=True).observer, design().observer
    changed = [state for state in made.states if not _same(believed, made, state)]
    assert changed == ["v.s"]
    factor = made.growth[made.states.index("v.s")] / believed.growth[believed.states.index("v.s")]
    assert factor == pytest.approx(stiffness.DISTRUST[1])


def _same(one: Observer, other: Observer, state: str) -> bool:
    i = one.states.index(state)
    return bool(one.growth[i] == other.growth[i])


def test_law_without_observer_says_what_it_stands() -> None:
    limits = load_scenario("overhead-real").limits
    made = design_law(solution(), CYCLE, "lqr", limits=limits)
    assert made.robustness.all
    assert "the loop, frozen at start and goal, stands all" in made.robustness.describe()
    # a law that is as stiff as it likes does not
    stiff = design_law(solution(), CYCLE, "lqr", {"y.x": 1e6, "y.z": 1e6}, limits)
    assert not stiff.robustness.all
    assert stiff.robustness.largest > 1.0
