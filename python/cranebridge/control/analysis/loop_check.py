"""What is to be expected of a closed loop before it runs: poles at both ends, margins on the way.

All of it is of the loop frozen at single times and of small errors; where there is an observer,
with its filter as it has settled there, and with what is not observable along the motion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.analysis.frozen import LawAlong
from cranebridge.control.analysis.margins import (
    ROUNDING,
    Margins,
    Span,
    at_rest,
    continuous_poles,
    margins_at,
    poles,
    rounded,
)
from cranebridge.control.analysis.observed_loop import observed_at
from cranebridge.control.model import drive_names, payload_names, swings
from cranebridge.control.observer import (
    Observability,
    Observer,
    observability_along,
    observability_resting,
)
from cranebridge.errors import SolutionError
from cranebridge.limits import Verdict, outcome
from cranebridge.twin import Crane
from cranebridge.twin.language import Quantity, names

TIMES = 5
"""At how many times of the motion the margins are looked at, both ends among them."""

# How the table writes what has no nominal value.
_TITLES = {"lag": "drive lag [ms]", "swing": "swing seen [times]"}
_SCALES = {"lag": 1e3}


@dataclass(frozen=True)
class LoopCheck:
    """Poles and margins of a closed loop along a motion.

    Attributes
    ----------
    crane : Crane
        What is controlled.
    title : str
        Which law, in words.
    sizes : tuple of mapping of str to float
        Nominal values of what the structured margins are factors of, at the times of the margins.
    poles : mapping of str to tuple of complex
        In 1/s, at ``start`` and ``goal``, the slowest first.
    margins : tuple of Margins
        At some times of the motion.
    notes : tuple of str
        What else must be known, a sentence each.
    verdicts : tuple of Verdict
        Whether the loop is stable where the motion begins and ends at rest.
    observed : tuple of Observability
        With an observer: what its sensors observe in windows along the motion.
    """

    crane: Crane
    title: str
    sizes: tuple[Mapping[str, float], ...]
    poles: Mapping[str, tuple[complex, ...]]
    margins: tuple[Margins, ...]
    notes: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    observed: tuple[Observability, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON; poles as pairs of real and imaginary part."""
        pairs = {end: [[one.real, one.imag] for one in row] for end, row in self.poles.items()}
        found = zip(self.margins, self.sizes, strict=True)
        observed = [one.as_dict() for one in self.observed]
        return {
            "law": self.title,
            "units": {"poles": "1/s", "gain": "1", "delay": "s", "structured": "1, of lag s"},
            "poles": pairs,
            "margins": [_margin_dict(one, sizes) for one, sizes in found],
            "notes": list(self.notes),
            **({"observability": observed} if observed else {}),
        }

    def observed_lines(self) -> list[str]:
        """Return what the sensors observe along the motion, line by line."""
        return [line for one in self.observed for line in one.describe()]

    def pole_table(self) -> tuple[list[str], list[list[str]]]:
        """Return titles and rows of the poles, a conjugate pair in one row."""
        columns = [_pole_texts(found) or ["not settled"] for found in self.poles.values()]
        titles = [f"poles at the {end} [1/s]" for end in self.poles]
        count = max(map(len, columns), default=0)
        rows = [[column[i] if i < len(column) else "" for column in columns] for i in range(count)]
        return titles, rows

    def margin_table(self) -> tuple[list[str], list[list[str]]]:
        """Return titles and rows of the margins: a row for each deviation, a column for a time."""
        titles = ["stable for", *(f"at {one.time:.4g} s" for one in self.margins)]
        if not self.margins:
            return titles, []
        rows: list[list[str]] = []
        for name in dict.fromkeys(name for one in self.margins for name in one.gain):
            what = "all inputs" if name == "all" else name
            rows.append(
                [f"{what} [times]", *(_text(one, one.gain.get(name)) for one in self.margins)]
            )
        rows.append(["more delay [ms]", *(_text(m, m.delay, 1e3) for m in self.margins)])
        for name in dict.fromkeys(name for one in self.margins for name in one.structured):
            cells = [
                _text(
                    one,
                    one.structured.get(name),
                    size.get(name, _SCALES.get(name, 1.0)),
                    # per cent matter where a sensor is meant
                    3 if name == "swing" else 2,
                )
                for one, size in zip(self.margins, self.sizes, strict=True)
            ]
            rows.append([_named(self.crane, name), *cells])
        peaks = [f"{one.sensitivity:.3g}" if one.stable else "unstable" for one in self.margins]
        return titles, [*rows, ["sensitivity", *peaks]]


