"""What a scenario says of its plant reaches the plant; what is asked of a verdict is told."""

from __future__ import annotations

import json

import pytest

from cranebridge.errors import CranebridgeError
from cranebridge.job import open_plant, plant_file, verify_scenario
from cranebridge.scenario import load_scenario


def test_allow_list_of_the_scenario_is_kept() -> None:
    with pytest.raises(CranebridgeError, match="not in the list of allowed FMUs"):
        verify_scenario(load_scenario("overhead", [f"plant.allow=['{'0' * 64}']"]))


def test_time_limit_of_the_scenario_reaches_the_child() -> None:
    scenario = load_scenario("overhead", ["plant.timeout=7.5"])
    with open_plant(scenario, plant_file(scenario)) as (plant, _):
        assert plant.timeout == 7.5


def test_certify_says_by_its_exit_code_whether_the_machines_are_the_same(run) -> None:
    assert run("certify", "overhead")[0] == 0
    code, text, _ = run("certify", "overhead", "--set", "plant.model=OverheadCraneReal", "--json")
    assert code == 1
    assert json.loads(text)["status"] == "different"
    code, text, _ = run("certify", "overhead", "--set", "plant.model=OverheadCraneReal")
    assert code == 1
    assert "different" in text


def test_unexpected_fault_is_one_sentence_and_exit_code_3(run, monkeypatch) -> None:
    from cranebridge import scenario

    def broken(*_arguments: object) -> None:
        raise ZeroDivisionError("in the middle")

    monkeypatch.setattr(scenario, "load_scenario", broken)
    code, text, message = run("check", "overhead")
    assert code == 3
    assert "a fault of cranebridge itself (ZeroDivisionError: in the middle)" in message
    assert "Traceback" not in message + text
    code, _, message = run("check", "overhead", "--debug")
    assert code == 3
    assert "Traceback" in message
