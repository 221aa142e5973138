"""Where ropes of a motion do not pull: laws are designed for ropes that are stretched."""

from __future__ import annotations

import numpy as np

from cranebridge.inverse import Feedforward
from cranebridge.limits import ROPE_ZERO
from cranebridge.twin.language import names


def slack_notes(solution: Feedforward) -> tuple[str, ...]:
    """Return a sentence for each rope that has no force, or would have to push, somewhere.

    A law sees a rope as a rod: it corrects errors by pushing with it, too. On a plant whose ropes
    go slack it then acts on another crane than it was designed for.
    """
    notes = []
    for i, name in enumerate(names(solution.problem.crane.ropes)):
        force = solution.ropes[:, i]
        k = int(np.argmin(force))
        if force[k] > ROPE_ZERO * np.abs(force).max():
            continue
        pushes = force[k] < -ROPE_ZERO * np.abs(force).max()
        what = f"would have to push with {-force[k]:.4g} N" if pushes else "has no force"
        notes.append(
            f"rope {name} {what} at {solution.time[k]:.4g} s: the law takes ropes for rods, and "
            "where this one goes slack on the plant nothing is known of the loop, which may diverge"
        )
    return tuple(notes)
