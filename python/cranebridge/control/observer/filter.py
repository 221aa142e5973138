"""Extended Kalman filter on a crane's constraint manifold, with disturbances to be estimated.

The estimate is a consistent state (q, v) and disturbances d: constant forces on the load, or
parameters such as the payload. Its covariance P is that of the independent errors
(dy, dy', dd). At each sample

    update:      for each sensor that has a reading, S = c P c^T + r,  k = P c^T / S,
                 dx <- dx + k (y - reading - c dx),  P <- P - k S k^T,
                 independent coordinates and velocities, and d, changed by dx (positive
                 parameters by their logarithms), the others from the constraints;
    prediction:  the state by a Runge-Kutta step with the inputs that act, P <- F P F^T + W,
                 F = I + h A + (h A)^2 / 2 + (h A)^3 / 6 with the slopes A at the estimate.

Readings with independent noise may be taken one after the other: no matrix is inverted, a sensor
that is not read (its own cycle, a failure) is left out. Both steps are functions of scalar
operations, to be printed as C.

Of drives that take velocity references the places that these have come to are further entries of d
(:mod:`cranebridge.control.observer.drive_places`); the prediction moves them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranebridge.control.model import (
    MotionStep,
    ReferenceMotion,
    drive_names,
    motion_step,
    payload_names,
)
from cranebridge.control.observer.drive_places import (
    DRIVE,
    PAYLOAD_PART,
    DrivePlaces,
    drive_hold,
    known_places,
    place_rates,
    prediction_steps,
    start_covariance,
    start_spread,
)
from cranebridge.control.observer.observer_gate import GATE, PATIENCE
from cranebridge.control.observer.sensors import Sensor, readings
from cranebridge.control.weights import POSITION_PART, SPEED_PART, quantity_sizes
from cranebridge.errors import InputError, unknown
from cranebridge.inverse import SpeedDrive
from cranebridge.twin import Crane
from cranebridge.twin.language import names

Array = NDArray[np.float64]

ACCELERATION_PART = 0.05
"""Unknown accelerations, as a part of the motion's largest. More lets encoders alone lose a fast
load (from 0.3 on, on the overhead crane); less follows a load of other mass too slowly."""
ACCELERATION_MEMORY = 0.1
"""Time in s for which an unknown acceleration is taken to last: with it the default variance of
velocities grows by a^2 * memory per second."""
STILL = 1e-9
"""Part of the motion's largest velocity below which it begins at rest."""
LOOKED_AT = 5
"""Times of the motion at which the fastest pole of speed loops is looked for."""
DISTURBANCE_MEMORY = 10.0
"""Time in s in which a disturbance can change by its size."""


