"""A law made for a plant, and what is to be said of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from cranebridge.learn.laws import Transfer
from cranebridge.learn.learning import LearningLaw
from cranebridge.learn.record import Record
from cranebridge.learn.settings import LearnSettings

# What is left of swinging at the record's end, as a part, that is worth a word.
LEFT = 0.1
# An answer whose last part has this part of its largest value does not die out.
LASTING = 0.2


@dataclass(frozen=True, eq=False)
class DesignedLaw:
    """A law for a plant.

    Attributes
    ----------
    law : LearningLaw or callable
        As `learn` takes it.
    model : str
        Where its model comes from.
    notes : tuple of str
        What the user should know.
    transfer : Transfer or None
        G of the frequency law.
    """

    law: LearningLaw | Callable[[Record], LearningLaw]
    model: str
    notes: tuple[str, ...] = ()
    transfer: Transfer | None = None


def integrates(count: int) -> tuple[str, ...]:
    """Say of a plant with poles at zero what it needs."""
    if not count:
        return ()
    return (
        f"the plant integrates ({count} poles at zero): what its drives get wrong in a trial adds "
        "up, and no loop holds it; inner loops are needed on a machine: [control.drives], whose "
        "references are learned then",
    )


def stays_away(transfer: Transfer, outputs: Sequence[str]) -> tuple[str, ...]:
    """Say which outputs do not come back when the noise has faded out."""
    if transfer.left is None:
        return ()
    away = [name for name, part in zip(outputs, transfer.left, strict=True) if part > LASTING]
    if not away:
        return ()
    return (
        f"{', '.join(away)} did not come back when the noise had faded out: the plant integrates, "
        "or swings with hardly any damping (poles on the axis); inner loops are needed for this "
        "law, or learn.law = 'lifted'",
    )


def leaks(settings: LearnSettings, transfer: Transfer) -> tuple[str, ...]:
    """Say of what does not die out in the rest behind the motion that it leaks to its begin."""
    if transfer.poles is None:
        return ()
    slowest = max(transfer.poles, key=lambda pole: pole.real)
    if slowest.real < 0.0 and np.exp(slowest.real * settings.rest_after) < LEFT:
        return ()
    at = f"swinging at {abs(slowest.imag) / (2.0 * np.pi):.2g} Hz" if slowest.imag else "a motion"
    dies = f"dies out by exp({slowest.real:.2g} t)" if slowest.real < -1e-9 else "never dies out"
    return (
        f"{at} {dies}, and the record has {settings.rest_after:g} s of rest behind the motion "
        "(learn.rest_after): what is left then leaks to the record's begin, which is periodic for "
        "this law",
    )


def heard(settings: LearnSettings, transfer: Transfer) -> tuple[str, ...]:
    """Say in how much of the band the answer to the noise was coherent."""
    if transfer.coherence is None:
        return ()
    inside = (transfer.frequency > 0.0) & (transfer.frequency <= settings.bandwidth)
    share = float((transfer.coherence[inside] >= settings.coherence).mean())
    return (
        f"coherence of {settings.coherence:g} and more in {100.0 * share:.0f} % of "
        f"the band up to {settings.bandwidth:g} Hz; the rest is not learned from",
    )
