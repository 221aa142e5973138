"""Do twin and plant come from one Modelica source, and what does their agreement say then?

A twin read from Modelica and an FMU that we export share the model's text, its compiler, our
reading of what the compiler gives, and the index reduction. A mistake in one of these is in both,
and no comparison shows it. They part at the causalisation: the twin's linear blocks are eliminated,
those of the FMU are solved, and from there on everything is made twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

CHECKED = ("causalisation", "generated code", "integration", "inversion")
"""What agreement of twin and plant, and of the load with its path, still shows."""

NOT_CHECKED = ("the modelling", "the compiler (rumoca)", "its reading", "the index reduction")
"""What both have from the same place."""

SECOND_SOURCES = "a twin in Python, another plant.model or plant.fmu"
"""What checks them."""


@dataclass(frozen=True)
class CommonSource:
    """The one source that twin and plant have.

    Attributes
    ----------
    source : str
        Such as ``WinchCrane.mo:WinchCrane``.
    reason : str
        How that is known.
    """

    source: str
    reason: str

    def meaning(self) -> str:
        """Say what agreement checks and what not, to follow a word for it."""
        return (
            f"checks {', '.join(CHECKED[:-1])} and {CHECKED[-1]}. Both share "
            f"{', '.join(NOT_CHECKED[:-1])} and {NOT_CHECKED[-1]}: only a second source checks "
            f"these ({SECOND_SOURCES})"
        )

    def sentence(self, both: str = "Twin and plant") -> str:
        """Return what must be said of every result with these two."""
        where = f"{self.source}; {self.reason}"
        return f"{both} are of one source ({where}). Their agreement {self.meaning()}."

    def as_dict(self) -> dict[str, object]:
        """Return it for JSON."""
        return {
            "source": self.source,
            "reason": self.reason,
            "checked": list(CHECKED),
            "not_checked": list(NOT_CHECKED),
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> CommonSource:
        """Read what `as_dict` wrote."""
        return cls(content["source"], content["reason"])
