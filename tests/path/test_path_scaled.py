"""Stretched paths: against the same path made with the other duration."""

import numpy as np
import pytest

from cranebridge.path import Break, ScaledPath, make_path

XZ = ("x", "z")
LINE = {"kind": "line", "start": [0.0, 4.0], "goal": [5.0, 1.0], "profile": "three-phase"}


def pair(factor):
    """Return a path of 3 s that is stretched, and the path that was made so long."""
    base = make_path({**LINE, "duration": 3.0, "ramp": 0.75}, XZ)
    made = make_path({**LINE, "duration": 3.0 * factor, "ramp": 0.75 * factor}, XZ)
    return ScaledPath(XZ, base, factor), made


# Powers of two stretch without rounding, the others do not.
@pytest.mark.parametrize("factor", [0.5, 4.0, 0.3, 2.7])
def test_stretched_path_is_the_path_of_the_other_duration(factor):
    scaled, made = pair(factor)
    assert scaled.duration == pytest.approx(made.duration, rel=1e-15)
    assert scaled.knots == pytest.approx(made.knots, rel=1e-15)
    t = np.linspace(-0.1, 1.1, 241) * made.duration
    found, wanted = scaled.derivatives(t, 5), made.derivatives(t, 5)
    # Rounding of t over the knots, where the fifth derivative jumps, is looked at below.
    away = np.abs(t[:, None] - np.array(made.knots)).min(axis=1) > 1e-9
    scale = np.abs(wanted).max(axis=(1, 2))[:, None, None]
    assert (np.abs(found - wanted)[:, :, away] <= 1e-13 * scale).all()


@pytest.mark.parametrize("factor", [0.5, 4.0, 0.3, 2.7])
def test_phases_of_a_stretched_path_are_stretched(factor):
    scaled, made = pair(factor)
    assert [name for name, *_ in scaled.phases] == ["acceleration", "steady", "deceleration"]
    for (_, *found), (_, *wanted) in zip(scaled.phases, made.phases, strict=True):
        assert found == pytest.approx(wanted, rel=1e-15)


@pytest.mark.parametrize("factor", [0.3, 2.7, 1 / 3])
def test_sides_of_a_stretched_knot_are_those_of_the_knot(factor):
    scaled, _ = pair(factor)
    for side in ("left", "right"):
        found = scaled.derivatives(scaled.knots, 5, side)[5] * factor**5
        wanted = scaled.base.derivatives(scaled.base.knots, 5, side)[5]
        # a time that rounding moved over a knot would show the other side, which is another number
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())
    assert [b.order for b in scaled.breaks("x")] == [4, 4, 4, 4]
    assert scaled.breaks("x") == tuple(Break(t, 4) for t in scaled.knots)


@pytest.mark.parametrize("factor", [0.3, 2.7, 1 / 3])
def test_times_next_to_a_stretched_knot_stay_on_their_side(factor):
    scaled, _ = pair(factor)
    knots = np.array(scaled.knots)
    # the fifth derivative is constant to 1e-9 over the next floating-point number, but jumps
    for neighbour, side, other in ((np.inf, "right", "left"), (-np.inf, "left", "right")):
        found = scaled.derivatives(np.nextafter(knots, neighbour), 5, other)[5]
        wanted = scaled.derivatives(knots, 5, side)[5]
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())
