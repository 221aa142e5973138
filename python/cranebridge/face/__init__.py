"""The package in Python: scenarios that carry themselves out, results that show themselves.

`load` and `Scenario.of` make a scenario; its verbs are those of the command line and return
`Check`, `Planned`, `Solution`, `Verification`, `Learned`, `Campaign` and `Delivered`.

What carries a verb out is imported when the verb is called.
"""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.face.animation import Animation
    from cranebridge.face.campaigns import Campaign
    from cranebridge.face.checks import Check, Delivered
    from cranebridge.face.learned import Learned
    from cranebridge.face.motions import Planned, Solution, Verification
    from cranebridge.face.opinions import SecondOpinion
    from cranebridge.face.scenario import Scenario, load
else:
    __getattr__, __dir__ = front(__name__)
