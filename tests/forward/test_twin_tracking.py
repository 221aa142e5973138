"""The controls of the inverse bring the load of the forward-simulated twin along its path."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import simpson, solve_ivp

from cranebridge.errors import InputError, SolutionError
from cranebridge.forward import TwinSimulation, crane_dynamics, simulate_twin
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.scenario import ready_scenarios
from cranebridge.twin import Components, Crane, Parameter, Quantity, find_crane
from further import mostly_further

Exact = Callable[[str, int], Feedforward]

# Asks for more derivatives than its path has: refused before solving.
SOLVABLE = sorted(set(ready_scenarios()) - {"navy3d-pulley-rough"})
# Other paths and parameters of cranes that are there, too. The flexible jib outside of its critical
# radius and rpr are led along their paths in test_inversion_benchmark.py and test_rpr.py.
ONCE_MORE = {
    *("rotary-long", "rotary-light", "rotary-real", "overhead-real", "overhead-speed"),
    *("container-hop", "ship-to-shore", "navy2d-safe", "navy2d-elastic", "navy3d-pulley"),
    *("cablev-translate", "cablev-rotate", "flexible-jib-outer", "rpr"),
}


def follow(feedforward: Feedforward, **options: object) -> tuple[TwinSimulation, float]:
    """Simulate the twin with the controls; return the run and the load's largest error."""
    problem = feedforward.problem
    times = np.linspace(0.0, problem.path.duration, 41)
    run = simulate_twin(
        problem.crane,
        problem.parameters,
        feedforward.q[0],
        feedforward.v[0],
        feedforward.controls,
        times,
        breaks=problem.path.knots,
        **options,  # type: ignore[arg-type]
    )
    return run, float(np.abs(run.outputs - problem.path(times).T).max())


def steps(scenario: str) -> int:
    # 0.01 s over the manoeuvres of 20 s and more, and as many points for the fast ones
    return 4000 if scenario == "rotary-long" else 2000


@pytest.mark.parametrize(
    "scenario", mostly_further(SOLVABLE, *(name for name in SOLVABLE if name not in ONCE_MORE))
)
def test_load_of_the_twin_follows_the_path_within_a_micrometre(scenario: str, exact: Exact) -> None:
    run, error = follow(exact(scenario, steps(scenario)))
    assert error < 1e-6
    assert run.drift < 1e-9


def test_drift_is_what_the_projection_took_back(exact: Exact) -> None:
    # Of the order of a step's error: 1e-3 of tolerance leaves far more of it than 1e-8.
    rough, fine = (follow(exact("rotary", 2000), rtol=rtol)[0].drift for rtol in (1e-3, 1e-8))
    assert 1e-7 < rough < 1e-1
    assert 0.0 < fine < 1e-3 * rough


@pytest.mark.parametrize("scenario", ["navy2d", "rotary-redundant"])
def test_multipliers_and_rope_forces_are_those_of_the_inverse(scenario: str, exact: Exact) -> None:
    # navy2d has a pulley without mass, rotary-redundant a singular mass matrix
    feedforward = exact(scenario, 2000)
    run, _ = follow(feedforward)
    at = np.searchsorted(feedforward.time, run.time - 1e-9)
    scale = np.abs(feedforward.ropes).max()
    assert np.abs(run.ropes - feedforward.ropes[at]).max() < 1e-6 * scale
    assert np.abs(run.lam - feedforward.lam[at]).max() < 1e-6 * np.abs(feedforward.lam).max()


def test_work_of_the_drives_is_the_change_of_energy(exact: Exact) -> None:
    feedforward = exact("overhead", 2000)
    run, _ = follow(feedforward)
    u, v, r = feedforward.u, feedforward.v, feedforward.problem.parameters["r"]
    work = simpson(u[:, 0] * v[:, 0] + u[:, 1] * v[:, 1] / r, x=feedforward.time)
    assert run.energy[-1] - run.energy[0] == pytest.approx(work, rel=1e-8)


