"""What a path is: the wanted outputs over time, with exact derivatives and a known smoothness."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranebridge.errors import unknown

FloatArray = NDArray[np.float64]
Side = Literal["right", "left"]
Phase = tuple[str, float, float]


@dataclass(frozen=True)
class Break:
    """A time at which an output of a path is only of class C^order.

    Attributes
    ----------
    time : float
        When [s].
    order : int
        The highest derivative that is still continuous there.
    """

    time: float
    order: int


@dataclass(frozen=True)
class Path(ABC):
    """The wanted outputs of a crane over time.

    A path runs over ``0 <= t <= duration`` and rests before and after, unless it starts or ends in
    motion.

    Attributes
    ----------
    outputs : tuple of str
        Names of the components, in order.
    """

    outputs: tuple[str, ...]

    @property
    @abstractmethod
    def duration(self) -> float:
        """When the path has reached its goal [s]."""

    @property
    @abstractmethod
    def knots(self) -> tuple[float, ...]:
        """Times where the path is not infinitely smooth, with 0 and the duration, increasing."""

    @property
    @abstractmethod
    def phases(self) -> tuple[Phase, ...]:
        """Named stretches of the path as ``(name, begin, end)``, for plots."""

    @property
    def moving_ends(self) -> tuple[bool, bool]:
        """Whether the path starts and ends in motion; then rest does not join it there."""
        return False, False

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of its values should know, a sentence each."""
        return ()

    @abstractmethod
    def breaks(self, output: str) -> tuple[Break, ...]:
        """Return where in time an output is less than infinitely smooth, and how smooth there.

        Parameters
        ----------
        output : str
            One of `outputs`.

        Returns
        -------
        tuple of Break
            In the order of time; empty for an output that does not move.
        """

    @abstractmethod
    def _evaluate(self, t: FloatArray, order: int, side: Side) -> FloatArray:
        """Do the work of `derivatives` for arguments that were checked."""

    def derivatives(self, t: ArrayLike, order: int, side: str = "right") -> FloatArray:
        """Evaluate the path and its time derivatives, exactly and for all times at once.

        Parameters
        ----------
        t : array_like
            Times [s], a scalar or one-dimensional. Outside of the path the outputs are at rest.
        order : int
            The highest derivative wanted.
        side : {"right", "left"}
            Which one-sided limit to take at a knot: that of the piece after it or before it.
            So ``"right"`` at `duration` and ``"left"`` at 0 give rest.

        Returns
        -------
        ndarray, shape (order + 1, len(outputs), len(t))
            Entry ``[k, i, j]`` is the k-th derivative of output i at time j.
        """
        times = np.atleast_1d(np.asarray(t, dtype=np.float64))
        if times.ndim != 1:
            raise ValueError(f"t must be a scalar or one-dimensional, got shape {times.shape}")
        if np.isnan(times).any():
            raise ValueError("t must not contain NaN")
        if isinstance(order, bool) or not isinstance(order, int | np.integer) or order < 0:
            raise ValueError(f"order must be an integer that is not negative, got {order!r}")
        if side not in ("right", "left"):
            raise ValueError(f"side must be 'right' or 'left', got {side!r}")
        result = self._evaluate(times, int(order), "right" if side == "right" else "left")
        result += 0.0  # a rest velocity of -0.0 reads badly in a table
        return result

    def __call__(self, t: ArrayLike) -> FloatArray:
        """Evaluate the outputs alone, shape (len(outputs), len(t)); see `derivatives`."""
        values: FloatArray = self.derivatives(t, 0)[0]
        return values

    def smoothness(self, output: str | None = None) -> int | float:
        """Return the continuity class: the path is C^k for this k on the whole time axis.

        Parameters
        ----------
        output : str, optional
            One of `outputs`; without it the smallest class over all outputs.

        Returns
        -------
        int or math.inf
            Includes the joins with rest at both ends; ``math.inf`` if nothing moves.
        """
        names = self.outputs if output is None else (output,)
        return min((b.order for name in names for b in self.breaks(name)), default=math.inf)

    def _row(self, output: str) -> int:
        if output not in self.outputs:
            raise unknown("output of the path", output, self.outputs)
        return self.outputs.index(output)
