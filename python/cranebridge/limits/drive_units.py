"""Drives in their own units: motor speeds in rpm, rope speeds in m/min, percent of a rated speed.

A drive turns or shifts with one coordinate c of the crane. Its position is

    p = +-gear (c - zero) / radius,

without the radius where the coordinate is an angle, or the drive is measured along the rope or
rail; its speed, acceleration and jerk are the rates. All of them are then written in the drive's
unit. Limits that are stated there become limits of the coordinate.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError, unknown
from cranebridge.inverse import Signal
from cranebridge.limits.limits import Limits, Range
from cranebridge.twin import Crane
from cranebridge.twin.language import names

if TYPE_CHECKING:
    from cranebridge.inverse import Samples

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SpeedUnit:
    """A unit of speed.

    Attributes
    ----------
    meaning : str
        In words.
    size : float
        One of it in m/s or rad/s.
    position : str
        The unit of positions beside it.
    position_size : float
        One of that in m or rad.
    turning : bool
        Whether it is one of turning drives.
    """

    meaning: str
    size: float
    position: str
    position_size: float
    turning: bool


_TURN = 2.0 * math.pi

SPEEDS: Mapping[str, SpeedUnit] = {
    "m/s": SpeedUnit("metres in a second, positions in m", 1.0, "m", 1.0, False),
    "m/min": SpeedUnit("metres in a minute, positions in m", 1.0 / 60.0, "m", 1.0, False),
    "mm/s": SpeedUnit("millimetres in a second, positions in mm", 1e-3, "mm", 1e-3, False),
    "rad/s": SpeedUnit("radians in a second, positions in rad", 1.0, "rad", 1.0, True),
    "deg/s": SpeedUnit(
        "degrees in a second, positions in deg", _TURN / 360.0, "deg", _TURN / 360.0, True
    ),
    "rpm": SpeedUnit("turns in a minute, positions in turns", _TURN / 60.0, "rev", _TURN, True),
}
"""Units that drives are spoken of in."""

PERCENT = "%"
UNITS: Mapping[str, str] = {
    **{name: unit.meaning for name, unit in SPEEDS.items()},
    PERCENT: "percent of the rated speed, positions in the unit that goes with that",
}
"""The words that a drive's unit is chosen from."""

DRIVE_GROUPS: Mapping[str, str] = {
    "drive_position": "q",
    "drive_speed": "v",
    "drive_acceleration": "a",
}
"""Groups of columns of drives, and those of the coordinates that they are made from."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@dataclass(frozen=True)
class DriveUnits:
    """A drive in its own units.

    Attributes
    ----------
    name : str
        Of the drive.
    coordinate : str
        The crane's coordinate that it moves.
    column : int
        Where that stands among the coordinates.
    unit, position_unit : str
        Of speeds and of positions.
    speed, position : float
        Speed in that unit for 1 m/s or 1 rad/s of the coordinate; position for 1 m or 1 rad.
    zero : float
        The coordinate where the drive's position is zero.
    limits : mapping of str to float
        Largest magnitudes in SI units of the coordinate, by group: ``v``, ``a``, ``jerk``.
    """

    name: str
    coordinate: str
    column: int
    unit: str
    position_unit: str
    speed: float
    position: float
    zero: float
    limits: Mapping[str, float]


def read_drives(
    tables: Mapping[str, Mapping[str, Any]], crane: Crane, parameters: Mapping[str, float]
) -> tuple[DriveUnits, ...]:
    """Return the drives of the tables ``[deliver.drives.NAME]``.

    Raises
    ------
    InputError
        If a name is unknown, or the entries of a drive do not fit each other.
    """
    return tuple(_read(name, table, crane, parameters) for name, table in tables.items())


def _read(
    name: str, table: Mapping[str, Any], crane: Crane, parameters: Mapping[str, float]
) -> DriveUnits:
    where, coordinates = f"deliver.drives.{name}", names(crane.coordinates)
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{where}: a drive's name has letters, digits and underscores only, as columns do"
        )
    if table["coordinate"] not in coordinates:
        raise unknown(f"coordinate in {where}", str(table["coordinate"]), coordinates)
    column = coordinates.index(table["coordinate"])
    factor, unit = _speed_unit(where, table)
    moved = crane.coordinates[column].unit
    scale = _scale(where, table, moved, unit, parameters)
    speed = scale / unit.size * factor
    stated = {"v": "speed", "a": "acceleration", "jerk": "jerk"}
    found = {group: table.get(key) for group, key in stated.items()}
    return DriveUnits(
        name=name,
        coordinate=table["coordinate"],
        column=column,
        unit=table["unit"],
        position_unit=unit.position,
        speed=speed,
        position=scale / unit.position_size,
        zero=float(table.get("zero", 0.0)),
        limits={group: most / abs(speed) for group, most in found.items() if most is not None},
    )


def _speed_unit(where: str, table: Mapping[str, Any]) -> tuple[float, SpeedUnit]:
    """Return how much of the drive's unit a unit of speed is, and that unit."""
    rated, unit = str(table.get("rated", "")), str(table["unit"])
    if unit != PERCENT:
        if rated:
            raise InputError(f"{where}.rated is for unit = '{PERCENT}', and the unit is '{unit}'")
        return 1.0, SPEEDS[unit]
    value, _, word = rated.strip().partition(" ")
    if not rated or word.strip() not in SPEEDS:
        raise InputError(
            f"{where} with unit = '{PERCENT}' needs rated, the speed that is 100 %, with one of "
            f"the units {', '.join(SPEEDS)}, such as rated = '1480 rpm'"
        )
    try:
        speed = float(value)
    except ValueError:
        speed = math.nan
    if not (math.isfinite(speed) and speed > 0.0):
        raise InputError(f"{where}.rated must begin with a positive number, got '{rated}'")
    return 100.0 / speed, SPEEDS[word.strip()]


