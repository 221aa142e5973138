"""A controller in plain tables: what its code is written from, for verification and delivery.

At each sample k it knows signals s of the crane, measured or estimated, and gives out

    u_k = hold_k - G_k (s - reference_k, integrals, past corrections, disturbances)

within limits. Feedforward and reference stand in a row for each sample; the gains G in fewer rows,
`nodes`, with straight lines between them. After the last sample its row holds. With a `Schedule`
the gains are those of the place where the reference is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.control.design import (
    TABLES,
    Axis,
    Law,
    PositionGains,
    far_off,
    interpolated_law,
    speed_limits,
    thinned_rows,
)
from cranebridge.control.model import ReferenceMotion, cycles_of
from cranebridge.control.observer import Observer
from cranebridge.errors import InputError
from cranebridge.inverse import SpeedDrive, speed_signals
from cranebridge.inverse import signals as all_signals
from cranebridge.limits import Limits
from cranebridge.twin import Crane, equations_of_motion
from cranebridge.twin.language import names

Array = NDArray[np.float64]

GAIN_ERROR = 1e-3
"""What gains between the rows of a thinned table may be wrong, of the largest part of an input."""


@dataclass(frozen=True)
class Channel:
    """A signal that goes into a controller or comes out of it: name, unit and meaning."""

    name: str
    unit: str = ""
    meaning: str = ""


@dataclass(frozen=True, eq=False)
class Schedule:
    """Gains over position.

    Attributes
    ----------
    axes : tuple of Axis
        Of the grid; none for gains that are the same everywhere.
    places : numpy.ndarray
        (samples, axes): where the reference is.
    gains : numpy.ndarray
        (points of the grid, inputs, columns), as in `Controller`.
    error : float
        What gains between the points are wrong by, of the largest part of an input.
    fade : float
        Time in s over which they grow from nothing at the start.
    """

    axes: tuple[Axis, ...]
    places: Array
    gains: Array
    error: float = 0.0
    fade: float = 0.0


@dataclass(frozen=True, eq=False)
class Controller:
    """A sampled controller.

    Attributes
    ----------
    kind : str
        What it is: lqr, lqi, drives.
    cycle : float
        In s.
    delay : tuple of int and float
        Whole cycles and the rest in s from a sample until its inputs act.
    measured, inputs : tuple of Channel
        What it reads, and what it gives out.
    start : float
        Time of the first sample in s.
    reference, hold : numpy.ndarray
        (samples, signals) and (samples, inputs).
    nodes : numpy.ndarray
        Samples of the rows of gains, the first and the last among them.
    gains : numpy.ndarray
        (nodes, inputs, columns): of signals, integrals, past corrections and disturbances.
    integrals : tuple of int
        Which signals are integrated.
    far : numpy.ndarray
        For each signal: an error of it that is beyond all sense, and refused.
    past : int
        Past corrections that are fed back, all inputs counted, those of one cycle before first.
    least, most : numpy.ndarray
        Limits of the inputs; infinite where there are none.
    error : float
        What the interpolated gains may be wrong, see `GAIN_ERROR`; 0 where none is left out.
    observer : Observer or None
        What the signals are estimated with; without one, they are what is measured.
    signals : casadi.Function or None
        ``(q, v, p) -> signals`` of the estimate.
    estimate : tuple of numpy.ndarray
        With an observer: q, v and disturbances that it starts with.
    titles : tuple of str
        The signals that are fed back, in the twin's names (``q.NAME``, ``v.NAME``, ``y.NAME``).
    schedule : Schedule or None
        Gains over position; `nodes` and `gains` are then those along the motion.
    speed : tuple of SpeedDrive
        Drives with a speed loop: what it gives them are velocity references.
    """

    kind: str
    cycle: float
    delay: tuple[int, float]
    measured: tuple[Channel, ...]
    inputs: tuple[Channel, ...]
    start: float
    reference: Array
    hold: Array
    nodes: NDArray[np.intp]
    gains: Array
    integrals: tuple[int, ...]
    far: Array
    past: int
    least: Array
    most: Array
    error: float
    observer: Observer | None = None
    signals: ca.Function | None = None
    estimate: tuple[Array, ...] = ()
    titles: tuple[str, ...] = ()
    schedule: Schedule | None = None
    speed: tuple[SpeedDrive, ...] = ()

    @property
    def disturbances(self) -> int:
        """How many estimated disturbances are fed back."""
        own = self.reference.shape[1] + len(self.integrals) + self.past
        return int(self.gains.shape[2] - own)


def controller_of(
    law: Law,
    reference: ReferenceMotion,
    limits: Limits | None = None,
    observer: Observer | None = None,
    error: float = GAIN_ERROR,
    over: PositionGains | None = None,
    fade: float = 0.0,
) -> Controller:
    """Return the controller that a law makes along a motion.

    Parameters
    ----------
    law : Law
        The law.
    reference : ReferenceMotion
        The motion on its cycle.
    limits : Limits, optional
        Of the inputs; where it has none of an input, what the motion suggests.
    observer : Observer, optional
        What the law takes the state from.
    error : float
        For the thinned gains, see `GAIN_ERROR`.
    over : PositionGains, optional
        Gains over position, of which `law` are those along the motion.
    fade : float
        Time in s over which these grow from nothing.

    Raises
    ------
    InputError
        If the law compensates what the observer does not estimate.
    """
    crane = law.crane
    if law.disturbances and (observer is None or observer.disturbances != law.disturbances):
        raise InputError(
            f"the law compensates {', '.join(law.disturbances)}: it needs the observer that "
            "estimates these"
        )
    known = law if over is None else over.laws
    used = np.flatnonzero(np.abs(known.K).max(axis=(0, 1)) > 0.0)
    titles = [_state_titles(crane)[i] for i in used]
    more = [title for title in law.integrals if title not in titles]
    titles += more
    values = dict(zip(_state_titles(crane), np.hstack([reference.q, reference.v]).T, strict=True))
    values |= {f"y.{name}": reference.outputs[:, i] for i, name in enumerate(names(crane.outputs))}
    rows = thinned_rows(law, error)
    free = np.full(len(crane.inputs), np.inf)
    if limits is None:
        least, most = -free, free
    else:
        least, most = speed_limits(reference, limits, law.speed)
    found = Controller(
        kind=law.kind,
        cycle=law.cycle,
        delay=cycles_of(law.delay, law.cycle),
        measured=tuple(channel_of(crane, title) for title in titles),
        inputs=input_channels(crane, law.speed),
        start=float(reference.time[0]),
        reference=np.column_stack([values[title] for title in titles]),
        hold=reference.hold,
        nodes=rows,
        gains=_gain_table(law, used, len(more))[rows],
        integrals=tuple(titles.index(title) for title in law.integrals),
        far=far_off(reference, titles),
        past=law.K_past.shape[2],
        least=least,
        most=most,
        error=error,
        titles=tuple(titles),
        schedule=None
        if over is None
        else Schedule(
            over.axes,
            over.places(reference),
            _gain_table(over.laws, used, len(more)),
            over.error,
            fade,
        ),
        speed=law.speed,
    )
    return found if observer is None else _observed(found, observer, reference, titles)


def faded_law(law: Law, duration: float) -> Law:
    """Return a law whose gains grow from zero over a time [s]: it starts without a jump."""
    if duration <= 0.0:
        return law
    part = np.clip((law.time - law.time[0]) / duration, 0.0, 1.0)[:, None, None]
    return replace(law, **{name: part * getattr(law, name) for name in TABLES})


def thinned_law(controller: Controller, law: Law) -> Law:
    """Return a law with the gains that its controller interpolates."""
    return interpolated_law(law, controller.nodes)


def channel_of(crane: Crane, title: str) -> Channel:
    """Return a signal such as ``q.x`` or ``y.x`` with its unit; another text has none."""
    known = all_signals(crane).get(title.replace("y.", "gamma.", 1))
    return Channel(title) if known is None else Channel(title, known.unit, known.meaning)


def _gain_table(law: Law, used: NDArray[np.intp], more: int) -> Array:
    """Return the gains of a law, of used coordinates only; zero for signals only integrated."""
    parts = [getattr(law, name) for name in TABLES]
    unused = np.zeros((*parts[0].shape[:2], more))
    return np.concatenate([parts[0][:, :, used], unused, *parts[1:]], axis=2)


def input_channels(crane: Crane, drives: Sequence[SpeedDrive] = ()) -> tuple[Channel, ...]:
    """Return what a controller gives out: inputs, or velocity references to drives."""
    speeds = zip(drives, speed_signals(crane, drives).values(), strict=True)
    driven = {drive.input: Channel(one.title, one.unit, one.meaning) for drive, one in speeds}
    return tuple(driven.get(name, channel_of(crane, f"u.{name}")) for name in names(crane.inputs))


def _state_titles(crane: Crane) -> list[str]:
    coordinates = names(crane.coordinates)
    return [*(f"q.{name}" for name in coordinates), *(f"v.{name}" for name in coordinates)]


def _observed(
    controller: Controller, observer: Observer, reference: ReferenceMotion, titles: Sequence[str]
) -> Controller:
    """Return the controller with its signals from an estimate."""
    crane = observer.crane
    model = equations_of_motion(crane)
    vectors = {
        "q": (names(crane.coordinates), model.q),
        "v": (names(crane.coordinates), model.v),
        "y": (names(crane.outputs), model.outputs),
    }
    rows = []
    for title in titles:
        group, _, name = title.partition(".")
        known, vector = vectors[group]
        rows.append(vector[known.index(name)])
    return replace(
        controller,
        measured=tuple(
            replace(channel_of(crane, sensor.signal), name=sensor.title)
            for sensor in observer.sensors
        ),
        observer=observer,
        signals=ca.Function(
            "signals", [model.q, model.v, model.p], [ca.densify(ca.vertcat(*rows))]
        ),
        estimate=(reference.q[0], reference.v[0], observer.disturbance_start),
    )
