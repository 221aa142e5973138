"""The report in words: what was found, in sentences with numbers."""

from __future__ import annotations

import re

from cranebridge.limits import Verdict
from cranebridge.readable import tiny
from cranebridge.report.report_motion import ShownMotion
from cranebridge.report.rows.least_forces import rope_forces
from cranebridge.report.rows.number_texts import pretty_unit, quantity, stated
from cranebridge.verify import Tracking, Verified


def headline(shown: ShownMotion) -> str:
    """Return what was found in a sentence, with the numbers."""
    verified = shown.verified
    parts = [_count(verified.verdicts)]
    if verified.tracking is None:
        parts.append(
            "the feedforward was computed and not yet verified on a plant; its equations hold to "
            f"{quantity(verified.feedforward.max_residual, '1', 2)} (relative)"
        )
    else:
        parts += [_tracked(verified, verified.tracking), _budget(verified, verified.tracking)]
        swing = verified.tracking.residual_swing
        if swing is None:
            parts.append(verified.tracking.unwatched)
        else:
            parts.append(f"residual swing after the end {stated(swing, 'm')}")
            parts += _offset(verified.tracking)
    parts.append(_ropes(shown))
    return "; ".join(filter(None, parts)) + "."


def _offset(tracking: Tracking) -> list[str]:
    """Return how far from the goal the load stays; nothing of one that does not."""
    offsets = tracking.lasting_offset or {}
    name = max(offsets, key=lambda key: abs(offsets[key]))
    size = abs(offsets[name])
    return (
        []
        if size == 0.0 or tiny(size, "m")
        else [f"lasting offset {stated(size, 'm')} (in {name})"]
    )


def learned_headline(
    shown: ShownMotion | None, verdicts: tuple[Verdict, ...], sentence: str
) -> str:
    """Return what was learned in a sentence; with a crane what its ropes do in the best trial."""
    ropes = "" if shown is None else _ropes(shown)
    return "; ".join(filter(None, (_count(verdicts), sentence, ropes))) + "."


def findings(verdicts: tuple[Verdict, ...]) -> list[tuple[str, str]]:
    """Return status and sentence of each verdict that did not pass."""
    return [(verdict.status, f"{detail(verdict)}.") for verdict in verdicts if not verdict.passed]


def detail(verdict: Verdict) -> str:
    """Return a verdict's message; of one that was not judged, its name and the reason."""
    message = verdict.message.rstrip(".")
    message = message.replace(f"{verdict.name}: not judged, because ", f"{verdict.name}: ", 1)
    # what stands behind a number is its unit, written as in the tables beside it
    return re.sub(r"(?<=\d )\S+", lambda found: pretty_unit(found[0]), message)


def _count(verdicts: tuple[Verdict, ...]) -> str:
    """Return how many verdicts did not pass, if any."""
    failed = sum(verdict.status == "failed" for verdict in verdicts)
    open_ = sum(verdict.status == "not judged" for verdict in verdicts)
    texts = [f"{failed} of {len(verdicts)} verdicts failed"] if failed else []
    if open_:
        texts.append(
            f"{open_} could not be judged"
            if failed
            else f"{open_} of {len(verdicts)} verdicts could not be judged"
        )
    return " and ".join(texts)


def _tracked(verified: Verified, tracking: Tracking) -> str:
    """Return how well the load follows the path."""
    outputs, limit = verified.feedforward.problem.crane.outputs, verified.limits.tracking
    worst, largest = [], tracking.max_error
    for unit in dict.fromkeys(output.unit for output in outputs):
        errors = {part.name: largest[part.name] for part in outputs if part.unit == unit}
        name = max(errors, key=lambda key: errors[key])
        allowed = quantity(limit, unit)
        worst.append(f"{_bound(errors[name], unit)} (in {name}; {allowed} allowed)")
    return f"the load follows the path within {' and '.join(worst)}"


def _bound(value: float, unit: str) -> str:
    """Return what stands behind "within": an error of < 1 µm is one within 1 µm."""
    return stated(value, unit).removeprefix("<\u00a0")


def _budget(verified: Verified, tracking: Tracking) -> str:
    """Return where the error comes from, and how well that is known."""
    if verified.certificate is not None and verified.certificate.status == "different":
        return ""  # of another machine the twin cannot tell
    budget = tracking.budget
    parts = budget.as_dict().items()
    left, known = budget.unexplained, budget.uncertainty
    if all(value is not None and value < 1e-6 for value in (*dict(parts).values(), left, known)):
        below = stated(1e-7, "m")
        return f"error budget: {', '.join(dict(parts))} and what they do not explain {below} each"
    text = ", ".join(f"{name} {stated(value, 'm')}" for name, value in parts)
    if left is None or known is None:
        return f"error budget: {text}"
    return (
        f"error budget: {text}, unexplained {stated(left, 'm')} (the budget is known to "
        f"{stated(known, 'm')})"
    )


def _ropes(shown: ShownMotion) -> str:
    """Tell of the rope that pulls least, of those not known, and of those that push unjudged."""
    forces = rope_forces(shown.motion)
    unknown = [force.name for force in forces if force.least is None]
    pushing = [force for force in forces if force.pushes]
    known = [force for force in forces if force.least is not None and force.time is not None]
    texts = [
        f"rope {force.name} would have to push with up to {quantity(-(force.least or 0.0), 'N', 4)}"
        for force in pushing
        if shown.verified.limits.ropes == "ignore"  # otherwise it is among the findings
    ]
    if known and not pushing:
        weakest = min(known, key=lambda force: force.least or 0.0)
        word = "all ropes pull" if not unknown else "the ropes that are known pull"
        least = quantity(weakest.least, "N", 4)
        texts.append(f"{word}, {weakest.name} least with {least} at {weakest.time:.2f} s")
    if unknown:
        texts.append(f"the force of {', '.join(unknown)} is not known")
    return "; ".join(texts)
