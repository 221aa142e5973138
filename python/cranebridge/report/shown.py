"""The motion that the report shows: the plant's, or the solution's own where none was driven."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cranebridge.inverse import signals
from cranebridge.limits import Motion, solution_motion
from cranebridge.path import Path
from cranebridge.report.animation import Array
from cranebridge.scenario import Scenario
from cranebridge.twin.language import Crane, names
from cranebridge.verify import Verified

if TYPE_CHECKING:
    from cranebridge.plan import Obstacle, Plan


@dataclass(frozen=True, eq=False)
class ShownMotion:
    """The motion that is shown; arrays have a row for each time, a column for each signal.

    Attributes
    ----------
    verified : Verified
        What was found out.
    time : numpy.ndarray
        Times in s; of a plant they may run past the path's end.
    wanted, outputs : numpy.ndarray
        Outputs that are asked for, and those of the motion.
    q, u : numpy.ndarray
        Coordinates and controls; a coordinate in `hidden` is the solution's.
    ropes : mapping of str to numpy.ndarray
        Rope forces in N by name, those that are known.
    hidden : frozenset of str
        Coordinates and ropes that the plant does not give.
    motion : Motion
        The same motion as it was judged, between these times, too.
    plan : Plan or None
        How its path was found, where that was asked for.
    obstacles : tuple of Obstacle
        What load and ropes must not touch.
    """

    verified: Verified
    time: Array
    wanted: Array
    outputs: Array
    q: Array
    u: Array
    ropes: Mapping[str, Array]
    hidden: frozenset[str]
    motion: Motion
    plan: Plan | None = None
    obstacles: tuple[Obstacle, ...] = ()

    @property
    def crane(self) -> Crane:
        """Whose motion it is."""
        return self.verified.feedforward.problem.crane

    @property
    def parameters(self) -> Mapping[str, float]:
        """The crane's parameters."""
        return self.verified.feedforward.problem.parameters

    @property
    def path(self) -> Path:
        """The path that is asked for."""
        return self.verified.feedforward.problem.path

    @property
    def rest(self) -> int:
        """The row at which the crane rests: the last one if it starts moving and ends at rest."""
        starts, ends = self.path.moving_ends
        return -1 if starts and not ends else 0

    def not_given(self, titles: tuple[str, ...]) -> str:
        """Return which of some coordinates or ropes the plant does not give, in a sentence."""
        missing = [name for name in titles if name in self.hidden]
        return f"Not given by the plant: {', '.join(missing)}." if missing else ""


def shown_result(scenario: Scenario, verified: Verified) -> ShownMotion:
    """Return the motion that a report shows, with the scenario's plan and obstacles."""
    shown = shown_motion(verified)
    return replace(shown, plan=scenario.planned, obstacles=scenario.obstacles)


def shown_motion(verified: Verified) -> ShownMotion:
    """Return the motion that a report of `verified` shows."""
    solution, tracking = verified.feedforward, verified.tracking
    crane = solution.problem.crane
    ropes = names(crane.ropes)
    if tracking is None:
        judged = [signal for signal, _ in verified.limits.in_force(crane)]
        pulled = [signals(crane)[f"rope.{name}"] for name in ropes]
        return ShownMotion(
            verified,
            solution.time,
            wanted=solution.gamma,
            outputs=solution.gamma,
            q=solution.q,
            u=solution.u,
            ropes={name: solution.ropes[:, i] for i, name in enumerate(ropes)},
            hidden=frozenset(),
            motion=solution_motion(solution, list(dict.fromkeys([*judged, *pulled]))),
        )
    return ShownMotion(
        verified,
        tracking.time,
        wanted=tracking.wanted,
        outputs=tracking.achieved,
        q=tracking.q,
        u=tracking.u,
        ropes={n: tracking.ropes[:, i] for i, n in enumerate(ropes) if n in tracking.seen},
        hidden=frozenset((*names(crane.coordinates), *ropes)) - tracking.seen,
        motion=tracking.motion,
    )
