"""Reversed drives: limits keep their size, references turn their sign."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cranebridge.inverse.sampling import Samples
from cranebridge.inverse.speed_drives import GROUP, SpeedDrive
from cranebridge.limits import Limits, Range
from cranebridge.limits.drive_references import REFERENCE, with_references
from cranebridge.limits.drive_units import read_drives, with_drive_limits
from cranebridge.twin import find_crane

CRANE = find_crane("overhead")
# A drum of 0.1 m behind a gear of 20: 600 rpm of the motor are 2 pi 10 / 20 * 0.1 m/s of the rope.
HOIST = {"coordinate": "l", "unit": "rpm", "radius": 0.1, "gear": 20.0, "speed": 600.0}
FASTEST = 2.0 * math.pi * 10.0 / 20.0 * 0.1


@pytest.mark.parametrize("turned", [False, True])
def test_limit_of_a_drive_is_one_of_its_coordinate_whichever_way_it_turns(turned) -> None:
    drives = read_drives({"hoist": {**HOIST, "reversed": turned}}, CRANE, {})
    assert drives[0].limits["v"] == pytest.approx(FASTEST)
    found = with_drive_limits(Limits(v={"l": Range(-1.0, 0.1)}), drives).v["l"]
    assert (found.least, found.most) == pytest.approx((-FASTEST, 0.1))


@pytest.mark.parametrize("turned", [False, True])
def test_velocity_reference_turns_with_its_drive(turned) -> None:
    drives = read_drives({"hoist": {**HOIST, "reversed": turned}}, CRANE, {})
    speeds = [SpeedDrive("F_t", "s", 1.0), SpeedDrive("M_w", "l", 1.0)]
    given = np.array([[9.0, FASTEST], [9.0, -0.5 * FASTEST]])
    samples = Samples(CRANE, np.array([0.0, 1.0]), {GROUP: given}, {GROUP: 2.0 * given}, "")
    found, sign = with_references(samples, drives, speeds), -1.0 if turned else 1.0
    assert found.values[REFERENCE][:, 0] == pytest.approx([sign * 600.0, -sign * 300.0])
    assert found.rates[REFERENCE][:, 0] == pytest.approx([sign * 1200.0, -sign * 600.0])
