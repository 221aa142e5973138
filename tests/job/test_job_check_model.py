"""`check FILE.mo:Class`: which choices of inputs and outputs make a servo problem."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

pytest.importorskip("rumoca")

from cranebridge.frontend import library_path
from cranebridge.job import check_model, check_scenario
from cranebridge.job.checks import model_checking
from cranebridge.scenario import Origin, Scenario

DATA = Path(__file__).parents[1] / "data" / "modelica"
WINCH = f"{DATA}/WinchCrane.mo:WinchCrane"
PARTS = f"{DATA}/PartsCrane.mo:Bridge"


def kinds(
    source: str, inputs: tuple[str, ...] = ()
) -> dict[frozenset[str], tuple[str, int | None]]:
    found = check_model(source, inputs)
    return {frozenset(one.outputs): (one.kind, one.internal_dynamics) for one in found.choices}


def test_load_of_a_winch_is_flat_and_drives_leave_the_swing_free():
    """By hand: with trolley and rope given, the swing keeps its two states; the load decides all.

    With trolley and swing angle given, the equation of the swing is one of first order for l'.
    """
    found = kinds(WINCH)
    assert len(found) == 10  # two of s, l, phi, x, z
    assert found[frozenset({"x", "z"})] == ("flat", 0)
    assert found[frozenset({"s", "l"})] == ("internal dynamics", 2)
    assert found[frozenset({"s", "phi"})] == ("internal dynamics", 1)
    assert sum(kind == "flat" for kind, _ in found.values()) == 1


def test_one_drive_alone_leaves_four_states():
    assert kinds(WINCH, ("F",))[frozenset({"s"})] == ("internal dynamics", 4)


def test_place_of_the_load_is_found_inside_a_model_without_outputs():
    result = check_model(PARTS)
    assert result.choices[0].outputs == ("r[1]", "r[2]")
    assert result.choices[0].kind == "flat"
    assert result.start == (0.0, -6.0)


def test_wind_is_no_control_unless_it_is_chosen():
    result = check_model(f"{library_path()}/BridgeCrane.mo")
    assert result.inputs == ("F_b", "F_t", "M_w")
    assert [one.name for one in result.held] == ["F_wind_x", "F_wind_y", "F_wind_z"]
    assert result.choices[0].outputs == ("x", "y", "z")


@pytest.mark.parametrize("source", [WINCH, PARTS])
def test_scenario_that_is_printed_is_sound(source):
    content = tomllib.loads(check_model(source).scenario)
    scenario = Scenario.of_tables(content, Origin("own", "own", Path.cwd())).require_values()
    assert check_scenario(scenario).exit_code == 0


def test_what_was_not_tried_is_said(monkeypatch):
    monkeypatch.setattr(model_checking, "_MOST", 3)
    result = check_model(WINCH)
    assert (len(result.choices), result.not_tried) == (3, 7)
    assert "7 more were not tried" in result.advice