@dataclass(frozen=True, eq=False)
class Observer:
    """An extended Kalman filter.

    Attributes
    ----------
    crane : Crane
        The crane: n coordinates, f degrees of freedom.
    parameters : mapping of str to float
        What it takes the crane's parameters to be; estimated ones at the start.
    cycle : float
        Cycle in s.
    sensors : tuple of Sensor
        What is measured.
    motion : MotionStep
        The motion that it predicts with.
    forces : tuple of str
        Outputs in whose directions forces on the load are estimated.
    variance : numpy.ndarray
        Initial variances of the states (2f + disturbances).
    growth : numpy.ndarray
        What the prediction over one cycle adds to the variances.
    gate : float
        In the controller's code: standard deviations from what was expected beyond which a reading
        is refused; 0 for none. `update` has none.
    patience : float
        Time in s for which a sensor's readings are refused in a row; then one is taken again, and
        the estimate to be as uncertain as that says.
    given : tuple of str
        States whose growth was asked for: no default that may be changed.
    places : DrivePlaces or None
        Of drives that take velocity references: what is known at the start of where these are.
    steps : int
        Into how many steps the prediction of a cycle is cut.
    """

    crane: Crane
    parameters: Mapping[str, float]
    cycle: float
    sensors: tuple[Sensor, ...]
    motion: MotionStep
    forces: tuple[str, ...]
    variance: Array
    growth: Array
    gate: float = GATE
    patience: float = PATIENCE
    given: tuple[str, ...] = ()
    places: DrivePlaces | None = None
    steps: int = 1

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the states: ``q.``, ``v.``, ``force.``, ``parameter.``, ``drive.``."""
        inner = self.motion.independent
        return (
            *(f"q.{name}" for name in inner),
            *(f"v.{name}" for name in inner),
            *self.constants,
        )

    @property
    def constants(self) -> tuple[str, ...]:
        """Names of the entries of d: disturbances, and places of drives."""
        return (*self.disturbances, *(f"{DRIVE}{name}" for name in self._rates))

    @property
    def _rates(self) -> dict[str, int]:
        """Which input moves the place of a drive, by its coordinate."""
        return place_rates(names(self.crane.inputs), self.motion.drives)

    @property
    def disturbances(self) -> tuple[str, ...]:
        """Names of the disturbances."""
        estimated = (f"parameter.{name}" for name in self.motion.estimated)
        return (*(f"force.{name}" for name in self.forces), *estimated)

    @property
    def disturbance_start(self) -> Array:
        """All of d at the start: no force, parameters as taken, drives where they are."""
        values = [self.parameters[name] for name in self.motion.estimated]
        places = () if self.places is None else self.places.start
        return np.array([*np.zeros(len(self.forces)), *values, *places])

    @property
    def covariance(self) -> Array:
        """The covariance at the start."""
        return start_covariance(self.variance, self.places)

    @property
    def spread(self) -> Array:
        """A square root of it: a column for each cause of what is not known."""
        return start_spread(self.variance, self.places)

    def moved(self, d: ca.SX, u: ca.SX, h: ca.SX) -> ca.SX:
        """Return d after a time h with inputs u: places of drives go with their references."""
        rates = self._rates
        if not rates:
            return d
        still = ca.SX.zeros(len(self.disturbances))
        return d + h * ca.vertcat(still, *(u[i] for i in rates.values()))

    @property
    def parameter_vector(self) -> Array:
        """The parameters in the crane's order."""
        return np.array([self.parameters[name] for name in names(self.crane.parameters)])

    def due(self, samples: int) -> Array:
        """Return which sensors are read at the first samples: ones and zeros."""
        every = np.array([sensor.samples(self.cycle) for sensor in self.sensors])
        return np.asarray(np.arange(samples)[:, None] % every == 0, dtype=float)

    @cached_property
    def readings(self) -> ca.Function:
        """``(q, v, p) -> (y, y_q, y_v, y_p)``."""
        return readings(self.crane, self.sensors)

    @cached_property
    def linear(self) -> ca.Function:
        """``(q, v, u, p) -> (A, C)``: slopes of the states' rates and of the readings.

        The states are those of the observer, disturbances (which do not change by themselves) last,
        as they are at the start.
        """
        return _linear(self)

    @cached_property
    def update(self) -> ca.Function:
        """``(q, v, d, P, y, due, p) -> (q, v, d, P)``; y is not looked at where due is zero."""
        return _update(self)

    @cached_property
    def predict(self) -> ca.Function:
        """``(q, v, d, P, u, p, h) -> (q, v, d, P)`` after the time h."""
        return _predict(self)


def design_observer(
    reference: ReferenceMotion,
    independent: Sequence[str],
    sensors: Sequence[Sensor],
    disturbances: Mapping[str, float] | None = None,
    variance: ArrayLike | None = None,
    growth: ArrayLike | None = None,
    drives: Sequence[SpeedDrive] = (),
) -> Observer:
    """Make an observer for a motion.

    Parameters
    ----------
    reference : ReferenceMotion
        The motion on the controller's cycle: its parameters, and sizes for the defaults.
    independent : sequence of str
        Independent coordinates, those of the law.
    sensors : sequence of Sensor
        What is measured.
    disturbances : mapping of str to float, optional
        What is to be estimated, ``force.NAME`` in the direction of an output or
        ``parameter.NAME``, each with its likely size (a standard deviation).
    variance, growth : array_like, optional
        Initial variances, and what is added to them each cycle; of all states, or of coordinates
        and velocities only. By default from the motion.
    drives : sequence of SpeedDrive
        Drives that take velocity references.

    Raises
    ------
    InputError
        If a name or a size is wrong.
    """
    crane = reference.crane
    forces, estimated, sizes = _disturbances(crane, dict(disturbances or {}))
    motion = motion_step(crane, independent, estimated, drives, drive_hold(reference, drives))
    for sensor in sensors:
        sensor.samples(reference.cycle)
    first, later = _variances(reference, motion.inner)
    places = known_places(reference, motion) if drives else None
    if places is not None:
        sizes = np.concatenate([sizes, places.sizes])
    added = sizes**2 * reference.cycle / DISTURBANCE_MEMORY
    if drives:  # at rest these carry any weight: what could grow would drift
        added[len(forces) : len(forces) + len(estimated)] = 0.0
    observer = Observer(
        crane=crane,
        parameters=reference.parameters,
        cycle=reference.cycle,
        sensors=tuple(sensors),
        motion=motion,
        forces=tuple(forces),
        variance=_all("variance", variance, first, sizes**2),
        growth=_all("growth", growth, later, added),
        places=places,
    )
    assert observer.readings  # a wrong signal is refused here
    if drives:
        observer = replace(observer, steps=_steps(observer, reference))
    return observer if growth is None else replace(observer, given=observer.states)


