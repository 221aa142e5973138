"""The elastic Navy crane: what the manoeuvre ``navy2d`` really does.

Two oracles, whose forces are gradients of the ropes' lengths by CasADi: springs that can only pull
(with SciPy's events), and rigid ropes as constraints. The twin's solution, with rigid ropes and a
pulley without mass, is the limit of both while its ropes pull. Rope 1 would have to push from
1.641 s on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import PPoly
from scipy.optimize import brentq

pytest.importorskip("rumoca")

from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.plant.export.fmu_export import cached_fmu
from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol.controls import Controls
from cranebridge.plant.sandbox.plant_results import Simulation
from cranebridge.scenario import load_scenario
from further import further

START = {"x_start": 0.0, "z_start": -15.0, "x_0_start": 0.0, "z_0_start": -5.0}
START |= {"T_1_start": 0.0, "T_2_start": 981.0}
POSITIONS = ("L_1", "L_2", "x_0", "z_0", "x", "z")
WINCH = 0.1 / 0.1**2  # J/r^2 in kg
RADIUS = 0.1
A = (-10.0 * np.sin(np.pi / 3), -10.0 * np.cos(np.pi / 3))


@cache
def inverse() -> Feedforward:
    """The manoeuvre for the ideal crane, in steps of 5 ms."""
    return solve_index1(load_scenario("navy2d").problem, np.linspace(0.0, 3.0, 601))


@cache
def zero_of_rope_1() -> float:
    """When the force of rope 1 becomes negative in the inverse solution."""
    solution = inverse()
    force, t = solution.ropes[:, 0], solution.time
    first = int(np.flatnonzero((force[:-1] > 0.0) & (force[1:] <= 0.0))[0])
    line = np.polyfit(t[first - 1 : first + 3], force[first - 1 : first + 3], 3)
    return float(brentq(lambda at: np.polyval(line, at), t[first], t[first + 1]))


def torques() -> Controls:
    return Controls.from_ppoly(inverse().control_polynomial, ["u_1", "u_2"])


class Opened(dict[int, Plant]):
    """Plants by FMI version, made when they are asked for."""

    def __missing__(self, fmi: int) -> Plant:
        # Rodas4 in steps of 1 ms that ask for controls takes half a minute, more on a loaded
        # machine.
        self[fmi] = Plant(cached_fmu("NavyCrane2DElastic", fmi=f"{fmi}.0"), timeout=3600.0)
        return self[fmi]


@pytest.fixture(scope="module")
def opened() -> Iterator[dict[int, Plant]]:
    plants = Opened()
    yield plants
    for plant in plants.values():
        plant.close()


def run(
    plant: Plant, times: np.ndarray, way: str = "DOP853", rtol: float = 1e-10, **parameters: float
) -> Simulation:
    options = {"times": times, "inputs": torques(), "rtol": rtol, "atol": 0.1 * rtol}
    given = START | parameters
    if way in ("dopri5", "rodas4"):
        given["integrator.method"] = 1.0 if way == "dopri5" else 2.0
        return plant.sibling("cs").simulate(parameters=given, step=1e-3, **options).complete()
    return plant.simulate(method=way, parameters=given, **options).complete()


# --- oracles -----------------------------------------------------------------------------------


@cache
def geometry() -> ca.Function:
    """(q, q') -> how far the ropes reach beyond what is paid out, gradient, rate, curvature."""
    q, v = ca.SX.sym("q", 6), ca.SX.sym("v", 6)
    pulley, load = q[2:4], q[4:6]
    rope_1 = ca.norm_2(pulley - ca.SX(list(A))) - q[0]
    rope_2 = ca.norm_2(pulley) + ca.norm_2(load - pulley) - q[1]
    reach = ca.vertcat(rope_1, rope_2)
    gradient = ca.jacobian(reach, q)
    rate = gradient @ v
    return ca.Function("ropes", [q, v], [reach, gradient, rate, ca.jacobian(rate, q) @ v])


def ropes(y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    reach, gradient, rate, bend = (np.array(part) for part in geometry()(y[:6], y[6:12]))
    return reach.ravel(), gradient, rate.ravel(), bend.ravel()


def weights(m_0: float) -> tuple[np.ndarray, np.ndarray]:
    """Masses and weights of the six coordinates L_1, L_2, pulley, load."""
    mass = np.array([WINCH, WINCH, m_0, m_0, 100.0, 100.0])
    return mass, np.array([0.0, 0.0, 0.0, -9.81 * m_0, 0.0, -981.0])


@cache
def winches() -> PPoly:
    polynomial = inverse().control_polynomial
    return PPoly(polynomial.c, polynomial.x)


def drive(t: float) -> np.ndarray:
    return np.concatenate([winches()(t) / RADIUS, np.zeros(4)])


@dataclass(frozen=True)
class Springs:
    """Ropes as springs that can only pull.

    The state is q, q', and the energy that the drives gave less what the dampers took.
    """

    m_0: float
    k: float
    d: float

    def start(self) -> np.ndarray:
        q = [5.0 * np.sqrt(3.0), 15.0 - 981.0 / self.k, 0.0, -5.0, 0.0, -15.0]
        return np.array([*q, *np.zeros(7)])

    def rhs(self, t: float, y: np.ndarray, pulls: np.ndarray) -> np.ndarray:
        reach, gradient, rate, _ = ropes(y)
        mass, weight = weights(self.m_0)
        force = np.where(pulls, self.k * reach + self.d * rate, 0.0)
        given = drive(t)
        lost = (force - self.k * np.maximum(reach, 0.0)) @ rate
        acceleration = (given + weight - gradient.T @ force) / mass
        return np.concatenate([y[6:12], acceleration, [given @ y[6:12] - lost]])

    def margin(self, y: np.ndarray) -> np.ndarray:
        """Positive where a rope pulls."""
        reach, _, rate, _ = ropes(y)
        return np.minimum(reach, reach + self.d / self.k * rate)

    def energy(self, y: np.ndarray) -> float:
        mass, weight = weights(self.m_0)
        stretched = np.maximum(ropes(y)[0], 0.0)
        return float(mass @ y[6:12] ** 2 / 2 - weight @ y[:6] + self.k * stretched @ stretched / 2)

    def move(self, times: np.ndarray) -> np.ndarray:
        """States at the times, through all events."""
        y, t, rows = self.start(), 0.0, [self.start()]
        pulls = self.margin(y) > 0.0
        for end in times[1:]:
            while t < end:
                t, y, pulls = self._until_event(t, y, pulls, end)
            rows.append(y)
        return np.array(rows)

    def _until_event(
        self, t: float, y: np.ndarray, pulls: np.ndarray, end: float
    ) -> tuple[float, np.ndarray, np.ndarray]:
        events = []
        for i in (0, 1):

            def event(_t: float, y: np.ndarray, i: int = i) -> float:
                return float(self.margin(y)[i])

            event.terminal, event.direction = True, -1 if pulls[i] else 1
            events.append(event)
        found = solve_ivp(
            lambda t, y: self.rhs(t, y, pulls), (t, end), y,
            method="DOP853", rtol=1e-11, atol=1e-11, events=events,
        )  # fmt: skip
        assert found.success
        happened = np.array([len(at) > 0 for at in found.t_events])
        return float(found.t[-1]), found.y[:, -1], pulls ^ happened


def rigid_motion(m_0: float, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Load and force of rope 1 with rigid ropes, which may push."""
    mass, weight = weights(m_0)

    def solve(t: float, y: np.ndarray) -> np.ndarray:
        reach, gradient, rate, bend = ropes(y)
        matrix = np.block([[np.diag(mass), gradient.T], [gradient, np.zeros((2, 2))]])
        # What the integration drifts off the constraints is pulled back in 0.01 s.
        back = bend + 200.0 * rate + 1e4 * reach
        return np.asarray(np.linalg.solve(matrix, [*(drive(t) + weight), *-back]))

    start = np.array([5.0 * np.sqrt(3.0), 15.0, 0.0, -5.0, 0.0, -15.0, *np.zeros(6)])
    found = solve_ivp(
        lambda t, y: np.concatenate([y[6:], solve(t, y)[:6]]), (times[0], times[-1]), start,
        method="DOP853", rtol=1e-10, atol=1e-11, t_eval=times,
    )  # fmt: skip
    assert found.success
    force = [solve(t, y)[6] for t, y in zip(times, found.y.T, strict=True)]
    return found.y[4:6].T, np.array(force)


# --- claims ------------------------------------------------------------------------------------


def load(result: Simulation) -> np.ndarray:
    return np.column_stack([result.column("x"), result.column("z")])


def slack_from(result: Simulation) -> float:
    """First time after 1 s at which rope 1 is slack."""
    slack = (result.column("stretch_1") < 0.0) & (result.time > 1.0)
    return float(result.time[np.argmax(slack)])


def test_rope_1_would_have_to_push_from_the_time_in_the_reference() -> None:
    assert zero_of_rope_1() == pytest.approx(1.641, abs=1e-3)
    assert inverse().ropes[:, 0].min() == pytest.approx(-442.16, abs=0.01)


# Of the FMU's own integrators with FMI 3 the one for stiff plants: they ask for controls alike.
@pytest.mark.parametrize(
    ("way", "fmi"),
    [
        *(("DOP853", 2), ("CVODE", 2), ("dopri5", 2), ("rodas4", 2)),
        *(further("DOP853", 3), further("rodas4", 3)),
    ],
)
def test_motion_and_energy_agree_with_the_springs_of_the_oracle(opened, way, fmi) -> None:
    times = np.linspace(0.0, 2.2, 45)
    springs = Springs(m_0=1.0, k=1e5, d=300.0)
    wanted = moved(springs, tuple(times))
    within, rtol = 1e-7 if way == "DOP853" else 1e-5, 1e-10
    if fmi == 3 and way == "rodas4":
        within = 0.02  # inputs that are held over 1 ms are late by half of it
        rtol = 1e-5  # which no integrator mends; each of its stages asks for controls in Python
    result = run(opened[fmi], times, way, rtol, m_0=1.0, k_r=1e5, d_r=300.0)
    assert slack_from(result) == pytest.approx(1.7)  # it is slack from 1.66 s on
    assert result.column("stretch_1")[-1] < -4.0
    for i, name in enumerate(POSITIONS):
        assert result.column(name) == pytest.approx(wanted[:, i], rel=0.0, abs=within), name
    balance = result.column("energy") - wanted[:, 12]
    assert np.ptp(result.column("energy")) > 1e3
    # the positions' error times the force of the weight
    assert np.ptp(balance) < 1e3 * within


@cache
def moved(springs: Springs, times: tuple[float, ...]) -> np.ndarray:
    states = springs.move(np.array(times))
    energies = [springs.energy(y) - y[12] for y in states]
    assert np.ptp(energies) < 1e-5
    return states


def test_compliance_costs_order_one_against_rigid_ropes(opened) -> None:
    times = np.linspace(0.0, 1.5, 16)
    exact, force = rigid_motion(1.0, times)
    assert np.all(force[1:] > 0.0)
    errors = [
        np.abs(load(run(opened[2], times, m_0=1.0, k_r=k, d_r=1e3)) - exact).max()
        for k in (1e5, 4e5, 1.6e6)
    ]
    orders = np.log(np.array(errors[:-1]) / errors[1:]) / np.log(4.0)
    assert orders == pytest.approx([1.0, 1.0], abs=0.1)
    # the rope of 1e5 N/m stretches by 10 mm under the load, most of it already at the start
    assert errors[0] < 5e-3


def test_compliance_and_pulley_mass_cost_order_one_against_the_twin(opened) -> None:
    times = np.linspace(0.0, 1.5, 16)
    gamma = inverse().gamma[:301:20]
    errors = [
        np.abs(load(run(opened[2], times, m_0=1e5 / k, k_r=k, d_r=1e3)) - gamma).max()
        for k in (1e5, 4e5, 1.6e6)
    ]
    orders = np.log(np.array(errors[:-1]) / errors[1:]) / np.log(4.0)
    assert orders == pytest.approx([1.0, 1.0], abs=0.15)
    assert errors[-1] < 3e-3


def test_rope_1_goes_slack_where_the_inverse_solution_needs_it_to_push(opened) -> None:
    times = np.concatenate([[0.0], np.linspace(1.63, 1.68, 501)])
    late = [
        slack_from(run(opened[2], times, m_0=m_0, k_r=1e6, d_r=300.0)) - zero_of_rope_1()
        for m_0 in (1.0, 0.1, 0.03)
    ]
    # What the pulley weighs, and what its acceleration needs, rope 1 carries longer: it goes with
    # m_0, down to what the stretch of the ropes and the times looked at (0.1 ms) leave.
    assert late[0] == pytest.approx(0.0175, abs=2e-3)
    assert late[1] == pytest.approx(late[0] / 10.0, abs=1e-3)
    assert abs(late[2]) < 1e-3


def test_load_misses_its_goal_when_rope_1_is_slack_and_its_winch_runs_away(opened) -> None:
    result = run(opened[2], np.linspace(0.0, 3.0, 301))
    error = np.linalg.norm(load(result) - inverse().gamma[::2], axis=1)
    slack = int(np.argmax((result.column("stretch_1") < 0.0) & (result.time > 1.0)))
    assert error[:slack].max() < 0.04
    assert error[-1] == pytest.approx(0.91, abs=0.01)
    # the torque that should push the rope turns the winch: it pays out more than 13 m of it
    assert result.column("L_1")[-1] - result.column("L_1")[slack] > 13.0
    assert result.column("T_cable1_A")[slack:].max() == 0.0
    # no longer held, the pulley runs down rope 2 to the load
    assert result.column("d")[slack] > 6.0
    assert result.column("d")[slack:].min() < 0.2


def test_slack_pulley_and_load_fall_freely(opened) -> None:
    # Winch 2 pays out faster than the load falls, rope 1 is slack at the start.
    out = Controls.constant([50.0, 150.0], ["u_1", "u_2"])
    times = np.linspace(0.0, 0.8, 81)
    result = opened[2].simulate(
        times=times, inputs=out, parameters=START | {"v_x_start": 0.7}, rtol=1e-11, atol=1e-12
    )
    free = result.column("stretch_2") < 0.0
    first = int(np.argmax(free))
    assert first < 10
    assert np.all(free[first:])
    t = times[first:] - times[first]
    for axis, gravity in (("x", 0.0), ("z", 9.81), ("x_0", 0.0), ("z_0", 9.81)):
        position, speed = result.column(axis)[first:], result.column(f"v_{axis}")[first]
        parabola = position[0] + speed * t - gravity * t**2 / 2
        assert position == pytest.approx(parabola, rel=0.0, abs=1e-10), axis


def test_simulation_ends_where_the_pulley_reaches_the_load(opened) -> None:
    times = np.linspace(0.0, 4.0, 401)
    options = {"times": times, "inputs": torques(), "method": "CVODE", "rtol": 1e-8}
    result = opened[2].simulate(parameters=START | {"d_min": 0.3}, **options)
    assert "the FMU ended the simulation" in result.ended
    assert result.column("d")[-1] == pytest.approx(0.3, abs=0.15)
    assert 2.4 < result.time[-1] < 2.7
