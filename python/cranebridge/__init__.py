"""Cranebridge: from a crane's Modelica model to a verified feedforward.

>>> import cranebridge as cb
>>> cb.cranes()["rotary"]
'3D rotary (tower) crane: slewing jib, trolley, winch and load'
>>> scenario = cb.load("overhead")
>>> scenario.problem.path.duration
3.0
>>> solution = scenario.with_({"crane.m": 120.0, "path.duration": 4.0}).solve()
>>> solution.passed, solution["u.F_t"].shape, solution.units["u.F_t"]
(True, (401,), 'N')

A scenario carries itself out: `check`, `plan`, `solve`, `verify`, `run`, `learn`, `campaign`,
`deliver`. Its results plot themselves and become tables. A crane of one's own subclasses `Crane`,
declares `Quantity` and `Parameter`, and goes to `Scenario.of`. Everything is imported when it is
first asked for. See docs/python.md.
"""

from typing import Any

__version__ = "0.1.0"

_PLACES = {
    "load": ("cranebridge.face", "load"),
    "Scenario": ("cranebridge.face", "Scenario"),
    "ready_scenarios": ("cranebridge.scenario", "ready_scenarios"),
    "Solution": ("cranebridge.face", "Solution"),
    "Planned": ("cranebridge.face", "Planned"),
    "Verification": ("cranebridge.face", "Verification"),
    "cranes": ("cranebridge.twin", "known_cranes"),
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
    "Planned",
    "Quantity",
    "Scenario",
    "Solution",
    "Structure",
    "Tracking",
    "Verdict",
    "Verification",
    "Verified",
    "__version__",
    "cranes",
    "load",
    "ready_scenarios",
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
