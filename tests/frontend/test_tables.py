"""Tables of the Modelica Standard Library, data in the model or in files: areas below curves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.io

pytest.importorskip("rumoca")

from c_programs import export_quickly
from cranebridge.errors import InputError, StructureError
from cranebridge.frontend import modelica_sources
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


TEXT = """#1
# two tables
float other(1, 2)
  0 9  # only one knot
double curve(4,2)
  0, 1;  1, 3   # a line,
  1 5           # and a jump
  2 4
"""
DATA = np.array([[0.0, 1.0], [1.0, 3.0], [1.0, 5.0], [2.0, 4.0]])


def table_file(folder: Path, name: str) -> Path:
    file = folder / name
    if name.endswith(".mat"):
        scipy.io.savemat(file, {"curve": DATA, "other": [[0.0, 9.0]]}, format=name[0])
    elif name.endswith(".csv"):
        file.write_text("\n".join(f"{x},{y}" for x, y in DATA) + "\n", encoding="utf-8")
    else:
        file.write_text(TEXT, encoding="utf-8")
    return file


@pytest.mark.parametrize("name", ["table.txt", "4.mat", "5.mat", "table.csv"])
def test_area_below_a_table_in_a_file(name: str, tmp_path: Path) -> None:
    table_file(tmp_path, name)
    data = f'tableOnFile = true, fileName = "{name}", tableName = "curve"'
    path = export_quickly(areas(tmp_path, [data]), tmp_path / "Areas.fmu")
    with Plant(path) as plant:
        run = plant.simulate(times=np.array([0.0, 3.0]), outputs=["a0"], rtol=1e-10)
    assert float(run.column("a0")[-1]) == pytest.approx(FIRST + SECOND + 4.0, abs=1e-9)


@pytest.mark.parametrize("name", ["table.txt", "modelica://Own/table.txt"])
def test_changed_table_makes_another_fmu(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "Own"
    folder.mkdir()
    (folder / "package.mo").write_text("package Own\nend Own;\n")
    file = table_file(folder, "table.txt")
    data = f'tableOnFile = true, fileName = "{name}", tableName = "curve"'
    text = SOURCE.read_text().replace("package Tabled", "within Own;\npackage Tabled")
    model = f"  model M\n    extends Table({data});\n  end M;\nend Tabled;"
    (folder / "Tabled.mo").write_text(text.replace("end Tabled;", model))
    source = f"{folder / 'Tabled.mo'}:Own.Tabled.M"
    load_model(source)
    assert file in list(modelica_sources(source))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ('fileName = "none.txt", tableName = "curve"', "none.txt' does not exist"),
        ('fileName = "table.txt", tableName = "x"', "no table 'x' in .*: other, curve"),
        ('fileName = "short.txt", tableName = "t"', "shall have 2 x 2 numbers, but has 3"),
        ('fileName = "plain.txt", tableName = "t"', "does not begin with '#1'"),
        ('fileName = "5.mat", tableName = "x"', "no table 'x' in .*: curve, other"),
        ('fileName = "wrong.mat", tableName = "x"', "is not a MATLAB file of version 4, 6 or 7"),
        ('fileName = "wrong.csv", tableName = "x"', "wrong.csv': .*could not convert"),
        (
            'fileName = "table.txt", tableName = "curve", nHeaderLines = n',
            "nHeaderLines of a table in a file must be a number, not 'n'",
        ),
        ("fileName = 3", "fileName of a table in a file must be a text in quotes, not '3'"),
        ('fileName = "modelica://None/t.txt", tableName = "t"', "there is no library 'None'"),
    ],
)
def test_wrong_files_are_one_sentence(data: str, reason: str, tmp_path: Path) -> None:
    for name in ("table.txt", "5.mat"):
        table_file(tmp_path, name)
    (tmp_path / "short.txt").write_text("#1\ndouble t(2,2)\n 0 1\n 1\n", encoding="utf-8")
    (tmp_path / "plain.txt").write_text("0 1\n1 2\n", encoding="utf-8")
    (tmp_path / "wrong.mat").write_bytes(b"no MATLAB" * 40)
    (tmp_path / "wrong.csv").write_text("a,b\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"Tabled\.mo:\d+: .*{reason}") as caught:
        areas(tmp_path, [f"tableOnFile = true, {data}"])
    assert "\n" not in str(caught.value)


def test_table_of_a_package_on_lines_of_their_own_keeps_the_lines_after_it(tmp_path: Path) -> None:
    folder = tmp_path / "Own"
    folder.mkdir()
    table_file(folder, "table.txt")
    text = SOURCE.read_text().replace("package Tabled", "within Own;\npackage Tabled")
    model = (
        '  model M\n    Table t(\n      tableOnFile = true,\n      fileName = "table.txt",\n'
        '      tableName = "curve");\n    output Real y;\n  equation\n    {};\n  end M;\n'
        "end Tabled;"
    )
    (folder / "package.mo").write_text("package Own\nend Own;\n")
    (folder / "Tabled.mo").write_text(text.replace("end Tabled;", model.format("y = t.y")))
    loaded = load_model(f"{folder / 'Tabled.mo'}:Own.Tabled.M")
    assert any(Path(source) == folder / "Tabled.mo" for source in loaded.sources)
    (folder / "Tabled.mo").write_text(text.replace("end Tabled;", model.format("y = t.z")))
    line = (folder / "Tabled.mo").read_text().splitlines().index("    y = t.z;") + 1
    with pytest.raises(InputError, match=rf"Tabled\.mo:{line}: "):
        load_model(f"{folder / 'Tabled.mo'}:Own.Tabled.M")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("smoothness = 2", "splines through a table's points are not supported"),
        ("columns = {4}", "column 4 of a table with 2 columns"),
    ],
)
def test_what_is_not_written_out_is_refused_with_its_line(
    data: str, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(StructureError, match=reason) as told:
        areas(tmp_path, [data])
    assert "Tabled.mo:" in str(told.value)


def test_table_that_another_model_of_the_package_lacks_is_no_fault_of_this_one(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "Own"
    folder.mkdir()
    (folder / "package.mo").write_text("package Own\nend Own;\n")
    (folder / "Sound.mo").write_text("within Own;\nmodel Sound\n  Real x = time;\nend Sound;\n")
    tabled = SOURCE.read_text().replace("package Tabled", "within Own;\npackage Tabled")
    data = 'tableOnFile = true, fileName = "none.txt", tableName = "curve"'
    lacking = f"  model M\n    extends Table({data});\n  end M;\nend Tabled;"
    (folder / "Tabled.mo").write_text(tabled.replace("end Tabled;", lacking))
    assert load_model(folder / "Sound.mo").name == "Sound"
