"""Signals that act beside the controls: sums of piecewise polynomials on common breakpoints."""

from __future__ import annotations

import numpy as np
import pytest

from cranebridge.errors import InputError
from cranebridge.plant.added_signals import add_signals
from cranebridge.plant.protocol.controls import Controls

TIMES = np.linspace(-1.0, 5.0, 397)  # none of them is a breakpoint of what is held


def cubic() -> Controls:
    t = np.array([0.0, 0.7, 1.3, 3.0])
    return Controls.cubic(
        t,
        np.column_stack([np.sin(t), t**2]),
        np.column_stack([np.cos(t), 2 * t]),
        ["a", "b"],
        [1.3],
    )


MORE = {
    "constant": Controls.constant([2.0], ["b"]),
    "held": Controls.hold([0.5, 1.1, 4.0], [[1.0], [-2.0], [3.0]], ["b"]),
    "linear": Controls.linear([-0.5, 0.9, 2.0], [[1.0], [-2.0], [4.0]], ["c"]),
    "both": Controls.linear([0.2, 4.5], [[1.0, 0.0], [-2.0, 5.0]], ["c", "a"]),
}


@pytest.mark.parametrize("name", MORE)
def test_sum_is_the_sum_at_every_time(name: str) -> None:
    base, more = cubic(), MORE[name]
    found = add_signals(base, more)
    assert found.names[:2] == ("a", "b")
    for i, signal in enumerate(found.names):
        expected = sum(
            part(TIMES)[:, part.names.index(signal)] if signal in part.names else 0.0
            for part in (base, more)
        )
        # Taylor shifts of cubics: rounding only
        assert found(TIMES)[:, i] == pytest.approx(expected, abs=1e-13)
    assert set(found.stops) == {*base.stops, *more.stops}


def test_what_is_not_split_keeps_its_coefficients() -> None:
    base = cubic()
    found = add_signals(base, Controls.constant([0.0], ["c"]))
    rows = np.searchsorted(found.breakpoints, base.breakpoints[1:-1])
    assert np.array_equal(found.coefficients[:, rows, :2], base.coefficients[:, 1:])


def test_what_has_a_controller_cannot_be_added() -> None:
    from cranebridge.plant.protocol.controls import Drives

    drives = Drives(("a",), ("q",), ("v",), (1.0,), (1.0,), Controls.constant([0.0], ["q"]))
    with pytest.raises(InputError, match="plain signals"):
        add_signals(cubic(), cubic().with_drives(drives))
