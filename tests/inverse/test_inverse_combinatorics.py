"""Assignment, strong components and piecewise polynomials are SciPy's, without its import time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import BPoly, CubicHermiteSpline
from scipy.linalg import expm
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from cranebridge.inverse.piecewise import hermite
from cranebridge.structure.assignment import best_assignment, strong_components
from cranebridge.verify.certificate.model_part import _exponentials


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 12), st.integers(0, 2**32 - 1), st.booleans())
def test_assignment_has_the_largest_sum(size: int, seed: int, ties: bool) -> None:
    rng = np.random.default_rng(seed)
    weights = (
        rng.integers(-3, 4, (size, size)).astype(float) if ties else rng.normal(size=(size,) * 2)
    )
    columns = best_assignment(weights)
    assert sorted(columns.tolist()) == list(range(size))
    rows, wanted = linear_sum_assignment(weights, maximize=True)
    assert weights[np.arange(size), columns].sum() == pytest.approx(weights[rows, wanted].sum())


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 15), st.integers(0, 2**32 - 1), st.floats(0.0, 0.4))
def test_strong_components_are_those_of_scipy(size: int, seed: int, density: float) -> None:
    edges = np.random.default_rng(seed).uniform(size=(size, size)) < density
    count, labels = strong_components(edges)
    wanted_count, wanted = connected_components(csr_matrix(edges), connection="strong")
    assert count == wanted_count
    # the same parts, whatever they are called
    assert ((labels[:, None] == labels) == (wanted[:, None] == wanted)).all()


def test_hermite_polynomials_are_those_of_scipy() -> None:
    rng = np.random.default_rng(3)
    x = np.array([0.0, 0.3, 0.5, 1.7])
    q, v, a = rng.normal(size=(3, 4, 2))
    t = np.linspace(0.0, 1.7, 200)
    cubic = hermite(x, (q[:-1], v[:-1]), (q[1:], v[1:]))
    assert cubic(t) == pytest.approx(CubicHermiteSpline(x, q, v)(t), abs=1e-13)
    quintic = hermite(x, (q[:-1], v[:-1], a[:-1]), (q[1:], v[1:], a[1:]))
    wanted = BPoly.from_derivatives(x, np.stack([q, v, a], axis=1))(t)
    # lengths of 0.2 to the fifth power multiply the rounding
    assert quintic(t) == pytest.approx(wanted, abs=1e-12)
    assert quintic(0.3) == pytest.approx(q[1], abs=1e-13)


def test_exponentials_are_those_of_scipy() -> None:
    matrices = (
        np.random.default_rng(5).normal(size=(6, 4, 4))
        * np.array([0.0, 0.1, 1, 3, 5, 8])[:, None, None]
    )
    wanted = np.array([expm(matrix) for matrix in matrices])
    size = np.abs(wanted).max(axis=(1, 2), keepdims=True)
    assert (np.abs(_exponentials(matrices) - wanted) / size).max() < 1e-11
