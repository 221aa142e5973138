"""What floating-point numbers can tell apart: single precision must hold a motion, or is refused.

A number of single precision has 24 binary digits. What matters is whether two cycles can be told
apart (time), and whether the load's way is more than a staircase (positions): a crane whose origin
lies a thousand kilometres away has positions in steps of 6 cm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cranebridge.emit import SINGLE_LARGEST, SINGLE_SMALLEST, Precision
from cranebridge.errors import InputError
from cranebridge.inverse import Samples, Signal

CYCLE_PART = 0.1
"""Times are told apart by at least this part of a cycle."""

RANGE_PART = 1e-4
"""Positions are rounded by at most this part of the way that is gone."""

AT_REST = 1e-9
"""Positions that change by less than this part of their size do not move."""

# Positions must resolve the motion; other signals are only as large as they are.
_POSITIONS = ("q", "gamma", "drive_position")
_REMEDY = "deliver in double precision"


def quantisation(
    samples: Samples, chosen: Sequence[Signal], precision: Precision
) -> dict[str, dict[str, float]]:
    """Return the largest rounding of each group of signals, by unit."""
    found: dict[str, dict[str, float]] = {"time": {"s": _rounding(samples.time, precision)}}
    for signal in chosen:
        units = found.setdefault(signal.group, {})
        rounding = _rounding(samples.value(signal), precision)
        units[signal.unit] = max(units.get(signal.unit, 0.0), rounding)
    return found


def _rounding(values: NDArray[np.float64], precision: Precision) -> float:
    """Return half the distance of neighbours at the largest value."""
    kind = np.float64 if precision == "double" else np.float32
    return float(np.spacing(kind(np.abs(values).max()))) / 2.0


def require_single(samples: Samples, chosen: Sequence[Signal], cycle: float) -> None:
    """Refuse what single precision cannot hold.

    Parameters
    ----------
    samples : Samples
        The motion, at the times of its solution.
    chosen : sequence of Signal
        Signals that are delivered, with their rates where they have any.
    cycle : float
        The controller's cycle [s].

    Raises
    ------
    InputError
        If a value is beyond its range, or the motion is not resolved in time or place.
    """
    for signal in chosen:
        _require_range(signal.title, samples.value(signal), signal.unit)
        if signal.group in samples.rates:
            _require_range(f"the rate of {signal.title}", samples.rate(signal), f"{signal.unit}/s")
    spacing = 2.0 * _rounding(samples.time, "single")
    if spacing > CYCLE_PART * cycle:
        raise InputError(
            f"at {samples.time[-1]:g} s single precision tells times apart by {spacing:.2g} s, "
            f"which is more than a tenth of the cycle of {cycle:g} s; {_REMEDY} or with a longer "
            "cycle"
        )
    _require_resolution(samples, chosen, cycle)


def require_single_parameters(parameters: Mapping[str, float]) -> None:
    """Refuse parameters that single precision cannot hold."""
    for name, value in parameters.items():
        _require_range(f"parameter {name}", np.array([value]), "")
        if 0.0 < abs(value) < SINGLE_SMALLEST:
            raise InputError(
                f"parameter {name} is {value:g}, so small that single precision makes it zero "
                f"(least {SINGLE_SMALLEST:.2g}); {_REMEDY}"
            )


def _require_range(what: str, values: NDArray[np.float64], unit: str) -> None:
    worst = float(np.abs(values).max(initial=0.0))
    if worst > SINGLE_LARGEST:
        value = f"{worst:g} {unit}".rstrip()
        raise InputError(
            f"{what} is as large as {value}, beyond single precision (most "
            f"{SINGLE_LARGEST:.2g}); {_REMEDY}"
        )


def _require_resolution(samples: Samples, chosen: Sequence[Signal], cycle: float) -> None:
    """Compare the rounding of positions with the way of all positions of their unit."""
    positions = [signal for signal in chosen if signal.group in _POSITIONS]
    for unit in sorted({signal.unit for signal in positions}):
        alike = [signal for signal in positions if signal.unit == unit]
        way = max(float(np.ptp(samples.value(signal))) for signal in alike)
        step = cycle * max(float(np.abs(samples.rate(signal)).max()) for signal in alike)
        worst = max(alike, key=lambda signal: float(np.abs(samples.value(signal)).max()))
        rounding = _rounding(samples.value(worst), "single")
        # What moves by less is at rest, and its motion is rounding of the solution.
        moves = way > AT_REST * float(np.abs(samples.value(worst)).max())
        if moves and rounding > min(RANGE_PART * way, step):
            raise InputError(
                f"single precision rounds {worst.title} by {rounding:.2g} {unit}, which does not "
                f"resolve a motion of {way:.3g} {unit} with {step:.2g} {unit} in a cycle; {_REMEDY}"
                " or with an origin that is closer"
            )
