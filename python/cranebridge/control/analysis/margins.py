"""What a closed loop stands: poles, gain and delay margins, and margins of named deviations.

At chosen times of the motion the loop is frozen. Inputs that act stronger or weaker, a longer
delay, other parameters, another rope length, a lag of the drives: each is increased until an
eigenvalue leaves the unit circle, and the place is found by bisection. A margin says nothing of
several deviations at once; the largest singular value of the sensitivity at the plant's inputs
does: its reciprocal is the smallest relative perturbation, in all inputs at once, that can
destabilise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranebridge.control.analysis.frozen import LawAlong, VariedLoop, frozen_loop
from cranebridge.control.analysis.observed_loop import observed_at
from cranebridge.control.model import ReferenceMotion, drive_names, plant_at, plant_with, swing_seen
from cranebridge.control.observer import Observer
from cranebridge.errors import SolutionError, unknown
from cranebridge.forward import LinearModel
from cranebridge.twin.language import names

Array = NDArray[np.float64]
ComplexArray = NDArray[np.complex128]

# An eigenvalue this far outside the unit circle is rounding: modes that no input moves, and double
# ones at 1, come out so.
ROUNDING = 1e-6
# Factors are sought up to and down to this; delays and lags up to these times in s.
LARGEST_FACTOR = 100.0
LONGEST = 2.0
# How many values are tried between nothing and the largest before the place is bisected: a loop
# that is unstable only in between is not seen. And how exactly it is bisected.
TRIED = 25
BISECTIONS = 20
FREQUENCIES = 400
# Past inputs that a longer delay may add to the states: eigenvalues of more take seconds.
MOST_PAST = 400
# A motion with less than this part of its largest velocity rests.
STILL = 1e-9


@dataclass(frozen=True)
class Span:
    """From where to where something may lie for the loop to stay stable.

    Attributes
    ----------
    least, most : float
        Where it becomes unstable; the end of what was tried if it does not.
    open_below, open_above : bool
        Whether it is stable up to the end of what was tried.
    """

    least: float
    most: float
    open_below: bool = False
    open_above: bool = False

    def describe(self, size: float = 1.0, digits: int = 2) -> str:
        """Return it in words, in parts of `size`."""
        least, most = (rounded(edge * size, digits) for edge in (self.least, self.most))
        return f"{'<' if self.open_below else ''}{least}..{'>' if self.open_above else ''}{most}"

    def as_dict(self) -> dict[str, float | bool]:
        """Return it for JSON."""
        return asdict(self)


def rounded(value: float, digits: int = 2) -> str:
    """Return a value with few digits, without an exponent below 100 000."""
    text = f"{value:.{digits}g}"
    return f"{float(text):g}" if abs(value) < 1e5 else text


@dataclass(frozen=True)
class Margins:
    """What the loop, frozen at one time, stands.

    Attributes
    ----------
    time : float
        When.
    stable : bool
        Whether the loop itself is stable; if not, nothing else is known.
    gain : dict of str to Span
        Factor of each input alone (``u.NAME``) and of all together (``all``).
    delay : Span
        Further delay in s.
    sensitivity : float
        Largest singular value of the sensitivity at the plant's inputs.
    structured : dict of str to Span
        Factors of parameters (``parameter.NAME``) and of drive coordinates (``q.NAME``), time
        constants in s of the drives' lag (``lag``), factors of the swing as the law sees it
        (``swing``).
    """

    time: float
    stable: bool
    gain: dict[str, Span]
    delay: Span
    sensitivity: float
    structured: dict[str, Span]

    def describe(self) -> list[str]:
        """Return the margins line by line."""
        if not self.stable:
            return [f"t = {self.time:.6g} s: the frozen loop is unstable"]
        gains = ", ".join(f"{name} {span.describe()}" for name, span in self.gain.items())
        lines = [
            f"t = {self.time:.6g} s: factors of inputs {gains}; delay {self.delay.describe()} s "
            f"more; largest sensitivity {self.sensitivity:.3g}"
        ]
        found = ", ".join(f"{name} {span.describe()}" for name, span in self.structured.items())
        return [*lines, f"  stable for {found}"] if found else lines


def poles(along: LawAlong, row: int = -1, observer: Observer | None = None) -> ComplexArray:
    """Return the poles of the closed loop that runs, frozen at a row: ln(z) / cycle in 1/s.

    Past inputs that the law knows have poles at z = 0, or near where its gains were not made for
    the loop as it is frozen: as many as these, the fastest, are left out. The slowest comes first.
    With an observer those of its filter are among them.
    """
    law, loop = along.law, _loop_at(along, row, observer)()
    inputs = names(law.crane.inputs)
    # a law of velocity references weighs their changes: the last one is a state that lasts
    weighed = [inputs.index(drive.input) for drive in law.speed]
    known = law.K_past.shape[2] > 0
    found = np.log(loop.remembered().lasting(weighed, known, loop.gained())) / law.cycle
    return np.asarray(found[np.lexsort((found.imag, -found.real))])


def continuous_poles(along: LawAlong, row: int = -1) -> ComplexArray:
    """Return the poles of a law without integrals that acts all the time, in 1/s."""
    loop = frozen_loop(along, row)
    found = np.linalg.eigvals(loop.A - loop.B @ loop.K).astype(complex)
    return np.asarray(found[np.lexsort((found.imag, -found.real))])


def margins_along(
    along: LawAlong, times: ArrayLike, structured: Sequence[str] = ()
) -> list[Margins]:
    """Return the margins at some times of a motion.

    Parameters
    ----------
    design : Design
        The law and its model.
    times : array_like
        Times in s; after the end the last row holds.
    structured : sequence of str
        ``parameter.NAME``, ``q.NAME`` of a drive coordinate such as the rope length, ``lag``,
        ``swing``. The place of a drive coordinate is varied where the crane rests, and left out
        elsewhere.
    """
    at = np.searchsorted(along.law.time, np.atleast_1d(np.asarray(times, dtype=float)) - 1e-9)
    return [margins_at(along, int(row), structured) for row in np.minimum(at, len(along.law.K) - 1)]


def margins_at(
    along: LawAlong, row: int, structured: Sequence[str] = (), observer: Observer | None = None
) -> Margins:
    """Return the margins at a row; see `margins_along`. With an observer its filter has settled."""
    loop_at = _loop_at(along, row, observer)
    time = float(along.law.time[row])
    unstable = Margins(time, False, {}, Span(0.0, 0.0), math.inf, {})
    try:
        loop = loop_at()
    except SolutionError:  # a filter that does not settle holds nothing
        return unstable
    if not is_stable(loop):
        return unstable
    inputs = names(along.law.crane.inputs)
    each = {f"u.{name}": np.eye(len(inputs))[i] for i, name in enumerate(inputs)}
    each["all"] = np.ones(len(inputs))
    return Margins(
        time=time,
        stable=True,
        gain={name: _factors(loop, chosen) for name, chosen in each.items()},
        delay=_delay(loop),
        sensitivity=sensitivity_peak(loop),
        structured=_structured(along, row, loop_at, structured),
    )


class _LoopAt(Protocol):
    """What makes the loop at a time; with another plant, and in what that differs."""

    def __call__(self, model: LinearModel | None = None, deviation: str = "") -> VariedLoop:
        """Return the loop."""


def _loop_at(along: LawAlong, row: int, observer: Observer | None) -> _LoopAt:
    def made(model: LinearModel | None = None, deviation: str = "") -> VariedLoop:
        if observer is None:
            return frozen_loop(along, row, model)
        return observed_at(along, observer, row, model, deviation)

    return made


def at_rest(reference: ReferenceMotion, row: int) -> bool:
    """Return whether a motion rests at a row."""
    return bool(np.abs(reference.v[row]).max() <= STILL * np.abs(reference.v).max())


def is_stable(loop: VariedLoop) -> bool:
    """Return whether no eigenvalue lies outside the unit circle by more than rounding."""
    with np.errstate(over="ignore", invalid="ignore"):
        closed = loop.closed()
    # a plant that leaves all bounds within a cycle is none that is held
    if not np.isfinite(closed).all():
        return False
    return bool(np.abs(np.linalg.eigvals(closed)).max() <= 1.0 + ROUNDING)


def sensitivity_peak(loop: VariedLoop) -> float:
    """Return the largest singular value of (I + L)^-1, L the loop cut at the plant's inputs."""
    # from far below the slowest motion up to half the sampling rate
    omega = np.geomspace(1e-2, math.pi / loop.cycle, FREQUENCIES)
    sensitivity = loop.sensitivity(np.exp(1j * omega * loop.cycle))
    return float(np.linalg.svd(sensitivity, compute_uv=False)[:, 0].max())


