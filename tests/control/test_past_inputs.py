"""Poles of loops with a delay: as many as there are states without past inputs, in closed form."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from cranebridge.control import design_law
from cranebridge.control.analysis.frozen import FrozenLoop, frozen_loop
from cranebridge.control.analysis.margins import poles
from cranebridge.control.model.cycle_and_delay import require_delay
from cranebridge.errors import InputError
from cranebridge.job.solving import solve_scenario
from cranebridge.scenario import load_scenario
from further import further

CYCLE, GAIN = 0.01, 30.0


def integrator(B, K, K_past, cycles: float) -> FrozenLoop:
    """Return a loop of x' = B u."""
    B, K, K_past = np.atleast_2d(B), np.atleast_2d(K), np.atleast_2d(K_past)
    none = np.zeros((len(K), 0))
    A, C = np.zeros((1, 1)), np.zeros((0, 1))
    return FrozenLoop(A, B, C, K, none, K_past, CYCLE, cycles * CYCLE)


@pytest.mark.parametrize("cycles", [1, 2, 7, 20])
@pytest.mark.parametrize("rounding", [0.0, 1e-12])
def test_law_that_predicts_has_the_one_pole_of_no_delay(cycles, rounding) -> None:
    """x comes to x + h (sum of past inputs): u = -k times that has z = 1 - k h, whatever d is."""
    noise = 1.0 + rounding * np.random.default_rng(cycles).uniform(-1.0, 1.0, cycles)
    loop = integrator(1.0, GAIN, GAIN * CYCLE * noise, cycles)
    (found,) = loop.remembered().lasting((), True, loop.gained())
    assert found == pytest.approx(1.0 - GAIN * CYCLE, abs=1e-10)


def test_fast_pole_is_not_mistaken_for_what_rounding_makes_of_past_inputs() -> None:
    # twenty cycles of zeros come out at |z| = 0.2
    gain = 0.999 / CYCLE
    noise = 1.0 + 1e-13 * np.random.default_rng(1).uniform(-1.0, 1.0, 20)
    loop = integrator(1.0, gain, gain * CYCLE * noise, 20)
    assert np.abs(np.linalg.eigvals(loop.closed())).max() > 0.1
    (found,) = loop.remembered().lasting((), True, loop.gained())
    assert found == pytest.approx(0.001, abs=1e-10)


@pytest.mark.parametrize("cycles", [1, 3])
def test_law_that_does_not_know_of_its_delay_has_all_poles(cycles) -> None:
    """x_{k+1} = x_k - k h x_{k-d}: z^(d+1) - z^d + k h = 0."""
    wanted = np.roots([1.0, -1.0, *[0.0] * (cycles - 1), GAIN * CYCLE])
    loop = integrator(1.0, GAIN, np.zeros((1, 0)), cycles)
    found = loop.remembered().lasting((), False, loop.gained())
    assert np.sort_complex(found) == pytest.approx(np.sort_complex(wanted), abs=1e-9)
    # two drives that always do the same are one; a third that has no loop is none
    B, K = [[0.2, 0.4, 5.0]], [[GAIN], [2.0 * GAIN], [0.0]]
    loop = integrator(B, K, np.zeros((3, 0)), cycles)
    found = loop.remembered().lasting((), False, loop.gained())
    assert np.sort_complex(found) == pytest.approx(np.sort_complex(wanted), abs=1e-9)


def test_wrong_memory_that_makes_a_loop_unstable_is_seen() -> None:
    """u_k = -1.5 u_{k-1} - 2 u_{k-2}, nothing of which acts: z^2 + 1.5 z + 2 = 0, |z|^2 = 2."""
    loop = integrator(0.0, 0.0, [1.5, 2.0], 2)
    (found,) = loop.remembered().lasting((), True, loop.gained())
    assert abs(found) == pytest.approx(np.sqrt(2.0), abs=1e-12)


def test_sensitivity_is_that_of_the_plant_s_input_and_not_of_the_law_s_memory() -> None:
    """With G = h / (z (z - 1)) and the memory M = k h / z it is (1 + M) / (1 + M + k G)."""
    loop = integrator(1.0, GAIN, GAIN * CYCLE, 1)
    z = np.exp(1j * np.array([0.01, 0.3, 2.0, np.pi]))
    memory, plant = GAIN * CYCLE / z, CYCLE / (z * (z - 1.0))
    wanted = (1.0 + memory) / (1.0 + memory + GAIN * plant)
    assert loop.sensitivity(z)[:, 0, 0] == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(("cycles", "fits"), [(20.0, True), (20.1, False)])
def test_law_remembers_twenty_cycles_at_most(cycles, fits) -> None:
    if fits:
        require_delay(0.005, cycles * 0.005)
        return
    # 0.1005 s in twenty cycles are 0.005025 s each
    with pytest.raises(InputError, match=r"is 20\.1 cycles.* choose a cycle of 0\.00503 s or more"):
        require_delay(0.005, cycles * 0.005)


@cache
def overhead(kind: str, cycles: float):
    scenario = load_scenario("overhead")
    weights = {"y.x": 400.0, "y.z": 400.0, "q.s": 40.0, "u.F_t": 1e-3, "u.M_w": 0.1}
    solution = solve_scenario(scenario).feedforward
    return design_law(solution, CYCLE, kind, weights, delay=cycles * CYCLE)


@pytest.mark.parametrize(
    ("kind", "cycles"), [("lqr", 1.5), ("lqi", 1.5), ("lqr", 10.0), further("lqi", 10.0)]
)
def test_loops_along_a_motion_have_the_slowest_poles_and_no_more(kind, cycles) -> None:
    made = overhead(kind, cycles)
    count = len(made.model.states) + len(made.law.integrals)
    for row in (0, len(made.law.time) // 2, len(made.law.time) - 1):
        z = np.linalg.eigvals(frozen_loop(made, row).closed())
        z = z[np.argsort(-np.abs(z))]
        assert abs(z[count]) < 0.6 * abs(z[count - 1])  # nothing slow is left out
        found = poles(made, row)
        assert len(found) == count
        for one in z[:count]:
            assert np.abs(np.exp(CYCLE * found) - one).min() < 1e-7