def _scale(
    where: str,
    table: Mapping[str, Any],
    moved: str,
    unit: SpeedUnit,
    parameters: Mapping[str, float],
) -> float:
    """Return what the drive moves, in m or rad, for 1 m or 1 rad of its coordinate."""
    radius, gear = table.get("radius"), float(table.get("gear", 1.0))
    sign = -1.0 if table.get("reversed") else 1.0
    if moved not in ("m", "rad"):
        raise InputError(f"{where}: coordinate '{table['coordinate']}' has the unit '{moved}'")
    if moved == "rad" and not unit.turning:
        raise InputError(
            f"{where}: coordinate '{table['coordinate']}' is an angle; choose the unit from "
            f"{', '.join(name for name, one in SPEEDS.items() if one.turning)}"
        )
    rolls = moved == "m" and unit.turning
    if rolls != (radius is not None):
        raise InputError(
            f"{where} needs radius, that of the drum or wheel that turns with coordinate "
            f"'{table['coordinate']}': a number in m or the name of a parameter"
            if rolls
            else f"{where}.radius is for a coordinate in m and a unit of turning"
        )
    return sign * gear / (_radius(where, radius, parameters) if rolls else 1.0)


def _radius(where: str, radius: object, parameters: Mapping[str, float]) -> float:
    if isinstance(radius, str):
        if radius not in parameters:
            raise unknown(f"parameter in {where}.radius", radius, tuple(parameters))
        radius = parameters[radius]
    if not isinstance(radius, int | float) or isinstance(radius, bool) or not 0.0 < radius < 1e9:
        raise InputError(f"{where}.radius must be a positive number in m, got {radius!r}")
    return float(radius)


def with_drive_limits(limits: Limits, drives: Sequence[DriveUnits]) -> Limits:
    """Return limits with those of the drives: the tighter one where a coordinate has two."""
    groups: dict[str, dict[str, Range]] = {
        group: dict(getattr(limits, group)) for group in ("v", "a", "jerk")
    }
    for drive in drives:
        for group, most in drive.limits.items():
            known = groups[group].get(drive.coordinate, Range())
            tighter = Range(max(known.least, -most), min(known.most, most))
            groups[group][drive.coordinate] = tighter
    return replace(limits, v=groups["v"], a=groups["a"], jerk=groups["jerk"])


def drive_signals(drives: Sequence[DriveUnits]) -> dict[str, Signal]:
    """Return the columns of drives by title, such as ``drive_speed.F_t``."""
    units = {
        "drive_position": [drive.position_unit for drive in drives],
        "drive_speed": [drive.unit for drive in drives],
        "drive_acceleration": [f"{drive.unit}/s" for drive in drives],
    }
    found = [
        Signal(group, i, drive.name, units[group][i], f"of the drive, {drive.coordinate}")
        for group in DRIVE_GROUPS
        for i, drive in enumerate(drives)
    ]
    return {signal.title: signal for signal in found}


def with_drives(samples: Samples, drives: Sequence[DriveUnits]) -> Samples:
    """Return samples with the columns of drives, and their exact rates where there are any."""
    if not drives:
        return samples
    values, rates = dict(samples.values), dict(samples.rates)
    columns = [drive.column for drive in drives]
    for group, source in DRIVE_GROUPS.items():
        position = group == "drive_position"
        factors = [drive.position if position else drive.speed for drive in drives]
        zeros = [drive.zero if position else 0.0 for drive in drives]
        values[group] = (samples.values[source][:, columns] - zeros) * factors
        if source in samples.rates:
            rates[group] = samples.rates[source][:, columns] * factors
    return replace(samples, values=values, rates=rates)


def with_moved(
    samples: Samples, drives: Sequence[DriveUnits], time: Array, moved: Mapping[str, Array]
) -> Samples:
    """Return samples whose drives have moved position references.

    Parameters
    ----------
    samples : Samples
        With the columns of drives.
    drives : sequence of DriveUnits
        The drives.
    time : numpy.ndarray
        Times of `moved`.
    moved : mapping of str to numpy.ndarray
        By coordinate how far it is moved, straight lines between; the ends hold.
    """
    group = "drive_position"
    if not moved or group not in samples.values:
        return samples
    values, rates = samples.values[group].copy(), dict(samples.rates)
    slopes = rates[group].copy() if group in rates else None
    inside = (samples.time >= time[0]) & (samples.time <= time[-1])
    for i, drive in enumerate(drives):
        if drive.coordinate not in moved:
            continue
        by = drive.position * moved[drive.coordinate]
        values[:, i] += np.interp(samples.time, time, by)
        if slopes is not None:
            slopes[:, i] += inside * np.interp(samples.time, time, np.gradient(by, time))
    if slopes is not None:
        rates[group] = slopes
    return replace(samples, values={**samples.values, group: values}, rates=rates)
