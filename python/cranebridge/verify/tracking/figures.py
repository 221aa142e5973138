"""What a plant did with a feedforward: its motion, the error, the budget, and the verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Protocol, TextIO

import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse import Feedforward
from cranebridge.limits import Motion, Part, Verdict
from cranebridge.numerics import write_columns
from cranebridge.twin import Crane
from cranebridge.twin.language import names
from cranebridge.verify.budget import Budget
from cranebridge.verify.settings import Settings

Array = NDArray[np.float64]

NEAR = 0.05
"""Part of the plant's value within which it is said to be found."""


@dataclass(frozen=True)
class Figures:
    """What a way of control does and costs.

    Attributes
    ----------
    max_error : mapping of str to float
        Largest error of each output during the manoeuvre.
    residual_swing : float or None
        Largest amplitude with which an output oscillates after the end; None where it was not
        watched.
    peak : mapping of str to float
        Largest magnitude of each input.
    failed : str
        Why there are no figures; empty if there are.
    lasting_offset : float or None
        Largest lasting offset of an output: how far the mean after the end is from the goal.
    error_after : float or None
        Largest error of an output after the end: swing and offset together.
    """

    max_error: Mapping[str, float]
    residual_swing: float | None
    peak: Mapping[str, float]
    failed: str = ""
    lasting_offset: float | None = None
    error_after: float | None = None

    def as_dict(self) -> dict[str, object]:
        """Return the entry of ``summary.json``."""
        if self.failed:
            return {"failed": self.failed}
        return {
            "max_error": dict(self.max_error),
            **({} if self.residual_swing is None else {"residual_swing": self.residual_swing}),
            **({} if self.lasting_offset is None else {"lasting_offset": self.lasting_offset}),
            "peak": dict(self.peak),
        }


def figures_of(motion: Motion) -> Figures:
    """Return the figures of a plant's motion."""
    crane = motion.crane
    offsets = _offsets(motion)
    return Figures(
        {name: _largest(motion, name, "moving") for name in names(crane.outputs)},
        _residual_swing(motion),
        {name: float(np.abs(motion.values[f"u.{name}"]).max()) for name in names(crane.inputs)},
        lasting_offset=None if offsets is None else max(map(abs, offsets.values())),
        error_after=_error_after(motion),
    )


@dataclass(frozen=True)
class DisturbanceEstimate:
    """A disturbance that was estimated: a parameter of the crane, or a force on the load.

    Attributes
    ----------
    name, unit : str
        ``parameter.NAME`` or ``force.NAME``, and its unit.
    final : float
        The estimate at the last sample.
    plant : float or None
        What the plant has; None where it has no such parameter, and of forces, which change.
    since : float or None
        Time in s from which on the estimate is within `NEAR` of that until the end.
    """

    name: str
    unit: str
    final: float
    plant: float | None = None
    since: float | None = None

    def as_dict(self) -> dict[str, object]:
        """Return the entry of ``summary.json``."""
        own = {"unit": self.unit, "final": self.final}
        if self.plant is None:
            return own
        return {**own, "plant": self.plant, "within": NEAR, "since": self.since}

    def describe(self) -> str:
        """Return it in words."""
        words = f"{self.name} estimated: {self.final:.4g} {self.unit} at the end"
        if self.plant is None:
            return words
        near = f"{100 * NEAR:g} %"
        found = (
            f"not within {near} of it at the end"
            if self.since is None
            else f"within {near} of it from {self.since:.3g} s on"
        )
        return f"{words}, the plant has {self.plant:.4g} {self.unit}; {found}"


