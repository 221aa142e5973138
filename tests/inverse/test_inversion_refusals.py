"""Internal dynamics that have no bounded motion, singular inversions, and what forward steps do."""

from __future__ import annotations

import numpy as np
import pytest
from internal_cranes import (
    MastCrane,
    MastOfChangingFriction,
    MastWithPendulum,
    RodCrane,
    hook_problem,
    jib_problem,
    mast_problem,
    problem_of,
)
from scipy.integrate import solve_ivp

from cranebridge.errors import SolutionError, StructureError
from cranebridge.inverse import ServoProblem
from cranebridge.inverse.internal.bounded_motion import integrated
from cranebridge.inverse.internal.dynamics import internal_dynamics
from cranebridge.inverse.internal.inversion import invert
from cranebridge.path import Cylindrical, Line, Stops, polynomial
from cranebridge.twin import find_crane

PATH = Line(("y",), (0.0,), (3.0,), polynomial(3.0))


def test_centre_with_unstable_directions_is_refused_with_eigenvalues() -> None:
    # The pendulum hangs from the trolley, which the led tip does not hold: sqrt(g / 1 m) = 3.132.
    with pytest.raises(StructureError, match=r"oscillating and unstable.*3\.132.*2\.743"):
        invert(problem_of(MastWithPendulum(), PATH), 0.01)


def test_ends_that_do_not_fit_are_refused_with_eigenvalues_of_both() -> None:
    # Closed form at a = 1 m: (I_p - m l_c a) phi'' + k (1 - s) phi' + m g l_c phi = 0, so that the
    # real parts are -k (1 - s) / 2000 with k = 200 N m s: -0.1 at s = 0, 0.2 at s = 3 m.
    problem = problem_of(MastOfChangingFriction(), PATH, a=1.0, k=200.0)
    with pytest.raises(StructureError, match=r"0 unstable.*-0\.1 \+ 2.*2 at its end \(0\.2 \+ 2"):
        invert(problem, 0.01)


def test_jib_over_its_critical_radius_is_refused_with_time_and_place() -> None:
    # s_c = L (3 - sqrt(15/7)) / 2; the path's radius says when it is reached.
    problem = jib_problem(30.0, 46.0)
    critical = 25.0 * (3.0 - np.sqrt(15.0 / 7.0))
    times = np.linspace(0.0, 15.0, 1501)
    when = np.interp(critical, np.hypot(*problem.path(times)[:2]), times)
    with pytest.raises(SolutionError, match="the inversion is singular near t = ") as error:
        invert(problem, 0.01)
    text = str(error.value)
    assert float(text.split("t = ")[1].split()[0]) == pytest.approx(when, abs=0.05)
    assert float(text.split(", s = ")[1].split(",")[0]) == pytest.approx(critical, abs=0.1)


def test_jib_out_and_back_over_its_critical_radius_is_refused_with_place() -> None:
    # Both ends are stable: nothing but the way between them tells.
    points = ((30.0, 0.0, -20.0), (46.0, 1.0, -20.0), (30.0, 0.0, -20.0))
    profiles = tuple(polynomial(8.0, begin=8.0 * leg) for leg in (0, 1))
    path = Stops(("x", "y", "z"), points, profiles)
    problem = problem_of(find_crane("flexible-jib"), path)
    with pytest.raises(SolutionError, match=r"singular near t = .*s = 38"):
        invert(problem, 0.01)


def test_mast_too_fast_for_its_angle_is_refused_with_time_and_place() -> None:
    # The inversion is singular at cos^2 phi = a*/a, 35.26 degrees for the tip.
    with pytest.raises(SolutionError, match=r"singular near t = .*phi = -?0\.[456]"):
        invert(mast_problem(4.0, 50.0, duration=1.2), 0.01)


def test_point_at_the_centre_of_oscillation_has_no_internal_dynamics_to_solve() -> None:
    # a* = I_p / (m l_c): flat there, and only there, which the structure cannot see.
    with pytest.raises(SolutionError, match="singular"):
        invert(mast_problem(16.0 / 6.0, 0.0), 0.01)


def test_flat_crane_is_sent_to_index_1() -> None:
    crane = find_crane("overhead")
    path = Line(("x", "z"), (0.0, -5.0), (1.0, -5.0), polynomial(5.0))
    with pytest.raises(StructureError, match="index1"):
        invert(ServoProblem(crane, path, crane.parameter_values()), 0.01)


