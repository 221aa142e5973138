"""Time derivatives of outputs along the plant's own trajectory, in the child process.

With constant inputs. The trajectory through a point is integrated by Runge and Kutta's method of
order 4 over h and 2 h to both sides; its error in the differences is of order 4 too, as theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from cranebridge.plant.child.fmi import Instance, VariableBlock
from cranebridge.plant.protocol import VariableReference

Array = NDArray[np.float64]
Read = Callable[[float, Array], Array]

# Weights of y(t - 2 h), y(t - h), y(t), y(t + h), y(t + 2 h), divided by h and h^2.
FIRST = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) / 12.0
SECOND = np.array([-1.0, 16.0, -30.0, 16.0, -1.0]) / 12.0


class PointEvaluator:
    """One point after the other of an instance in continuous-time mode.

    Parameters
    ----------
    instance : Instance
        The instance.
    inputs, outputs : sequence of VariableReference
        Value references.
    step : float
        Step h of the differences in s.
    """

    def __init__(
        self,
        instance: Instance,
        inputs: Sequence[VariableReference],
        outputs: Sequence[VariableReference],
        step: float,
    ) -> None:
        self._instance, self._h = instance, step
        self._inputs, self._outputs = VariableBlock(inputs), VariableBlock(outputs)
        self._references = outputs

    def set_inputs(self, u: Array, *, in_events: bool) -> None:
        """Set the inputs of the next point; discrete ones may change in event mode only."""
        if not self._inputs.size:
            return
        if in_events:
            self._instance.enter_events()
        inputs = np.ascontiguousarray(u)  # must outlive the call
        self._instance.set_real(self._inputs, inputs.ctypes.data)
        if in_events:
            self._instance.handle_events()

    def settle(self, t: float, x: Array) -> None:
        """Let the plant choose its branches for this point: they are frozen between events.

        An end stop that is switched by an event would not act at a state beyond it otherwise.
        """
        self._place(t, x)
        self._instance.enter_events()
        self._instance.handle_events()

    def derivatives(self, t: float, x: Array) -> Array:
        """der(x) at a time and state; leaves the instance there."""
        dx = np.zeros(len(x))
        self._place(t, x)
        self._instance.get_derivatives(dx.ctypes.data)
        return dx

    def outputs(self, t: float, x: Array) -> Array:
        """Outputs at a time and state; leaves the instance there."""
        self._place(t, x)
        return self.read_outputs()

    def read_outputs(self) -> Array:
        """Outputs where the instance is."""
        y = np.zeros(self._outputs.size)
        if self._outputs.size:
            self._instance.get_real(self._outputs, y.ctypes.data)
        return y

    def directional(self, f: Array, states: Sequence[int], positions: Sequence[int]) -> Array:
        """dy/dx f where the instance is.

        Parameters
        ----------
        f : numpy.ndarray
            der(x).
        states : sequence of int
            Value references of the states.
        positions : sequence of int
            For each output, its position if it is a state (then der(x) has its rate), else -1.
        """
        place = np.array(positions, dtype=int)
        rates = np.append(f, 0.0)[place]
        pairs = zip(self._references, positions, strict=True)
        # Directional derivatives are asked for scalars of Float64 only: a number each.
        asked = [ref for ref, at in pairs if at < 0 and isinstance(ref, int)]
        if asked and len(f):
            rates[place < 0] = self._instance.directional(asked, states, f.tolist())
        return np.asarray(rates)

    def _place(self, t: float, x: Array) -> None:
        # Inputs stay as they were set. The array must outlive the call.
        states = np.ascontiguousarray(x)
        self._instance.set_point(t, states.ctypes.data)

    def along(self, t: float, x: Array, read: Read | None = None) -> Array:
        """Outputs on the trajectory through the point, at t - 2 h to t + 2 h; five rows.

        Parameters
        ----------
        t, x : float, numpy.ndarray
            The point.
        read : callable, optional
            (t, x) -> a row, in place of the outputs.
        """
        read = read or self.outputs
        rows = {0: read(t, x)}
        for sign in (-1, 1):
            at = x
            for k in (1, 2):
                at = self._runge_kutta(t + sign * (k - 1) * self._h, at, sign * self._h)
                rows[sign * k] = read(t + sign * k * self._h, at)
        return np.array([rows[k] for k in range(-2, 3)])

    def over_time(self, t: float, x: Array) -> Array:
        """Outputs at t - 2 h to t + 2 h with the states held; five rows."""
        return np.array([self.outputs(t + k * self._h, x) for k in range(-2, 3)])

    def first(self, rows: Array) -> Array:
        """First derivative of five rows; zero exactly for rows that are equal."""
        return np.asarray(FIRST @ (rows - rows[2]) / self._h)

    def second(self, rows: Array) -> Array:
        """Second derivative of five rows."""
        return np.asarray(SECOND @ (rows - rows[2]) / self._h**2)

    def _runge_kutta(self, t: float, x: Array, h: float) -> Array:
        k1 = self.derivatives(t, x)
        k2 = self.derivatives(t + 0.5 * h, x + 0.5 * h * k1)
        k3 = self.derivatives(t + 0.5 * h, x + 0.5 * h * k2)
        k4 = self.derivatives(t + h, x + h * k3)
        return np.asarray(x + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4))
