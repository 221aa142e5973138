"""Judge a motion by limits: the same rules for a solution, a plant, and the twin as a plant."""

from __future__ import annotations

import numpy as np

from cranebridge.inverse import SIGNAL_GROUPS, Signal
from cranebridge.limits.judged_motion import Array, Extreme, Motion, extremes
from cranebridge.limits.limits import Limits, Range
from cranebridge.limits.verdict import Verdict, outcome
from cranebridge.readable import ROUNDING, in_unit, settled, tiny

ROPE_ZERO = 1e-6
"""A rope force of less than this part of the rope's largest counts as zero: at rest it is rounding
in a solution, and the integrator's tolerance on a plant."""

TOUCHING = 1e-6
"""A limit that is exceeded by no more than this part of the signal's largest value is kept, for the
same reason: a motion may end exactly at it. The tracking error has no such allowance."""

TRACKING_OF = "tracking of "
"""How the names of verdicts on tracking errors begin."""

SWING_OF = "residual swing of "
"""The same of those on what is left of the swing."""

_WHO = {"solution": "", "plant": "plant ", "twin": "plant "}


def judge(motion: Motion, limits: Limits) -> list[Verdict]:
    """Judge a motion by all limits that are in force.

    Returns
    -------
    list of Verdict
        Tracking and residual swing first (of a plant), then a verdict for each limit. One whose
        signal is not known is *not judged*, with the reason.
    """
    verdicts = []
    if motion.source != "solution":
        verdicts = [*_tracking(motion, limits.tracking), *_swing(motion, limits)]
    for signal, bound in limits.in_force(motion.crane):
        name = _name(motion, signal)
        if signal.title not in motion.values:
            verdicts.append(not_judged(name, motion.why_missing(signal.title)))
        elif SIGNAL_GROUPS[signal.group].pulls:
            verdicts.append(_rope(motion, signal, bound, name))
        else:
            verdicts.append(_signal(motion, signal, bound, name))
    return verdicts


def judge_range(name: str, time: Array, values: Array, bound: Range, unit: str) -> Verdict:
    """Judge a signal of a plant that has no twin, known at samples only."""
    low, high = extremes(time, values, sampled=True)
    allowance = TOUCHING * max(abs(low.value), abs(high.value))
    return _within(name, low, high, bound, unit, allowance)


def _name(motion: Motion, signal: Signal) -> str:
    who = _WHO[motion.source]
    pulls = SIGNAL_GROUPS[signal.group].pulls
    return f"{who}rope {signal.name} pulls" if pulls else f"{who}{signal.title}"


def not_judged(name: str, reason: str) -> Verdict:
    """Return the verdict on what could not be judged."""
    return Verdict(name, "not judged", f"{name}: not judged, because {reason}")


def _tracking(motion: Motion, limit: float) -> list[Verdict]:
    """Judge the error of each output, against the goal until the settling window is over."""
    verdicts = []
    for output in motion.crane.outputs:
        title, name = f"tracking.{output.name}", f"{TRACKING_OF}{output.name}"
        if title not in motion.values:
            verdicts.append(not_judged(name, motion.why_missing(title)))
            continue
        low, high = motion.extremes_of_parts(title)
        found = _within(name, low, high, Range(-limit, limit), output.unit, end=motion.end)
        verdicts.append(found)
    return verdicts


def _swing(motion: Motion, limits: Limits) -> list[Verdict]:
    """Judge the residual swing of each output.

    Without a limit of its own it has that of the tracking error. It is then within it where the
    tracking error is, between samples, too, and nothing is wanted where nobody watches.
    """
    stated = limits.swing is not None
    if not (motion.watched or stated):
        return []
    verdicts = []
    for output in motion.crane.outputs:
        name, title = f"{SWING_OF}{output.name}", f"tracking.{output.name}"
        if not motion.watched:
            verdicts.append(not_judged(name, motion.why_missing("swing")))
        elif title not in motion.values:
            verdicts.append(not_judged(name, motion.why_missing(title)))
        else:
            verdicts.append(_one_swing(motion, title, name, output.unit, limits))
    return verdicts


def _one_swing(motion: Motion, title: str, name: str, unit: str, limits: Limits) -> Verdict:
    stated = limits.swing is not None
    limit = limits.tracking if limits.swing is None else limits.swing
    found = motion.after(title)
    passed, of = found.swing <= limit, _unit_behind(unit)
    if passed and stated and found.swing + found.beyond > limit:
        return not_judged(name, too_coarse(found.swing, limit, unit, found.beyond))
    size = f"{found.swing:.6g}{of}"
    if passed and limit >= (1e-6 if tiny(found.swing, unit) else 1e-3):
        size = in_unit(found.swing, unit, 6)
    message = (
        f"{name} is {size} in the {motion.time[-1] - motion.end:.4g} s after the end, "
        f"{'as wanted' if passed else 'must be'} at most {limit:g}{of}"
        f"{'' if stated else ' (that of limits.tracking, as limits.swing is not given)'}"
    )
    margin = limit - found.swing
    return Verdict(name, outcome(passed), message, found.swing, limit, margin, unit, found.time)