def check_loop(
    along: LawAlong,
    title: str,
    notes: Sequence[str] = (),
    continuous: bool = False,
    observer: Observer | None = None,
) -> LoopCheck:
    """Return poles and margins of a law along a motion.

    Parameters
    ----------
    along : LawAlong
        The law and its model.
    title : str
        Which law, in words.
    notes : sequence of str
        What else must be known.
    continuous : bool
        Whether the law's cycle is only there to look at margins, and poles are those without it.
    observer : Observer, optional
        What the law takes the state from: its filter is in the loop.
    """
    crane, last = along.law.crane, len(along.law.time) - 1
    rows = np.unique(np.linspace(0, last, TIMES).round().astype(int))
    wanted = deviations(crane)
    margins = tuple(margins_at(along, int(row), wanted, observer) for row in rows)
    if continuous:
        found = {end: _tuple(continuous_poles(along, row)) for end, row in _ends_of(along).items()}
    else:
        found = _poles_at_ends(along, observer)
    observed = () if observer is None else observability_along(observer, along.reference, TIMES)
    notes = [*notes, *_left_out(along, observer)]
    unstable = [f"{one.time:.4g} s" for one in margins[1:-1] if not one.stable]
    if unstable:
        notes = [
            *notes,
            f"frozen at {', '.join(unstable)} the loop is unstable; a motion that passes there "
            "quickly can be followed nevertheless",
        ]
    return LoopCheck(
        crane=crane,
        title=title,
        sizes=tuple(_sizes(along, int(row), wanted) for row in rows),
        poles=found,
        margins=margins,
        notes=tuple(notes),
        verdicts=_verdicts(along, found, observer),
        observed=observed,
    )


def _left_out(along: LawAlong, observer: Observer | None) -> list[str]:
    """Say which disturbances are not observable at the goal: they are not in the poles."""
    try:
        loop = None if observer is None else observed_at(along, observer, -1)
    except SolutionError:
        return []
    if observer is None or loop is None or len(loop.filtered.gain) == len(observer.states):
        return []
    return [
        f"the sensors do not tell all disturbances at the goal: {', '.join(observer.disturbances)} "
        "are left out of poles and margins"
    ]


def observed_verdicts(along: LawAlong, observer: Observer) -> tuple[Verdict, ...]:
    """Return whether a loop with its observer's filter is stable where its motion rests."""
    return _verdicts(along, _poles_at_ends(along, observer), observer)


def _ends_of(along: LawAlong) -> dict[str, int]:
    return {"start": 0, "goal": len(along.law.time) - 1}


def _poles_at_ends(along: LawAlong, observer: Observer | None) -> dict[str, tuple[complex, ...]]:
    """Return the poles; none where the filter does not settle."""
    found = {}
    for end, row in _ends_of(along).items():
        try:
            found[end] = _tuple(poles(along, row, observer))
        except SolutionError:
            found[end] = ()
    return found


def _verdicts(
    along: LawAlong, found: Mapping[str, tuple[complex, ...]], observer: Observer | None
) -> tuple[Verdict, ...]:
    loop = "closed loop" if observer is None else "closed loop with its filter"
    verdicts = []
    for end, row in _ends_of(along).items():
        if not at_rest(along.reference, row):
            continue
        name = f"{loop} at the {end}"
        if observer is None or found[end]:
            verdicts.append(_verdict(name, found[end][0].real, along.law.cycle))
        else:
            verdicts.append(_unsettled(name, observability_resting(observer, along.reference, row)))
    return tuple(verdicts)