@dataclass(frozen=True, eq=False)
class Tracking:
    """What the plant did with the feedforward.

    Arrays have a row for each time and a column for each signal, in the twin's order.

    Attributes
    ----------
    time : numpy.ndarray
        Times in s; after the path's end the settling window.
    wanted, achieved, error : numpy.ndarray
        Asked and achieved outputs, and their difference.
    q, u, ropes : numpy.ndarray
        The plant's motion in the twin's coordinates, applied inputs, rope forces in N. A
        coordinate that the plant does not give is that of the feedforward, a rope force nan;
        `seen` tells.
    seen : frozenset of str
        Coordinates and ropes that are the plant's own.
    drive_speeds, powers : dict of str to numpy.ndarray
        Speed of each input's drive and its power in W, as far as they are known.
    motion : Motion
        The same motion between these times, too; extremes are found there.
    budget : Budget
        Where the error comes from.
    verdicts : tuple of Verdict
        What was judged on the plant.
    variants : dict of str to dict
        Largest error of each output with each further set of plant parameters; empty where
    failed_variants : dict of str to str
        says why there is none.
    compared : dict of str to Figures
        With a sampled controller: what the plant does without and with it.
    controller : tuple of str
        What was designed, line by line.
    notes : tuple of str
        Of this, what must be known: its stability, what stays unobserved.
    of_loop : tuple of Verdict
        With an observer: whether the loop with its filter is stable where the motion rests.
    speeds : dict of str to numpy.ndarray
        Velocity references that drives with a speed loop were given, by coordinate.
    estimates : dict of str to numpy.ndarray
        With an observer: what it estimated, by name (``q.NAME``, ``v.NAME``, ``parameter.NAME``,
        ``force.NAME``).
    estimated : tuple of DisturbanceEstimate
        What became of the parameters and forces among these.
    energy_balance : float or None
        Change of the plant's energy less the drives' work, relative to the energy moved.
    """

    feedforward: Feedforward
    settings: Settings
    time: Array
    wanted: Array
    achieved: Array
    q: Array
    u: Array
    ropes: Array
    seen: frozenset[str]
    drive_speeds: Mapping[str, Array]
    powers: Mapping[str, Array]
    motion: Motion
    budget: Budget
    verdicts: tuple[Verdict, ...]
    energy_balance: float | None = None
    variants: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    failed_variants: Mapping[str, str] = field(default_factory=dict)
    statistics: Mapping[str, object] = field(default_factory=dict)
    compared: Mapping[str, Figures] = field(default_factory=dict)
    controller: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    of_loop: tuple[Verdict, ...] = ()
    speeds: Mapping[str, Array] = field(default_factory=dict)
    estimates: Mapping[str, Array] = field(default_factory=dict)
    estimated: tuple[DisturbanceEstimate, ...] = ()

    @property
    def error(self) -> Array:
        """Achieved less wanted outputs."""
        return self.achieved - self.wanted

    @property
    def max_error(self) -> dict[str, float]:
        """Largest error of each output during the manoeuvre, between the times, too."""
        return {name: _largest(self.motion, name, "moving") for name in self._outputs}

    @property
    def rms_error(self) -> dict[str, float]:
        """Root mean square error of each output during the manoeuvre."""
        result = {}
        for name in self._outputs:
            time, error = self.motion.part(f"tracking.{name}", "moving")
            middle = 0.5 * (error[1:] ** 2 + error[:-1] ** 2)
            result[name] = float(np.sqrt(middle @ np.diff(time) / (time[-1] - time[0])))
        return result

    @property
    def residual_swing(self) -> float | None:
        """Largest amplitude of an output's oscillation after the end; None if not watched.

        Half of the distance between its largest and its least value while the plant settles.
        """
        return _residual_swing(self.motion)

    @property
    def lasting_offset(self) -> dict[str, float] | None:
        """Lasting offset of each output: its mean after the end less the goal; None if not watched.

        What is left where nothing swings any longer, such as a rope that stretches.
        """
        return _offsets(self.motion)

    @property
    def error_after(self) -> float | None:
        """Largest error of an output after the end; None if not watched."""
        return _error_after(self.motion)

    @property
    def unwatched(self) -> str:
        """Why nothing is said of what is after the end; empty if something is."""
        if (self.settings.path or self.feedforward.problem.path).moving_ends[1]:
            return "the motion ends moving and is judged until its end"
        return "not watched after the end" if self.residual_swing is None else ""

    @property
    def _outputs(self) -> tuple[str, ...]:
        return names(self.feedforward.problem.crane.outputs)

    def as_dict(self) -> dict[str, object]:
        """Return the entry of ``summary.json``."""
        return {
            "max_error": self.max_error,
            "rms_error": self.rms_error,
            **(
                {"unwatched": self.unwatched}
                if self.residual_swing is None
                else {"residual_swing": self.residual_swing, "lasting_offset": self.lasting_offset}
            ),
            "budget": self.budget.as_dict(),
            "unexplained": self.budget.unexplained,
            "uncertainty": self.budget.uncertainty,
            "energy_balance": self.energy_balance,
            "variants": {name: dict(errors) for name, errors in self.variants.items()}
            | {name: {"failed": why} for name, why in self.failed_variants.items()},
            "feed": self.settings.feed,
            "tolerance": self.settings.tolerance,
            "driven_by": self.driven_by,
            **self._disturbances(),
            **self._control(),
            **self.statistics,
        }

    @property
    def driven_by(self) -> str:
        """What gives the plant's inputs, in words."""
        if self.settings.feedback is not None:
            return f"sampled controller, {self.settings.feedback.kind}"
        if self.settings.speed:
            return "velocity references"
        return "drive references" if self.settings.loops else "forces and torques"

    def _disturbances(self) -> dict[str, object]:
        found = [one.describe() for one in self.settings.disturbances]
        return {"disturbances": found} if found else {}

    def _control(self) -> dict[str, object]:
        feedback = self.settings.feedback
        if feedback is None:
            return {}
        compared = {name: figures.as_dict() for name, figures in self.compared.items()}
        estimated = {one.name: one.as_dict() for one in self.estimated}
        return {
            "control": {
                "kind": feedback.kind,
                "cycle": feedback.cycle,
                "delay": feedback.delay,
                "design": list(self.controller),
                "compared": compared,
                **({"estimated": estimated} if estimated else {}),
            }
        }

    def columns(self) -> Iterator[tuple[str, Array]]:
        """Yield the columns of ``tracking.csv``; what the plant does not give is left out."""
        yield from tracking_columns(self.feedforward.problem.crane, self)
        for name, values in self.estimates.items():
            yield f"estimate.{name}", values

    def write_csv(self, target: FilePath | TextIO) -> None:
        """Write ``tracking.csv``: wanted and achieved outputs, errors, motion, controls, ropes."""
        write_columns(target, self.columns())


