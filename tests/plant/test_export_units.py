"""Modelica unit strings as exponents of SI base units."""

from __future__ import annotations

import math
from xml.etree.ElementTree import fromstring

import pytest

from cranebridge.plant.description.description_xml import unit_definitions
from cranebridge.plant.description.unit_strings import Unit, parse_unit
from cranebridge.plant.export.fmu_variables import derivative_unit


@pytest.mark.parametrize(
    ("text", "factor", "exponents"),
    [
        ("1", 1, {}),
        ("kg.m2", 1, {"kg": 1, "m": 2}),
        ("N.m", 1, {"kg": 1, "m": 2, "s": -2}),
        ("N/m", 1, {"kg": 1, "s": -2}),
        ("rad/s", 1, {"s": -1, "rad": 1}),
        ("m/s2", 1, {"m": 1, "s": -2}),
        ("N.m.s/rad", 1, {"kg": 1, "m": 2, "s": -1, "rad": -1}),
        ("J/(kg.K)", 1, {"m": 2, "s": -2, "K": -1}),
        ("s-1", 1, {"s": -1}),
        ("1/s", 1, {"s": -1}),
        ("kN", 1e3, {"kg": 1, "m": 1, "s": -2}),
        ("km/h", 1000 / 3600, {"m": 1, "s": -1}),
        ("mm", 1e-3, {"m": 1}),
        ("deg", math.pi / 180, {"rad": 1}),
        ("rpm", 2 * math.pi / 60, {"s": -1, "rad": 1}),
    ],
)
def test_unit_strings(text, factor, exponents):
    unit = parse_unit(text)
    assert unit is not None
    assert unit.factor == pytest.approx(factor)
    assert unit.exponents == exponents


def test_temperature_has_an_offset():
    assert parse_unit("degC").offset == 273.15
    # water freezes at 32 and boils at 212 degrees Fahrenheit
    unit = parse_unit("degF")
    assert unit.factor * 32.0 + unit.offset == pytest.approx(273.15, abs=1e-9)
    assert unit.factor * 212.0 + unit.offset == pytest.approx(373.15, abs=1e-9)


@pytest.mark.parametrize("text", ["furlong", "N..m", "m/", "(m", "m)", "", "3m", "m/s/s"])
def test_what_is_not_a_unit_is_none(text):
    assert parse_unit(text) is None


@pytest.mark.parametrize(
    ("unit", "derivative"),
    [("m", "m/s"), ("m/s", "m/s2"), ("rad/s2", "rad/s3"), ("", ""), ("N/m", "N/(m.s)")],
)
def test_unit_of_a_derivative(unit, derivative):
    assert derivative_unit(unit) == derivative


def test_definition_has_factor_offset_and_exponents_of_base_units():
    """value in SI = factor * value + offset: 32 degrees Fahrenheit are 273.15 K."""
    told = '<BaseUnit K="1" m="0" factor="0.5555555555555556" offset="255.3722222222222"/>'
    found = unit_definitions(
        fromstring(f'<a><UnitDefinitions><Unit name="degF">{told}</Unit></UnitDefinitions></a>')
    )
    assert found == {"degF": Unit(0.5555555555555556, 255.3722222222222, {"K": 1})}
    assert found["degF"].factor * 32.0 + found["degF"].offset == pytest.approx(273.15)
