"""A controlled crane simulated sample by sample, with the twin as the plant.

At each sample the sensors are read (with an observer) or the state is known (without), the law
gives the inputs, and the crane moves for one cycle by a classical Runge-Kutta step with inputs and
forces held. The plant may differ from what the law was designed for: parameters, start, forces on
the load, delay, noise. One sample is one function of scalar operations, and the whole run is one
call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranebridge.control.design import Law, far_off
from cranebridge.control.model import ReferenceMotion, cycles_of
from cranebridge.control.observer import Observer
from cranebridge.control.simulation.sampled_loop import Shape, loop_run
from cranebridge.errors import InputError
from cranebridge.forward import choose_independent, crane_dynamics, project
from cranebridge.twin.language import names

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LoopMotion:
    """What a controlled crane did; a row for each sample.

    Attributes
    ----------
    time, q, v, u, outputs : numpy.ndarray
        Times of the samples, state there, inputs that the controller gave out there, outputs.
    estimate : numpy.ndarray or None
        With an observer: q, v and disturbances as estimated after the update.
    variance : numpy.ndarray or None
        Variances of the observer's states after the update.
    reference : ReferenceMotion
        The wanted motion.
    """

    reference: ReferenceMotion
    time: Array
    q: Array
    v: Array
    u: Array
    outputs: Array
    estimate: Array | None = None
    variance: Array | None = None

    def errors(self) -> Array:
        """Return the distance of the outputs from the wanted ones."""
        wanted = self.reference.outputs[self.reference.rows(self.time.size)]
        return np.asarray(np.linalg.norm(self.outputs - wanted, axis=1))


@dataclass(frozen=True, eq=False)
class Deviations:
    """How a plant differs from what its controller takes it to be.

    Attributes
    ----------
    parameters : mapping of str to float
        Other values of parameters.
    q, v : array_like or None
        Other start; the nearest consistent state is taken.
    force : array_like or None
        Force on the load in the outputs' directions: constant, or a row for each sample.
    delay : float or None
        Time until inputs act; as the law was designed for if None.
    noise : array_like or None
        Noise of the readings, a row for each sample; see `draw_noise`. Without an observer that of
        the outputs, which the law's integrals read.
    seen : mapping of str to str
        Without an observer: coordinates that the law takes to be something else than they are, as
        expressions (see `Sensor`), such as ``{"l": "1.05*l"}``; velocities are seen as their rates.
    read : mapping of str to str
        With an observer: what sensors, by title, read in place of their signals, such as
        ``{"q.l": "1.05*l"}``.
    """

    parameters: Mapping[str, float] | None = None
    q: ArrayLike | None = None
    v: ArrayLike | None = None
    force: ArrayLike | None = None
    delay: float | None = None
    noise: ArrayLike | None = None
    seen: Mapping[str, str] = field(default_factory=dict)
    read: Mapping[str, str] = field(default_factory=dict)


def draw_noise(observer: Observer, samples: int, seed: int) -> Array:
    """Return repeatable noise of an observer's sensors, a row for each sample."""
    draws = np.random.default_rng(seed).standard_normal((samples, len(observer.sensors)))
    return np.asarray(draws * np.array([sensor.noise for sensor in observer.sensors]))


def simulate_loop(
    reference: ReferenceMotion,
    law: Law | None = None,
    duration: float | None = None,
    plant: Deviations | None = None,
    observer: Observer | None = None,
    limits: tuple[ArrayLike, ArrayLike] | None = None,
) -> LoopMotion:
    """Simulate a controlled crane.

    Parameters
    ----------
    reference : ReferenceMotion
        The wanted motion and the feedforward.
    law : Law, optional
        Feedback; the feedforward alone if None.
    duration : float, optional
        Time in s from the first sample on; the motion's by default.
    plant : Deviations, optional
        How the plant differs.
    observer : Observer, optional
        What the law takes the state from, starting where the motion does; the true state if None.
    limits : pair of array_like, optional
        Least and most of each input. While one is met, only what leads back is integrated.
    """
    if law is not None and law.speed:
        raise InputError("a law of velocity references is simulated on a plant with speed drives")
    run = _LoopRun(reference, law, duration, plant or Deviations(), observer, limits)
    return run.result()


