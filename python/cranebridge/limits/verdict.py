"""A verdict: a value against its limit, or the reason why it could not be judged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Status = Literal["passed", "failed", "not judged"]


@dataclass(frozen=True)
class Verdict:
    """Whether a value keeps its limit.

    Attributes
    ----------
    name : str
        What was judged, such as ``"rope T_cable pulls"``.
    status : {"passed", "failed", "not judged"}
        What was found. A limit in force that could not be judged counts as not kept.
    message : str
        The finding in a sentence; the reason, where nothing was judged.
    value, limit, margin : float or None
        The worst value, its limit and the distance between them, negative where it failed; None
        where nothing was judged.
    unit : str
        SI unit of the three.
    time : float or None
        When the worst value occurs, in s.
    """

    name: str
    status: Status
    message: str
    value: float | None = None
    limit: float | None = None
    margin: float | None = None
    unit: str = ""
    time: float | None = None

    @property
    def passed(self) -> bool:
        """Whether the limit is known to be kept."""
        return self.status == "passed"

    def as_dict(self) -> dict[str, object]:
        """Return the entry of ``summary.json``."""
        return {
            "name": self.name,
            "status": self.status,
            "passed": self.passed,
            "value": self.value,
            "limit": self.limit,
            "margin": self.margin,
            "unit": self.unit,
            "time": self.time,
            "message": self.message,
        }


def outcome(passed: bool) -> Status:
    """Return the status of what was judged."""
    return "passed" if passed else "failed"


def exit_code(verdicts: Iterable[Verdict]) -> int:
    """Return 0 if every verdict passed, else 1: failed and not judged are both no promise."""
    return 0 if all(verdict.passed for verdict in verdicts) else 1


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst of several verdicts on the same limit: failed, not judged, least margin."""
    order = ("failed", "not judged", "passed")

    def goodness(one: Verdict) -> tuple[int, float]:
        return order.index(one.status), 0.0 if one.margin is None else one.margin

    return min(verdicts, key=goodness)
