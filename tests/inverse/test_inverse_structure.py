"""Structure analysis: index, differentiations and freedom of every crane, and of two more."""

from __future__ import annotations

from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from cranebridge.errors import StructureError
from cranebridge.inverse.extension.servo_structure import analyse
from cranebridge.inverse.extension.stages import build_stages
from cranebridge.twin import CRANES, Crane, Parameter, Quantity, find_crane
from further import mostly_further

EXAMPLES = Path(__file__).parents[2] / "examples"


# test_natural_coordinates.py, test_machines.py, test_rpr.py and test_flexible_jib.py have them.
OTHER = {"navy3d-pulley", "double-pendulum", "quadrotor", "two-mass", "rpr", "flexible-jib"}
FLAT = sorted(set(CRANES) - {"rpr", "flexible-jib"})
INDEX_5 = sorted(set(CRANES) - OTHER)
# The longest equations in swing angles; their structure is compared in test_natural_coordinates.py.
LONG = {"luffing-jib", "double-pendulum", "bridge"}


@pytest.mark.parametrize("name", mostly_further(INDEX_5, *(set(INDEX_5) - {"luffing-jib"})))
def test_cranes_with_one_rope_at_the_load_are_flat_and_have_index_5(name: str) -> None:
    structure = analyse(find_crane(name))
    assert structure.flat
    assert structure.index == 5
    assert max(structure.path_derivatives.values()) == 4


def test_3d_navy_crane_with_massive_pulley_has_index_7() -> None:
    structure = analyse(find_crane("navy3d-pulley"))
    assert structure.flat
    assert structure.index == 7
    assert structure.path_derivatives == {"x": 6, "y": 6, "z": 6, "z_0": 4}


def test_planar_navy_crane_needs_two_derivatives_of_the_pulley_height() -> None:
    structure = analyse(find_crane("navy2d-pulley"))
    assert structure.path_derivatives == {"x": 4, "z": 4, "z_0": 2}


def test_cablev_needs_two_derivatives_of_the_output_that_is_no_coordinate() -> None:
    needed = analyse(find_crane("cablev")).path_derivatives
    assert needed.pop("x_0") == 2
    assert set(needed.values()) == {4}


def test_overhead_crane_offsets_are_those_found_by_hand() -> None:
    # Servo constraints four times, load motion and rope twice, the drives' motion not at all.
    structure = analyse(find_crane("overhead"))
    assert dict(zip(structure.equations, structure.equation_offsets, strict=True)) == {
        "motion s": 0,
        "motion l": 0,
        "motion x": 2,
        "motion z": 2,
        "constraint lambda": 2,
        "servo x": 4,
        "servo z": 4,
    }


# what is not flat has no stages of index 1
@pytest.mark.parametrize("name", mostly_further(FLAT, *(set(FLAT) - LONG)))
def test_index_is_one_more_than_the_highest_path_derivative_in_the_controls(name: str) -> None:
    # Independent of the signature method: perturb each path derivative and see whether u moves.
    crane = find_crane(name)
    structure = analyse(crane)
    stages = build_stages(structure)
    random = np.random.default_rng(3)
    count = len(stages.guess)
    w, gammas, p = (ca.SX.sym(n, *stages.finish.size_in(i)) for i, n in enumerate(("w", "g", "p")))
    # The unknowns of Newton's method depend on the path too: one Newton step carries that along.
    moved, _ = stages.sweep(w, gammas, p)
    u = stages.finish(moved, gammas, p)[0][stages.layout["u"]]
    jacobian = ca.Function("J", [w, gammas, p], [ca.jacobian(u, ca.vec(gammas))])
    values = np.array(
        jacobian(
            random.uniform(0.5, 1.5, count),
            random.uniform(0.5, 1.5, gammas.shape),
            random.uniform(0.5, 1.5, p.shape),
        )
    )
    by_order = np.abs(values).reshape(values.shape[0], gammas.shape[1], -1).max(axis=(0, 2))
    assert structure.index == 1 + int(np.flatnonzero(by_order > 1e-9).max())


