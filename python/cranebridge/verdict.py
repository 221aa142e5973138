"""A verdict: a value against its limit, with the margin between them."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Verdict:
    """Whether a value keeps its limit.

    Attributes
    ----------
    name : str
        What was judged, such as ``"rope T_cable pulls"``.
    passed : bool
        Whether the limit is kept.
    value, limit, margin : float
        The worst value, its limit and the distance between them, negative where it failed.
    unit : str
        SI unit of the three.
    time : float or None
        When the worst value occurs, in s.
    message : str
        The finding in a sentence.
    """

    name: str
    passed: bool
    value: float
    limit: float
    margin: float
    unit: str
    time: float | None = None
    message: str = ""

    def as_dict(self) -> dict[str, object]:
        """Return the entry of ``summary.json``."""
        return asdict(self)
