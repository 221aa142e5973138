"""Internal dynamics that do not act on the controls: a rotator, a head that turns freely."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pytest
from internal_cranes import hook_problem, jib_problem, mast_problem

import cranebridge as cb
from cranebridge.inverse import ServoProblem, solve_index1
from cranebridge.inverse.checking import check
from cranebridge.inverse.extension import analyse
from cranebridge.inverse.index1 import structure_of
from cranebridge.inverse.internal import solve_inversion
from cranebridge.inverse.internal_check import check_internal
from cranebridge.path import Line, polynomial
from cranebridge.twin import Parameter, Quantity
from cranebridge.twin.cranes import RotaryCrane


class FreeHead(RotaryCrane):
    """A rotary crane with a heavy wheel on its slewing axis that turns freely relative to it.

    J (phi' + psi')^2 / 2: the wheel stays as it is in space, psi'' = -phi'', and slewing does not
    feel it. With an offset e of its centre it does, by gravity's component: never here, but by a
    spring c psi^2 / 2 it does, too.
    """

    name = "test-free-head"
    coordinates = (*RotaryCrane.coordinates, Quantity("psi", "rad", "wheel"))
    parameters = (
        *RotaryCrane.parameters,
        Parameter("J", "kg*m^2", "wheel inertia", 300.0),
        Parameter("c", "N*m/rad", "spring of the wheel", 0.0, "non-negative"),
    )

    def kinetic_energy(self, q: Any, v: Any, p: Any) -> Any:
        """The crane's, and the wheel's."""
        return super().kinetic_energy(q, v, p) + 0.5 * p.J * (v.phi + v.psi) ** 2

    def potential_energy(self, q: Any, p: Any) -> Any:
        """The crane's, and the spring's."""
        return super().potential_energy(q, p) + 0.5 * p.c * q.psi**2


class Rotator(FreeHead):
    """The load turns below its hook, about an axis that is always upright."""

    name = "test-rotator"

    def kinetic_energy(self, q: Any, v: Any, p: Any) -> Any:
        """The crane's, and the turning load's, whose inertia depends on its angle (a grab)."""
        inertia = p.J * (2.0 + ca.sin(2.0 * q.psi))
        return RotaryCrane.kinetic_energy(self, q, v, p) + 0.5 * inertia * v.psi**2


def problem_of(crane: RotaryCrane, duration: float = 15.0, **parameters: float) -> ServoProblem:
    path = Line(
        ("x", "y", "z"), (5.0, 0.0, -5.0), (-2.0, 2.0, -2.0), polynomial(duration, smoothness=4)
    )
    return ServoProblem(crane, path, crane.parameter_values(parameters))


@pytest.mark.parametrize("crane", [FreeHead(), Rotator()], ids=lambda crane: crane.name)
def test_controls_are_those_of_the_crane_without_what_turns_freely(crane) -> None:
    structure = structure_of(problem_of(crane))
    assert structure.internal_dynamics == 2
    assert structure.controls_determined
    found = solve_inversion(problem_of(crane), 0.05)
    # no window: what turns freely is waited for by nobody
    assert (found.time[0], found.time[-1]) == (0.0, 15.0)
    alone = solve_index1(problem_of(RotaryCrane()), found.time, "never")
    assert np.abs(found.u - alone.u).max() <= 1e-10 * np.abs(alone.u).max()
    assert max(found.residual.values()) < 1e-10


def test_a_wheel_that_turns_freely_stays_as_it_is_in_space() -> None:
    found = solve_inversion(problem_of(FreeHead()), 0.05)
    phi, psi = (found.q[:, list(FreeHead.coordinates).index(one)] for one in _angles())
    # phi + psi is conserved: integrated to 1e-10 of its range
    assert np.abs(phi + psi - phi[0] - psi[0]).max() < 1e-8


def _angles() -> tuple[Quantity, Quantity]:
    by_name = {one.name: one for one in FreeHead.coordinates}
    return by_name["phi"], by_name["psi"]


def test_whether_they_act_is_found_anew_for_other_parameters() -> None:
    assert structure_of(problem_of(FreeHead())).controls_determined
    assert not structure_of(problem_of(FreeHead(), c=50.0)).controls_determined
    assert structure_of(problem_of(FreeHead())).controls_determined


@pytest.mark.parametrize(
    "problem",
    [hook_problem(100.0), mast_problem(4.0, 50.0), jib_problem(30.0, 30.0)],
    ids=["hook", "mast", "jib"],
)
def test_internal_dynamics_that_act_are_not_taken_for_others(problem) -> None:
    assert not structure_of(problem).controls_determined


def test_without_a_start_nothing_is_claimed() -> None:
    assert not analyse(FreeHead()).controls_determined


def test_check_and_solve_take_them_by_index_1() -> None:
    problem = problem_of(Rotator())
    found = check_internal(check(problem), problem, "index1", 0.01)
    assert found.problems == []
    assert found.internal.kind == "free"
    path = {"kind": "line", "start": [5.0, 0.0, -5.0], "goal": [-2.0, 2.0, -2.0]}
    path |= {"profile": "polynomial", "duration": 15.0, "smoothness": 4}
    scenario = cb.Scenario.of(Rotator, path)
    assert scenario.check().problems == ()
    solution = scenario.solve()
    assert (solution.time[0], solution.time[-1]) == (0.0, 15.0)
    # exact at any time
    exact = solve_index1(problem_of(RotaryCrane()), np.array([0.0, 7.125]), "never")
    assert solution.controls(7.125) == pytest.approx(exact.u[-1], rel=1e-9)
