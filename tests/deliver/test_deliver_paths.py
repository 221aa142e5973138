"""What is delivered tells nothing about the folders of the machine that it was made on."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from cranebridge.deliver import FORMATS, DeliveryOrder, deliver
from cranebridge.deliver.provenance import without_folders
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.problem import time_grid
from cranebridge.scenario import load_scenario
from further import mostly_further

CRANE = """\
from cranebridge.twin.cranes.overhead import OverheadCrane


class MyCrane(OverheadCrane):
    name = "mine"
"""

SCENARIO = """\
[crane]
model = "cranes/mine.py:MyCrane"

[path]
kind = "line"
start = [0.0, -4.0]
goal = [5.0, -1.0]
duration = 3.0

[plant]
model = "{model}"
"""


@pytest.fixture
def own(tmp_path):
    """A scenario with a crane file and a Modelica file of its own, named in some way."""
    folder = tmp_path / "secret" / "customer"
    (folder / "cranes").mkdir(parents=True)
    (folder / "cranes" / "mine.py").write_text(CRANE)
    text = "model MyPlant\n  extends Cranes.OverheadCrane;\nend MyPlant;\n"
    (folder / "MyPlant.mo").write_text(text)

    def load(absolute: bool):
        model = f"{folder / 'MyPlant.mo'}:MyPlant" if absolute else "MyPlant.mo:MyPlant"
        (folder / "mine.toml").write_text(SCENARIO.format(model=model))
        return load_scenario(str(folder / "mine.toml"))

    return load


def contents(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """All files, those in archives too."""
    yield name, content
    if content.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for inner in archive.namelist():
                yield from contents(f"{name}/{inner}", archive.read(inner))


# of those that are compiled, each with one name; an FMU is in the SSP
COMPILED = [("fmu", True), ("ssp", False)]
ALL = list(product(sorted(FORMATS), [False, True]))


@pytest.mark.parametrize(
    ("to", "absolute"), mostly_further(ALL, *(case for case in ALL if case not in COMPILED))
)
def test_no_delivered_file_names_a_folder(own, tmp_path, to, absolute):
    scenario = own(absolute)
    problem = scenario.problem
    feedforward = solve_index1(problem, time_grid(problem.path.duration, 0.1))
    out = tmp_path / "out"
    out.mkdir()
    order = DeliveryOrder(
        to,
        out / f"made{FORMATS[to].suffix}",
        scenario=scenario.tables.model_dump(exclude_none=True),
        folder=scenario.folder,
    )
    seen = 0
    for file in deliver(feedforward, order):
        for name, content in contents(file.name, file.read_bytes()):
            for folder in (tmp_path, tmp_path.resolve(), Path.home(), Path(__file__).parents[2]):
                assert str(folder).encode() not in content, name
            assert b"secret" not in content, name
            seen += b"cranes/mine.py:MyCrane" in content
    assert seen, "the scenario is there, with the crane's file relative to its folder"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("/a/b/crane.py:Mine", "crane.py:Mine"),
        ("/a/b/sub/plant.fmu", "sub/plant.fmu"),
        ("/elsewhere/plant.fmu", "plant.fmu"),
        ("~/plant.fmu", "plant.fmu"),
        (r"C:\work\plant.fmu", "plant.fmu"),
        ("sub/plant.fmu", "sub/plant.fmu"),
        ("RotaryCrane", "RotaryCrane"),
        ("M_w / 2", "M_w / 2"),
        (3.0, 3.0),
    ],
)
def test_absolute_file_names_become_relative_or_bare(value, expected):
    assert without_folders({"a": [value]}, Path("/a/b")) == {"a": [expected]}
