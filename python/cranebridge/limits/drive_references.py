"""Velocity references in the units of the drives: what a converter is sent, in rpm, m/min, percent.

`drive_speed.NAME` is how fast a drive moves, `drive_reference.NAME` the reference of its speed loop
that makes it do so: :mod:`cranebridge.inverse.speed_drives`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cranebridge.inverse import GROUP, Samples, Signal, SpeedDrive
from cranebridge.limits.drive_units import DriveUnits

REFERENCE = "drive_reference"
"""The group of columns."""


def reference_signals(
    drives: Sequence[DriveUnits], speeds: Sequence[SpeedDrive]
) -> dict[str, Signal]:
    """Return the columns by title, such as ``drive_reference.trolley``."""
    found = [
        Signal(REFERENCE, i, drive.name, drive.unit, f"velocity reference, {drive.coordinate}")
        for i, (drive, _) in enumerate(_pairs(drives, speeds))
    ]
    return {signal.title: signal for signal in found}


def with_references(
    samples: Samples, drives: Sequence[DriveUnits], speeds: Sequence[SpeedDrive]
) -> Samples:
    """Return samples that have velocity references with those in the units of the drives, too."""
    pairs = _pairs(drives, speeds)
    if not pairs:
        return samples
    columns, factors = [column for _, column in pairs], [drive.speed for drive, _ in pairs]
    values = {**samples.values, REFERENCE: samples.values[GROUP][:, columns] * factors}
    rates = dict(samples.rates)
    if GROUP in rates:
        rates[REFERENCE] = rates[GROUP][:, columns] * factors
    return replace(samples, values=values, rates=rates)


def _pairs(
    drives: Sequence[DriveUnits], speeds: Sequence[SpeedDrive]
) -> list[tuple[DriveUnits, int]]:
    """Return the drives that take a velocity reference, and its column."""
    coordinates = [speed.coordinate for speed in speeds]
    return [
        (drive, coordinates.index(drive.coordinate))
        for drive in drives
        if drive.coordinate in coordinates
    ]
