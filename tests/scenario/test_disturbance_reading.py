"""What [[disturbance]] takes, and what it refuses in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from cranebridge.errors import InputError
from cranebridge.scenario import load_scenario
from cranebridge.scenario.disturbance_reading import read_disturbances
from cranebridge.verify.disturbances import KEYS, KINDS, MEANINGS, Disturbance

GUST = {"on": "load.x", "kind": "gust", "value": 50, "from": 1.0, "until": 2.0}


def test_every_kind_is_read() -> None:
    values = {"value": 5.0, "from": 1.0, "until": 2.0, "times": [0.0, 1.0], "values": [2.0, 3.0]}
    for kind in KINDS:
        row = {"on": "F_t", "kind": kind, **{key: values[key] for key in KEYS[kind]}}
        (found,) = read_disturbances([row])
        assert found.kind == kind
        assert found.describe().startswith("F_t: ")
    assert {key for keys in KEYS.values() for key in keys} | {"on", "kind"} == set(MEANINGS)
    assert read_disturbances([GUST]) == (Disturbance("load.x", "gust", (1.0, 2.0), (50.0,)),)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "gusts"}, "Did you mean 'gust'"),
        ({"kind": None}, r"disturbance\[0\].kind is missing"),
        ({"on": None}, r"disturbance\[0\].on is missing"),
        ({"on": 3}, "must be a name in quotes"),
        ({"value": None}, r"disturbance\[0\].value is missing"),
        ({"value": "much"}, "value must be a finite number"),
        ({"value": float("nan")}, "value must be a finite number"),
        ({"until": 1.0}, "from must be before its until"),
        ({"untill": 3.0}, "Did you mean 'until'"),
        ({"kind": "step"}, "with kind 'step'"),
        ({"kind": "table"}, "with kind 'table'"),
    ],
)
def test_what_cannot_be_meant_is_refused(change: dict, message: str) -> None:
    row = {key: value for key, value in (GUST | change).items() if value is not None}
    with pytest.raises(InputError, match=message):
        read_disturbances([row])


@pytest.mark.parametrize(
    ("times", "values", "message"),
    [
        ([0.0, 1.0, 1.0], [1.0, 2.0, 3.0], "times must increase"),
        ([0.0, 1.0], [1.0, 2.0, 3.0], "2 times and 3 values"),
        ([0.0], [1.0], "two numbers or more"),
        ("0, 1", [1.0, 2.0], "two numbers or more"),
        ([0.0, "x"], [1.0, 2.0], r"times\[1\] must be a finite number"),
    ],
)
def test_tables_must_make_sense(times: object, values: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_disturbances([{"on": "F_t", "kind": "table", "times": times, "values": values}])


def test_a_scenario_file_has_several_and_is_refused_when_it_is_loaded(tmp_path: Path) -> None:
    text = Path(load_scenario("overhead").file or "").read_text()
    table = '\n[[disturbance]]\non = "load.{}"\nkind = "step"\nvalue = 9\nfrom = {}\n'
    file = tmp_path / "windy.toml"
    file.write_text(text + table.format("x", 1.0) + table.format("z", 2.0))
    scenario = load_scenario(str(file))
    assert [one.on for one in scenario.disturbances] == ["load.x", "load.z"]
    assert len(scenario.complete()["disturbance"]) == 2
    file.write_text(text + table.format("x", '"now"'))
    with pytest.raises(InputError, match=r"disturbance\[0\].from must be a finite number"):
        load_scenario(str(file))