def test_path_that_is_not_smooth_enough_is_refused() -> None:
    path = Line(("y",), (0.0,), (3.0,), polynomial(3.0, smoothness=1))
    with pytest.raises(StructureError, match="not smooth enough"):
        invert(problem_of(MastCrane(), path), 0.01)


def test_negative_friction_is_solved_backwards_as_the_mirror_of_friction() -> None:
    # Run backwards, friction drives: with y -> 3 - y, t -> 3 - t the mast with k becomes that
    # with -k, phi changes its sign and so does F.
    times = np.linspace(-2.0, 5.0, 141)
    stable = invert(mast_problem(1.0, 200.0), 0.05, before=2.0, after=2.0).at(times)
    found = invert(mast_problem(1.0, -200.0), 0.05, before=2.0, after=2.0)
    mirrored = found.at(times)
    assert found.kind.kind == "unstable"
    np.testing.assert_allclose(mirrored.u[::-1], -stable.u, rtol=0.0, atol=1e-6)
    np.testing.assert_allclose(mirrored.q[::-1, 1], -stable.q[:, 1], rtol=0.0, atol=1e-9)


@pytest.mark.parametrize(
    ("problem", "eigenvalue", "later"),
    [
        (
            problem_of(MastCrane(), Line(("y",), (0.0,), (1e-4,), polynomial(1.0)), a=4.0, k=50.0),
            2.743901205,
            (0.5, 1.5),
        ),
        (
            problem_of(
                find_crane("flexible-jib"),
                Cylindrical(
                    ("x", "y", "z"), polynomial(0.5), (48.0, 0.0, -20.0), (48.0, 1e-12, -20.0)
                ),
            ),
            10.216685,
            (0.3, 0.7),
        ),
    ],
    ids=["mast", "jib"],
)
def test_saddle_integrated_forward_from_rest_diverges_with_its_eigenvalue(
    problem: ServoProblem, eigenvalue: float, later: tuple[float, float]
) -> None:
    dynamics = internal_dynamics(problem)
    end = problem.path.duration
    state = dynamics.rest_state(end=False)
    times = end + np.array(later)
    motion = integrated(dynamics, np.array([0.0, times[1]]), state, tolerance=1e-10)
    growth = motion(times) - dynamics.rest_state(end=True)
    rate = np.log(np.abs(growth[1] / growth[0])) / (later[1] - later[0])
    # what decays meanwhile, and what the nonlinearity adds, is a thousandth of it
    np.testing.assert_allclose(rate, eigenvalue, rtol=3e-3)


def test_hook_from_a_sudden_path_has_a_slack_rope_and_is_refused() -> None:
    problem = hook_problem(0.0)
    fast = problem_of(problem.crane, Line(("x", "z"), (0.0, 4.0), (5.0, 2.0), polynomial(2.0)))
    found = invert(fast, 0.01)
    with pytest.raises(SolutionError, match="singular"):
        found.at(np.linspace(0.0, 2.0, 401))


def test_redundant_rod_swings_as_the_pendulum_that_it_is() -> None:
    # s = y: theta'' = -(y'' cos(theta) + g sin(theta)) / L, integrated here by another program
    path = Line(("y",), (0.0,), (1.0,), polynomial(2.0))
    found = invert(problem_of(RodCrane(), path), 0.01)
    assert found.kind.kind == "oscillating"
    np.testing.assert_allclose(found.kind.start.eigenvalues.imag, [9.81**0.5, -(9.81**0.5)])
    times = np.linspace(0.0, 2.0, 21)

    def pendulum(t: float, y: np.ndarray) -> list[float]:
        wanted = path.derivatives(np.array([t]), 2)[2, 0, 0]
        return [y[1], -(wanted * np.cos(y[0]) + 9.81 * np.sin(y[0]))]

    theta = solve_ivp(pendulum, (0.0, 2.0), [0.0, 0.0], "DOP853", times, rtol=1e-12, atol=1e-13)
    q = found.at(times).q
    np.testing.assert_allclose(q[:, 1] - q[:, 0], np.sin(theta.y[0]), rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(-q[:, 2], np.cos(theta.y[0]), rtol=0.0, atol=1e-9)


def test_free_states_that_do_not_serve_all_along_are_refused() -> None:
    # Stopped from 20 m/s^2, the rod swings beyond 90 degrees, where x no longer tells z.
    fast = problem_of(RodCrane(), Line(("y",), (0.0,), (5.0,), polynomial(1.2)))
    with pytest.raises(SolutionError, match=r"q\.x, q\.x'.* do not tell the motion near t = 0\.5"):
        invert(fast, 0.01)
