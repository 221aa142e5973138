"""What ``[plant]`` can choose from, a sentence each: schema, help, template and docs read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from cranebridge.errors import unknown

Fmi = Literal["2.0", "3.0"]
Contain = Literal["auto", "require", "off"]
Backend = Literal["own", "pyfmi", "fmpy"]

INTERFACES: Mapping[str, str] = {
    "me": "Model Exchange: integrated here, with dense output",
    "cs": "Co-Simulation: the FMU integrates itself, from one communication step to the next",
}
"""The interfaces of an FMU."""

BACKENDS: Mapping[str, str] = {
    "own": "our own loop and integrators",
    "pyfmi": "PyFMI with Assimulo's solvers, a second opinion; to be installed apart",
    "fmpy": "FMPy's own simulation, a second opinion that is always installed; it holds inputs "
    "over each plant.step, an error of order 2",
}
"""Who runs the FMU."""


@dataclass(frozen=True)
class OtherTool:
    """Another tool that runs an FMU in place of us.

    Attributes
    ----------
    name : str
        What its makers call it.
    install : str
        The command that installs it.
    """

    name: str
    install: str


TOOLS: Mapping[str, OtherTool] = {
    "pyfmi": OtherTool("PyFMI", "conda install -c conda-forge pyfmi"),
    "fmpy": OtherTool("FMPy", "pip install --force-reinstall fmpy"),
}
"""The other tools among `BACKENDS`."""

FEEDS: Mapping[str, str] = {
    "exact": "the continuous feedforward",
    "linear": "straight lines between the feedforward's times",
    "hold": "each value held until the next",
}
"""How controls are given between the feedforward's times."""

CONTAIN: Mapping[str, str] = {
    "auto": "all that the kernel can enforce; what it cannot is said",
    "require": "an error unless all can be enforced",
    "off": "nothing: the FMU has all your rights, for one that needs its licence server",
}
"""How an FMU's binary is kept from what it does not need: files, network, other processes."""

FMI_VERSIONS: Mapping[str, str] = {
    "2.0": "FMI 2.0, also written 2",
    "3.0": "FMI 3.0, also written 3",
}
"""Versions of exported FMUs."""

SPEED_LOOPS: Mapping[str, str] = {
    "plant": "in the plant, which has an input for the reference",
    "master": "in the verification, around a plant whose input is the force",
}
"""Where the speed loop of a drive is closed."""

_SHORT: Mapping[str, Fmi] = {"2": "2.0", "2.0": "2.0", "3": "3.0", "3.0": "3.0"}


def fmi_version(value: object) -> Fmi:
    """Return the FMI version that 2, 3, 2.0 or 3.0 means, as a number or as text."""
    text = str(value)
    if text not in _SHORT or isinstance(value, bool):
        raise unknown("FMI version", text, ("2", "3"))
    return _SHORT[text]