def _signal(motion: Motion, signal: Signal, bound: Range, name: str) -> Verdict:
    low, high = motion.extremes(signal.title)
    allowance = TOUCHING * max(abs(low.value), abs(high.value))
    return _within(name, low, high, bound, signal.unit, allowance)


def _within(
    name: str,
    low: Extreme,
    high: Extreme,
    bound: Range,
    unit: str,
    allowance: float = 0.0,
    end: float = np.inf,
) -> Verdict:
    """Compare the extremes with a range; the side with the smaller margin is reported."""
    below = low.value - bound.least <= bound.most - high.value
    worst, limit = (low, bound.least) if below else (high, bound.most)
    margin = worst.value - limit if below else limit - worst.value
    value = abs(worst.value) if bound.symmetric else worst.value
    stated = abs(limit) if bound.symmetric else limit
    word = "at least" if below and not bound.symmetric else "at most"
    passed = margin >= -allowance
    left = allowance + min(
        low.value - low.beyond - bound.least, bound.most - high.value - high.beyond
    )
    if passed and left < 0.0:
        return not_judged(name, too_coarse(value, stated, unit, max(low.beyond, high.beyond)))
    wanted = "as wanted" if passed else "must be"
    of = _unit_behind(unit)
    size = f"{value:.6g}{of}"
    if passed and stated >= (1e-6 if tiny(value, unit) else 1e-3):
        size = in_unit(value, unit, 6)
    when = f"{worst.time:.4g} s" + (", after the end" if worst.time > end else "")
    message = f"{name} is {size} at t = {when}, {wanted} {word} {stated:g}{of}"
    return Verdict(name, outcome(passed), message, value, stated, margin, unit, worst.time)


def _unit_behind(unit: str) -> str:
    """Return a unit as it stands behind a number."""
    return "" if unit in ("", "1") else f" {unit}"


def too_coarse(value: float, limit: float, unit: str, beyond: float) -> str:
    """Return why samples of a signal do not tell whether it kept its limit between them."""
    if not np.isfinite(beyond):
        return "there are too few samples to tell what is between them; use a smaller plant.step"
    of = _unit_behind(unit)
    return (
        f"between its samples it may go {beyond:.2g}{of} beyond {value:.6g}{of}, and the limit is "
        f"{limit:g}{of}; use a smaller plant.step"
    )


def _rope(motion: Motion, signal: Signal, bound: Range, name: str) -> Verdict:
    """Judge a rope: it must pull with the least force, and be stretched with the most."""
    low, high = motion.extremes(signal.title)
    if high.value > bound.most:
        return _within(name, low, high, bound, "N")
    value, zero = least_force(motion, low, high)
    passed = value >= bound.least - zero
    if passed and (
        low.value - low.beyond < bound.least - zero or high.value + high.beyond > bound.most
    ):
        beyond = max(low.beyond, high.beyond)
        return not_judged(name, too_coarse(value, bound.least, "N", beyond))
    on = "" if motion.source == "solution" else "on the plant, "
    message = f"{on}rope {signal.name} pulls with at least {value:.6g} N (at {low.time:.4g} s)"
    if not passed and value < 0.0:
        spans = _spans(motion.time, motion.values[signal.title] + zero)
        pushed = ", ".join(f"{begin:.3f} s to {end:.3f} s" for begin, end in spans)
        message = (
            f"{on}rope {signal.name} would have to push from {pushed}, with up to {-value:.6g} N "
            f"at {low.time:.3f} s"
        )
    elif not passed:
        message += f", must be at least {bound.least:g} N"
    margin = value - bound.least
    return Verdict(name, outcome(passed), message, value, bound.least, margin, "N", low.time)


def least_force(motion: Motion, low: Extreme, high: Extreme) -> tuple[float, float]:
    """Return a rope's least force, and the size below which its force counts as zero.

    What is rounding of the largest force in any rope is zero in this one, too.
    """
    ropes = (motion.values.get(f"rope.{rope.name}") for rope in motion.crane.ropes)
    largest = max((float(np.abs(force).max()) for force in ropes if force is not None), default=0.0)
    zero = max(ROPE_ZERO * max(abs(low.value), abs(high.value)), ROUNDING * largest)
    value = settled(low.value, largest)
    return (0.0 if -zero <= value <= 0.0 else value), zero


def _spans(time: Array, values: Array) -> list[tuple[float, float]]:
    """Return begin and end of the times in which values are negative, straight between samples."""
    inside = np.concatenate([[False], values < 0.0, [False]]).astype(int)
    edges = np.flatnonzero(np.diff(inside))

    def crossing(after: int) -> float:
        """Return when the values pass zero before the row `after`, or the end of the record."""
        if after in (0, time.size):
            return float(time[min(after, time.size - 1)])
        before, span = values[after - 1], values[after] - values[after - 1]
        return float(time[after - 1] - before / span * (time[after] - time[after - 1]))

    return [
        (crossing(int(begin)), crossing(int(end)))
        for begin, end in zip(edges[::2], edges[1::2], strict=True)
    ]
