"""Cranebridge: from a crane's Modelica model to a verified feedforward.

>>> import cranebridge
>>> scenario = cranebridge.load("overhead", ["crane.m=120"])
>>> scenario.problem.path.duration, scenario.problem.parameters["m"]
(3.0, 120.0)
>>> cranebridge.cranes()["rotary"]
'3D rotary (tower) crane: slewing jib, trolley, winch and load'

A crane of one's own subclasses `Crane` and declares `Quantity` and `Parameter`; the results of the
packages are the other types. All of them are imported when they are first asked for.
"""

from typing import Any

__version__ = "0.1.0"

_PLACES = {
    "load": ("cranebridge.scenario", "load_scenario"),
    "Scenario": ("cranebridge.scenario", "Scenario"),
    "cranes": ("cranebridge.twin", "cranes"),
    "Crane": ("cranebridge.twin", "Crane"),
    "Parameter": ("cranebridge.twin", "Parameter"),
    "Quantity": ("cranebridge.twin", "Quantity"),
    "Feedforward": ("cranebridge.inverse", "Feedforward"),
    "Structure": ("cranebridge.inverse", "Structure"),
    "Limits": ("cranebridge.limits", "Limits"),
    "Verdict": ("cranebridge.limits", "Verdict"),
    "Certificate": ("cranebridge.verify", "Certificate"),
    "Tracking": ("cranebridge.verify", "Tracking"),
    "Verified": ("cranebridge.verify", "Verified"),
}
# Each name with the package that has it. They are no import statements: this module is imported by
# all others, and `import cranebridge` must not wait for CasADi.

__all__ = [
    "Certificate",
    "Crane",
    "Feedforward",
    "Limits",
    "Parameter",
    "Quantity",
    "Scenario",
    "Structure",
    "Tracking",
    "Verdict",
    "Verified",
    "__version__",
    "cranes",
    "load",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for (PEP 562)."""
    if name not in _PLACES:
        raise AttributeError(f"module 'cranebridge' has no attribute '{name}'")
    from importlib import import_module

    package, attribute = _PLACES[name]
    value = getattr(import_module(package), attribute)
    globals()[name] = value  # the next time it is there
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})
