"""The highest derivative of the path that the drives need, weighed: rows of a program.

In the shortest time rope forces may jump with the winch, and with them the second derivative of the
path along the rope; splines of higher class come near to that with ever larger derivatives, and an
optimiser is lost between the times at which it looks. A little weight of the highest derivative
leads it: much of it at first, and less on finer splines. Near a smooth optimum this costs as much
time as the weight says.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class SnapRows:
    """The row T sum (c_k / (T^k S))^2, with c_k the derivatives by normalised time.

    Parameters
    ----------
    order : int
        k.
    sizes : numpy.ndarray
        S for each output.
    """

    count = 1
    linear = False

    def __init__(self, order: int, sizes: Array) -> None:
        self._power, self._sizes = 2 * order, sizes
        self._own = order * sizes.size + np.arange(sizes.size)

    def settle(self, z: Array, w: Array) -> Array:
        """Return the unknowns: there are none."""
        return w

    def values(self, z: Array, w: Array) -> Array:
        """Return the row at each time."""
        part, duration, _ = self._parts(z)
        return np.asarray(duration ** (1 - self._power) * part)[:, None]

    def slopes(self, z: Array, w: Array) -> tuple[Array, Array]:
        """Return the row and its derivatives by z at each time."""
        part, duration, inner = self._parts(z)
        found = np.zeros((len(z), 1, z.shape[1]))
        found[:, 0, self._own] = duration[:, None] ** (1 - self._power) * inner
        found[:, 0, -1] = (1 - self._power) * duration**-self._power * part
        return self.values(z, w), found

    def curvature(self, z: Array, w: Array, weights: Array) -> Array:
        """Return its second derivatives at each time."""
        part, duration, inner = self._parts(z)
        n = self._power
        found = np.zeros((len(z), z.shape[1], z.shape[1]))
        found[:, self._own, self._own] = 2.0 * duration[:, None] ** (1 - n) / self._sizes**2
        mixed = (1 - n) * duration[:, None] ** -n * inner
        found[:, self._own, -1] = found[:, -1, self._own] = mixed
        found[:, -1, -1] = n * (n - 1) * duration ** (-n - 1) * part
        return found * weights[:, :, None]

    def _parts(self, z: Array) -> tuple[Array, Array, Array]:
        """Return sum (c_k / S)^2, the duration, and 2 c_k / S^2."""
        c = z[:, self._own]
        return ((c / self._sizes) ** 2).sum(axis=1), z[:, -1], 2.0 * c / self._sizes**2
