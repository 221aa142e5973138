"""What is asked for in the table `[learn]`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cranebridge.errors import InputError
from cranebridge.inverse import require_points
from cranebridge.learn.learning import Rules
from cranebridge.learn.words import LAW_KINDS

MOST_SAMPLES = 1_000_000
"""Samples of a record at most; the model of a crane takes some hundred numbers for each."""
MOST_PULSES = 1_000
"""Times of pulses at most: each takes a run of the plant for each input."""


@dataclass(frozen=True)
class LearnSettings:
    """How controls are learned.

    Attributes
    ----------
    law, model : str
        See `cranebridge.learn.words`.
    trials, gain, goal, judge_from : int, float
        See `Rules`.
    repeats : int
        Further trials of the learned controls; see `Learning.repeated`.
    bandwidth : float
        Hz, up to which errors are learned: smoothness of lifted, cut of frequency.
    taper : str
        Of the frequency law.
    coherence : float
        Frequencies of less are not learned from, for a transfer matrix from noise.
    relinearise : bool
        Whether the model is made anew along each trial, for model fmu.
    step, rest_before, rest_after : float
        Of the record, in s.
    amplitude : mapping of str to float
        By input: height of pulses, or root mean square of noise.
    pulses : int
        At how many times of the motion pulses are given.
    noise_duration, segment : float
        Length in s of the run with noise, and of the parts that it is averaged over.
    draw : int
        Which draw of the noise.
    regularisation : float
        Of stepwise, relative to the squared answer of the outputs within one interval.
    """

    law: str = "lifted"
    model: str = "auto"
    trials: int = 8
    repeats: int = 0
    gain: float = 1.0
    goal: float = 0.0
    judge_from: float = 1.0
    bandwidth: float = 3.0
    taper: str = "cosine"
    coherence: float = 0.5
    relinearise: bool = False
    step: float = 0.01
    rest_before: float = 0.0
    rest_after: float = 2.0
    amplitude: Mapping[str, float] = field(default_factory=dict)
    pulses: int = 1
    noise_duration: float = 120.0
    segment: float = 10.0
    draw: int = 1
    regularisation: float = 5.0

    def require_record(self, duration: float) -> None:
        """Refuse a record of a motion that would have too many samples."""
        require_points("learn.step", self.step, duration, MOST_SAMPLES)
        for key, rest in (("before", self.rest_before), ("after", self.rest_after)):
            if rest / self.step > MOST_SAMPLES:
                raise InputError(
                    f"learn.rest_{key} = {rest:g} s gives more than {MOST_SAMPLES:,} points with "
                    f"learn.step = {self.step:g} s; use a smaller one"
                )
        if self.pulses > MOST_PULSES:
            raise InputError(
                f"learn.pulses = {self.pulses} is more than the {MOST_PULSES:,} that are tried; "
                "use fewer"
            )

    def require_judged(self, duration: float) -> None:
        """Refuse a record whose errors would all be left out."""
        if not self.judge_from < duration:
            raise InputError(
                f"learn.judge_from = {self.judge_from:g} s is not within the record, which is "
                f"{duration:g} s long: nothing would be judged"
            )

    @property
    def rules(self) -> Rules:
        """How learning goes on and ends."""
        if LAW_KINDS[self.law].once:
            return Rules(min(self.trials, 1), 1.0, self.judge_from, self.goal)
        return Rules(self.trials, self.gain, self.judge_from, self.goal)

    def chosen_model(self, twin: bool, known: bool = True) -> str:
        """Return where the law's model comes from.

        Parameters
        ----------
        twin : bool
            Whether there is a twin.
        known : bool
            Whether its model has all loops that the plant is driven with.

        Raises
        ------
        InputError
            If the law takes no such model, or there is no twin.
        """
        law = LAW_KINDS[self.law]
        if twin and law.craneless:
            raise InputError(
                f"learn.law = '{self.law}' is for plants without a crane: {law.craneless}"
            )
        by_itself = "twin" if twin and known and "twin" in law.models else law.plain
        model = by_itself if self.model == "auto" else self.model
        offered = [name for name in law.models if twin or name != "twin"]
        if model not in offered:
            without = "" if twin else " without a crane"
            raise InputError(
                f"learn.model = '{model}' does not go with learn.law = '{self.law}'{without}; it "
                f"takes {', '.join(offered)}"
            )
        if self.relinearise and (self.law, model) != ("lifted", "fmu"):
            raise InputError(
                f"learn.relinearise needs learn.law = 'lifted' with learn.model = 'fmu', and these "
                f"are '{self.law}' and '{model}': the others do not change from trial to trial"
            )
        return model