def _steps(observer: Observer, reference: ReferenceMotion) -> int:
    """Return into how many steps a cycle's prediction is cut."""
    rows = np.unique(np.linspace(0, len(reference.time) - 1, LOOKED_AT).astype(int))
    p, size = observer.parameter_vector, 2 * len(observer.motion.independent)
    found = [observer.linear(reference.q[i], reference.v[i], reference.u[i], p)[0] for i in rows]
    slopes = np.array([np.array(one)[:size, :size] for one in found])
    return prediction_steps(slopes, reference.cycle, observer.motion.drives)


def distrusting(observer: Observer, factor: float) -> Observer:
    """Return an observer whose drives' velocities may change by more than their forces say.

    Friction, lag and delay of a drive are forces on it that the filter does not know of. Where only
    encoders are read, it takes what these do to a drive for swing of the load.
    """
    drives = {f"v.{name}" for name in drive_names(observer.crane)}
    drives |= {f"{DRIVE}{name}" for name in drive_names(observer.crane)}
    drives -= set(observer.given)
    factors = [factor if state in drives else 1.0 for state in observer.states]
    return replace(observer, growth=observer.growth * np.array(factors))


def payload_disturbances(reference: ReferenceMotion) -> dict[str, float]:
    """Return the payload as a disturbance to be estimated, with its likely size."""
    found = {name: reference.parameters[name] for name in payload_names(reference.crane)}
    return {f"parameter.{name}": PAYLOAD_PART * m for name, m in found.items() if m > 0.0}


def require_disturbances(crane: Crane, table: Mapping[str, float]) -> list[str]:
    """Return the names of all disturbances; refuse other ones, and sizes that make no sense."""
    known = [f"force.{name}" for name in names(crane.outputs)]
    known += [f"parameter.{name}" for name in names(crane.parameters)]
    for name, size in table.items():
        if name not in known:
            raise unknown("disturbance", name, known)
        if not (math.isfinite(size) and size > 0.0):
            raise InputError(f"the size of disturbance {name} must be positive, got {size:g}")
    return known


def _disturbances(crane: Crane, table: dict[str, float]) -> tuple[list[str], list[str], Array]:
    """Return the outputs with forces, the parameters, and the sizes in this order."""
    known = require_disturbances(crane, table)
    chosen = [name for name in known if name in table]
    forces = [name[len("force.") :] for name in chosen if name.startswith("force.")]
    estimated = [name[len("parameter.") :] for name in chosen if name.startswith("parameter.")]
    return forces, estimated, np.array([table[name] for name in chosen])


def _all(what: str, given: ArrayLike | None, default: Array, more: Array) -> Array:
    """Return the variances of all states: those given, defaults for the rest."""
    values = default if given is None else np.asarray(given, dtype=float)
    if values.shape == default.shape:
        values = np.concatenate([values, more])
    if values.shape != (default.size + more.size,) or not (values >= 0.0).all():
        raise InputError(
            f"the {what} of an observer must have {default.size + more.size} entries that are not "
            f"negative, one for each state"
        )
    return values


def _variances(reference: ReferenceMotion, inner: list[int]) -> tuple[Array, Array]:
    """Return default initial variances of coordinates and velocities, and their growth.

    Where the motion begins at rest, velocities are known as coordinates are: were they not, the
    first readings' noise would be taken for motion, and the first inputs would be many times those
    of the feedforward.
    """
    coordinates = reference.crane.coordinates
    travel, speed, push = (
        quantity_sizes(coordinates, size)[inner]
        for size in (
            np.ptp(reference.q, axis=0),
            np.abs(reference.v).max(axis=0),
            np.abs(reference.a).max(axis=0),
        )
    )
    at_rest = not np.abs(reference.v[0]).max() > STILL * np.abs(reference.v).max()
    rates = POSITION_PART if at_rest else SPEED_PART
    first = np.concatenate([POSITION_PART * travel, rates * speed]) ** 2
    later = (ACCELERATION_PART * push) ** 2 * ACCELERATION_MEMORY * reference.cycle
    return first, np.concatenate([np.zeros(len(inner)), later])


