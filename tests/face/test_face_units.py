"""Units of columns, by hand: what a velocity reference and an estimated velocity are in."""

from __future__ import annotations

from cranebridge.face.column_meanings import column_quantities
from cranebridge.twin import find_crane


def test_units_of_references_and_estimates_are_those_of_their_signals() -> None:
    known = column_quantities(find_crane("rotary"))  # phi in rad; s, l, x, y, z in m
    wanted = {
        **{"q.phi": "rad", "v.phi": "rad/s", "q.s": "m", "v.s": "m/s", "v.x": "m/s"},
        **{"r.phi": "rad", "r.s": "m", "w.phi": "rad/s", "w.s": "m/s", "w.l": "m/s"},
        **{"estimate.q.phi": "rad", "estimate.q.x": "m"},
        **{"estimate.v.phi": "rad/s", "estimate.v.x": "m/s", "estimate.parameter.m": "kg"},
        **{"y.x": "m", "e.x": "m", "change.M_b": "N*m", "change.F_t": "N"},
    }
    assert {name: known[name].unit for name in wanted} == wanted
