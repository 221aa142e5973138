"""Expressions of the map, and what it says when something is missing."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from cranebridge.errors import InputError
from cranebridge.expressions import parse
from cranebridge.plant.description.fmu import inspect
from cranebridge.plant.export.fmu_export import cached_fmu
from cranebridge.scenario import load_scenario
from cranebridge.verify import PlantMap


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2*a - b/4", 2 * 3.0 - 5.0 / 4),
        ("-a**2 + sin(b)", -9.0 + np.sin(5.0)),
        ("sqrt(a**2 + b**2)", np.hypot(3.0, 5.0)),
        ("atan2(a, b) + pi", np.arctan2(3.0, 5.0) + np.pi),
        ("1e-3*(a + 2)", 5e-3),
    ],
)
def test_expression_means_what_arithmetic_says(text: str, value: float) -> None:
    a, b = ca.SX.sym("a"), ca.SX.sym("b")
    expression = ca.SX(parse("key", text, {"a": a, "b": b}))
    assert float(ca.Function("f", [a, b], [expression])(3.0, 5.0)) == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a +", "is not an expression"),
        ("__import__('os').system('true')", "only numbers, names"),
        ("open(a)", "unknown function"),
        ("a.real", "only numbers, names"),
        ("a if a else b", "only numbers, names"),
        ("'text'", "only numbers, names"),
        ("True", "only numbers"),
        ("c", "unknown name"),
        ("sin(a, b)", "wrong number of arguments"),
    ],
)
def test_anything_else_is_refused(text: str, message: str) -> None:
    symbols = {"a": ca.SX.sym("a"), "b": ca.SX.sym("b")}
    with pytest.raises(InputError, match=message):
        parse("key", text, symbols)


@pytest.fixture(scope="module")
def info():
    return inspect(cached_fmu("RotaryCrane"))


def test_equal_names_need_no_map(info) -> None:
    mapping = PlantMap(load_scenario("rotary").crane, info, {})
    assert mapping.input_names == ("M_b", "F_t", "M_w")
    problem = load_scenario("rotary").problem
    parameters = mapping.parameters(problem, np.arange(6.0), np.zeros(6))
    assert parameters["m"] == 100.0
    assert (parameters["phi_start"], parameters["s_start"], parameters["l_start"]) == (
        0.0,
        1.0,
        2.0,
    )


def test_units_signs_and_offsets_are_expressions(info) -> None:
    crane = load_scenario("rotary").crane
    mapping = PlantMap(
        crane, info, {"inputs": {"F_t": "-1000*F_t + 3"}, "signals": {"x": "0.1*y - 2"}}
    )
    K, k = mapping.input_matrix(load_scenario("rotary").problem.parameters)
    row = mapping.input_names.index("F_t")
    assert K[row] == pytest.approx([0.0, -1000.0, 0.0])
    assert k[row] == 3.0
    outputs = np.arange(len(info.output_names), dtype=float)[None, :]
    y = outputs[0, info.output_names.index("y")]
    parameters = load_scenario("rotary").problem.parameter_vector
    assert mapping.signals(["x"], outputs, parameters)[0, 0] == pytest.approx(0.1 * y - 2)


@pytest.mark.parametrize(("place", "velocity"), [("-l", "-v_l"), ("s", "v_s"), ("l", "v_l")])
def test_velocity_is_that_of_what_the_map_says_and_not_of_the_same_name(
    info, place: str, velocity: str
) -> None:
    mapping = PlantMap(load_scenario("rotary").crane, info, {"signals": {"l": place}})
    assert mapping.missing(["v.l"]) == ([] if place == "l" else ["v.l"])
    text = str(mapping.with_rates().expression("v.l"))
    assert text.strip("()") == velocity


def test_missing_mapping_is_named(info) -> None:
    redundant = load_scenario("rotary-redundant")
    with pytest.raises(InputError, match="no input for M_1, M_2 of crane 'rotary-redundant'"):
        PlantMap(redundant.crane, info, {})
    inputs = redundant.tables.plant.map.inputs
    mapping = PlantMap(redundant.crane, info, {"inputs": inputs})
    with pytest.raises(InputError, match=r"the certificate needs x_2, y_2.*plant\.map\.signals"):
        mapping.require(["x", "x_2", "y_2"], "the certificate")


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"input": {}}, "Did you mean 'inputs'"),
        ({"inputs": {"F": "F_t"}}, "unknown name in plant.map.inputs 'F'"),
        ({"signals": {"xx": "x"}}, "unknown name in plant.map.signals 'xx'"),
        ({"inputs": {"F_t": "F_t**2"}}, "linear"),
    ],
)
def test_wrong_maps_are_refused(info, tables, message) -> None:
    scenario = load_scenario("rotary")
    with pytest.raises(InputError, match=message):
        PlantMap(scenario.crane, info, tables).input_matrix(scenario.problem.parameters)