def _factors(loop: VariedLoop, chosen: Array) -> Span:
    def stable(factor: float) -> bool:
        return is_stable(loop.scaled(1.0 + (factor - 1.0) * chosen))

    return _span(stable)


def _span(stable: Callable[[float], bool]) -> Span:
    """Return the factors around one for which a loop is stable."""
    sizes = np.geomspace(1.0, LARGEST_FACTOR, TRIED)
    (least, below), (most, above) = _edge(stable, 1.0 / sizes), _edge(stable, sizes)
    return Span(least, most, below, above)


def _edge(stable: Callable[[float], bool], tried: Array) -> tuple[float, bool]:
    """Return where a loop becomes unstable on the way through `tried`, or its end and True.

    What has no model at all (a crane that has no rest there) counts as not stable.
    """

    def holds(value: float) -> bool:
        try:
            return stable(value)
        except SolutionError:
            return False

    last = float(tried[0])
    for value in tried[1:]:
        if not holds(float(value)):
            bad = float(value)
            for _ in range(BISECTIONS):
                middle = 0.5 * (last + bad)
                last, bad = (middle, bad) if holds(middle) else (last, middle)
            return last, False
        last = float(value)
    return last, True


def _delay(loop: VariedLoop) -> Span:
    def stable(more: float) -> bool:
        return is_stable(loop.later(more))

    longest = min(LONGEST, loop.cycle * (MOST_PAST // loop.B.shape[1]))
    steps = np.geomspace(0.2 * loop.cycle, longest, 2 * TRIED)
    most, above = _edge(stable, np.concatenate([[0.0], steps]))
    return Span(0.0, most, False, above)


def _structured(
    along: LawAlong, row: int, loop_at: _LoopAt, wanted: Sequence[str]
) -> dict[str, Span]:
    crane, found, loop = along.law.crane, {}, loop_at()
    known = [f"parameter.{name}" for name in names(crane.parameters)]
    known += [*(f"q.{name}" for name in drive_names(crane)), "lag", "swing"]
    for name in wanted:
        if name not in known:
            raise unknown(f"deviation of crane '{crane.name}'", name, known)
        if name == "swing":
            found[name] = _span(_swing(along, row, loop))
        elif name == "lag":
            steps = np.concatenate([[0.0], np.geomspace(1e-3, LONGEST, TRIED)])
            most, above = _edge(lambda lag: is_stable(loop.lagged(lag)), steps)
            found[name] = Span(0.0, most, False, above)
        elif name.startswith("parameter."):
            found[name] = _span(_parameter(along, row, loop_at, name[len("parameter.") :]))
        elif at_rest(along.reference, row):
            found[name] = _span(_place(along, row, loop_at, name[2:]))
    return found


def _parameter(along: LawAlong, row: int, loop_at: _LoopAt, name: str) -> Callable[[float], bool]:
    def stable(factor: float) -> bool:
        value = factor * along.reference.parameters[name]
        return is_stable(loop_at(plant_with(along, row, {name: value}), f"parameter.{name}"))

    return stable


def _swing(along: LawAlong, row: int, loop: VariedLoop) -> Callable[[float], bool]:
    def stable(factor: float) -> bool:
        return is_stable(loop.seeing(swing_seen(along.model, row, factor)))

    return stable


def _place(along: LawAlong, row: int, loop_at: _LoopAt, name: str) -> Callable[[float], bool]:
    def stable(factor: float) -> bool:
        return is_stable(loop_at(plant_at(along, row, name, factor), f"q.{name}"))

    return stable
