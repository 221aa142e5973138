"""Inputs of a plant over time: piecewise polynomials, with controllers around them.

A :class:`Controls` is a description that is sent to the child process, where
:class:`ControlFunction` evaluates it for one time in each call of the right-hand side.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranebridge.errors import InputError
from cranebridge.plant.protocol.sampled_law import SampledLaw, law_from_message, law_to_message

Array = NDArray[np.float64]


class PiecewisePolynomial(Protocol):
    """What is needed of SciPy's PPoly; importing SciPy here would double the start-up time."""

    @property
    def c(self) -> Any:
        """Coefficients."""

    @property
    def x(self) -> Any:
        """Breakpoints."""


@dataclass(frozen=True, eq=False)
class Controls:
    """Signals over time as piecewise polynomials; before and after, the end values hold.

    Attributes
    ----------
    coefficients : numpy.ndarray
        Of shape (degree + 1, intervals, signals), highest power first, in the time since the
        interval's begin: the convention of SciPy's PPoly.
    breakpoints : numpy.ndarray
        Times between the intervals, increasing.
    names : tuple of str
        Names of the signals (inputs of the plant).
    stops : numpy.ndarray
        Times that no integrator step may reach over, because the signals jump or have a kink
        there. All breakpoints of held and of linearly interpolated signals; the knots of the path
        for a feedforward.
    drives : Drives or None
        Controllers that add to the signals.
    law : SampledLaw or None
        A law that adds what it gives to the polynomials; see `sampled`.
    """

    coefficients: Array
    breakpoints: Array
    names: tuple[str, ...]
    stops: Array
    drives: Drives | None = None
    law: SampledLaw | None = None

    def __post_init__(self) -> None:
        c, x = self.coefficients, self.breakpoints
        if c.ndim != 3 or x.ndim != 1 or c.shape[1:] != (len(x) - 1, len(self.names)):
            raise InputError(
                f"controls: coefficients of shape {c.shape} do not fit {len(x)} breakpoints and "
                f"{len(self.names)} names."
            )
        if len(set(self.names)) != len(self.names):
            raise InputError("controls: a name occurs twice.")
        if self.law is not None and (self.drives or self.law.d.size != len(self.names)):
            raise InputError("controls: a law gives all signals, without drive controllers.")
        if not (np.isfinite(c).all() and np.isfinite(x).all() and (np.diff(x) > 0.0).all()):
            raise InputError("controls: the values are not finite or the times do not increase.")

    @classmethod
    def constant(cls, values: ArrayLike, names: Sequence[str]) -> Controls:
        """Signals that do not change."""
        row = np.asarray(values, dtype=float).reshape(1, 1, -1)
        return cls(row, np.array([0.0, 1.0]), tuple(names), np.empty(0))

    @classmethod
    def hold(cls, times: ArrayLike, values: ArrayLike, names: Sequence[str]) -> Controls:
        """Each value holds from its time to the next, the last one for good (order 1)."""
        t, u = _samples(times, values)
        # An interval after the last time, so that its value is seen there and not the one before.
        until = np.append(t, t[-1] + (t[-1] - t[-2]))
        return cls(u[None], until, tuple(names), t)

    @classmethod
    def linear(cls, times: ArrayLike, values: ArrayLike, names: Sequence[str]) -> Controls:
        """Linear interpolation (error of order 2 in the step)."""
        t, u = _samples(times, values)
        slope = np.diff(u, axis=0) / np.diff(t)[:, None]
        return cls(np.stack([slope, u[:-1]]), t, tuple(names), t)

    @classmethod
    def cubic(
        cls,
        times: ArrayLike,
        values: ArrayLike,
        rates: ArrayLike,
        names: Sequence[str],
        stops: ArrayLike = (),
    ) -> Controls:
        """Cubic Hermite interpolation of values and derivatives (error of order 4 in the step)."""
        t, u = _samples(times, values)
        _, r = _samples(times, rates)
        h = np.diff(t)[:, None]
        slope = np.diff(u, axis=0) / h
        coefficients = [
            (r[:-1] + r[1:] - 2 * slope) / h**2,
            (3 * slope - 2 * r[:-1] - r[1:]) / h,
            r[:-1],
            u[:-1],
        ]
        return cls(np.stack(coefficients), t, tuple(names), np.asarray(stops, dtype=float))

    @classmethod
    def sampled(cls, law: SampledLaw, names: Sequence[str]) -> Controls:
        """Signals that a sampled controller gives; before its first sample what acts then."""
        nothing = cls.constant(np.zeros(law.d.size), names)
        return replace(nothing, stops=law.stops, law=law)

    @classmethod
    def from_ppoly(
        cls, polynomial: PiecewisePolynomial, names: Sequence[str], stops: ArrayLike = ()
    ) -> Controls:
        """Take a PPoly of SciPy with one column for each name.

        Parameters
        ----------
        polynomial : scipy.interpolate.PPoly
            The signals.
        names : sequence of str
            Their names.
        stops : array_like
            Times where they are less smooth.
        """
        c = np.array(polynomial.c, dtype=float)
        x = np.array(polynomial.x, dtype=float)
        return cls(
            c.reshape(*c.shape[:2], -1), x, tuple(names), np.asarray(stops, dtype=float).ravel()
        )

    def with_drives(self, drives: Drives) -> Controls:
        """Add drive controllers."""
        for name in drives.inputs:
            if name not in self.names:
                raise InputError(f"drive controller: there is no feedforward for input '{name}'.")
        return replace(self, drives=drives)

    def __call__(self, t: ArrayLike) -> Array:
        """Return the signals, a row for each time, without the drive controllers."""
        x = self.breakpoints
        times = np.clip(np.atleast_1d(np.asarray(t, dtype=float)), x[0], x[-1])
        i = np.clip(np.searchsorted(x, times, side="right") - 1, 0, len(x) - 2)
        s = (times - x[i])[:, None]
        values = np.zeros((len(times), len(self.names)))
        for c in self.coefficients:
            values = values * s + c[i]
        return values

    def derivative(self) -> Controls:
        """Return the time derivatives of the signals; zero before and after is not modelled."""
        degree = len(self.coefficients) - 1
        if degree == 0:
            return replace(self, coefficients=np.zeros_like(self.coefficients), drives=None)
        powers = np.arange(degree, 0, -1.0)[:, None, None]
        return replace(self, coefficients=self.coefficients[:-1] * powers, drives=None)


