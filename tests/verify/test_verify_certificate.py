"""The certificate: below 1e-9 for all cranes, and small faults are caught and named."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from cranebridge.verification import certify_scenario

from cranebridge.plant.export import cached_fmu
from cranebridge.plant.plant import Plant
from cranebridge.scenario import load_scenario
from cranebridge.twin import Components
from cranebridge.twin.rotary import RotaryCrane
from cranebridge.verify import PlantMap, certify

SCENARIOS = [
    "overhead",
    "rotary-light",
    "rotary-redundant",
    "navy2d",
    "navy2d-pulley",
    "navy3d",
    "navy3d-pulley",
    "cablev-general",
]


@pytest.mark.parametrize("name", SCENARIOS)
def test_twin_and_plant_are_the_same_machine(name: str) -> None:
    certificate = certify_scenario(load_scenario(name))
    assert certificate.exact
    assert certificate.passed
    assert certificate.max_relative_difference < 1e-9
    assert certificate.samples == 48


class HeavyLoad(RotaryCrane):
    """Payload mass wrong by 0.1 % in the twin."""

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        extra = 0.5 * 1e-3 * p.m * (v.x**2 + v.y**2 + v.z**2)
        return super().kinetic_energy(q, v, p) + extra


class NoCentrifugalTrolley(RotaryCrane):
    """The seeds' own error: the trolley's mass is missing where it turns with the jib."""

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        return super().kinetic_energy(q, v, p) - 0.5 * p.m_t * q.s**2 * v.phi**2


class LongRope(RotaryCrane):
    """Winch radius wrong by 0.1 % in the drive."""

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        return super().drive_power(q, v, u, p) - 1e-3 * u.M_w * v.l / p.r_w


@pytest.mark.parametrize(
    ("faulty", "named"),
    [
        (HeavyLoad, ("x", "y", "z")),
        (NoCentrifugalTrolley, ("phi", "s")),
        (LongRope, ("l",)),
    ],
)
def test_fault_is_caught_and_named(faulty, named) -> None:
    problem = replace(load_scenario("rotary").problem, crane=faulty())
    with Plant(cached_fmu("RotaryCrane")) as plant:
        certificate = certify(problem, plant, PlantMap(problem.crane, plant.info, {}))
    assert not certificate.passed
    assert certificate.max_relative_difference > 1e-5
    assert certificate.where.rsplit(" ", 1)[1] in named


def test_parameter_values_are_compared() -> None:
    certificate = certify_scenario(load_scenario("rotary-light"))
    rows = {row["name"]: row for row in certificate.parameters}
    assert rows["m"]["value"] == 10.0
    assert rows["m"]["default"] == 100.0
    assert rows["m"]["from"] == "twin"
    assert rows["theta_1_start"]["from"] == "plant's default"
