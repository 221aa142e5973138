"""From a ``[path]`` table to the profile of its progress in time."""

from __future__ import annotations

import math
from fractions import Fraction

from cranebridge.errors import InputError
from cranebridge.path import profiles
from cranebridge.path.kinds import LIMITS, PROFILES
from cranebridge.path.profiles import Profile, polynomial, three_phase
from cranebridge.path.reading.entries import SHORTEST, EntryTable, is_list, read_number, shown

HIGHEST_ORDER = 6
"""Most limits of an S-curve; it has up to 2^n - 1 pieces."""
_LARGEST = 1e30
"""Lengths and limits between this and its inverse can be multiplied without leaving the range."""


def profile_name(table: EntryTable) -> str:
    """Return which profile a table asks for."""
    owned = table.owner("profile")
    return table.text("profile", "path profile", tuple(PROFILES)) if owned else "polynomial"


def timed_profile(
    table: EntryTable, leg: Fraction | None = None, begin: float | Fraction = 0
) -> Profile:
    """Make the profile of a table that gives its duration, or that of a leg of it.

    Parameters
    ----------
    table : EntryTable
        With a profile other than an S-curve.
    leg : Fraction, optional
        Duration of the leg [s].
    begin : float or Fraction
        When the motion begins [s].
    """
    duration = Fraction(table.duration()) if leg is None else leg
    _refuse(table, LIMITS, "s-curve")
    if profile_name(table) == "polynomial":
        _refuse(table, ("ramp",), "three-phase")
        return polynomial(duration, table.smoothness(), begin)
    name, value = table.find("ramp")
    ramp = read_number(name, value, "a positive number of seconds")
    if ramp <= 0:
        raise InputError(f"{name} must be a positive number of seconds, got {shown(value)}.")
    if 2 * Fraction(ramp) > duration:
        what = table.find("duration")[0] if leg is None else "every leg"
        raise InputError(
            f"{name} must be at most half of {what}, which is {float(duration):g} s, got {ramp:g}."
        )
    if ramp < SHORTEST * duration:
        raise InputError(
            f"{name} must be at least {SHORTEST:g} of the duration, got {shown(value)}."
        )
    return three_phase(duration, ramp, table.smoothness(least=1), begin)


def limited_profile(
    table: EntryTable, distance: float, way: str = "the way", begin: float | Fraction = 0
) -> Profile:
    """Make the S-curve of a table, whose duration follows from its limits.

    Parameters
    ----------
    table : EntryTable
        With the profile ``s-curve``.
    distance : float
        Length of the way [m], or angle of a rotation [rad].
    way : str
        What has that length, in messages.
    begin : float or Fraction
        When the motion begins [s].
    """
    _refuse(table, ("ramp",), "three-phase")
    for key in ("duration", "times"):
        owner = _meant(table, key)
        if owner is not None:
            raise InputError(
                f"{owner.name}.{key} must not be given with profile = 's-curve': the duration "
                "follows from its limits."
            )
    limits = _limits(table)
    if not 1 / _LARGEST < distance < _LARGEST:
        raise InputError(
            f"{table.name}.profile = 's-curve' needs a way to go, and {way} has the length "
            f"{distance:g}."
        )
    try:
        profile = profiles.s_curve(distance, limits, table.smoothness(), begin)
    except profiles.NoEffectError as error:
        key = [*LIMITS[:3], *(f"higher[{i}]" for i in range(len(limits)))][error.position]
        raise InputError(
            f"{table.name}.{key} is so large that it has no effect; leave it out."
        ) from None
    if not SHORTEST <= profile.end - profile.begin < _LARGEST:
        raise InputError(
            f"{table.name}: within its limits {way} takes {profile.end - profile.begin:.3g} s; "
            f"it must be at least {SHORTEST:g} s and less than {_LARGEST:g} s."
        )
    return profile


def _limits(table: EntryTable) -> list[float]:
    """Return the limits of speed, acceleration, ... up to the highest that is given."""
    found = []
    for key in LIMITS[:3]:
        given = table.owner(key) is not None
        found.append(_limit(*table.find(key)) if given else math.inf)
    if table.owner("higher") is not None:
        name, values = table.find("higher")
        most = HIGHEST_ORDER - 3
        if not is_list(values) or not 1 <= len(values) <= most:
            raise InputError(f"{name} must be a list of 1 to {most} numbers, got {shown(values)}.")
        found += [_limit(f"{name}[{i}]", value) for i, value in enumerate(values)]
    while found and math.isinf(found[-1]):
        found.pop()
    if not found:
        raise InputError(
            f"{table.name}.profile = 's-curve' needs at least one limit: speed, acceleration, jerk."
        )
    return found


def _limit(name: str, value: object) -> float:
    limit = read_number(name, value, "a positive number")
    if not 1 / _LARGEST < limit < _LARGEST:
        raise InputError(f"{name} must be a positive number, got {shown(value)}.")
    return limit


def _meant(table: EntryTable, key: str) -> EntryTable | None:
    """Return the table that gives a key, unless it is meant for others.

    What a part inherits is only then meant for others if the part chose its own profile.
    """
    owner = table.owner(key)
    return owner if owner is table or table.owner("profile") is not table else None


def _refuse(table: EntryTable, keys: tuple[str, ...], profile: str) -> None:
    for key in keys:
        owner = _meant(table, key)
        if owner is not None:
            raise InputError(f"{owner.name}.{key} needs profile = '{profile}'.")
