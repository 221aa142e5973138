"""The certificate: what of twin and plant was compared, how well it agrees, and what was not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cranebridge.limits import Verdict
from cranebridge.verify.certificate.common_source import CommonSource

PositionsAndVelocities = tuple[NDArray[np.float64], NDArray[np.float64]]
Status = Literal["same", "same by motions", "one source", "different", "incomplete"]
How = Literal["exact derivatives", "differences", "motions"]

THRESHOLDS: Mapping[How, float] = {"exact derivatives": 1e-9, "differences": 1e-5, "motions": 1e-6}
"""Relative difference up to which a quantity agrees, by how it was obtained: both sides exact to
rounding; difference quotients of the plant's outputs; integrations at a tolerance of 1e-10."""

BEYOND = 0.01
"""A motion leaves what was compared where it is farther off than this part of the range: the states
along it are samples, and its largest velocities lie between them."""


@dataclass(frozen=True)
class Comparison:
    """One quantity of twin and plant.

    Attributes
    ----------
    quantity : str
        Such as ``"acceleration of x"``.
    how : str
        How the plant's value was obtained; it sets the threshold.
    difference : float
        Largest difference among the samples, relative to `scale`.
    scale : float
        Largest value among the samples, in the quantity's unit.
    where : str
        At which sample the difference is largest.
    """

    quantity: str
    how: How
    difference: float
    scale: float
    where: str = ""

    @property
    def threshold(self) -> float:
        """The difference up to which it agrees."""
        return THRESHOLDS[self.how]

    @property
    def agrees(self) -> bool:
        """Whether twin and plant agree; not a number does not."""
        return self.difference <= self.threshold

    def as_dict(self) -> dict[str, object]:
        """Return it for JSON."""
        return {**asdict(self), "threshold": self.threshold, "agrees": self.agrees}


@dataclass(frozen=True)
class Omission:
    """Something that could not be compared, and why."""

    quantity: str
    reason: str


@dataclass(frozen=True)
class Coverage:
    """Where a coordinate, or a velocity, was looked at, and where the motion goes.

    Attributes
    ----------
    signal : str
        ``q.NAME`` or ``v.NAME``.
    compared, motion : tuple of float
        Least and largest value among the compared states, and along the feedforward's motion.
    """

    signal: str
    compared: tuple[float, float]
    motion: tuple[float, float]

    def left_by(self, low: float, high: float) -> bool:
        """Return whether a motion between these values leaves what was compared."""
        least, most = self.compared
        room = BEYOND * max(most - least, high - low)
        return low < least - room or high > most + room


def looked_at(
    coordinates: Sequence[str], compared: PositionsAndVelocities, motion: PositionsAndVelocities
) -> tuple[Coverage, ...]:
    """Return where coordinates and velocities were looked at.

    Parameters
    ----------
    coordinates : sequence of str
        Their names.
    compared, motion : tuple of numpy.ndarray
        Coordinates and velocities, a row for each state.
    """

    def ends(values: NDArray[np.float64], column: int) -> tuple[float, float]:
        return float(values[:, column].min()), float(values[:, column].max())

    return tuple(
        Coverage(f"{group}.{name}", ends(at, i), ends(along, i))
        for group, at, along in zip("qv", compared, motion, strict=True)
        for i, name in enumerate(coordinates)
    )