def _symbols(observer: Observer) -> dict[str, ca.SX]:
    n, size = len(observer.crane.coordinates), len(observer.states)
    return {
        "q": ca.SX.sym("q", n),
        "v": ca.SX.sym("v", n),
        "d": ca.SX.sym("d", len(observer.constants)),
        "P": ca.SX.sym("P", size, size),
        "u": ca.SX.sym("u", len(observer.crane.inputs)),
        "y": ca.SX.sym("y", len(observer.sensors)),
        "due": ca.SX.sym("due", len(observer.sensors)),
        "p": ca.SX.sym("p", len(observer.crane.parameters)),
        "h": ca.SX.sym("h"),
    }


def disturbed(observer: Observer, d: ca.SX, p: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Return the force on the load, with places of drives, and the parameters as estimated."""
    outputs, parameters = names(observer.crane.outputs), names(observer.crane.parameters)
    w, changed = ca.SX.zeros(len(outputs)), ca.SX(p)
    for i, name in enumerate(observer.forces):
        w[outputs.index(name)] = d[i]
    for i, name in enumerate(observer.motion.estimated, start=len(observer.forces)):
        changed[parameters.index(name)] = d[i]
    places = d[len(observer.disturbances) :]
    return (ca.vertcat(w, places) if places.numel() else w), changed


def corrected_disturbances(observer: Observer, d: ca.SX, change: ca.SX) -> ca.SX:
    """Return disturbances after a correction: positive parameters stay so.

    A mass that is far off is corrected by its logarithm, m exp(dm / m), and what is not known of it
    changes in proportion: to first order the same, but a filter that looks from 100 kg at a load of
    20 kg does not end below nothing.
    """
    rows = [
        d[i] * ca.exp(change[i] / d[i]) if is_relative(observer, i) else d[i] + change[i]
        for i in range(d.numel())
    ]
    return ca.vertcat(*rows) if rows else ca.SX(0, 1)


def is_relative(observer: Observer, i: int) -> bool:
    """Return whether a disturbance is a positive parameter."""
    parameter = len(observer.forces) <= i < len(observer.disturbances)
    return bool(parameter and observer.disturbance_start[i] > 0.0)


def disturbance_scales(observer: Observer, d: ca.SX, d_new: ca.SX) -> ca.SX:
    """Return by how much a correction changes the size of what is not known of a disturbance."""
    rows = [d_new[i] / d[i] if is_relative(observer, i) else ca.SX(1) for i in range(d.numel())]
    return ca.vertcat(*rows) if rows else ca.SX(0, 1)


def _update(observer: Observer) -> ca.Function:
    s = _symbols(observer)
    q, v, d, P = s["q"], s["v"], s["d"], s["P"]
    p = disturbed(observer, d, s["p"])[1]
    f, size = len(observer.motion.independent), len(observer.states)
    y, C = output_slopes(observer, q, v, p)
    dx = ca.SX.zeros(size)
    for i, sensor in enumerate(observer.sensors):
        c = C[i, :].T
        k = P @ c
        S = ca.dot(c, k) + sensor.deviation**2
        new = ca.if_else(s["due"][i], s["y"][i] - y[i], 0.0) - s["due"][i] * ca.dot(c, dx)
        weight = s["due"][i] / S
        dx = dx + k * (weight * new)
        P = _symmetric(P - weight * (k @ k.T))
    dq, dv = observer.motion.tangent(q, v, p)
    d_new = corrected_disturbances(observer, d, dx[2 * f :])
    changed = disturbed(observer, d_new, s["p"])[1]
    guess = (q + dq @ dx[: 2 * f], v + dv @ dx[: 2 * f])
    found = observer.motion.complete(*guess, changed)
    scale = ca.vertcat(ca.SX.ones(2 * f), disturbance_scales(observer, d, d_new))
    P = P * (scale @ scale.T)
    return ca.Function(
        "update",
        [q, v, d, s["P"], s["y"], s["due"], s["p"]],
        ca.cse([*found, d_new, P]),
        ["q", "v", "d", "P", "y", "due", "p"],
        ["q_new", "v_new", "d_new", "P_new"],
    )


def output_slopes(observer: Observer, q: ca.SX, v: ca.SX, p: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Return the readings and their derivatives with respect to the observer's states."""
    y, y_q, y_v, y_p = observer.readings(q, v, p)
    dq, dv = observer.motion.tangent(q, v, p)
    shift = observer.motion.shift(q, v, p)
    n = len(observer.crane.coordinates)
    parameters = names(observer.crane.parameters)
    chosen = [parameters.index(name) for name in observer.motion.estimated]
    by_parameter = y_q @ shift[:n, :] + y_v @ shift[n:, :]
    if chosen:
        by_parameter = by_parameter + y_p[:, chosen]
    forces = ca.SX.zeros(y.numel(), len(observer.forces))
    places = ca.SX.zeros(y.numel(), len(observer.constants) - len(observer.disturbances))
    return y, ca.horzcat(y_q @ dq + y_v @ dv, forces, by_parameter, places)


def state_slopes(observer: Observer, q: ca.SX, v: ca.SX, u: ca.SX, w: ca.SX, p: ca.SX) -> ca.SX:
    """Return the derivatives of the motion's rates with respect to the observer's states."""
    A, G = observer.motion.slopes(q, v, u, w, p)
    outputs = names(observer.crane.outputs)
    columns = [outputs.index(name) for name in observer.forces]
    first, places = len(outputs), len(observer.constants) - len(observer.disturbances)
    columns += range(first + places, first + places + len(observer.motion.estimated))
    columns += range(first, first + places)
    return ca.horzcat(A, G[:, columns]) if columns else A


def _linear(observer: Observer) -> ca.Function:
    s = _symbols(observer)
    q, v = s["q"], s["v"]
    u, d = _given(observer, q, v, s["u"])
    w, p = disturbed(observer, d, s["p"])
    slopes = state_slopes(observer, q, v, u, w, p)
    size = len(observer.states)
    A = ca.vertcat(slopes, ca.SX.zeros(size - slopes.size1(), size))
    C = output_slopes(observer, q, v, p)[1]
    results = ca.cse([ca.densify(A), ca.densify(C)])
    return ca.Function("linear", [q, v, s["u"], s["p"]], results, ["q", "v", "u", "p"], ["A", "C"])


def _given(observer: Observer, q: ca.SX, v: ca.SX, force: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Return inputs and d with which the drives give some forces: places ahead of the drives."""
    motion, crane = observer.motion, observer.crane
    u, d = ca.SX(force), ca.SX(observer.disturbance_start)
    place = len(observer.disturbances)
    for drive, hold in zip(motion.drives, motion.hold, strict=True):
        i = names(crane.inputs).index(drive.input)
        c = names(crane.coordinates).index(drive.coordinate)
        u[i] = v[c]
        if drive.ki:
            d[place] = q[c] + (force[i] - hold) / drive.ki
            place += 1
        else:
            u[i] += (force[i] - hold) / drive.kp
    return u, d


def _predict(observer: Observer) -> ca.Function:
    s = _symbols(observer)
    q, v, d, u, h = s["q"], s["v"], s["d"], s["u"], s["h"]
    w, p = disturbed(observer, d, s["p"])
    after = observer.motion.step(q, v, u, w, p, h)
    slopes = state_slopes(observer, q, v, u, w, p)
    size, f2 = len(observer.states), slopes.size1()
    A = slopes[:, :f2]
    second = A @ slopes
    top = h * slopes + h**2 / 2.0 * second + h**3 / 6.0 * (A @ second)
    F = ca.SX.eye(size) + ca.vertcat(top, ca.SX.zeros(size - f2, size))
    growth = ca.diag(ca.DM(observer.growth)) * (h / observer.cycle)
    P = _symmetric(F @ s["P"] @ F.T + growth)
    return ca.Function(
        "predict",
        [q, v, d, s["P"], u, s["p"], h],
        ca.cse([*after, observer.moved(d, u, h), P]),
        ["q", "v", "d", "P", "u", "p", "h"],
        ["q_new", "v_new", "d_new", "P_new"],
    )


def _symmetric(P: ca.SX) -> ca.SX:
    """Return the symmetric matrix with the upper triangle of another: half the work."""
    return ca.densify(ca.triu2symm(ca.triu(P)))
