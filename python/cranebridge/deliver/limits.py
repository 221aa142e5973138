"""Limits of a crane's drives and ropes, and what a feedforward makes of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

import numpy as np

from cranebridge.deliver.sampling import Samples, Signal, sample, signals
from cranebridge.errors import InputError, unknown
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.twin import Crane
from cranebridge.twin.crane import names
from cranebridge.verdict import Verdict

# Points between two times of the grid at which the neighbourhood of an extremum is looked at.
_REFINED = 10


@dataclass(frozen=True)
class Limits:
    """Limits on the signals of a crane, all in SI units.

    Attributes
    ----------
    u : mapping of str to float
        Largest force or torque of an input, of either sign.
    v, a, jerk : mapping of str to float
        Largest speed, acceleration and jerk of a coordinate, of either sign.
    power : mapping of str to float
        Largest mechanical power of the drive of an input, driving or braking.
    rope : mapping of str to float
        Smallest force of a rope.
    ropes : {"pull", "ignore"}
        With "pull" a rope without a limit of its own must not push.
    tracking : float or None
        Largest tracking error; judged by the verification, carried along here.
    """

    u: Mapping[str, float] = field(default_factory=dict)
    v: Mapping[str, float] = field(default_factory=dict)
    a: Mapping[str, float] = field(default_factory=dict)
    jerk: Mapping[str, float] = field(default_factory=dict)
    power: Mapping[str, float] = field(default_factory=dict)
    rope: Mapping[str, float] = field(default_factory=dict)
    ropes: Literal["pull", "ignore"] = "pull"
    tracking: float | None = None

    @classmethod
    def from_mapping(cls, table: Mapping[str, Any], crane: Crane) -> Limits:
        """Make limits from the ``[limits]`` table of a scenario.

        Parameters
        ----------
        table : mapping
            Such as ``{"u": {"M_b": 200.0}, "v": {"s": 1.5}, "rope": 50.0}``. A single
            number for ``rope`` holds for all ropes.
        crane : Crane
            Whose signals the names are.

        Raises
        ------
        InputError
            If a key or a signal is unknown, or a value is no limit.
        """
        values: dict[str, Any] = {}
        for key, value in table.items():
            if key == "ropes":
                values[key] = _ropes(value)
            elif key == "tracking":
                values[key] = _number("limits.tracking", value)
            elif key in _signals(crane):
                values[key] = _table(key, value, _signals(crane)[key])
            else:
                raise unknown("key of limits", str(key), [f.name for f in fields(cls)])
        return cls(**values)

    def items(self, crane: Crane) -> list[tuple[Signal, float]]:
        """Return all signals that have a limit, with it."""
        known = signals(crane)
        rope = dict(self.rope)
        if self.ropes == "pull":
            rope = dict.fromkeys(names(crane.ropes), 0.0) | rope
        groups = {"u": self.u, "v": self.v, "a": self.a, "jerk": self.jerk, "power": self.power}
        found: list[tuple[Signal, float]] = []
        for group, table in {**groups, "rope": rope}.items():
            for name, limit in table.items():
                if f"{group}.{name}" not in known:
                    raise unknown("signal in limits", f"{group}.{name}", known)
                found.append((known[f"{group}.{name}"], limit))
        return found


def check_limits(feedforward: Feedforward, limits: Limits) -> list[Verdict]:
    """Compare the whole motion with the limits.

    Peaks between the times of the grid are looked for around the largest values, and at knots of
    the path, where jerks jump, both sides count.

    Returns
    -------
    list of Verdict
        One for each limit, in their order; `value` is the largest absolute value, or the smallest
        rope force.

    Raises
    ------
    InputError
        If a jerk has a limit and the method of solution does not give jerks.
    """
    wanted = limits.items(feedforward.problem.crane)
    if feedforward.method != "index1" and any(s.group == "jerk" for s, _ in wanted):
        raise InputError(
            f"limits.jerk needs the index1 method: {feedforward.method} does not give jerks"
        )
    if not wanted:
        return []
    exact = feedforward.method == "index1"
    samples = sample(feedforward, feedforward.time, both_sides=exact)
    if exact:
        samples = _refine(feedforward, samples, [signal for signal, _ in wanted])
    return [_judge(samples, signal, limit) for signal, limit in wanted]


def _badness(samples: Samples, signal: Signal) -> np.ndarray:
    """Return what grows the nearer a signal comes to its limit."""
    values = samples.value(signal)
    return -values if signal.group == "rope" else np.abs(values)


def _refine(feedforward: Feedforward, samples: Samples, wanted: list[Signal]) -> Samples:
    """Sample once more, with closer times around each signal's worst one."""
    times, last = samples.time, samples.time.size - 1
    closer = [times]
    for signal in wanted:
        k = int(np.argmax(_badness(samples, signal)))
        around = times[max(k - 1, 0)], times[k], times[min(k + 1, last)]
        closer += [
            np.linspace(around[0], around[1], _REFINED + 1),
            np.linspace(around[1], around[2], _REFINED + 1),
        ]
    return sample(feedforward, np.unique(np.concatenate(closer)), both_sides=True)


def _judge(samples: Samples, signal: Signal, limit: float) -> Verdict:
    k = int(np.argmax(_badness(samples, signal)))
    value, time = float(samples.value(signal)[k]), float(samples.time[k])
    if signal.group == "rope":
        margin, word = value - limit, "at least"
    else:
        value = abs(value)
        margin, word = limit - value, "at most"
    passed = margin >= 0.0
    sentence = (
        f"{signal.title} is {value:.6g} {signal.unit} at t = {time:.4g} s, "
        f"{'as wanted' if passed else 'must be'} {word} {limit:g} {signal.unit}"
    )
    return Verdict(signal.title, passed, value, limit, margin, signal.unit, time, sentence)


def _signals(crane: Crane) -> dict[str, tuple[str, ...]]:
    coordinates, inputs = names(crane.coordinates), names(crane.inputs)
    moving = dict.fromkeys(("v", "a", "jerk"), coordinates)
    return {"u": inputs, "power": inputs, "rope": names(crane.ropes), **moving}


def _ropes(value: object) -> str:
    if value not in ("pull", "ignore"):
        raise InputError(f"limits.ropes must be 'pull' or 'ignore', got {value!r}")
    return str(value)


def _table(key: str, value: object, known: tuple[str, ...]) -> dict[str, float]:
    if key == "rope" and not isinstance(value, Mapping):
        return dict.fromkeys(known, _number("limits.rope", value, zero=True))
    if not isinstance(value, Mapping):
        raise InputError(f"limits.{key} must be a table of numbers by signal, got {value!r}")
    for name in value:
        if name not in known:
            raise unknown(f"signal in limits.{key}", str(name), known)
    return {n: _number(f"limits.{key}.{n}", v, zero=key == "rope") for n, v in value.items()}


def _number(name: str, value: object, zero: bool = False) -> float:
    good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not good or float(value) < 0.0 or (float(value) == 0.0 and not zero):  # type: ignore[arg-type]
        what = "a number that is not negative" if zero else "a positive number"
        raise InputError(f"{name} must be {what}, got {value!r}")
    return float(value)  # type: ignore[arg-type]