@dataclass(frozen=True)
class Certificate:
    """The measured agreement of twin and plant.

    Attributes
    ----------
    compared : tuple of Comparison
        Accelerations and rope forces, each with its threshold.
    not_compared : tuple of Omission
        What stands in the way of *same*.
    notes : tuple of str
        What a reader should know besides.
    parameters : tuple of dict
        The plant's parameters: value given, default, and where it comes from.
    samples : int
        Number of states, or of motions.
    fmu_sha256 : str
        Hash of the plant that was looked at.
    equation : str
        The equation of motion that the plant violates most; empty where that is not known.
    looked : tuple of Coverage
        The ranges of coordinates and velocities that were compared, and those of the motion.
    common_source : CommonSource or None
        The Modelica source that both come from, which no comparison checks; None if they have two.
    """

    compared: tuple[Comparison, ...]
    not_compared: tuple[Omission, ...]
    fmu_sha256: str
    samples: int
    equation: str = ""
    notes: tuple[str, ...] = ()
    parameters: tuple[Mapping[str, object], ...] = ()
    looked: tuple[Coverage, ...] = ()
    common_source: CommonSource | None = None

    def beyond(self, reached: Mapping[str, tuple[float, float]]) -> str:
        """Say where a motion left what was compared; empty where it did not.

        Parameters
        ----------
        reached : mapping
            Least and largest value of signals.
        """
        left = [
            f"{one.signal} from {reached[one.signal][0]:.4g} to {reached[one.signal][1]:.4g}, "
            f"compared from {one.compared[0]:.4g} to {one.compared[1]:.4g}"
            for one in self.looked
            if one.signal in reached and one.left_by(*reached[one.signal])
        ]
        if not left:
            return ""
        return f"The plant went where twin and plant were not compared: {'; '.join(left)}."

    @property
    def status(self) -> Status:
        """Same only if all that makes the machine was compared, and agrees, and has two sources."""
        if not all(entry.agrees for entry in self.compared):
            return "different"
        if self.not_compared or not self.compared:
            return "incomplete"
        if self.common_source is not None:
            return "one source"
        return "same by motions" if self.worst.how == "motions" else "same"

    @property
    def same(self) -> bool:
        """Whether twin and plant are the same machine, as far as a comparison can tell."""
        return self.status in ("same", "same by motions", "one source")

    @property
    def worst(self) -> Comparison:
        """The quantity that is nearest to its threshold, or furthest beyond."""
        # not a number is worse than anything
        return max(
            self.compared,
            key=lambda entry: (
                entry.difference != entry.difference,
                entry.difference / entry.threshold,
            ),
        )

    @property
    def max_relative_difference(self) -> float:
        """The difference of the worst quantity; 0 where nothing was compared."""
        return self.worst.difference if self.compared else 0.0

    @property
    def where(self) -> str:
        """Which quantity that is, and where."""
        if not self.compared:
            return ""
        text = f"{self.worst.quantity} {self.worst.where}".rstrip()
        return f"{text}, equation of motion of {self.equation}" if self.equation else text

    def verdict(self, partial: bool = False) -> Verdict:
        """Return the verdict; with `partial`, agreement in what could be compared passes."""
        if not self.compared:
            return Verdict("certificate", "not judged", self.sentence())
        worst, status = self.worst, self.status
        passed = self.same or (partial and status == "incomplete")
        message = self.sentence()
        if partial and status == "incomplete":
            message += "; accepted, because plant.certify = 'partial'"
        return Verdict(
            name="certificate",
            status="passed" if passed else "failed" if status == "different" else "not judged",
            message=message,
            value=worst.difference,
            limit=worst.threshold,
            margin=worst.threshold - worst.difference,
            unit="1",
        )

    def sentence(self) -> str:
        """Return the finding in a sentence."""
        missing = "; ".join(f"{entry.quantity} ({entry.reason})" for entry in self.not_compared)
        if not self.compared:
            return f"twin and plant could not be compared: {missing}"
        worst = self.worst
        size = (
            f"{worst.difference:.1e}, relative ({self.where}; limit {worst.threshold:g} by "
            f"{worst.how})"
        )
        kind = "motions" if worst.how == "motions" else "states"
        if self.status == "different":
            although = "" if self.common_source is None else f", although {self._of_one_source()}"
            return f"twin and plant are different machines{although}: they differ by {size}"
        if self.status == "incomplete":
            common = "" if self.common_source is None else f"{self._of_one_source()}; they "
            return (
                f"{common or 'twin and plant '}agree in what was compared, to {size}, but not "
                f"everything was: {missing}"
            )
        if self.common_source is not None:
            return (
                f"{self._of_one_source()}; they agree to {size} at {self.samples} {kind}, which "
                f"{self.common_source.meaning()}"
            )
        word = "" if self.status == "same" else ", by their motions"
        return (
            f"twin and plant are the same machine{word}: they agree to {size} at "
            f"{self.samples} {kind}"
        )

    def _of_one_source(self) -> str:
        source = "" if self.common_source is None else self.common_source.source
        return f"twin and plant are of one source ({source})"

    def as_dict(self) -> dict[str, object]:
        """Return the entry of ``summary.json``."""
        common = self.common_source
        return {
            "status": self.status,
            "max_relative_difference": self.max_relative_difference,
            "where": self.where,
            "compared": [entry.as_dict() for entry in self.compared],
            "not_compared": [asdict(entry) for entry in self.not_compared],
            "fmu_sha256": self.fmu_sha256,
            "samples": self.samples,
            "equation": self.equation,
            "notes": list(self.notes),
            "parameters": [dict(row) for row in self.parameters],
            "looked": [asdict(one) for one in self.looked],
            **({} if common is None else {"common_source": common.as_dict()}),
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Certificate:
        """Read what `as_dict` wrote."""
        fields = ("quantity", "how", "difference", "scale", "where")
        common = content.get("common_source")
        return cls(
            compared=tuple(
                Comparison(*(entry[field] for field in fields)) for entry in content["compared"]
            ),
            not_compared=tuple(
                Omission(entry["quantity"], entry["reason"]) for entry in content["not_compared"]
            ),
            fmu_sha256=content["fmu_sha256"],
            samples=content["samples"],
            equation=content["equation"],
            notes=tuple(content["notes"]),
            parameters=tuple(content["parameters"]),
            looked=tuple(
                Coverage(one["signal"], tuple(one["compared"]), tuple(one["motion"]))
                for one in content.get("looked", ())
            ),
            common_source=None if common is None else CommonSource.from_dict(common),
        )


def changed_notice(parameters: Mapping[str, float]) -> str:
    """Return what must be said of a certificate where the plant is driven with other parameters."""
    if not parameters:
        return ""
    return (
        f"Twin and plant were compared with the plant's own {', '.join(parameters)}; it is driven "
        "with those of plant.parameters."
    )


def certificate_notice(certificate: Certificate | None, partial: bool) -> str:
    """Return what must be said of a certificate that is off, or passed without all compared."""
    if certificate is None:
        return "Twin and plant were not compared: plant.certify is off."
    verdict = certificate.verdict(partial)
    if verdict.passed and not certificate.same:
        return f"Partial certificate: {verdict.message.rstrip('.')}."
    return ""