class ComparedMotion(Protocol):
    """A plant's motion at the compared times, in the twin's order; see `Tracking`."""

    @property
    def time(self) -> Array:
        """Times in s."""

    @property
    def wanted(self) -> Array:
        """Asked outputs."""

    @property
    def achieved(self) -> Array:
        """Achieved outputs."""

    @property
    def q(self) -> Array:
        """Coordinates."""

    @property
    def u(self) -> Array:
        """Applied inputs."""

    @property
    def ropes(self) -> Array:
        """Rope forces in N."""

    @property
    def seen(self) -> frozenset[str]:
        """Coordinates and ropes that are the plant's own."""

    @property
    def speeds(self) -> Mapping[str, Array]:
        """Velocity references that were given, by coordinate."""


def tracking_columns(crane: Crane, compared: ComparedMotion) -> Iterator[tuple[str, Array]]:
    """Yield the columns of a plant's motion; what the plant does not give is left out."""
    yield "time", compared.time
    groups = (
        ("gamma", crane.outputs, compared.wanted),
        ("y", crane.outputs, compared.achieved),
        ("e", crane.outputs, compared.achieved - compared.wanted),
        ("q", crane.coordinates, compared.q),
        ("u", crane.inputs, compared.u),
        ("rope", crane.ropes, compared.ropes),
    )
    for prefix, quantities, values in groups:
        for column, name in enumerate(names(quantities)):
            if prefix not in ("q", "rope") or name in compared.seen:
                yield f"{prefix}.{name}", values[:, column]
    for name, values in compared.speeds.items():
        yield f"w.{name}", values


def _largest(motion: Motion, output: str, part: Part) -> float:
    """Return the largest error of an output, between samples, too."""
    low, high = motion.extremes(f"tracking.{output}", part, sampled=False)
    return max(abs(low.value), abs(high.value))


def _residual_swing(motion: Motion) -> float | None:
    """Return the largest amplitude of an output after the end; None where it was not watched."""
    if not motion.watched:
        return None
    outputs = names(motion.crane.outputs)
    return max(motion.after(f"tracking.{name}", sampled=False).swing for name in outputs)


def _offsets(motion: Motion) -> dict[str, float] | None:
    """Return the mean error of each output after the end; None where it was not watched."""
    if not motion.watched:
        return None
    outputs = names(motion.crane.outputs)
    return {name: motion.after(f"tracking.{name}", sampled=False).offset for name in outputs}


def _error_after(motion: Motion) -> float | None:
    """Return the largest error of an output after the end; None where it was not watched."""
    if not motion.watched:
        return None
    return max(_largest(motion, name, "after") for name in names(motion.crane.outputs))
