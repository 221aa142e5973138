"""Internal dynamics that nothing brings back: zero eigenvalues, integrated from rest."""

from __future__ import annotations

import numpy as np
import pytest
from internal_cranes import MastCrane, MastWithPuck, TowedPuck, problem_of

from cranebridge.errors import StructureError
from cranebridge.inverse.internal.classification import classify
from cranebridge.inverse.internal.dynamics import internal_dynamics
from cranebridge.inverse.internal.inversion import invert
from cranebridge.path import Line, polynomial

PATH = Line(("y",), (0.0,), (3.0,), polynomial(3.0))


def test_puck_that_is_blown_drifts_on_with_the_speed_of_the_closed_form() -> None:
    # m x'' = c y': the puck leaves with c 3 m / m = 0.75 m/s.
    found = invert(problem_of(TowedPuck(), PATH, c=0.5), 0.01)
    assert found.kind.kind == "free"  # the trolley does not feel it
    np.testing.assert_array_equal(found.kind.end.eigenvalues, [0.0, 0.0])
    assert (found.window.before, found.window.after) == (0.0, 0.0)
    assert found.drift == pytest.approx({"x": 0.75}, rel=1e-9)
    assert found.as_dict()["residual_drift"] == found.drift
    assert found.notes[-1] == "After the path it drifts on: x by 0.75 m/s."
    v = found.at(np.linspace(0.0, 3.0, 31)).v
    np.testing.assert_allclose(v[:, 1], 0.25 * PATH(np.linspace(0.0, 3.0, 31))[0], atol=1e-10)


def test_puck_on_a_dashpot_comes_to_rest_where_the_trolley_went() -> None:
    # m x' + d x = d y, integrated once from rest: eigenvalues 0 and -d/m, and x follows y.
    found = invert(problem_of(TowedPuck(), PATH, d=4.0), 0.01)
    assert found.kind.kind == "neutral"
    np.testing.assert_allclose(found.kind.end.eigenvalues, [-2.0, 0.0], atol=1e-14)
    # exp(-2 t) = 1e-6 after 6.91 s
    assert found.window.after == pytest.approx(6.91, abs=1e-9)
    end = found.at(np.array([3.0 + found.window.after]))
    assert end.q[0, 1] == pytest.approx(3.0, abs=1e-5)
    times = np.linspace(0.0, 3.0, 31)
    inner = found.at(times)
    left = 2.0 * inner.v[:, 1] + 4.0 * inner.q[:, 1] - 4.0 * PATH(times)[0]
    np.testing.assert_allclose(left, 0.0, atol=1e-9)


def test_dashpot_that_does_nothing_during_the_path_is_none() -> None:
    weak = invert(problem_of(TowedPuck(), PATH, d=2e-8), 0.01)  # -1e-8 1/s: 3e-8 in 3 s
    np.testing.assert_array_equal(weak.kind.end.eigenvalues, [0.0, 0.0])
    some = invert(problem_of(TowedPuck(), PATH, d=2e-4), 0.01)
    np.testing.assert_allclose(some.kind.end.eigenvalues, [-1e-4, 0.0], rtol=1e-9)


def test_slow_growth_is_not_taken_for_neutral() -> None:
    # A dashpot that drives, with 1e-4 1/s: an unstable direction beside a neutral one.
    with pytest.raises(StructureError, match=r"neutral and unstable.*0, 0\.0001 1/s"):
        invert(problem_of(TowedPuck(), PATH, d=-2e-4), 0.01)


def test_neutral_directions_with_unstable_ones_are_refused_with_eigenvalues() -> None:
    with pytest.raises(StructureError, match=r"neutral and unstable.*-2\.68.*0, 0, 2\.743"):
        invert(problem_of(MastWithPuck(), PATH), 0.01)


def test_fast_path_does_not_make_a_saddle_neutral() -> None:
    # 0.6 1/s is nothing within a microsecond, but it grows and decays outside the path:
    # closed form of the benchmark's C.2 without friction, phi'' = 3 g / L phi.
    path = Line(("y",), (0.0,), (3.0,), polynomial(1e-6))
    problem = problem_of(MastCrane(), path, a=4.0, k=0.0, g=0.5)
    kind = classify(internal_dynamics(problem))
    assert kind.kind == "saddle"
    wanted = (3 * 0.5 / 4.0) ** 0.5
    np.testing.assert_allclose(kind.end.eigenvalues, [-wanted, wanted], rtol=1e-9)
