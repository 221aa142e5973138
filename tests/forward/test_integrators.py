"""The integrators on examples of the literature: solutions, orders, and what they conserve."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from cranebridge.errors import InputError, SolutionError, StructureError
from cranebridge.forward import (
    METHODS,
    MechanicalSystem,
    SystemMotion,
    integrate,
    joint_reduction,
    make_scheme,
    null_space_scheme,
    run,
    simulate_minimal,
    system_of_crane,
)
from cranebridge.forward.examples import (
    dumbbell,
    five_bar,
    free_rotary_crane,
    joined_pair,
    squeezer,
    squeezer_configuration,
    squeezer_links,
)
from cranebridge.twin import find_crane
from cranebridge.twin.bodies.rotationless import DirectorBody, LowerPair, PlanarBody
from further import mostly_further

Case = Callable[[str], dict[str, Any]]
SECOND_ORDER = [name for name in METHODS if name != "implicit-euler"]
CONSERVING = ("energy-momentum", "null-space")
# The benchmark's published value of beta at 0.03 s (IVP test set).
BETA = 15.8107711963


def order(errors: list[float]) -> float:
    """Return the observed order of two errors, the second with half the step."""
    return float(np.log2(errors[0] / errors[1]))


# --- dumbbell: an ordinary differential equation, barely bound ---------------------------------

DUMBBELL_END = np.array([0.491864, 0.065294, -0.491864, 0.934706])


def dumbbell_run(method: str, steps: int) -> tuple[SystemMotion, float]:
    example = dumbbell()
    motion = integrate(example.system, method, example.q, example.v, np.linspace(0, 5, steps + 1))
    return motion, float(np.linalg.norm(motion.q[-1, 2:] - DUMBBELL_END[2:]))


def test_reference_of_the_dumbbell_is_that_of_an_independent_solver() -> None:
    def rates(t: float, state: np.ndarray) -> np.ndarray:
        d = state[:2] - state[2:4]
        r = np.linalg.norm(d)
        c = 2.0 ** (-1.0 / 6.0)
        slope = 4 * 16.2 * (-12 * c**12 / r**13 + 6 * c**6 / r**7)
        return np.concatenate([state[4:], -slope * d / r, slope * d / r])

    found = solve_ivp(
        rates, (0, 5), [0, 1, 0, 0, 5, 0, -5, 0], method="DOP853", rtol=1e-12, atol=1e-12
    )
    assert found.y[:4, -1] == pytest.approx(DUMBBELL_END, abs=2e-6)


def test_energy_momentum_keeps_energy_and_momenta_of_the_dumbbell() -> None:
    motion, error = dumbbell_run("energy-momentum", 500)
    assert motion.energy[0] == pytest.approx(8.8)
    assert motion.momenta[0] == pytest.approx([0, 0, -5])
    assert motion.energy_drift < 1e-10
    assert motion.momentum_drift < 1e-10
    assert error == pytest.approx(6.5e-3, rel=0.1)  # of a separate program, relative error of q_2


def test_symplectic_scheme_keeps_momentum_and_not_energy_of_the_dumbbell() -> None:
    motion, error = dumbbell_run("variational", 1000)
    assert motion.momentum_drift < 1e-10
    assert 1e-4 < motion.energy_drift < 2.0
    assert error == pytest.approx(2.5e-2, rel=0.2)


def test_generalized_alpha_and_euler_lose_energy_of_the_dumbbell() -> None:
    for method in ("generalized-alpha", "implicit-euler"):
        motion, _ = dumbbell_run(method, 2000)
        assert motion.energy[-1] < motion.energy[0] - 1e-4
        assert motion.momentum_drift > 1e-6


@pytest.mark.parametrize("method", SECOND_ORDER)
def test_error_of_the_dumbbell_falls_with_second_order(method: str) -> None:
    errors = [dumbbell_run(method, steps)[1] for steps in (4000, 8000)]
    assert order(errors) == pytest.approx(2.0, abs=0.15)


# --- rotary crane in free motion: 42 coordinates, 37 constraints --------------------------------


def crane_run(method: str, steps: int, end: float = 1.0) -> SystemMotion:
    example = free_rotary_crane(1.5)
    return integrate(example.system, method, example.q, example.v, np.linspace(0, end, steps + 1))


@pytest.mark.parametrize("method", CONSERVING)
def test_conserving_schemes_keep_energy_and_momentum_of_the_free_crane(
    method: str, case: Case
) -> None:
    reference = case("rotary-free")
    motion = crane_run(method, 100)
    assert motion.energy[0] == pytest.approx(reference["invariants"]["total_energy_J"])
    assert motion.momenta[0, 0] == pytest.approx(reference["invariants"]["angular_momentum_Lz"])
    assert motion.energy_drift < 1e-10 * abs(motion.energy[0])
    assert motion.momentum_drift < 1e-10
    # Conservation alone proves nothing: the motion is still 2.6 cm off at this step.
    error = np.abs(motion.q[-1, 36:39] - reference["data"]["payload"][-1]).max()
    assert error == pytest.approx(
        reference["verification"]["BEM_dt_0p01"]["payload_error_at_1s"], 1e-4
    )


@pytest.mark.parametrize("method", SECOND_ORDER)
def test_free_crane_converges_to_the_reference_with_second_order(method: str, case: Case) -> None:
    payload = case("rotary-free")["data"]["payload"][10]
    errors = [
        float(np.abs(crane_run(method, steps, 0.5).q[-1, 36:39] - payload).max())
        for steps in (100, 200)
    ]
    assert order(errors) == pytest.approx(2.0, abs=0.1)
    assert errors[1] < 1e-3


def test_drift_of_the_other_schemes_on_the_free_crane_is_that_of_theory() -> None:
    coarse, fine = crane_run("midpoint", 100), crane_run("midpoint", 200)
    assert order([coarse.energy_drift, fine.energy_drift]) == pytest.approx(2.0, abs=0.2)
    assert fine.momentum_drift < 1e-9
    symplectic = crane_run("variational", 100)
    assert symplectic.momentum_drift < 1e-10
    assert symplectic.velocity_error < 1e-10  # the others meet G v = 0 in the mean only
    assert 0.1 < symplectic.energy_drift < 10.0
    damped = crane_run("generalized-alpha", 100)
    assert damped.energy[-1] < damped.energy[0] - 1.0
    assert damped.momentum_drift > 1e-4
    euler = crane_run("implicit-euler", 100)
    assert euler.energy[-1] < damped.energy[-1]


def test_reduced_scheme_gives_the_motion_of_the_full_one() -> None:
    full, reduced = crane_run("energy-momentum", 50, 0.5), crane_run("null-space", 50, 0.5)
    assert np.abs(full.q - reduced.q).max() < 1e-9


def test_tight_reference_in_minimal_coordinates_agrees_with_the_stored_one(case: Case) -> None:
    reference, example = case("rotary-free"), free_rotary_crane(1.5)
    motion = simulate_minimal(
        example.system, example.q, example.v, np.linspace(0, 0.5, 11), rtol=1e-10
    )
    payload = np.array(reference["data"]["payload"])[:11]
    assert np.abs(motion.q[:, 36:39] - payload).max() < 1e-8
    assert np.abs(motion.q[:, 41] - reference["data"]["winch_angle"][:11]).max() < 1e-7
    assert motion.constraint_error < 1e-12


# --- Andrews' squeezer: 43 coordinates, 42 constraints ------------------------------------------


@cache
def squeezer_scheme(method: str) -> tuple[Any, Any]:
    example = squeezer()
    return make_scheme(example.system, method, example.q), example


@cache
def squeezer_run(method: str, steps: int) -> SystemMotion:
    scheme, example = squeezer_scheme(method)
    return run(scheme, example.q, example.v, np.linspace(0.0, 0.03, steps + 1))


# The order of each is shown by the dumbbell and the crane, too.
squeezing = pytest.mark.parametrize(
    "method", mostly_further(SECOND_ORDER, "generalized-alpha", "null-space")
)


@squeezing
def test_squeezer_reaches_the_published_angle_with_second_order(method: str) -> None:
    beta = [squeezer_run(method, steps).q[-1, 42] for steps in (400, 800)]
    errors = [abs(value - BETA) for value in beta]
    assert order(errors) == pytest.approx(2.0, abs=0.1)
    assert errors[1] < 1e-2
    # Richardson's extrapolation of two runs that are 1e-2 and 1e-3 off
    assert (4 * beta[1] - beta[0]) / 3 == pytest.approx(BETA, abs=1e-4)


@squeezing
def test_hinges_of_the_squeezer_are_where_the_benchmark_has_them(method: str, case: Case) -> None:
    q = ca.SX.sym("q", 43)
    hinges = squeezer_links([PlanarBody.of(q[6 * i : 6 * i + 6]) for i in range(7)])
    for name in "PEFG":
        function = ca.Function("hinge", [q], [hinges[name][0]])
        coarse, fine = (
            np.array(function(squeezer_run(method, steps).q[steps // 2])).T[0]
            for steps in (400, 800)
        )
        wanted = case("andrews")["data"][f"joint_{name}"][10]  # at 15 ms
        assert (4 * fine - coarse) / 3 == pytest.approx(wanted, abs=1e-8)


def test_implicit_euler_follows_the_squeezer_with_first_order(case: Case) -> None:
    example = squeezer()
    wanted = case("andrews")["data"]["q"][4][0]  # at 6 ms
    errors = []
    for steps in (300, 600):
        times = np.linspace(0.0, 0.006, steps + 1)
        motion = integrate(example.system, "implicit-euler", example.q, example.v, times)
        errors.append(abs(motion.q[-1, 42] - wanted))
    assert order(errors) == pytest.approx(1.0, abs=0.1)
    assert errors[1] < 5e-3


def test_conserving_schemes_keep_energy_of_the_squeezer() -> None:
    for method in CONSERVING:
        assert squeezer_run(method, 800).energy_drift < 1e-10
    assert squeezer_run("midpoint", 800).energy_drift > 1e-6
    assert squeezer_run("variational", 800).energy_drift > 1e-5


def test_squeezer_starts_with_the_published_accelerations(case: Case) -> None:
    example, reference = squeezer(), case("andrews")
    a, _ = example.system.accelerations(example.q, example.v, np.zeros(0))
    assert a[42] == pytest.approx(reference["initial_configuration"]["q_ddot"][0], rel=1e-9)
    for angles in reference["data"]["q"]:
        g = example.system.observed(squeezer_configuration(angles), np.zeros(43))[2]
        assert np.abs(np.array(g)).max() < 1e-11


# --- condition of the iteration matrix -----------------------------------------------------------


def growth(conditions: list[float]) -> float:
    """Return the exponent of a quantity in 1/h, from values at steps a decade apart."""
    return float(np.log10(conditions[1] / conditions[0]))


def test_condition_of_the_full_scheme_grows_with_the_inverse_cube_of_the_step() -> None:
    for example in (free_rotary_crane(), squeezer()):
        full = make_scheme(example.system, "energy-momentum", example.q)
        reduced = make_scheme(example.system, "null-space", example.q)
        steps = (1e-3, 1e-4) if example.system.name != "squeezer" else (1e-5, 1e-6)
        assert growth([full.condition(example.q, example.v, h) for h in steps]) == pytest.approx(
            3.0, abs=0.1
        )
        assert growth([reduced.condition(example.q, example.v, h) for h in steps]) == pytest.approx(
            0.0, abs=0.01
        )


def test_closed_forms_of_a_joint_reduce_the_scheme_to_its_freedoms() -> None:
    # like the free-flying pair of Uhlar 2009, Table 5.3: a cylindrical pair
    joint = LowerPair("cylindrical", place_1=(0.1, 0.0, 0.2), place_2=(0.0, 0.3, -0.4))
    upright = tuple(ca.DM.eye(3)[:, i] for i in range(3))
    first = DirectorBody(ca.DM([0.0, 0.0, 0.0]), upright)
    second = DirectorBody(ca.DM([0.1, -0.3, -1.4]), upright)
    example = joined_pair(
        joint,
        (3.0, 4.0),
        ((0.36, 0.5, 1.6), (0.48, 0.3, 0.6)),
        (first, second),
        (1.5, 0.1, 0.0, 1.2, 0.4, 0.3, 0.5, 2.0),
    )
    full = make_scheme(example.system, "energy-momentum", example.q)
    reduced = null_space_scheme(example.system, example.q, joint_reduction(joint))
    assert reduced.residual.size1_out(0) == 8
    times = np.linspace(0.0, 1.0, 51)
    runs = [run(scheme, example.q, example.v, times) for scheme in (full, reduced)]
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-10
    for motion in runs:
        assert motion.energy_drift < 1e-10
        assert motion.momentum_drift < 1e-10
    tight = simulate_minimal(example.system, example.q, example.v, times[[0, -1]], rtol=1e-10)
    assert np.abs(runs[1].q[-1] - tight.q[-1]).max() < 2e-3
    assert len(tight.choices) > 1  # the bodies turn: no components parametrise them for long
    steps = (1e-2, 1e-3)
    assert growth([full.condition(example.q, example.v, h) for h in steps]) == pytest.approx(
        3, abs=0.1
    )
    assert growth([reduced.condition(example.q, example.v, h) for h in steps]) == pytest.approx(
        0, abs=0.01
    )


# --- what is refused ------------------------------------------------------------------------------


def test_a_joint_angle_on_the_wrong_branch_is_refused() -> None:
    # half a turn off: all constraints hold, energy would be conserved, the motion is wrong
    example = free_rotary_crane()
    q = example.q.copy()
    q[39] += np.pi
    with pytest.raises(SolutionError, match="wrong branch"):
        integrate(example.system, "energy-momentum", q, example.v, [0.0, 1e-3])


def test_conserving_schemes_refuse_a_mass_matrix_that_depends_on_the_coordinates() -> None:
    example = five_bar()
    for method in CONSERVING:
        with pytest.raises(StructureError, match="constant mass matrix"):
            make_scheme(example.system, method, example.q)


def test_crane_with_conditions_of_its_own_is_sent_to_simulate_twin() -> None:
    with pytest.raises(StructureError, match="simulate_twin"):
        system_of_crane(find_crane("navy2d"))


def test_inconsistent_start_and_unknown_method_are_refused() -> None:
    example = free_rotary_crane()
    with pytest.raises(InputError, match="does not fit its constraints"):
        integrate(example.system, "midpoint", example.q + 0.1, example.v, [0.0, 0.1])
    with pytest.raises(InputError, match="midpoint"):
        integrate(example.system, "mid-point", example.q, example.v, [0.0, 0.1])


def test_a_step_that_does_not_converge_is_refused_with_its_time() -> None:
    q, v = ca.SX.sym("q", 1), ca.SX.sym("v", 1)
    # implicit Euler on a force without a solution: q^2 = -1 - ...
    wall = MechanicalSystem("wall", q, v, 0.5 * ca.sumsqr(v), ca.SX(0), force=1e6 * (1 + q**2))
    with pytest.raises(SolutionError, match=r"step to t = 0\.1 s"):
        integrate(wall, "implicit-euler", [0.0], [0.0], [0.0, 0.1, 0.2])


def test_inputs_act_at_the_point_of_the_scheme() -> None:
    # a mass under the force t: x = t^3/6, exactly second order for all schemes but Euler
    q, v, u = ca.SX.sym("q", 1), ca.SX.sym("v", 1), ca.SX.sym("u", 1)
    mass = MechanicalSystem("mass", q, v, 0.5 * ca.sumsqr(v), ca.SX(0), u=u, force=u)
    for method, expected in zip(METHODS, (1, 2, 2, 2, 2, 2), strict=True):
        errors = []
        for steps in (20, 40):
            motion = integrate(
                mass, method, [0.0], [0.0], np.linspace(0, 1, steps + 1), lambda t: [t]
            )
            errors.append(abs(motion.q[-1, 0] - 1 / 6))
        assert order(errors) == pytest.approx(expected, abs=0.15)
