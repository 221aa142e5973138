"""What can be chosen in the table `[learn]`, with a sentence each."""

from __future__ import annotations

from collections.abc import Mapping

LAWS: Mapping[str, str] = {
    "lifted": "the best change of all samples by a linear model that varies with time",
    "frequency": "the error's spectrum divided by a transfer matrix (virtual iteration)",
    "stepwise": "controls found interval by interval, without [crane]: the one-step method",
}
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
