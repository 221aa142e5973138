"""The tower crane with a flexible jib: kinds of its internal dynamics, and what resists.

The benchmark's tables are compared in :mod:`test_inversion_benchmark`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from internal_cranes import jib_problem

from cranebridge.errors import SolutionError
from cranebridge.forward import simulate_twin
from cranebridge.inverse.classification import classify
from cranebridge.inverse.index1 import structure_of
from cranebridge.inverse.internal import internal_dynamics
from cranebridge.inverse.inversion import invert

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


@pytest.mark.parametrize("changes", [{}, {"L": 40.0, "rho": 90.0, "k_j": 3e4, "d_j": 250.0}])
@pytest.mark.parametrize("part", [0.2, 0.5, 0.75, 0.79, 0.9, 1.0])
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


@pytest.mark.parametrize("radius", [30.0, 48.0])
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


@pytest.mark.parametrize("radius", [38.4037, 38.404])
def test_path_on_the_critical_radius_is_refused_with_place(radius: float) -> None:
    # Within a millimetre of it the eigenvalues are beyond 1e4 1/s.
    with pytest.raises(SolutionError, match=r"too fast to be resolved.* s = 38\.4, .*singular"):
        invert(jib_problem(radius, radius), 0.01)
