"""What ``[plant]`` can choose from, a sentence each: schema, help, template and docs read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from cranebridge.errors import unknown

Fmi = Literal["2.0", "3.0"]

INTERFACES: Mapping[str, str] = {
    "me": "Model Exchange: integrated here, with dense output",
    "cs": "Co-Simulation: the FMU integrates itself, from one communication step to the next",
}
"""The interfaces of an FMU."""

FEEDS: Mapping[str, str] = {
    "exact": "the continuous feedforward",
    "linear": "straight lines between the feedforward's times",
    "hold": "each value held until the next",
}
"""How controls are given between the feedforward's times."""

FMI_VERSIONS: Mapping[str, str] = {
    "2.0": "FMI 2.0, also written 2",
    "3.0": "FMI 3.0, also written 3",
}
"""Versions of exported FMUs."""

_SHORT: Mapping[str, Fmi] = {"2": "2.0", "2.0": "2.0", "3": "3.0", "3.0": "3.0"}


def fmi_version(value: object) -> Fmi:
    """Return the FMI version that 2, 3, 2.0 or 3.0 means, as a number or as text."""
    text = str(value)
    if text not in _SHORT or isinstance(value, bool):
        raise unknown("FMI version", text, ("2", "3"))
    return _SHORT[text]
