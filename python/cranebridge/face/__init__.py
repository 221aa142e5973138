"""The package in Python: scenarios that carry themselves out, results that show themselves.

`load` and `Scenario.of` make a scenario; its verbs are those of the command line and return
`Check`, `Planned`, `Solution`, `Verification`, `Learned`, `Campaign` and `Delivered`.

Results of campaigns, of learning and of a second opinion are imported when they are asked for.
"""

from typing import TYPE_CHECKING, Any

from cranebridge.face.animation import Animation
from cranebridge.face.checks import Check, Delivered
from cranebridge.face.motions import Solution, Verification
from cranebridge.face.scenario import Planned, Scenario, load

if TYPE_CHECKING:
    from cranebridge.face.campaigns import Campaign
    from cranebridge.face.learned import Learned
    from cranebridge.face.opinions import SecondOpinion

_PLACES = {
    "Campaign": "cranebridge.face.campaigns",
    "Learned": "cranebridge.face.learned",
    "SecondOpinion": "cranebridge.face.opinions",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for (PEP 562)."""
    if name not in _PLACES:
        raise AttributeError(f"module 'cranebridge.face' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(_PLACES[name]), name)


__all__ = [
    "Animation",
    "Campaign",
    "Check",
    "Delivered",
    "Learned",
    "Planned",
    "Scenario",
    "SecondOpinion",
    "Solution",
    "Verification",
    "load",
]
