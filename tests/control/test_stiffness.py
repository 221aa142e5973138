"""Default weights: as stiff as delay, lag and limits allow, and limits of the inputs."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest

from cranebridge.control.analysis.frozen import frozen_loop
from cranebridge.control.analysis.margins import is_stable
from cranebridge.control.design.input_bounds import HOLDING, REACH, input_limits
from cranebridge.control.design.law import LawDesign, design_law
from cranebridge.control.design.stiffness import FINEST_PART
from cranebridge.control.model.reference_motion import reference_of
from cranebridge.control.model.trials import CYCLES, LAG
from cranebridge.control.weights import POSITION_PART
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.limits import Limits, Range
from cranebridge.scenario import load_scenario
from cranebridge.twin.language.crane import names
from further import mostly_further


@cache
def solved(name: str) -> Feedforward:
    servo = load_scenario(name).problem
    return solve_index1(servo, np.linspace(0.0, servo.path.duration, 201))


@cache
def default_law(name: str, kind: str = "lqi") -> LawDesign:
    return design_law(solved(name), 0.005, kind, limits=load_scenario(name).limits)


def part_of(design: LawDesign) -> float:
    """Return the part of its travel that an output may be off."""
    travel = np.ptp(design.reference.outputs, axis=0).max()
    return design.weights.size(f"y.{design.law.crane.outputs[0].name}") / travel


@pytest.mark.parametrize(
    ("name", "kind"),
    mostly_further(
        product(["overhead", "overhead-real", "rotary", "gantry", "navy3d"], ["lqr", "lqi"]),
        *(("overhead", "lqr"), ("overhead-real", "lqi"), ("rotary", "lqi"), ("gantry", "lqr")),
    ),
)
def test_default_law_stands_delay_and_lag_at_once_at_both_ends(name: str, kind: str) -> None:
    design = default_law(name, kind)
    for row in (0, -1):
        loop = frozen_loop(design, row).lagged(LAG)
        assert is_stable(replace(loop, delay=loop.delay + CYCLES * loop.cycle))


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        # bounded by delay and lag: soft enough with 1 %, or not even that
        ("overhead-real", POSITION_PART, POSITION_PART),
        ("rotary", FINEST_PART, 0.001),
        # as stiff as it ever is
        ("bridge", FINEST_PART, FINEST_PART),
        # runs away by itself, but so slowly that its torque turns it back from afar
        ("luffing-jib", FINEST_PART, 0.001),
    ],
)
def test_stiffness_is_what_the_crane_allows(name: str, least: float, most: float) -> None:
    assert least * (1 - 1e-9) <= part_of(default_law(name)) <= most * (1 + 1e-9)


def test_a_jib_that_its_torque_can_only_just_hold_has_a_soft_law() -> None:
    """It falls with a pole s: a torque that is d more turns it back from where d more holds it."""
    solution = solved("luffing-jib")
    inputs = names(solution.problem.crane.inputs)
    # parts of what each input changes by in the motion; the ends have at least the extremes' room
    for more, soft in ((0.001, True), (10.0, False)):
        room = {
            name: Range(u.min() - more * np.ptp(u), u.max() + more * np.ptp(u))
            for name, u in zip(inputs, solution.u.T, strict=True)
        }
        # rest at the goal is the luffing torque's least: there it has no more room than that
        part = part_of(design_law(solution, 0.005, "lqi", limits=Limits(u=room)))
        assert (part >= POSITION_PART * (1 - 1e-9)) == soft


def test_longer_cycles_and_tighter_limits_make_softer_laws() -> None:
    solution = solved("rotary")
    parts = [part_of(design_law(solution, cycle, "lqi")) for cycle in (0.005, 0.01, 0.02)]
    assert parts[0] < parts[1] < parts[2]
    tight = Limits(u={"M_b": Range(-60.0, 60.0)})
    assert part_of(design_law(solution, 0.005, "lqi", limits=tight)) > 2.0 * parts[0]


def test_given_weights_are_left_as_they_are() -> None:
    design = design_law(solved("rotary"), 0.005, "lqr", {"u.F_t": 1e-4})
    assert design.weights["u.F_t"] == 1e-4
    assert part_of(design) == pytest.approx(POSITION_PART)


def test_inputs_without_limits_reach_some_times_the_feedforward_and_winches_do_not_push() -> None:
    reference = reference_of(solved("rotary"), 0.005)
    least, most = input_limits(reference, Limits(u={"F_t": Range(-40.0, 50.0)}))
    largest = np.abs(reference.u).max(axis=0)
    assert (least[0], most[0]) == pytest.approx((-REACH * largest[0], REACH * largest[0]))
    assert (least[1], most[1]) == (-40.0, 50.0)
    assert (reference.u[:, 2] < -HOLDING * largest[2]).all()
    assert (least[2], most[2]) == pytest.approx((-REACH * largest[2], 0.0))
    # a winch whose torque has the other sign is held on the other side
    other = replace(reference, u=-reference.u)
    least, most = input_limits(other, Limits())
    assert (least[2], most[2]) == pytest.approx((0.0, REACH * largest[2]))