class _LoopRun:
    """One simulation: its data for each sample, and the result."""

    def __init__(
        self,
        reference: ReferenceMotion,
        law: Law | None,
        duration: float | None,
        plant: Deviations,
        observer: Observer | None,
        limits: tuple[ArrayLike, ArrayLike] | None,
    ) -> None:
        self.reference, self.observer = reference, observer
        self.seen = tuple(plant.seen.items())
        if self.seen and observer:
            raise InputError("an observer sees what its sensors read: say what these read instead")
        self.read = tuple(plant.read.items())
        self.law = law or open_loop(reference)
        if self.law.disturbances and (
            observer is None or observer.disturbances != self.law.disturbances
        ):
            raise InputError(
                f"the law compensates {', '.join(self.law.disturbances)}: simulate it with the "
                "observer that estimates these"
            )
        span = reference.time[-1] - reference.time[0] if duration is None else duration
        self.samples = round(span / reference.cycle)
        self.rows = reference.rows(self.samples)
        m = len(reference.crane.inputs)
        infinite = np.full(m, np.inf)
        self.least, self.most = (
            np.broadcast_to(np.asarray(bound, dtype=float), m)
            for bound in (limits or (-infinite, infinite))
        )
        delay = self.law.delay if plant.delay is None else plant.delay
        self.delay = cycles_of(delay, reference.cycle)
        self.known = cycles_of(self.law.delay, reference.cycle)
        crane = reference.crane
        values = {**reference.parameters, **(plant.parameters or {})}
        values = crane.parameter_values(values)
        self.p = np.array([values[name] for name in names(crane.parameters)])
        self.q, self.v = _start(reference, plant, self.p)
        self.force = self._each(plant.force, len(crane.outputs), "force")
        count = len(observer.sensors if observer else crane.outputs)
        self.noise = self._each(plant.noise, count, "noise")

    def _each(self, given: ArrayLike | None, columns: int, what: str) -> Array:
        """Return a row for each sample."""
        values = np.zeros(columns) if given is None else np.asarray(given, dtype=float)
        if values.shape not in ((columns,), (self.samples, columns)):
            raise InputError(
                f"{what} must have {columns} columns and {self.samples} rows, one for each sample, "
                f"got an array of shape {values.shape}"
            )
        return np.broadcast_to(values, (self.samples, columns))

    def result(self) -> LoopMotion:
        """Run it."""
        loop = loop_run(self._shape(), self.samples)
        data, constant = self.given()
        constants = ca.repmat(ca.DM(constant), 1, self.samples)
        found = loop(self._state(loop.size1_in(0)), data.T, constants)[1]
        return self._read(np.array(found).T)

    def given(self) -> tuple[Array, Array]:
        """Return what is given for each sample, a row each, and what stays."""
        r, law, rows = self.reference, self.law, self.rows
        due = self.observer.due(self.samples) if self.observer else self.noise[:, :0]
        columns = [
            r.hold[rows],
            _flat(law.K[rows]),
            _flat(law.K_integral[rows]),
            _flat(law.K_past[rows]),
            _flat(law.K_disturbance[rows]),
            r.q[rows],
            r.v[rows],
            r.outputs[rows],
            self.force,
            self.noise,
            due,
        ]
        start = self.observer.disturbance_start if self.observer else np.zeros(0)
        limits = [self.least, self.most, self._far_state(), far_off(r, law.integrals)]
        constant = np.concatenate([self.p, self._model(), [r.cycle], *limits, start])
        return np.column_stack(columns), constant

    def _far_state(self) -> Array:
        """Return from where on errors of what is fed back are refused."""
        coordinates = names(self.reference.crane.coordinates)
        far = far_off(self.reference, [f"{group}.{name}" for group in "qv" for name in coordinates])
        return np.where(np.abs(self.law.K).max(axis=(0, 1)) > 0.0, far, np.inf)

    def _shape(self) -> Shape:
        return Shape(
            crane=self.reference.crane,
            independent=self._independent(),
            integrals=self.law.integrals,
            past=self.law.K_past.shape[2],
            compensated=len(self.law.disturbances) > 0,
            delay=self.delay,
            known=self.known,
            observer=self.observer,
            seen=self.seen,
            read=self.read,
        )

    def _model(self) -> Array:
        names_ = names(self.reference.crane.parameters)
        source = self.observer.parameters if self.observer else self.reference.parameters
        return np.array([source[name] for name in names_])

    def _independent(self) -> tuple[str, ...]:
        if self.observer:
            return self.observer.motion.independent
        crane = self.reference.crane
        H = np.array(crane_dynamics(crane).manifold(self.q, self.p)[1])
        return tuple(names(crane.coordinates)[i] for i in choose_independent(H))

    def _state(self, size: int) -> Array:
        r, observer = self.reference, self.observer
        shape = self._shape()
        parts = [self.q, self.v, np.zeros(len(shape.integrals)), np.zeros(shape.past)]
        parts += [np.tile(r.hold[0], shape.under_way), np.zeros(r.hold.shape[1])]
        if observer:
            P = np.diag(observer.variance).ravel()
            parts += [r.q[0], r.v[0], observer.disturbance_start, P]
        state = np.concatenate(parts)
        assert state.size == size
        return state

    def _read(self, found: Array) -> LoopMotion:
        crane = self.reference.crane
        n, m, k = len(crane.coordinates), len(crane.inputs), len(crane.outputs)
        edges = np.cumsum([n, n, m, k])
        q, v, u, outputs, rest = np.split(found, edges, axis=1)
        size = len(self.observer.states) if self.observer else 0
        return LoopMotion(
            reference=self.reference,
            time=self.reference.time[0] + self.reference.cycle * np.arange(self.samples),
            q=q,
            v=v,
            u=u,
            outputs=outputs,
            estimate=rest[:, : rest.shape[1] - size] if size else None,
            variance=rest[:, rest.shape[1] - size :] if size else None,
        )


def _flat(gains: Array) -> Array:
    """Return matrices as rows, column after column as CasADi reshapes them."""
    return gains.transpose(0, 2, 1).reshape(len(gains), -1)


def _start(reference: ReferenceMotion, plant: Deviations, p: Array) -> tuple[Array, Array]:
    q = reference.q[0] if plant.q is None else np.asarray(plant.q, dtype=float)
    v = reference.v[0] if plant.v is None else np.asarray(plant.v, dtype=float)
    return project(crane_dynamics(reference.crane), q, v, p)


def open_loop(reference: ReferenceMotion) -> Law:
    """Return the law that does nothing: the feedforward alone."""
    m, n = len(reference.crane.inputs), len(reference.crane.coordinates)
    none = np.zeros((len(reference.time), m, 0))
    return Law(
        crane=reference.crane,
        kind="open",
        cycle=reference.cycle,
        delay=reference.lead,
        time=reference.time,
        K=np.zeros((len(reference.time), m, 2 * n)),
        integrals=(),
        K_integral=none,
        K_past=none,
        disturbances=(),
        K_disturbance=none,
    )
