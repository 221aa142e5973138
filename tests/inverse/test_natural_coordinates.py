"""Cranes in the coordinates that engineers write, against the same machines in redundant ones.

Those are written in :mod:`redundant_cranes`. They share neither coordinates nor equations with the
built-in ones, and their structure needs no combination of equations.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest
from redundant_cranes import (
    RedundantBridge,
    RedundantDoublePendulum,
    RedundantGantry,
    RedundantLuffingJib,
    RedundantQuadrotor,
)

from cranebridge.forward import simulate_twin
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.index1.solvers import structure_of
from cranebridge.inverse.problem import ServoProblem
from cranebridge.inverse.sampling import sample
from cranebridge.scenario import load_scenario
from cranebridge.twin import Crane
from further import mostly_further

WINCH = {"d_w": 20.0, "M_c": 150.0}
MACHINES: dict[str, tuple[type[Crane], dict[str, float]]] = {
    "gantry": (
        RedundantGantry,
        {"d_t": 300.0, "F_c": 500.0, "v_c": 0.2, "c_d": 6.0, "w_x": 12.0} | WINCH,
    ),
    "double-pendulum": (
        RedundantDoublePendulum,
        {"d_t": 300.0, "F_c": 500.0, "v_c": 0.2, "c_d": 6.0, "w_x": 12.0} | WINCH,
    ),
    "quadrotor": (RedundantQuadrotor, {"c_d": 0.05, "c_q": 0.1, "w_x": -4.0}),
    "luffing-jib": (
        RedundantLuffingJib,
        {"d_b": 5e4, "M_cb": 2e4, "M_cj": 1e4, "d_w": 50.0, "M_cw": 200.0, "omega_c": 0.05}
        | {"c_d": 5.0, "w_x": 8.0, "w_y": -5.0},
    ),
    "bridge": (
        RedundantBridge,
        {"d_b": 800.0, "F_cb": 1500.0, "d_t": 300.0, "F_ct": 500.0, "v_c": 0.2, "d_w": 50.0}
        | {"M_cw": 300.0, "c_d": 8.0, "w_x": 6.0, "w_y": -9.0},
    ),
    "ship-to-shore": (RedundantGantry, {"w_x": 14.0}),
}
"""By scenario: the machine in redundant coordinates, and values of all that resists."""
STRUCTURES = {
    "gantry": (5, {"x": 4, "z": 4}),
    "double-pendulum": (7, {"x": 6, "z": 6}),
    "quadrotor": (7, {"x": 6, "z": 6}),
    "luffing-jib": (5, {"x": 4, "y": 4, "z": 4}),
    "bridge": (5, {"x": 4, "y": 4, "z": 4}),
    "ship-to-shore": (5, {"x": 4, "z": 4}),
}
"""Index and path derivatives, from the flat solution by hand."""
SHORTER = [name for name in MACHINES if name != "luffing-jib"]
"""All but the longest equations, whose controls always lead the crane along its path, below."""


@cache
def problem(name: str, resisting: bool) -> ServoProblem:
    servo = load_scenario(name).problem
    return replace(servo, parameters=servo.parameters | (MACHINES[name][1] if resisting else {}))


@cache
def solved(name: str, resisting: bool, redundant: bool) -> Feedforward:
    servo = problem(name, resisting)
    if redundant:
        servo = replace(servo, crane=MACHINES[name][0]())
    return solve_index1(servo, np.linspace(0.0, servo.path.duration, 201))


@pytest.mark.parametrize("name", MACHINES)
def test_structure_is_that_of_the_flat_solution(name: str) -> None:
    structure = structure_of(problem(name, False))
    index, derivatives = STRUCTURES[name]
    assert structure.internal_dynamics == 0
    assert structure.index == index
    assert structure.path_derivatives == derivatives
    assert structure.combinations  # the signature alone would have been wrong
    redundant = structure_of(replace(problem(name, False), crane=MACHINES[name][0]()))
    assert not redundant.combinations
    assert (redundant.index, redundant.path_derivatives) == (index, derivatives)


# What resists is added to all that moves without it.
@pytest.mark.parametrize(
    ("name", "resisting"),
    mostly_further(
        product(MACHINES, (False, True)), ("gantry", False), *((name, True) for name in SHORTER)
    ),
)
def test_controls_and_rope_forces_are_those_in_redundant_coordinates(name, resisting) -> None:
    natural, redundant = (solved(name, resisting, kind) for kind in (False, True))
    # Constraints and energies in doubles: 1e-10 of the range, and rounding of what hardly changes.
    for found, wanted in ((natural.u, redundant.u), (natural.ropes, redundant.ropes)):
        scale = np.maximum(np.ptp(wanted, axis=0), 1e-4 * np.abs(wanted).max(axis=0))
        assert (np.abs(found - wanted).max(axis=0) < 1e-10 * scale).all()


@pytest.mark.parametrize("name", mostly_further(MACHINES, *SHORTER))
def test_what_resists_changes_the_controls(name: str) -> None:
    free, resisted = (solved(name, kind, False) for kind in (False, True))
    change = np.abs(resisted.u - free.u).max(axis=0)
    assert (change > 1e-4 * np.abs(free.u).max(axis=0)).all()


@pytest.mark.parametrize("name", MACHINES)
def test_computed_controls_lead_the_crane_along_the_path(name: str) -> None:
    servo = problem(name, True)
    feedforward = solve_index1(servo, np.linspace(0.0, servo.path.duration, 4001))
    times = np.linspace(0.0, servo.path.duration, 21)
    run = simulate_twin(
        servo.crane,
        servo.parameters,
        feedforward.q[0],
        feedforward.v[0],
        feedforward.controls,
        times,
        breaks=servo.path.knots,
        rtol=1e-12,
    )
    assert np.abs(run.outputs - servo.path(times).T).max() < 1e-8
    exact = solve_index1(servo, times)
    assert np.abs(run.ropes - exact.ropes).max() < 1e-6 * np.abs(exact.ropes).max()


@pytest.mark.parametrize("name", mostly_further(MACHINES, *SHORTER))
def test_rates_of_rope_forces_are_their_derivatives(name: str) -> None:
    feedforward = solved(name, True, False)
    middle = 0.4 * feedforward.problem.path.duration
    h = 1e-3
    samples = sample(feedforward, middle + h * np.arange(-2.0, 3.0))
    f, rate = samples.values["rope"], samples.rates["rope"][2]
    # central differences of fourth order: error of the order h^4
    differences = (f[0] - 8 * f[1] + 8 * f[3] - f[4]) / (12 * h)
    assert differences == pytest.approx(rate, rel=1e-6, abs=1e-9 * np.abs(f).max() / h)
