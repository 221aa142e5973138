"""What can be chosen in the table `[learn]`, with a sentence each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class LawKind:
    """A law of learning.

    Attributes
    ----------
    meaning : str
        What it does, in a sentence.
    models : tuple of str
        Where it can get its model from; see `MODELS`.
    plain : str
        Which of these it takes if nothing is said and there is no twin that knows all loops.
    craneless : str
        Why it is for plants without a crane only; empty if it is for all.
    once : bool
        Whether there is nothing to learn from a second trial.
    """

    meaning: str
    models: tuple[str, ...]
    plain: str
    craneless: str = ""
    once: bool = False


LAW_KINDS: Mapping[str, LawKind] = {
    "lifted": LawKind(
        "the best change of all samples by a linear model that varies with time",
        ("twin", "fmu", "differences"),
        "differences",
    ),
    "frequency": LawKind(
        "the error's spectrum divided by a transfer matrix (virtual iteration)",
        ("twin", "fmu", "noise"),
        "noise",
    ),
    "stepwise": LawKind(
        "controls found interval by interval, without [crane]: the one-step method",
        ("states",),
        "states",
        craneless="it looks one interval ahead, and a crane's load answers later; use 'lifted'",
        once=True,
    ),
}
"""All laws of learning."""

LAWS: Mapping[str, str] = {name: kind.meaning for name, kind in LAW_KINDS.items()}
MODELS: Mapping[str, str] = {
    "auto": "twin where there is a crane and it knows all loops; else differences (lifted) or "
    "noise (frequency)",
    "twin": "the twin, linearised along the motion, behind the drives' loops",
    "fmu": "the FMU itself, linearised along a trial (Model Exchange)",
    "differences": "answers of the plant to pulses of each input, for lifted",
    "noise": "a run with noise on all inputs, the H1 estimate, for frequency",
    "states": "states that are saved and set again, for stepwise",
}
TAPERS: Mapping[str, str] = {
    "cosine": "W falls from 1 to 0 at the cut frequency as (1 + cos(pi f/cut))/2",
    "none": "W is 1 up to the cut frequency",
}