def _unsettled(name: str, resting: Observability) -> Verdict:
    """Return the verdict where the sensors do not observe what must be known."""
    unseen = ", ".join(one.named() for one in resting.unobserved) or "all that it must know"
    message = (
        f"{name}: the filter does not settle; at rest there the sensors do not tell {unseen}, and "
        "what is not known is not held"
    )
    return Verdict(name, "failed", message)


def deviations(crane: Crane) -> tuple[str, ...]:
    """Return the errors that a crane's loop is tried with: payload, rope lengths, lag of drives."""
    parameters = [f"parameter.{name}" for name in payload_names(crane)]
    drives = drive_names(crane)
    ropes = [
        f"q.{part.name}"
        for part in crane.coordinates
        if part.name in drives and part.unit == "m" and "rope" in part.meaning
    ]
    return (*parameters, *ropes, *(("swing",) if swings(crane) else ()), "lag")


def _sizes(along: LawAlong, row: int, wanted: Sequence[str]) -> dict[str, float]:
    reference = along.reference
    coordinates = names(reference.crane.coordinates)
    values = {f"parameter.{name}": value for name, value in reference.parameters.items()}
    values |= {f"q.{name}": float(reference.q[row, i]) for i, name in enumerate(coordinates)}
    return {name: values[name] for name in wanted if name in values}


def _margin_dict(one: Margins, sizes: Mapping[str, float]) -> dict[str, Any]:
    """Return the margins at one time for JSON, with what the factors are factors of."""
    structured = {
        name: {**span.as_dict(), **({"nominal": sizes[name]} if name in sizes else {})}
        for name, span in one.structured.items()
    }
    return {
        "time": one.time,
        "stable": one.stable,
        "gain": {name: span.as_dict() for name, span in one.gain.items()},
        "delay": one.delay.as_dict(),
        "sensitivity": one.sensitivity if one.stable else None,
        "structured": structured,
    }


def _verdict(name: str, slowest: float, cycle: float) -> Verdict:
    # what no input moves, and what only rounding moves, stays on the limit
    allowed = ROUNDING / cycle
    passed = slowest <= allowed
    wanted = "as wanted" if passed else "must be"
    message = f"{name} has its slowest pole at {slowest:.4g} 1/s, {wanted} not above 0"
    return Verdict(name, outcome(passed), message, slowest, 0.0, -slowest, "1/s")


def _tuple(found: NDArray[np.complex128]) -> tuple[complex, ...]:
    return tuple(complex(one) for one in found)


def _pole_texts(found: Sequence[complex]) -> list[str]:
    """Return poles, one of each pair; what only rounding moves from zero is there."""
    tiny = ROUNDING * max((abs(one) for one in found), default=0.0)
    near = [0j if abs(one) <= tiny else one for one in found]
    return [_pole(one) for one in near if one.imag >= 0.0]


def _pole(one: complex) -> str:
    if not one.imag:
        return f"{one.real:.5g}"
    damping = -one.real / abs(one)
    return f"{one.real:.5g} +- {one.imag:.5g}i (damping {damping:.2g})"


def _text(one: Margins, span: Span | None, size: float = 1.0, digits: int = 2) -> str:
    if not one.stable:
        return "unstable"
    if span is None:
        return "-"
    if not span.least and not span.open_below:
        return f"{'>' if span.open_above else ''}{rounded(span.most * size)}"
    return span.describe(size, digits)


def _named(crane: Crane, name: str) -> str:
    if name in _TITLES:
        return _TITLES[name]
    group, _, own = name.partition(".")
    quantities: Sequence[Quantity] = crane.parameters if group == "parameter" else crane.coordinates
    part = next(part for part in quantities if part.name == own)
    return f"{part.meaning.partition(',')[0]} {own} [{part.unit}]"
