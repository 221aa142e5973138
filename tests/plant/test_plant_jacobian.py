"""The Jacobian that implicit integrators get, of a plant by hand: x0' = x1, x1' = -4 x0."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cranebridge.plant.child.fmi.fmi_errors import DiscardedError
from cranebridge.plant.child.integrators.state_jacobian import StateJacobian

WANTED = [[0.0, 1.0], [-4.0, 0.0]]


class Oscillator:
    """The plant, which ends at some x0: from there on, or before, it discards what it is asked."""

    nx, fmi2, component = 2, True, None

    def __init__(self, least: float, most: float, nominal: float) -> None:
        self.least, self.most = least, most
        self.asked: list[np.ndarray] = []

        def nominals(_component: Any, values: Any, _count: Any) -> int:
            values[:] = [nominal, nominal]
            return 0

        self.raw = SimpleNamespace(dll=SimpleNamespace(fmi2GetNominalsOfContinuousStates=nominals))

    def rhs(self, _t: float, states: int, rates: int) -> None:
        x, dx = ((ctypes.c_double * 2).from_address(one) for one in (states, rates))
        if not self.least <= x[0] <= self.most:
            raise DiscardedError("it ends here")
        self.asked.append(np.array(x))
        dx[0], dx[1] = x[1], -4.0 * x[0]


@pytest.mark.parametrize(("least", "most"), [(-9.0, 9.0), (-9.0, 1.0), (1.0, 9.0)])
def test_slope_is_right_where_the_model_ends_on_one_side(least: float, most: float) -> None:
    plant: Any = Oscillator(least, most, 1.0)
    found = StateJacobian(plant.rhs, plant, (), ())(0.0, np.array([1.0, 0.0]))
    assert found == pytest.approx(np.array(WANTED), abs=1e-8)


@pytest.mark.parametrize(
    ("nominal", "size"),
    [(1e-3, 1e-3), (-50.0, 50.0), (0.0, 1.0), (np.nan, 1.0), (np.inf, 1.0)],
)
def test_state_that_is_zero_is_moved_by_a_part_of_its_nominal_value(
    nominal: float, size: float
) -> None:
    """The cubic root of 2^-52 of it; of one where the FMU gives no positive number."""
    plant: Any = Oscillator(-9.0, 9.0, nominal)
    found = StateJacobian(plant.rhs, plant, (), ())(0.0, np.zeros(2))
    assert found == pytest.approx(np.array(WANTED))
    moved = np.abs(plant.asked).max(axis=0)
    assert moved == pytest.approx(2.0 ** (-52 / 3) * size)


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_large_state_is_moved_by_a_part_of_its_magnitude_on_either_side_of_zero(
    side: float,
) -> None:
    """By less, rounding of the state would be all that is left of the difference."""
    plant: Any = Oscillator(-1e9, 1e9, 1.0)
    x = np.array([side * 1e6, 0.0])
    StateJacobian(plant.rhs, plant, (), ())(0.0, x)
    moved = np.abs(np.array(plant.asked) - x).max(axis=0)
    assert moved == pytest.approx(2.0 ** (-52 / 3) * np.array([1e6, 1.0]))
