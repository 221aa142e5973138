"""Collocation at Gauss points against closed forms: accuracy, orders, refinement, failure."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from cranebridge.errors import SolutionError
from cranebridge.inverse.internal.boundary_problem import (
    Boundary,
    Rate,
    _solve_on,
    solve_collocation,
)

Array = NDArray[np.float64]

POSITION = np.array([[1.0, 0.0]])
SCALE = np.full(2, 1e-9)


def linear(matrix: Array) -> Rate:
    """Return y' = A y with its Jacobian."""
    return lambda t, y: (y @ matrix.T, np.broadcast_to(matrix, (t.size, *matrix.shape)).copy())


def bratu(t: Array, y: Array) -> tuple[Array, Array]:
    """Return y'' = -exp(y)."""
    by_y = np.zeros((t.size, 2, 2))
    by_y[:, 0, 1], by_y[:, 1, 0] = 1.0, -np.exp(y[:, 0])
    return np.column_stack([y[:, 1], -np.exp(y[:, 0])]), by_y


def test_boundary_layers_of_a_saddle_are_resolved_to_the_tolerance() -> None:
    # y'' = 200^2 y, y(0) = 1, y(1) = 1: layers of 5 ms at both ends, y = e^-100 between them.
    rate = 200.0
    found = solve_collocation(
        linear(np.array([[0.0, 1.0], [rate**2, 0.0]])),
        Boundary(POSITION, np.array([1.0, 0.0])),
        Boundary(POSITION, np.array([1.0, 0.0])),
        np.linspace(0.0, 1.0, 5),
        lambda t: np.zeros((t.size, 2)),
        SCALE,
        1e-10,
    )
    times = np.linspace(0.0, 1.0, 2001)
    exact = np.exp(-rate * times) + np.exp(rate * (times - 1.0))
    assert np.abs(found.polynomial(times)[:, 0] - exact).max() < 1e-10
    assert found.error <= 1e-10
    # the mesh is fine where the layers are
    steps = np.diff(found.mesh)
    assert steps[0] < 0.1 * steps.max()


def test_nonlinear_problem_of_bratu() -> None:
    # y = -2 ln(cosh((t - 1/2) w / 2) / cosh(w / 4)) with w = sqrt(2) cosh(w / 4)
    w = 1.5
    for _ in range(50):
        w = np.sqrt(2.0) * np.cosh(w / 4.0)
    found = solve_collocation(
        bratu,
        Boundary(POSITION, np.zeros(2)),
        Boundary(POSITION, np.zeros(2)),
        np.linspace(0.0, 1.0, 4),
        lambda t: np.zeros((t.size, 2)),
        SCALE,
        1e-11,
    )
    times = np.linspace(0.0, 1.0, 101)
    exact = -2.0 * np.log(np.cosh((times - 0.5) * w / 2.0) / np.cosh(w / 4.0))
    assert np.abs(found.polynomial(times)[:, 0] - exact).max() < 1e-11


def test_orders_are_10_at_the_mesh_and_6_between() -> None:
    # y' = -y on 0..8; with 8 intervals the error at the mesh is 4e-11, with 16 it is 4e-14.
    def errors(count: int) -> tuple[float, float]:
        found = _solve_on(
            linear(-np.eye(1)),
            Boundary(np.eye(1), np.ones(1)),
            Boundary(np.zeros((0, 1)), np.ones(1)),
            np.linspace(0.0, 8.0, count + 1),
            lambda t: np.ones((t.size, 1)),
            np.full(1, 1e-9),
        )
        times = np.linspace(0.0, 8.0, 2997)
        between = np.abs(found.polynomial(times)[:, 0] - np.exp(-times)).max()
        return float(np.abs(found.nodes[:, 0] - np.exp(-found.mesh)).max()), float(between)

    coarse, middle, fine = errors(8), errors(16), errors(32)
    assert np.log2(coarse[0] / middle[0]) == pytest.approx(10.0, abs=0.3)
    assert np.log2(middle[1] / fine[1]) == pytest.approx(6.0, abs=0.3)


def test_problem_without_solution_is_refused() -> None:
    # Bratu's problem has none where the factor of exp(y) is above 3.51.
    def rate(t: Array, y: Array) -> tuple[Array, Array]:
        f, by_y = bratu(t, y)
        f[:, 1] *= 5.0
        by_y[:, 1, 0] *= 5.0
        return f, by_y

    with pytest.raises(SolutionError, match="Newton's method fails"):
        solve_collocation(
            rate,
            Boundary(POSITION, np.zeros(2)),
            Boundary(POSITION, np.zeros(2)),
            np.linspace(0.0, 1.0, 11),
            lambda t: np.zeros((t.size, 2)),
            SCALE,
            1e-8,
        )
