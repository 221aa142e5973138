"""A plan: the path that was found, what it costs, and which limits hold it back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.path import Path, Pieces

Array = NDArray[np.float64]

# Along another way, enough to draw it.
_POINTS = 101


@dataclass(frozen=True)
class ActiveConstraint:
    """A limit that a plan touches.

    Attributes
    ----------
    name : str
        Signal or obstacle, such as ``u.F_t``.
    limit : float
        Its value, in `unit`.
    unit : str
        SI unit.
    spans : tuple of (float, float)
        When [s].
    """

    name: str
    limit: float
    unit: str
    spans: tuple[tuple[float, float], ...]

    def as_dict(self) -> dict[str, object]:
        """Return it for JSON."""
        return {
            "name": self.name,
            "limit": self.limit,
            "unit": self.unit,
            "spans": [list(span) for span in self.spans],
        }


@dataclass(frozen=True)
class Alternative:
    """Another way that was tried.

    Attributes
    ----------
    way : str
        In words.
    cost : float
        Of the best path this way on the first splines; infinite where none was found.
    why : str
        Why none was found.
    duration : float
        Of that path [s].
    points : tuple of tuple of float
        Outputs along that path at even times.
    """

    way: str
    cost: float = np.inf
    why: str = ""
    duration: float = np.inf
    points: tuple[tuple[float, ...], ...] = ()

    @classmethod
    def found(cls, way: str, cost: float, path: Path) -> Alternative:
        """Return a way with its path."""
        points = path(np.linspace(0.0, path.duration, _POINTS)).T.tolist()
        return cls(way, cost, "", path.duration, tuple(map(tuple, points)))

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Alternative:
        """Return what `as_dict` wrote."""
        values = [content.get(key) for key in ("cost", "duration")]
        cost, duration = (np.inf if value is None else float(value) for value in values)
        points = tuple(map(tuple, content.get("points", ())))
        return cls(content["way"], cost, content.get("why", ""), duration, points)

    def as_dict(self) -> dict[str, object]:
        """Return it for JSON."""
        if not np.isfinite(self.cost):
            return {"way": self.way, "cost": None, "why": self.why}
        return {
            "way": self.way,
            "cost": self.cost,
            "duration": self.duration,
            "points": [list(point) for point in self.points],
        }


@dataclass(frozen=True, eq=False)
class Plan:
    """A path that was found.

    Attributes
    ----------
    path : Pieces
        The path.
    objective, method : str
        What was least, and how it was found.
    cost : float
        The objective's value: s for time.
    remaining : float
        How much less the cost may still become on ever finer splines, as a part of it, estimated
        from the last refinements.
    active : tuple of ActiveConstraint
        The limits that are touched.
    alternatives : tuple of Alternative
        Other ways that were tried.
    way : str
        The way that was taken, in words.
    notes : tuple of str
        What else a user should know.
    seconds : float
        Computing time.
    """

    path: Pieces
    objective: str
    method: str
    cost: float
    remaining: float
    active: tuple[ActiveConstraint, ...]
    way: str = ""
    alternatives: tuple[Alternative, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = field(default=0.0, compare=False)

    @property
    def duration(self) -> float:
        """Of the path [s]."""
        return self.path.duration

    def complete(self) -> dict[str, Any]:
        """Return all of it, with its path, for JSON."""
        outputs = list(self.path.outputs)
        return {"plan": self.as_dict(), "outputs": outputs, "path": self.path.as_table()}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Plan:
        """Return what `complete` wrote."""
        plan, table = content["plan"], content["path"]
        pieces = tuple(tuple(tuple(row) for row in piece) for piece in table["derivatives"])
        path = Pieces(
            tuple(content["outputs"]),
            tuple(table["knots"]),
            pieces,
            table["smoothness"],
            table["moving_start"],
            table["moving_end"],
        )
        active = [
            ActiveConstraint(
                one["name"], one["limit"], one["unit"], tuple(map(tuple, one["spans"]))
            )
            for one in plan["active"]
        ]
        others = tuple(Alternative.from_dict(one) for one in plan["alternatives"])
        return cls(
            path,
            plan["objective"],
            plan["method"],
            plan["cost"],
            np.inf if plan["remaining"] is None else plan["remaining"],
            tuple(active),
            plan["way"],
            others,
            tuple(plan["notes"]),
            plan["seconds"],
        )

    def as_dict(self) -> dict[str, object]:
        """Return the entry ``plan`` of ``summary.json``."""
        return {
            "objective": self.objective,
            "method": self.method,
            "duration": self.duration,
            "cost": self.cost,
            "remaining": self.remaining if np.isfinite(self.remaining) else None,
            "active": [one.as_dict() for one in self.active],
            "way": self.way,
            "alternatives": [one.as_dict() for one in self.alternatives],
            "notes": list(self.notes),
            "seconds": self.seconds,
        }


def spans_of(time: Array, inside: NDArray[np.bool_]) -> tuple[tuple[float, float], ...]:
    """Return begin and end of the stretches of time in which something holds."""
    marks = np.diff(np.concatenate([[False], inside, [False]]).astype(int))
    begins, ends = np.flatnonzero(marks == 1), np.flatnonzero(marks == -1) - 1
    return tuple((float(time[b]), float(time[e])) for b, e in zip(begins, ends, strict=True))