@dataclass(frozen=True, eq=False)
class Drives:
    """Controllers of drives: u = u_ff(t) + kp (r(t) - position) + kv (r'(t) - velocity).

    Position and velocity are outputs of the plant that do not depend directly on its inputs. In
    Model Exchange the controller is continuous: it is evaluated in each call of the right-hand
    side, and so it is in Co-Simulation where the FMU asks for inputs within its steps (FMI 3, with
    the fed back outputs readable there). Otherwise it acts at the communication points and holds
    in between.

    Attributes
    ----------
    inputs, positions, velocities : tuple of str
        For each drive, the plant's input and the outputs that are fed back.
    kp, kv : tuple of float
        Gains.
    reference : Controls
        Wanted positions, a signal for each drive.
    rate : Controls or None
        Wanted velocities; the derivative of `reference` if None.
    """

    inputs: tuple[str, ...]
    positions: tuple[str, ...]
    velocities: tuple[str, ...]
    kp: tuple[float, ...]
    kv: tuple[float, ...]
    reference: Controls
    rate: Controls | None = None

    def __post_init__(self) -> None:
        lengths = {
            len(self.inputs),
            len(self.positions),
            len(self.velocities),
            len(self.kp),
            len(self.kv),
            len(self.reference.names),
        }
        if len(lengths) != 1:
            raise InputError("drive controllers: inputs, outputs, gains, references do not match.")
        if not np.isfinite([*self.kp, *self.kv]).all():
            raise InputError("drive controllers: a gain is not finite.")

    @property
    def velocity(self) -> Controls:
        """Wanted velocities."""
        return self.rate if self.rate is not None else self.reference.derivative()


