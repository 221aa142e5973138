"""Polynomials through a few points: compared with NumPy's, which go through eigenvalues."""

from __future__ import annotations

import numpy as np
import pytest

from cranebridge.limits.judged_motion import extremes
from cranebridge.limits.small_polynomials import (
    derivative,
    horner,
    polynomial_through,
    roots_between,
)


def test_polynomials_and_their_roots_are_those_of_numpy() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        nodes = np.linspace(-1.0, 1.0, 5) + rng.uniform(-0.2, 0.2, 5)
        values = rng.normal(size=5)
        found = polynomial_through(nodes.tolist(), values.tolist())
        assert np.polyval(found, nodes) == pytest.approx(values, abs=1e-12 * np.abs(found).max())
        assert [horner(found, x) for x in nodes] == pytest.approx(np.polyval(found, nodes).tolist())
        slope = derivative(found)
        assert slope == pytest.approx(np.polyder(found))
        exact = np.roots(slope)
        exact = np.sort(exact[np.isreal(exact)].real)
        inside = exact[(exact > -1.0) & (exact < 1.0)]
        assert roots_between(slope, -1.0, 1.0) == pytest.approx(inside.tolist(), abs=1e-9)


def test_leading_coefficients_may_vanish() -> None:
    assert roots_between([0.0, 0.0, 2.0, -1.0], -1.0, 1.0) == [0.5]
    assert roots_between([1e-300, 0.0, 2.0, -1.0], -1.0, 1.0) == [0.5]
    assert roots_between([1.0], -1.0, 1.0) == []
    assert roots_between([0.0, 0.0], -1.0, 1.0) in ([], [0.0])


def test_extreme_of_a_quartic_between_uneven_samples_is_exact() -> None:
    time = np.array([0.0, 0.11, 0.2, 0.34, 0.4, 0.52, 0.6])
    quartic = np.poly1d([1.0, -0.4, -0.2, -0.1, 0.3])
    low, _ = extremes(time, quartic(time))
    turns = [x.real for x in quartic.deriv().roots if abs(x.imag) < 1e-12 and 0.0 < x.real < 0.6]
    assert low.time == pytest.approx(turns[0], abs=1e-12)
    assert low.value == pytest.approx(quartic(turns[0]), abs=1e-15)
