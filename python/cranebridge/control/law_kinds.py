"""The optimal laws by name; read by scenarios before anything is designed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Kind = Literal["lqr", "lqi"]


@dataclass(frozen=True)
class OptimalLaw:
    """An optimal law.

    Attributes
    ----------
    meaning : str
        What it does, in a sentence.
    integrals : bool
        Whether it has integrals of the outputs' errors.
    """

    meaning: str
    integrals: bool = False


OPTIMAL_LAWS: Mapping[str, OptimalLaw] = {
    "lqr": OptimalLaw("optimal feedback of all coordinates and velocities"),
    "lqi": OptimalLaw(
        "the same with integrals of the outputs' errors: no error that lasts", integrals=True
    ),
}
"""The optimal laws."""

KINDS: Mapping[str, str] = {name: kind.meaning for name, kind in OPTIMAL_LAWS.items()}

SCHEDULES: Mapping[str, str] = {
    "time": "gains along the motion: optimal for it, and of no use for another",
    "position": "gains of a crane at rest where the motion is: for motions planned on line, too",
}
"""What the gains of a law follow."""
