"""The least force of each rope, by the rule that the verdicts use."""

from __future__ import annotations

from dataclasses import dataclass

from cranebridge.limits import Motion, extremes, least_force


@dataclass(frozen=True)
class RopeForce:
    """The least force of a rope.

    Attributes
    ----------
    name, meaning : str
        Which rope.
    least, time : float or None
        Its least force in N and when, between samples, too; None where it is not known.
    zero : float
        Size below which its force counts as zero, in N.
    """

    name: str
    meaning: str
    least: float | None = None
    time: float | None = None
    zero: float = 0.0

    @property
    def pushes(self) -> bool:
        """Whether it would have to push."""
        return self.least is not None and self.least < 0.0


def rope_forces(motion: Motion) -> list[RopeForce]:
    """Return the least force of each rope of a motion."""
    found = []
    for rope in motion.crane.ropes:
        values = motion.values.get(f"rope.{rope.name}")
        if values is None:
            found.append(RopeForce(rope.name, rope.meaning))
            continue
        low, high = extremes(motion.time, values, motion.sampled)
        least, zero = least_force(motion, low, high)
        found.append(RopeForce(rope.name, rope.meaning, least, low.time, zero))
    return found
