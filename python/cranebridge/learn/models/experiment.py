"""Models of trials from experiments on the plant: pulses and noise, with their number of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError, unknown
from cranebridge.inverse import require_points
from cranebridge.learn.laws import Transfer
from cranebridge.learn.models.identification import band_noise, estimate_transfer
from cranebridge.learn.models.pulse_model import PulseModel, answers_of
from cranebridge.learn.settings import MOST_SAMPLES, LearnSettings
from cranebridge.limits import Verdict

Array = NDArray[np.float64]

AMPLITUDE = 0.05
"""Of pulses and noise by default, as part of the range that an input has in the first controls."""
OVERLAP = 0.5


def amplitudes(settings: LearnSettings, names: Sequence[str], first: Array) -> Array:
    """Return how far each input is moved in an experiment.

    Raises
    ------
    InputError
        If an input does not move in the first controls and its amplitude is not given.
    """
    given: Mapping[str, float] = settings.amplitude
    for name in given:
        if name not in names:
            raise unknown("input in learn.amplitude", name, names)
    found = []
    for name, column in zip(names, first.T, strict=True):
        size = given.get(name, AMPLITUDE * float(np.ptp(column)))
        if name in given and not size > 0.0:
            raise InputError(f"learn.amplitude.{name} must be above 0, got {size:g}")
        if not size > 0.0:
            raise InputError(
                f"how far may input {name} be moved to see what it does? Its first controls are "
                f"constant, so say it: learn.amplitude.{name}"
            )
        found.append(size)
    return np.array(found)


def require_kept(
    verdicts: Iterable[Verdict], changed: bool, carried_out: bool, except_for: str = "\0"
) -> None:
    """Stop where an experiment breaks a limit, or would break one.

    Parameters
    ----------
    verdicts : iterable of Verdict
        What was judged.
    changed : bool
        Whether the inputs are others than the first controls.
    carried_out : bool
        Whether it is over already.
    except_for : str
        Verdicts whose name begins so are not looked at.

    Raises
    ------
    InputError
        With the first broken limit.
    """
    broken = [v for v in verdicts if v.status == "failed" and not v.name.startswith(except_for)]
    if not broken:
        return
    if not changed:
        raise InputError(
            f"learning ends before it begins, as the first controls break a limit: "
            f"{broken[0].message}"
        )
    did = "broke a limit, and learning ends" if carried_out else "would break a limit"
    raise InputError(
        f"an experiment for learn.model {did}: {broken[0].message}; use a smaller learn.amplitude, "
        "or a model that needs no experiment"
    )


def pulse_answers(
    run: Callable[[Array], Array],
    first: Array,
    settings: LearnSettings,
    sizes: Array,
    span: tuple[float, float],
) -> PulseModel:
    """Give pulses to all inputs, at even times within a span of the record.

    Parameters
    ----------
    run : callable
        Outputs for inputs.
    first : numpy.ndarray
        The inputs that pulses are added to.
    settings : LearnSettings
        How many.
    sizes : numpy.ndarray
        Their heights.
    span : tuple of float
        Begin and end of the motion, in s since the record's first time.
    """
    if settings.pulses < 1:
        raise InputError(f"learn.pulses must be 1 or more, got {settings.pulses}")
    begin, end = span
    # the first one at the record's begin, so that all of it has an answer
    times = [0.0, *(begin + (end - begin) * k / settings.pulses for k in range(1, settings.pulses))]
    return answers_of(run, first, settings.step, sizes, times)


def noise_transfer(
    run: Callable[[Array, Array], Array], rest: Array, settings: LearnSettings, rms: Array
) -> Transfer:
    """Excite all inputs at once around rest and estimate the transfer matrix.

    Parameters
    ----------
    run : callable
        Outputs for times and inputs.
    rest : numpy.ndarray
        The inputs at rest.
    settings : LearnSettings
        How long, and up to which frequency: twice the bandwidth.
    rms : numpy.ndarray
        Root mean squares of the noise.
    """
    step, band = settings.step, min(2.0 * settings.bandwidth, 0.4 / settings.step)
    require_points("learn.step", step, settings.noise_duration, MOST_SAMPLES)
    count = round(settings.noise_duration / step)
    noise = band_noise(count, step, band, rms, settings.draw, fade=0.5 * settings.segment)
    time: Array = step * np.arange(count, dtype=float)
    outputs = run(time, rest + noise)
    change = outputs - outputs[0]
    largest = np.abs(change).max(axis=0)
    left = np.abs(change[-1]) / np.where(largest > 0.0, largest, 1.0)
    found = estimate_transfer(time, noise, change, settings.segment, OVERLAP)
    return replace(found, left=left)
