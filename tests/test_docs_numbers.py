"""Numbers in sentences of the documentation, calculated anew and compared to the digits shown."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np

from cranebridge.control import design_law, margins_at
from cranebridge.job import solve_scenario
from cranebridge.scenario import load_scenario
from pages import agree

DOCS = Path(__file__).parents[1] / "docs"


def shown(page: str, sentence: str) -> tuple[str, ...]:
    """Return the numbers of a sentence; a # stands for each, white space does not count."""
    pattern = (
        re.escape(" ".join(sentence.split())).replace(r"\ ", r"\s+").replace(r"\#", r"([\d.e-]*\d)")
    )
    match = re.search(pattern, (DOCS / page).read_text(encoding="utf-8"))
    assert match is not None, f"{page} does not say: {sentence}"
    return match.groups()


def test_critical_radius_of_the_flexible_jib() -> None:
    (radius, length) = shown("cranes.md", "sqrt(15/7)) / 2, # m for # m")
    assert agree(radius, repr(float(length) * (3 - math.sqrt(15 / 7)) / 2))


def test_rope_of_navy2d_that_would_have_to_push() -> None:
    most, begin, end = shown("real-plants.md", "push with up to # N from # s to # s")
    feedforward = solve_scenario(load_scenario("navy2d", ["solve.step=0.0001"])).feedforward
    force = feedforward.ropes[:, 0]
    pushing = feedforward.time[force < 0]
    assert agree(most + ".", repr(-float(force.min())))
    assert agree(begin, repr(float(pushing[0])))
    assert agree(end, repr(float(pushing[-1])))


def test_base_of_rpr_that_does_not_turn_back() -> None:
    left, largest = shown("cranes.md", "In the scenario # rad are left of # rad")
    torque, without = shown("cranes.md", "Torques reach # N m with friction and # N m without")
    for friction, wanted in ((True, torque), (False, without)):
        settings = [] if friction else ["crane.d_j=0", "crane.M_c=0"]
        scenario = load_scenario("rpr", settings)
        feedforward = solve_scenario(scenario).feedforward
        names = [quantity.name for quantity in scenario.crane.coordinates]
        turned = feedforward.q[:, names.index("psi_b")]
        turned = turned - turned[0]
        assert agree(largest, repr(float(np.abs(turned).max())))
        assert agree(left, repr(float(abs(turned[-1]))))
        assert agree(wanted + ".", repr(float(np.abs(feedforward.u).max())))


def test_winches_that_could_be_stiffer() -> None:
    """How much stiffer the default of two heavy cranes could be, and where its rule ends."""
    said = shown("control-figures.md", "their winches stand # and # times their gain")
    for name, times in zip(("bridge", "luffing-jib"), said, strict=True):
        scenario = load_scenario(name)
        feedforward = solve_scenario(scenario).feedforward
        design = design_law(feedforward, 0.005, "lqi", limits=scenario.limits)
        assert agree(times + ".", repr(margins_at(design, -1).gain["u.M_w"].most))
        if name == "bridge":
            part, size, travel = shown(
                "control-figures.md", "down to # % of the travel and no further: # mm of # m"
            )
            assert agree(size, repr(1e3 * design.weights["y.z"] ** -0.5))
            most = np.ptp(feedforward.gamma, axis=0).max()
            assert agree(travel + ".", repr(float(most)))
            assert agree(part, repr(1e2 * design.weights["y.z"] ** -0.5 / float(most)))
