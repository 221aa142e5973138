"""The table `[learn]`: how controls are improved on the plant, trial by trial."""

from typing import Annotated

from cranebridge.learn import LAWS, MODELS, TAPERS
from cranebridge.scenario.tables.rules import (
    WHOLE,
    Choice,
    Delay,
    Finite,
    Positive,
    Seconds,
    number,
)
from cranebridge.scenario.tables.typed_table import Table, field

Part = Annotated[
    float, number("a number above 0 and not above 1", lambda value: 0.0 < value <= 1.0)
]
Share = Annotated[float, number("a number from 0 to 1", lambda value: 0.0 <= value <= 1.0)]

ALONE = ("inputs", "outputs", "target", "first")
"""Keys of a plant that has no twin: where there is no table [crane]."""


class LearnTable(Table):
    """How `cranebridge learn` improves the controls on the plant."""

    law: Annotated[str, Choice(LAWS)] = field(
        default="lifted", description="how the next controls follow from a trial's error"
    )
    model: Annotated[str, Choice(MODELS)] = field(
        default="auto", description="where the law knows from what the inputs do"
    )
    trials: Annotated[int, WHOLE] = field(
        default=5, description="corrections at most, after the trial with the first controls"
    )
    repeats: Annotated[int, WHOLE] = field(
        default=0,
        description="further trials of the learned controls, which say what to expect of them; 0: "
        "one, and five where its error is another (a plant with noise: its best trial was lucky)",
    )
    gain: Part = field(default=1.0, description="part of the law's correction that is taken")
    goal: Delay = field(
        default=0.0,
        description="m or rad, rms error of all outputs together at which learning ends",
    )
    judge_from: Delay = field(
        default=1.0,
        description="s, from the record's begin on: errors before do not count, as a start that "
        "differs cannot be learned",
    )
    bandwidth: Positive = field(
        default=3.0,
        description="Hz, up to which errors are learned: smoothness of lifted, cut of frequency",
    )
    taper: Annotated[str, Choice(TAPERS)] = field(
        default="cosine", description="how frequency fades out to its cut"
    )
    coherence: Share = field(
        default=0.5, description="frequencies with less are not learned from, for model noise"
    )
    relinearise: bool = field(
        default=False, description="whether model fmu is made anew along each trial"
    )
    step: Seconds = field(
        default=0.01, description="s, of the record; controls are straight lines between"
    )
    rest_before: Delay = field(default=0.0, description="s, at rest in front of the motion")
    rest_after: Delay = field(default=2.0, description="s, at rest behind it")
    amplitude: dict[str, Finite] = field(
        default={},
        description="by input: height of the pulses of differences, rms of noise; 5 % of its range "
        "in the first controls if not given",
    )
    pulses: Annotated[int, WHOLE] = field(
        default=1, description="at how many times of the motion differences gives pulses"
    )
    noise_duration: Seconds = field(default=120.0, description="s, of the run with noise")
    segment: Seconds = field(
        default=10.0, description="s, of the parts that noise is averaged over: 1/resolution"
    )
    draw: Annotated[int, WHOLE] = field(
        default=1, description="which draw of the noise: the same one gives the same noise"
    )
    regularisation: Positive = field(
        default=5.0,
        description="of stepwise: weight of the controls, relative to the squared answer of the "
        "outputs within one interval",
    )
    inputs: list[str] = field(
        default=[], description="without [crane]: the FMU's inputs that are learned"
    )
    outputs: list[str] = field(
        default=[], description="without [crane]: the FMU's outputs that shall follow the target"
    )
    target: str = field(
        default="",
        description="without [crane]: CSV file with a column time and one for each output",
    )
    first: str = field(
        default="",
        description="without [crane]: CSV file with a column time and one for each input, the "
        "controls to begin with; the FMU's start values if not given",
    )