def test_radau_finds_the_same_motion(exact: Exact) -> None:
    assert follow(exact("overhead", 1000), method="Radau", rtol=1e-8)[1] < 1e-6


def test_massless_pulley_leaves_the_dynamic_freedoms() -> None:
    # reference.md Sections 6 and 8: 3 and 5 dynamic freedoms, 4 and 7 kinematic ones
    assert crane_dynamics(find_crane("navy2d")).dimension == 6
    assert crane_dynamics(find_crane("navy3d")).dimension == 10
    assert crane_dynamics(find_crane("navy2d-pulley")).dimension == 8


def test_an_initial_state_off_the_constraints_is_refused() -> None:
    crane = find_crane("overhead")
    with pytest.raises(InputError, match="does not fit the constraints"):
        simulate_twin(crane, {}, [0, 4, 0, -3], np.zeros(4), lambda t: [0, 0], [0, 1])


def test_a_singular_configuration_is_refused_with_its_time() -> None:
    crane = find_crane("rotary")  # load at the trolley: the rope has no direction
    with pytest.raises(SolutionError, match=r"stops at t = 0 s: .*singular"):
        simulate_twin(crane, {}, [0, 5, 0, 5, 0, 0], np.zeros(6), lambda t: [0, 0, 0], [0, 1])


class PendulumOnCart(Crane):
    """Minimal coordinates: no constraints, no ropes."""

    name = "cart"
    description = "pendulum on a cart"
    coordinates = (Quantity("s", "m", "cart"), Quantity("phi", "rad", "pendulum"))
    parameters = (Parameter("g", "m/s^2", "gravity", 9.81),)
    inputs = (Quantity("F", "N", "force on the cart"),)
    outputs = (Quantity("s", "m", "cart"),)

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        across = 2 * v.s * v.phi * ca.cos(q.phi)
        return 0.5 * v.s**2 + 0.5 * (v.s**2 + across + v.phi**2)

    def potential_energy(self, q: Components, p: Components) -> Any:
        return -p.g * ca.cos(q.phi)

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        return u.F * v.s

    def output_map(self, q: Components, p: Components) -> dict[str, Any]:
        return {"s": q.s}


def test_crane_without_constraints_moves_as_its_hand_written_equations() -> None:
    def rates(t: float, y: np.ndarray) -> list[float]:
        c, s = np.cos(y[1]), np.sin(y[1])
        M = np.array([[2.0, c], [c, 1.0]])
        a = np.linalg.solve(M, [np.sin(t) + s * y[3] ** 2, -9.81 * s])
        return [y[2], y[3], *a]

    times = np.linspace(0.0, 2.0, 5)
    run = simulate_twin(PendulumOnCart(), {}, [0.0, 0.5], [0.0, 0.0], lambda t: [np.sin(t)], times)
    wanted = solve_ivp(
        rates, (0, 2), [0, 0.5, 0, 0], method="DOP853", rtol=1e-12, atol=1e-12, t_eval=times
    )
    assert run.q == pytest.approx(wanted.y[:2].T, abs=1e-9)


def test_a_wrong_method_or_size_is_refused() -> None:
    crane = find_crane("overhead")
    with pytest.raises(InputError, match="DOP853"):
        simulate_twin(crane, {}, [0, 4, 0, -4], np.zeros(4), lambda t: [0, 0], [0, 1], "DOP835")
    with pytest.raises(InputError, match="4 coordinates"):
        simulate_twin(crane, {}, [0, 4], np.zeros(2), lambda t: [0, 0], [0, 1])
    with pytest.raises(InputError, match="F_t, M_w"):
        simulate_twin(crane, {}, [0, 4, 0, -4], np.zeros(4), lambda t: [0.0], [0, 1])
    with pytest.raises(InputError, match="increasing"):
        simulate_twin(crane, {}, [0, 4, 0, -4], np.zeros(4), lambda t: [0, 0], [0, 0])