def _samples(times: ArrayLike, values: ArrayLike) -> tuple[Array, Array]:
    t = np.asarray(times, dtype=float)
    u = np.asarray(values, dtype=float)
    if t.ndim != 1 or len(t) < 2 or u.shape[0] != len(t):
        raise InputError("controls: two times at least and as many rows of values are needed.")
    return t, u.reshape(len(t), -1)


class ControlFunction:
    """Evaluates a Controls for one time: plain Python floats are faster than arrays here."""

    def __init__(self, controls: Controls) -> None:
        self._x: list[float] = controls.breakpoints.tolist()
        # for each interval, for each signal, the coefficients
        self._c: list[list[list[float]]] = controls.coefficients.transpose(1, 2, 0).tolist()
        self._low, self._high = 0, len(self._x) - 2
        self.size = len(controls.names)

    def window(self, begin: float, end: float) -> None:
        """Evaluate from now on in [begin, end], with one-sided values at both ends.

        At the end of a held sample the next one must not be seen, whatever the rounding of time.
        """
        last = len(self._x) - 2
        self._low = min(max(bisect_right(self._x, begin) - 1, 0), last)
        self._high = min(max(bisect_left(self._x, end) - 1, self._low), last)

    def into(self, t: float, target: Any) -> None:
        """Write the signals at a time to a C array or list."""
        x = self._x
        if t < x[0]:
            t = x[0]
        elif t > x[-1]:
            t = x[-1]
        i = bisect_right(x, t, self._low + 1, self._high + 1) - 1
        s = t - x[i]
        for j, polynomial in enumerate(self._c[i]):
            value = 0.0
            for c in polynomial:
                value = value * s + c
            target[j] = value


# ---------------------------------------------------------------------------- transport


def to_message(
    controls: Controls | None, prefix: str = "u"
) -> tuple[dict[str, Any], dict[str, Array]]:
    """Describe controls as JSON and arrays for the child process."""
    if controls is None:
        return {}, {}
    arrays = {
        f"{prefix}.c": controls.coefficients,
        f"{prefix}.x": controls.breakpoints,
        f"{prefix}.stops": controls.stops,
    }
    body: dict[str, Any] = {"names": list(controls.names)}
    if (drives := controls.drives) is not None:
        body["drives"] = {
            key: list(getattr(drives, key))
            for key in ("inputs", "positions", "velocities", "kp", "kv")
        }
        for key, part in (("reference", drives.reference), ("rate", drives.velocity)):
            body["drives"][key], more = to_message(replace(part, drives=None), f"{prefix}.{key}")
            arrays |= more
    if controls.law is not None:
        body["law"], more = law_to_message(controls.law, f"{prefix}.law")
        arrays |= more
    return body, arrays


def from_message(
    body: dict[str, Any], arrays: dict[str, Array], prefix: str = "u"
) -> Controls | None:
    """Rebuild controls from what `to_message` made."""
    if not body:
        return None
    drives = None
    if "drives" in body:
        given = body["drives"]
        reference = from_message(given["reference"], arrays, f"{prefix}.reference")
        assert reference is not None
        drives = Drives(
            inputs=tuple(given["inputs"]),
            positions=tuple(given["positions"]),
            velocities=tuple(given["velocities"]),
            kp=tuple(given["kp"]),
            kv=tuple(given["kv"]),
            reference=reference,
            rate=from_message(given["rate"], arrays, f"{prefix}.rate"),
        )
    c, x, stops = (arrays[f"{prefix}.{key}"] for key in ("c", "x", "stops"))
    law = law_from_message(body["law"], arrays, f"{prefix}.law") if "law" in body else None
    return Controls(c, x, tuple(body["names"]), stops, drives, law)
