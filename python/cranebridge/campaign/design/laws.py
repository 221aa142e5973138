"""How a factor varies: a continuous distribution, or values to choose from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Sobol' points have 30 bits, so 0 itself occurs, where a normal distribution has minus infinity:
# half of the last bit is taken in its place.
_LEAST = 2.0**-31


@dataclass(frozen=True)
class Distribution:
    """A continuous distribution by SciPy's name.

    Attributes
    ----------
    name : str
        Of `scipy.stats`.
    shapes : tuple of float
        Shape parameters in SciPy's order.
    loc, scale : float
        Its location and its width, as SciPy means them.
    """

    name: str
    shapes: tuple[float, ...] = ()
    loc: float = 0.0
    scale: float = 1.0

    @cached_property
    def _frozen(self) -> Any:
        import scipy.stats  # takes half a second, and a scenario that is only read needs none

        return getattr(scipy.stats, self.name)(*self.shapes, loc=self.loc, scale=self.scale)

    def ppf(self, unit: Array) -> Array:
        """Return the quantiles of probabilities in [0, 1)."""
        inside = np.clip(np.asarray(unit, dtype=float), _LEAST, 1.0 - _LEAST)
        return np.asarray(self._frozen.ppf(inside), dtype=float)

    def points(self, count: int) -> Array:
        """Return the middle values of equally probable parts."""
        return self.ppf((np.arange(count) + 0.5) / count)

    def bounds(self, outside: float) -> tuple[float, float]:
        """Return the ends of the distribution, or quantiles where it has none."""
        low, high = map(float, self._frozen.support())
        quantiles = self._frozen.ppf([outside / 2.0, 1.0 - outside / 2.0])
        return (
            low if np.isfinite(low) else float(quantiles[0]),
            high if np.isfinite(high) else float(quantiles[1]),
        )


@dataclass(frozen=True)
class Values:
    """Values to choose from, equally probable."""

    values: tuple[float, ...]

    def ppf(self, unit: Array) -> Array:
        """Return the value of each number in [0, 1)."""
        count = len(self.values)
        place: NDArray[np.int64] = np.clip((unit * count).astype(int), 0, count - 1)
        return np.array(self.values, dtype=np.float64)[place]

    def points(self, count: int) -> Array:
        """Return the values: they are what they are, however many points are asked for."""
        return np.asarray(self.values, dtype=float)

    def bounds(self, outside: float) -> tuple[float, float]:
        """Return the least and the largest value."""
        return min(self.values), max(self.values)


Law: TypeAlias = Distribution | Values