def test_elastic_trolley_drive_is_flat_with_index_7() -> None:
    structure = analyse(find_crane("spring_trolley.py:SpringTrolley", EXAMPLES))
    assert structure.flat
    assert structure.index == 7
    assert structure.path_derivatives == {"x": 6, "z": 6}


def test_hook_path_of_a_double_pendulum_has_internal_dynamics_of_dimension_2() -> None:
    structure = analyse(find_crane("hook_path.py:HookPath", EXAMPLES))
    assert not structure.flat
    assert structure.internal_dynamics == 2
    with pytest.raises(StructureError, match=r"internal dynamics of dimension 2.*index-1 method"):
        build_stages(structure)


class _Rigid(Crane):
    """A mass that is pushed directly: index 3, and a second input that does nothing useful."""

    name = "rigid"
    description = "two masses, one pushed"
    coordinates = (Quantity("x", "m", "mass"), Quantity("y", "m", "other mass"))
    parameters = (Parameter("m", "kg", "mass", 1.0),)
    inputs = (Quantity("F", "N", "force"),)
    outputs = (Quantity("x", "m", "mass"),)

    def kinetic_energy(self, q, v, p):  # type: ignore[no-untyped-def]
        return 0.5 * p.m * (v.x**2 + v.y**2)

    def potential_energy(self, q, p):  # type: ignore[no-untyped-def]
        return 0.0

    def drive_power(self, q, v, u, p):  # type: ignore[no-untyped-def]
        return u.F * v.x

    def output_map(self, q, p):  # type: ignore[no-untyped-def]
        return {"x": q.x}


def test_directly_pushed_mass_has_index_3_and_its_free_neighbour_two_initial_values() -> None:
    structure = analyse(_Rigid())
    assert structure.index == 3
    assert structure.internal_dynamics == 2


def test_output_that_no_input_reaches_is_refused() -> None:
    class Unreached(_Rigid):
        name = "unreached"
        outputs = (Quantity("y", "m", "other mass"),)

        def output_map(self, q, p):  # type: ignore[no-untyped-def]
            return {"y": q.y}

    with pytest.raises(StructureError, match="structurally singular"):
        analyse(Unreached())


def test_more_outputs_than_inputs_are_refused() -> None:
    class Crowded(_Rigid):
        name = "crowded"
        outputs = (Quantity("x", "m", "mass"), Quantity("y", "m", "other"))

    with pytest.raises(StructureError, match="1 inputs for 2 outputs"):
        analyse(Crowded())


def test_massless_coordinate_with_fewer_derivatives_is_solved_with_its_rates() -> None:
    # The swing angle as a further coordinate without mass: its rates must come out too.
    from cranebridge.inverse.index1.solution import solve_index1
    from cranebridge.inverse.problem import ServoProblem
    from cranebridge.scenario import load_scenario
    from cranebridge.twin.cranes.overhead import OverheadCrane

    class WithAngle(OverheadCrane):
        name = "with-angle"
        coordinates = (*OverheadCrane.coordinates, Quantity("theta", "rad", "swing angle"))
        multipliers = (*OverheadCrane.multipliers, Quantity("lambda_theta", "N", "angle"))

        def constraints(self, q, p):  # type: ignore[no-untyped-def]
            angle = q.x - q.s - q.l * ca.sin(q.theta)
            return {**super().constraints(q, p), "lambda_theta": angle}

    plain = load_scenario("overhead").problem
    times = np.linspace(0.0, 3.0, 61)
    found = solve_index1(ServoProblem(WithAngle(), plain.path, plain.parameters), times, "never")
    exact = solve_index1(plain, times, "never")
    assert np.abs(found.u - exact.u).max() < 1e-9
    s, length, x = exact.q[:, 0], exact.q[:, 1], exact.q[:, 2]
    theta = np.arcsin((x - s) / length)
    assert found.q[:, 4] == pytest.approx(theta, abs=1e-13)
    rate = (exact.v[:, 2] - exact.v[:, 0] - exact.v[:, 1] * np.sin(theta)) / (
        length * np.cos(theta)
    )
    assert found.v[:, 4] == pytest.approx(rate, abs=1e-12)
