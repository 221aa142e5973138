"""Cranes written as bodies and joints on plants in Modelica that know nothing of them."""

from __future__ import annotations

import pytest

import cranebridge as cb
from further import mostly_further

pytest.importorskip("rumoca")

CRANES = ["body-gantry", "cylinder-crane", "knuckle-boom", "portal", "spreader"]


@pytest.mark.parametrize("name", mostly_further(CRANES, "knuckle-boom", "portal"))
def test_plant_is_the_same_machine_and_follows_the_path(name: str) -> None:
    summary = cb.load(name).verify().summary()
    assert summary["certificate"]["status"] == "same"
    # derived by other hands in other coordinates: a thousand roundings
    assert summary["certificate"]["max_relative_difference"] < 1e-12
    # m and rad; the controls between samples of 10 ms, and the integrator's tolerance
    assert max(summary["tracking"]["max_error"].values()) < 1e-8
    assert all(verdict["status"] == "passed" for verdict in summary["verdicts"])
