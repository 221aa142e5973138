"""The tower crane with a flexible jib: kinds of its internal dynamics, and what resists.

The benchmark's tables are compared in :mod:`test_inversion_benchmark`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from internal_cranes import jib_problem
from redundant_cranes import SwingingFlexibleJib

from cranebridge.errors import SolutionError
from cranebridge.forward import simulate_twin
from cranebridge.inverse import ServoProblem
from cranebridge.inverse.index1.solvers import structure_of
from cranebridge.inverse.internal.bounded_motion import integrated
from cranebridge.inverse.internal.classification import classify
from cranebridge.inverse.internal.dynamics import internal_dynamics
from cranebridge.inverse.internal.inversion import invert
from cranebridge.path import Cylindrical, polynomial
from further import further, mostly_further

RESISTING = {
    "d_b": 5e4,
    "M_cb": 2e4,
    "d_t": 300.0,
    "F_ct": 500.0,
    "v_c": 0.2,
    "d_w": 50.0,
    "M_cw": 200.0,
    "omega_c": 0.05,
    "c_d": 5.0,
    "w_x": 8.0,
    "w_y": -5.0,
}


def test_structure_is_that_of_the_benchmark() -> None:
    # C.4: P needs two derivatives of the path, M_b two of P; eta is free
    structure = structure_of(jib_problem(30.0, 30.0))
    assert (structure.index, structure.internal_dynamics) == (5, 2)
    assert structure.path_derivatives == {"x": 4, "y": 4, "z": 4}


def test_structure_in_swing_angles_is_the_same_after_a_combination() -> None:
    problem = jib_problem(30.0, 30.0)
    natural = structure_of(replace(problem, crane=SwingingFlexibleJib()))
    assert (natural.index, natural.internal_dynamics) == (5, 2)
    assert natural.path_derivatives == {"x": 4, "y": 4, "z": 4}
    assert natural.combinations  # the signature alone would have been wrong


@pytest.mark.parametrize("radius", [further(30.0), 48.0])
def test_solution_in_swing_angles_is_the_same(radius: float) -> None:
    times = np.linspace(-0.5 if radius > 40.0 else 0.0, 16.0, 201)
    require_same_solution_in_swing_angles(jib_problem(radius, radius), times)


# That swing angles change nothing is shown above, and that friction and wind are led against, by
# test_controls_lead_the_crane_with_friction_and_wind_along_the_path.
@pytest.mark.slow
@pytest.mark.further
def test_solution_in_swing_angles_is_the_same_with_friction_and_wind() -> None:
    # a third of the path in a third of the time: friction and wind act at the same speeds
    free = jib_problem(30.0, 30.0)
    ends = (30.0, 0.0, -20.0), (30.0, np.pi / 9.0, -18.0)
    path = Cylindrical(("x", "y", "z"), polynomial(5.0), *ends)
    problem = replace(free, path=path, parameters=dict(free.parameters) | RESISTING)
    require_same_solution_in_swing_angles(problem, np.linspace(0.0, 6.0, 201))


def require_same_solution_in_swing_angles(problem: ServoProblem, times: np.ndarray) -> None:
    own, other = (
        invert(replace(problem, crane=crane), 0.01, after=1.0)
        for crane in (problem.crane, SwingingFlexibleJib())
    )
    assert own.kind.kind == other.kind.kind
    np.testing.assert_allclose(own.kind.start.eigenvalues, other.kind.start.eigenvalues, rtol=1e-7)
    first, second = own.at(times), other.at(times)
    for values, wanted in ((second.q[:, :4], first.q[:, :4]), (second.u, first.u)):
        # both motions of eta are known to 1e-10 of its range, of which M_b is made
        assert (np.abs(values - wanted).max(axis=0) < 1e-10 * np.ptp(wanted, axis=0)).all()


PARTS = (0.2, 0.5, 0.75, 0.79, 0.9, 1.0)
CHANGES = ({}, {"L": 40.0, "rho": 90.0, "k_j": 3e4, "d_j": 250.0})


# always on both sides of the critical part, 0.768, and with other parameters
@pytest.mark.parametrize(
    ("part", "changes"),
    mostly_further(
        ((part, changes) for part in PARTS for changes in CHANGES),
        *((0.75, CHANGES[0]), (0.79, CHANGES[0]), (1.0, CHANGES[1])),
    ),
)
def test_eigenvalues_are_those_of_the_effective_mass(part: float, changes: dict) -> None:
    # (m_ee - m_pe psi(s)/s) eta'' + d eta' + k eta = 0: masses of trolley and load cancel
    L = changes.get("L", 50.0)
    problem = jib_problem(part * L, part * L)
    p = dict(problem.parameters) | changes | {"m": 3500.0, "m_t": 700.0}
    kind = classify(internal_dynamics(replace(problem, parameters=p)))
    mass = p["rho"] * L * (33 / 140 - 0.275 * part * (3 - part) / 2)
    wanted = np.roots([mass, p["d_j"], p["k_j"]])
    found = kind.start.eigenvalues
    np.testing.assert_allclose(np.sort_complex(found), np.sort_complex(wanted), rtol=1e-7)
    critical = (3 - np.sqrt(15 / 7)) / 2
    assert kind.kind == ("stable" if part < critical else "saddle")


@pytest.mark.parametrize("radius", [30.0, further(48.0)])
def test_controls_lead_the_crane_with_friction_and_wind_along_the_path(radius: float) -> None:
    free = jib_problem(radius, radius)
    problem = replace(free, parameters=dict(free.parameters) | RESISTING)
    end = problem.path.duration
    found = invert(problem, 0.01, after=1.0)
    first = -found.window.before
    solution = found.at(np.linspace(first, end, 5001))
    times = np.linspace(first, end, 31)
    run = simulate_twin(
        problem.crane,
        problem.parameters,
        solution.q[0],
        solution.v[0],
        solution.controls,
        times,
        breaks=problem.path.knots,
        rtol=1e-12,
    )
    # cubic controls between times 3 to 4 ms apart
    assert np.abs(run.outputs - problem.path(times).T).max() < 1e-8
    without = invert(free, 0.01, after=1.0).at(np.array([0.3, 0.5]) * end)
    change = np.abs(found.at(without.time).u - without.u).max(axis=0)
    assert (change > [1e4, 100.0, 50.0]).all()  # 0.15 rad/s, 1 m/s and the wind resist


def test_wind_bends_the_jib_at_rest_and_leans_the_rope() -> None:
    # At phi = 0 the air pushes with D along x and y: eta = psi(s) D_y / k, x - s = l D_x / T
    problem = jib_problem(30.0, 30.0)
    wind = {"c_d": 5.0, "w_x": 8.0, "w_y": -5.0}
    windy = replace(problem, parameters=dict(problem.parameters) | wind)
    phi, s, length, eta, x, y, z = internal_dynamics(windy).rest.x[0, :7]
    force = 5.0 * np.sqrt(8.0**2 + 5.0**2 + 0.1**2) * np.array([8.0, -5.0])
    across = force @ [-np.sin(phi), np.cos(phi)]
    psi = s**2 * (150.0 - s) / 250000.0
    assert eta == pytest.approx(psi * across / 2e4, rel=1e-9)
    trolley = s * np.array([np.cos(phi), np.sin(phi)])
    trolley += psi * eta * np.array([-np.sin(phi), np.cos(phi)])
    np.testing.assert_allclose([x, y] - trolley, 20.0 * force / (2000.0 * 9.81), rtol=1e-9)
    assert length == pytest.approx(np.linalg.norm([*([x, y] - trolley), z]), rel=1e-12)


@pytest.mark.parametrize("radius", [further(38.4037), 38.404])
def test_path_on_the_critical_radius_is_refused_with_place(radius: float) -> None:
    # Within a millimetre of it the eigenvalues are beyond 1e4 1/s.
    with pytest.raises(SolutionError, match=r"too fast to be resolved.* s = 38\.4, .*singular"):
        invert(jib_problem(radius, radius), 0.01)


def trolley_of_the_load(problem: ServoProblem, times: np.ndarray) -> np.ndarray:
    """Horizontal position of the trolley: on the line of the rope force m (a + g e_z), at z = 0."""
    position, _, acceleration = problem.path.derivatives(times, 2)
    return position[:2] - position[2] / (9.81 + acceleration[2]) * acceleration[:2]


CRITICAL = 25.0 * (3.0 - np.sqrt(15.0 / 7.0))


# That what is met on the way between two stable ends is refused with its place is also shown by
# test_jib_out_and_back_over_its_critical_radius_is_refused_with_place, and its time by the test
# before that one (test_inversion_refusals.py).
@pytest.mark.further
def test_trolley_that_swings_out_over_the_critical_radius_is_refused_with_time_and_place() -> None:
    # The load stays inside, the trolley leads it: 14 mm further out at 2.5 s. Its bending moves
    # it by less than 0.2 mm along the jib.
    problem = jib_problem(38.392, 38.392)
    times = np.linspace(0.0, 7.0, 7001)
    beyond = times[np.hypot(*trolley_of_the_load(problem, times)) > CRITICAL]
    with pytest.raises(SolutionError, match="the inversion is singular near t = ") as error:
        invert(problem, 0.01, after=2.0)
    text = str(error.value)
    assert beyond.min() < float(text.split("t = ")[1].split()[0]) < beyond.max()
    assert float(text.split(", s = ")[1].split(",")[0]) == pytest.approx(CRITICAL, abs=0.01)


def test_trolley_that_stays_just_inside_the_critical_radius_is_led() -> None:
    problem = jib_problem(38.39, 38.39)
    times = np.linspace(0.0, 15.0, 301)
    trolley = np.hypot(*trolley_of_the_load(problem, times))
    assert CRITICAL - 1e-3 < trolley.max() < CRITICAL
    found = invert(problem, 0.01, after=2.0)
    solution = found.at(times)
    s, eta = solution.q[:, 1], solution.q[:, 3]
    side = s**2 * (150.0 - s) / 250000.0 * eta
    np.testing.assert_allclose(np.hypot(s, side), trolley, rtol=1e-12)


@pytest.mark.parametrize(("radius", "damping"), [(48.0, 100.0), further(30.0, 1e4)])
def test_stiff_jib_bends_as_statics_say(radius: float, damping: float) -> None:
    # Eigenvalues of some 1000 1/s, ten times as many as intervals of the first mesh. In the limit
    # k eta = -m_pe phi'' - psi(s) (m a + m_t a_t) . e_phi, with the motion of a rigid jib; eta
    # changes that by 1e-6, and vibrations in 1 ms do by as much.
    free = jib_problem(radius, radius)
    stiff = {"k_j": 2e8, "d_j": damping}
    problem = replace(free, parameters=dict(free.parameters) | stiff)
    times = np.linspace(0.5, 14.5, 141)
    found = invert(problem, 0.01, after=0.5)
    assert np.abs(found.kind.start.eigenvalues).max() > 900.0
    h = 1e-3
    before, at, after = (trolley_of_the_load(problem, times + dt) for dt in (-h, 0.0, h))
    phi = [np.arctan2(part[1], part[0]) for part in (before, at, after)]
    across = np.stack([-np.sin(phi[1]), np.cos(phi[1])])
    of_trolley = ((before - 2.0 * at + after) / h**2 * across).sum(axis=0)
    of_load = (problem.path.derivatives(times, 2)[2, :2] * across).sum(axis=0)
    s = np.hypot(*at)
    moment = 0.275 * 120.0 * 50.0**2 * (phi[0] - 2.0 * phi[1] + phi[2]) / h**2
    psi = s**2 * (150.0 - s) / 250000.0
    wanted = -(moment + psi * (2000.0 * of_load + 300.0 * of_trolley)) / 2e8
    eta = found.at(times).q[:, 3]
    np.testing.assert_allclose(eta, wanted, rtol=0.0, atol=1e-4 * np.abs(wanted).max())


@pytest.mark.parametrize("radius", [30.0, further(48.0)])
def test_jib_that_is_nearly_rigid_is_refused_with_its_eigenvalues(radius: float) -> None:
    # It bends by 1e-7 m, and rounding is 1e-8 of that: sqrt(k / |effective mass|) = 9401 and 9965.
    free = jib_problem(radius, radius)
    problem = replace(free, parameters=dict(free.parameters) | {"k_j": 2e10})
    with pytest.raises(SolutionError, match=r"9(401|965)\.\d+.* 1/s near t = .*very stiff"):
        invert(problem, 0.01, after=20.0)


def test_stiff_vibration_over_a_long_window_is_refused_with_its_eigenvalues() -> None:
    # 5200 periods that hardly decay, each of which would need some 10 intervals; at 30 m the
    # effective mass is 226.29 kg.
    free = jib_problem(30.0, 30.0)
    problem = replace(free, parameters=dict(free.parameters) | {"k_j": 2e8})
    with pytest.raises(SolutionError, match=r"not resolved .*damping.*eigenvalues .*940\.127"):
        invert(problem, 0.01, after=20.0)


def test_explicit_integration_of_what_becomes_stiff_ends_with_eigenvalues_and_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # d / (effective mass) grows beyond bounds where the trolley comes to the critical radius.
    monkeypatch.setattr("cranebridge.inverse.internal.bounded_motion.MOST_EVALUATIONS", 5_000)
    problem = jib_problem(38.395, 38.395)
    strong = replace(problem, parameters=dict(problem.parameters) | {"d_j": 300.0})
    dynamics = internal_dynamics(strong)
    with pytest.raises(SolutionError, match=r"eigenvalues .*-\d{4}.* t = [12]\.\d+ s .*s = 38\.4,"):
        integrated(dynamics, np.array([0.0, 15.0]), dynamics.rest_state(end=False))


def test_path_close_outside_of_the_critical_radius_is_refused_with_eigenvalues() -> None:
    # 16 mm outside; the centrifugal force leans the rope by up to 1.5 m, which leads inside.
    problem = jib_problem(38.42, 38.42)
    trolley = np.hypot(*trolley_of_the_load(problem, np.array([0.0, 7.5])))
    assert trolley[0] > CRITICAL > trolley[1]
    with pytest.raises(SolutionError, match=r"eigenvalues -131\.8\d+, 386\.6\d+ .*singular"):
        invert(problem, 0.01, after=2.0)
