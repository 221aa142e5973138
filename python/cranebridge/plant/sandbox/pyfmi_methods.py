"""PyFMI as the second back end, on the caller's side: is it there, and which of its solvers.

PyFMI is not imported here. It runs in the child process (`pyfmi_instance.py`).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping

from cranebridge.errors import InputError, MissingDependencyError, unknown
from cranebridge.plant.plant_choices import TOOLS

SOLVERS: Mapping[str, str] = {
    "CVode": "SUNDIALS' BDF of variable order, PyFMI's own default",
    "Radau5ODE": "Radau IIA of order 5; of these the most accurate one at a tolerance",
    "RodasODE": "Rosenbrock's method of order 4",
    "Dopri5": "Dormand and Prince's explicit method of order 5",
}
"""Assimulo's solvers with error control and interpolation, a sentence each.

Not LSODAR: it passes over an event that follows right after another one.
"""

COUNTERPARTS: Mapping[str, str] = {
    "CVODE": "CVode",
    "BDF": "CVode",
    "Radau": "Radau5ODE",
    "RK45": "Dopri5",
}
"""Our own methods that Assimulo has too."""

DEFAULT = "Radau5ODE"


def solver_name(method: str | None) -> str:
    """Return Assimulo's name of a method, given by its own name or by ours."""
    if method is None:
        return DEFAULT
    name = COUNTERPARTS.get(method, method)
    if name not in SOLVERS:
        raise unknown("method of PyFMI", method, (*SOLVERS, *COUNTERPARTS))
    return name


def require(version: str, interface: str) -> None:
    """Raise an error unless PyFMI is installed and runs FMUs of this version and interface."""
    if any(importlib.util.find_spec(name) is None for name in ("pyfmi", "assimulo")):
        raise MissingDependencyError(
            "plant.backend = 'pyfmi' needs PyFMI with Assimulo; run: "
            f"{TOOLS['pyfmi'].install}; FMPy is here already: plant.backend = 'fmpy'"
        )
    if version.startswith("3") and interface == "cs":
        raise InputError(
            "PyFMI runs no Co-Simulation of FMI 3: use Model Exchange (plant.interface = 'me'), "
            "an FMU of FMI 2, or plant.backend = 'own'."
        )
