"""What can be chosen stands in one place: schema, template and documentation say the same."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cranebridge import cli
from cranebridge.deliver import FORMATS
from cranebridge.inverse import methods
from cranebridge.inverse.stepping import index3, projection
from cranebridge.limits.limits import GROUPS
from cranebridge.path import kinds, make_path
from cranebridge.scenario import ScenarioTables, commented_scenario, load_scenario
from cranebridge.scenario.key_reference import LISTS, MOTION_TABLE, keys, markdown
from cranebridge.scenario.tables.schema import (
    FrictionTable,
    LimitsTable,
    RopeTable,
    SensorTable,
    SpeedTable,
)
from cranebridge.scenario.tables.typed_table import Table
from cranebridge.twin import CRANES

DOCUMENT = Path(__file__).parents[2] / "docs" / "scenarios.md"


def words(table: str, name: str) -> list[str]:
    (key,) = [key for key in keys(table) if key.table == table and key.name == name]
    return list(key.words)


def test_registries_name_what_the_solvers_take() -> None:
    assert list(methods.SCHEMES) == list(index3.SCHEMES)
    assert list(methods.COORDINATES) == list(projection.COORDINATES)
    assert words("solve", "method") == list(methods.METHODS)
    assert words("solve", "scheme") == list(methods.SCHEMES)
    assert words("solve", "coordinates") == list(methods.COORDINATES)


def test_formats_and_limits_are_those_of_their_packages() -> None:
    assert words("deliver", "to") == list(FORMATS)
    assert set(GROUPS) == set(LimitsTable.model_fields) - {"ropes", "tracking", "swing"}


@pytest.mark.parametrize("kind", kinds.KINDS)
def test_kinds_of_paths_are_those_that_can_be_made(kind: str) -> None:
    # A key that the registry offers is not refused as unknown: something else is missing first.
    for key in kinds.KINDS[kind].keys:
        assert key in kinds.KEYS
        with pytest.raises(Exception, match=r"is missing|must ") as caught:
            make_path({"kind": kind, key: "?"}, ["x", "y", "z"])
        assert "unknown key" not in str(caught.value)


def test_every_key_of_the_schema_is_described() -> None:
    def count(model: type[Table]) -> int:
        total = 0
        for info in model.model_fields.values():
            inner = info.annotation
            nested = isinstance(inner, type) and issubclass(inner, Table)
            total += 1 + (count(inner) if nested else 0)
        return total

    registries = ("path", MOTION_TABLE, "obstacles", "disturbance")
    described = [key for key in keys() if key.table not in registries]
    tables, drives = len(ScenarioTables.model_fields), 5 + 6 + 10  # of plant, control, deliver
    others = (SensorTable, SpeedTable, RopeTable, FrictionTable)
    further = sum(len(one.model_fields) for one in others)
    assert len(described) == count(ScenarioTables) - tables + drives + further
    assert all(key.meaning for key in keys())


def test_documentation_has_the_tables_of_the_schema() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    between = text.split("<!-- made by scripts/figures/scenario_docs.py -->\n")[1].split(
        "<!-- end -->"
    )[0]
    assert between == markdown(), "run scripts/docs --figures"


def test_tables_name_every_key_and_every_word() -> None:
    text = markdown()
    for key in keys():
        brackets = ("[[", "]]") if key.table in LISTS else ("[", "]")
        assert f"### `{key.table.join(brackets)}`" in text
        assert f"| `{key.name}` |" in text
        assert all(f"| `{word}` | {meaning} |" in text for word, meaning in key.words.items())


@pytest.mark.parametrize("crane", sorted(CRANES))
def test_template_loads_with_every_key_that_it_offers(crane: str, tmp_path: Path) -> None:
    text = commented_scenario(crane)
    plain, full = tmp_path / "plain.toml", tmp_path / "full.toml"
    plain.write_text(text)
    full.write_text(re.sub(r"^# (\w+ = )", r"\1", text, flags=re.MULTILINE))
    assert load_scenario(str(plain)).crane.name == crane
    given = tomllib.loads(full.read_text())
    assert load_scenario(str(full)).crane.name == crane
    for table in ("solve", "plant", "limits", "deliver"):
        scalars = [
            key.name
            for key in keys(table)
            if key.table == table and (key.toml or key.name in ("model", "fmu", "to", "cycle"))
        ]
        assert set(scalars) <= set(given[table]), table


def test_template_offers_every_word() -> None:
    text = commented_scenario("rotary")
    for key in keys():
        if key.words and key.table != MOTION_TABLE:  # this crane has none
            assert ", ".join(key.words) in text, key


def test_nothing_speaks_of_seeds() -> None:
    texts = [markdown(), *map(commented_scenario, CRANES)]
    # apart from that of random numbers, which is a key
    others = [re.sub(r"`seed`|seed = \d|random seed", "", text) for text in texts]
    assert not [text for text in others if re.search(r"\bseeds?\b", text)]


@pytest.mark.parametrize("name", ["method", "scheme", "coordinates"])
def test_help_of_the_command_line_names_every_word(name: str) -> None:
    help_text = CliRunner().invoke(cli.app, ["solve", "--help"], terminal_width=200).output
    (line,) = [line for line in help_text.splitlines() if f"--{name} " in line]
    assert all(word in line for word in words("solve", name))
