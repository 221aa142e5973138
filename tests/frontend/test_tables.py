"""Tables of the Modelica Standard Library with data in the model: areas below their curves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rumoca")

from c_programs import export_quickly
from cranebridge.errors import StructureError
from cranebridge.frontend.flat_model import PlantModel
from cranebridge.frontend.modelica_model import load_model
from cranebridge.plant.plant import Plant

SOURCE = Path(__file__).parents[1] / "data" / "modelica" / "Tabled.mo"
# From 0 to 1 a line from 1 to 3, a jump to 5, from 1 to 2 a line from 5 to 4.
FIRST, SECOND = 2.0, 4.5
# Modifiers of a table, and its area from 0 to 3.
AREAS = {
    "extrapolation = 1": FIRST + SECOND + 4.0,
    "extrapolation = 2": FIRST + SECOND + 3.5,
    "extrapolation = 3": FIRST + SECOND + FIRST,
    "smoothness = 3": 1.0 + 5.0 + 4.0,
    "startTime = 0.5": FIRST + SECOND + 0.5 * 4.0,
    "shiftTime = 0.5": 0.5 * 1.0 + FIRST + SECOND + 0.5 * 4.0,
    "timeScale = 1.5": 1.5 * (FIRST + SECOND),
    "table = [0, 0, 7; 3, 0, 7], columns = {3}": 21.0,
}


def areas(folder: Path, tables: list[str]) -> PlantModel:
    parts = "".join(
        f"    Table t{i}({data});\n    Real x{i}(start = 0, fixed = true);\n"
        f"    output Real a{i} = x{i};\n"
        for i, data in enumerate(tables)
    )
    equations = "".join(f"    der(x{i}) = t{i}.y;\n" for i in range(len(tables)))
    text = SOURCE.read_text()
    file = folder / "Tabled.mo"
    file.write_text(
        text.replace(
            "end Tabled;",
            f"  model Areas\n{parts}  equation\n{equations}  end Areas;\nend Tabled;",
        )
    )
    return load_model(f"{file}:Areas")


@pytest.mark.parametrize("interface", ["me", "cs"])
def test_areas_below_tables(interface: str, tmp_path: Path) -> None:
    path = export_quickly(areas(tmp_path, list(AREAS)), tmp_path / "Areas.fmu")
    names = [f"a{i}" for i in range(len(AREAS))]
    with Plant(path, interface=interface) as plant:
        run = plant.simulate(times=np.array([0.0, 3.0]), outputs=names, rtol=1e-10)
    found = {data: float(run.column(name)[-1]) for data, name in zip(AREAS, names, strict=True)}
    assert found == pytest.approx(AREAS, rel=0.0, abs=1e-9)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("smoothness = 2", "splines through a table's points are not supported"),
        ("tableOnFile = true", "a table in a file is not read; put its data into the model"),
    ],
)
def test_what_is_not_written_out_is_refused_with_its_line(
    data: str, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(StructureError, match=reason) as told:
        areas(tmp_path, [data])
    assert "Tabled.mo:" in str(told.value)
