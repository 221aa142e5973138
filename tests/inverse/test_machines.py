"""Machines that are no cranes, against their closed forms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import casadi as ca
import numpy as np
import pytest

from cranebridge.forward import simulate_twin
from cranebridge.inverse.checking import check
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.index1.solvers import structure_of
from cranebridge.inverse.problem import ServoProblem
from cranebridge.path import Line, Path, polynomial
from cranebridge.scenario import load_scenario
from cranebridge.twin import Components, Crane, Parameter, Quantity


@dataclass(frozen=True)
class Harmonics(Path):
    """Sums of sines, Reichl 2011 (7.1): smooth for ever, so they need not start at rest."""

    duration = 2.0
    knots = (0.0, 2.0)
    phases = (("motion", 0.0, 2.0),)

    def breaks(self, output: str) -> tuple[()]:
        return ()

    def _evaluate(self, t: Any, order: int, side: Any) -> Any:
        def sine(amplitude: float, frequency: float, k: int) -> Any:
            omega = 2 * np.pi * frequency
            return amplitude * omega**k * np.sin(omega * t + k * np.pi / 2)

        rows = [
            [sine(2e-3, 1.0, k), sine(5e-3, 1.5, k) + sine(5e-3 / 3, 4.5, k)]
            for k in range(order + 1)
        ]
        return np.array(rows)


def two_mass(path: Path | None = None) -> ServoProblem:
    servo = load_scenario("two-mass").problem
    return servo if path is None else replace(servo, path=path)


def test_oscillator_is_index_3_without_any_combination() -> None:
    # vector relative degree {2, 2}, Reichl 2011 (7.9) to (7.11)
    structure = structure_of(two_mass())
    assert (structure.index, structure.internal_dynamics) == (3, 0)
    assert structure.path_derivatives == {"y_1": 2, "y_2": 2}
    assert not structure.combinations
    assert not check(two_mass()).problems


@pytest.mark.parametrize("path", [None, Harmonics(("y_1", "y_2"))])
def test_inputs_of_the_oscillator_are_those_of_the_closed_form(path: Path | None) -> None:
    """Reichl 2011 (7.6)."""
    servo = two_mass(path)
    times = np.linspace(0.0, servo.path.duration, 401)
    found = solve_index1(servo, times)
    (y_1, y_2), (v_1, v_2), (a_1, a_2) = servo.path.derivatives(times, 2)
    coupling = 2e6 * (y_2 - y_1) ** 3 + 1.5 * (v_2 - v_1)
    u_1 = y_1 + (0.5 * a_1 - coupling) / 150
    u_2 = y_2 + (0.5 * a_2 + coupling) / 150
    assert np.abs(found.u - np.column_stack([u_1, u_2])).max() < 1e-10 * np.ptp(u_2)


def test_inputs_of_the_oscillator_have_the_published_range() -> None:
    # worked out once from (7.6): u1 in [-5.811, 5.806] mm, u2 in [-8.154, 7.965] mm
    found = solve_index1(two_mass(Harmonics(("y_1", "y_2"))), np.linspace(0.0, 2.0, 4001))
    assert found.u.min(axis=0) * 1e3 == pytest.approx([-5.811, -8.154], abs=6e-4)
    assert found.u.max(axis=0) * 1e3 == pytest.approx([5.806, 7.965], abs=6e-4)


@pytest.mark.parametrize("path", [None, Harmonics(("y_1", "y_2"))])
def test_computed_inputs_lead_the_oscillator_along_the_path(path: Path | None) -> None:
    servo = two_mass(path)
    solution = solve_index1(servo, np.linspace(0.0, servo.path.duration, 2001))
    times = np.linspace(0.0, servo.path.duration, 21)
    start = solution.q[0], solution.v[0]
    run = simulate_twin(servo.crane, servo.parameters, *start, solution.controls, times, rtol=1e-12)
    assert np.abs(run.outputs - servo.path(times).T).max() < 1e-8


class Pvtol(Crane):
    """Vertical take-off aircraft in a plane, its side force epsilon off (Hauser 1992)."""

    name = "pvtol"
    description = "planar vertical take-off aircraft"
    coordinates = (
        Quantity("x", "m", "centre of mass, horizontal"),
        Quantity("z", "m", "centre of mass, up"),
        Quantity("theta", "rad", "roll"),
    )
    parameters = (
        Parameter("g", "m/s^2", "gravity", 9.81),
        Parameter("epsilon", "m", "coupling of roll and side force", 0.0, "real"),
    )
    inputs = (Quantity("u_1", "N", "thrust"), Quantity("u_2", "N*m", "roll"))
    outputs = (Quantity("p_x", "m", "horizontal"), Quantity("p_z", "m", "up"))

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        return 0.5 * (v.x**2 + v.z**2 + v.theta**2)

    def potential_energy(self, q: Components, p: Components) -> Any:
        return p.g * q.z

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        s, c = ca.sin(q.theta), ca.cos(q.theta)
        along, across = -v.x * s + v.z * c, v.x * c + v.z * s
        return u.u_1 * along + u.u_2 * (p.epsilon * across + v.theta)

    def output_map(self, q: Components, p: Components) -> dict[str, Any]:
        return {"p_x": q.x, "p_z": q.z}

    def rest(self, y: Any, p: Any) -> dict[str, float]:
        return {"x": y["p_x"], "z": y["p_z"]}


class PvtolOscillation(Pvtol):
    """Its centre of oscillation as output: flat for every epsilon (Martin, Devasia, Paden 1996)."""

    def output_map(self, q: Components, p: Components) -> dict[str, Any]:
        height = p.epsilon
        return {"p_x": q.x - height * ca.sin(q.theta), "p_z": q.z + height * ca.cos(q.theta)}

    def rest(self, y: Any, p: Any) -> dict[str, float]:
        return {"x": y["p_x"], "z": y["p_z"] - p["epsilon"]}


def pvtol(crane: Crane, epsilon: float) -> ServoProblem:
    path = Line(("p_x", "p_z"), (0.0, 0.0), (6.0, 2.0), polynomial(4.0, 6))
    return ServoProblem(crane, path, crane.parameter_values({"epsilon": epsilon}))


@pytest.mark.parametrize("epsilon", [0.0, 0.4])
def test_vertical_take_off_aircraft_is_flat_in_its_centre_of_oscillation(epsilon: float) -> None:
    servo = pvtol(PvtolOscillation(), epsilon)
    structure = structure_of(servo)
    assert (structure.index, structure.internal_dynamics) == (5, 0)
    assert structure.path_derivatives == {"p_x": 4, "p_z": 4}
    times = np.linspace(0.0, 4.0, 201)
    found = solve_index1(servo, times)
    # p'' + g e_z = (u_1 - epsilon theta'^2) e_up + epsilon (u_2 - theta'') e_side, by hand, with
    # unit mass and inertia: the thrust axis points along it, and u_2 = theta''.
    _, _, (x, z), (x1, z1), (x2, z2) = servo.path.derivatives(times, 4)
    b = z + 9.81
    size = x**2 + b**2
    rate = (x * z1 - x1 * b) / size
    second = (x * z2 - x2 * b) / size - rate * 2 * (x * x1 + b * z1) / size
    thrust = np.sqrt(size) + epsilon * rate**2
    wanted = np.column_stack([thrust, second])
    assert np.abs(found.u - wanted).max() < 1e-10 * np.ptp(wanted)
    assert found.q[:, 2] == pytest.approx(np.arctan2(-x, b), abs=1e-12)


def test_vertical_take_off_aircraft_is_not_flat_in_its_centre_of_mass() -> None:
    structure = structure_of(pvtol(Pvtol(), 0.4))
    # Hauser, Sastry, Meyer 1992: zero dynamics epsilon theta'' = g sin(theta)
    assert (structure.index, structure.internal_dynamics) == (3, 2)


class PvtolPoint(Pvtol):
    """A point on its axis as output, at a height of its own."""

    parameters = (*Pvtol.parameters, Parameter("h", "m", "height of the point", 0.1))

    def output_map(self, q: Components, p: Components) -> dict[str, Any]:
        return {"p_x": q.x - p.h * ca.sin(q.theta), "p_z": q.z + p.h * ca.cos(q.theta)}

    def rest(self, y: Any, p: Any) -> dict[str, float]:
        return {"x": y["p_x"], "z": y["p_z"] - p["h"]}


def test_structure_is_that_of_the_parameters_given() -> None:
    # Flat only where the point is the centre of oscillation, h = epsilon; whatever came before.
    crane = PvtolPoint()
    path = Line(("p_x", "p_z"), (0.0, 0.0), (6.0, 2.0), polynomial(4.0, 6))
    for height, wanted in ((0.3, (3, 2)), (0.4, (5, 0)), (0.5, (3, 2))):
        values = crane.parameter_values({"epsilon": 0.4, "h": height})
        structure = structure_of(ServoProblem(crane, path, values))
        assert (structure.index, structure.internal_dynamics) == wanted
