"""Every table is read back by an independent reader and compared with the exact solution."""

from __future__ import annotations

import csv
import json
import re
import sys
import zipfile
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy.io import loadmat, whosmat

from cranebridge.deliver import FORMATS, DeliveryOrder, deliver, is_unchanged
from cranebridge.errors import InputError, MissingDependencyError
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.problem import time_grid
from cranebridge.inverse.sampling import sample
from cranebridge.inverse.stepping.index3 import solve_index3

CYCLE = 0.02
COLUMNS = ["u", "q.phi", "jerk.s", "rope", "gamma"]
TITLES = [
    "time",
    "u.M_b",
    "u.F_t",
    "u.M_w",
    "q.phi",
    "jerk.s",
    "rope.T_cable",
    "gamma.x",
    "gamma.y",
    "gamma.z",
]


@pytest.fixture
def rotary(solved, tmp_path):
    """Deliver the rotary crane's feedforward; returns the target and the expected table."""
    feedforward, tables = solved("rotary")

    def write(to: str, **options):
        target = tmp_path / f"table{FORMATS[to].suffix}"
        options = {"cycle": CYCLE, "columns": COLUMNS} | options
        deliver(feedforward, DeliveryOrder(to, target, scenario=tables, **options))
        return target

    times = time_grid(feedforward.problem.path.duration, CYCLE)
    exact = solve_index1(feedforward.problem, times)
    jerk = sample(feedforward, times).values["jerk"][:, 1]
    expected = [times, *exact.u.T, exact.q[:, 0], jerk, exact.ropes[:, 0], *exact.gamma.T]
    return write, np.column_stack(expected)


def test_csv_holds_the_exact_solution_at_the_controllers_cycle(rotary):
    write, expected = rotary
    with write("csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == TITLES
    assert np.array_equal(np.array(rows[1:], dtype=float), expected)


def test_csv_has_units_in_the_header_if_asked(rotary):
    write, _ = rotary
    first = write("csv", units=True).read_text().splitlines()[0]
    assert first.startswith("time [s],u.M_b [N*m],u.F_t [N],")
    assert "jerk.s [m/s^3]" in first


def test_modelica_table_follows_the_format_of_the_standard_library(rotary):
    write, expected = rotary
    name, values = read_combi_time_table(write("modelica").read_text())
    assert name == "feedforward"
    assert np.array_equal(values, expected)


@pytest.mark.parametrize(
    ("old", "new"),
    [("#1\n", "# 1\n"), ("double ", "real "), ("(1001,", "(1002,"), ("\n0 ", "\n0; x ")],
)
def test_the_reader_of_modelica_tables_can_refuse(rotary, old, new):
    write, _ = rotary
    text = write("modelica").read_text()
    assert old in text
    with pytest.raises((AssertionError, ValueError)):
        read_combi_time_table(text.replace(old, new, 1))


def read_combi_time_table(text: str) -> tuple[str, np.ndarray]:
    """Read the ASCII format as the Modelica Standard Library documents it for CombiTimeTable.

    "#1" alone in the first line; comments from "#" to the end of a line; "double
    name(rows,columns)", or "float" instead of double; then rows x columns numbers.
    """
    lines = text.splitlines()
    assert lines[0] == "#1"
    tokens = "\n".join(line.split("#")[0] for line in lines[1:])
    head = re.match(r"\s*(?:double|float)\s+([A-Za-z_]\w*)\s*\(\s*(\d+)\s*,\s*(\d+)\s*\)", tokens)
    assert head is not None
    rows, columns = int(head[2]), int(head[3])
    numbers = re.split(r"[\s,;]+", tokens[head.end() :].strip())
    assert len(numbers) == rows * columns
    return head[1], np.array(numbers, dtype=float).reshape(rows, columns)


def test_modelica_table_gives_the_same_signal_inside_a_modelica_model(rotary, tmp_path):
    """rumoca compiles a model with the table inlined and evaluates it by linear interpolation."""
    rumoca = pytest.importorskip("rumoca")
    write, _ = rotary
    _, values = read_combi_time_table(write("modelica", cycle=2.0, columns=["u.F_t"]).read_text())
    # The table as piecewise linear segments: rumoca has no external tables.
    pieces = "".join(
        f"if time < {b[0]!r} then ({a[1]!r}) + (time - {a[0]!r}) * "
        f"({(b[1] - a[1]) / (b[0] - a[0])!r}) else "
        for a, b in zip(values[:-1].tolist(), values[1:].tolist(), strict=True)
    )
    model = tmp_path / "Table.mo"
    model.write_text(
        "model Table\n  Real x(start = 0, fixed = true);\nequation\n"
        f"  der(x) = {pieces}({values[-1, 1].item()!r});\nend Table;\n"
    )
    session = rumoca.Session(roots=[str(tmp_path)])
    compiled = session.load(str(model), model="Table")
    result = compiled.simulate(t=(0, 20), dt=0.1)
    integral = np.trapezoid(values[:, 1], values[:, 0])
    assert _last(result, "x") == pytest.approx(integral, abs=1e-3 * np.ptp(values[:, 1]))


def _last(result, name: str) -> float:
    return float(np.asarray(result[name])[-1])


def test_mat4_is_what_modelica_tools_read(rotary):
    write, expected = rotary
    target = write("mat4")
    # Level 4 begins with the type of its first matrix: 0 is little-endian full double.
    assert target.read_bytes()[:4] == b"\0\0\0\0"
    content = loadmat(target)
    assert np.array_equal(content["feedforward"], expected)
    assert [title.strip() for title in content["columns"]] == TITLES


def test_mat_has_a_struct_for_each_group(rotary):
    write, expected = rotary
    target = write("mat")
    assert target.read_bytes().startswith(b"MATLAB 5.0 MAT-file")
    content = loadmat(target, squeeze_me=True, simplify_cells=True)
    found = [content["time"], *(content[g][n] for g, n in (t.split(".") for t in TITLES[1:]))]
    assert np.array_equal(np.column_stack(found), expected)
    assert content["units"]["u"]["M_b"] == "N*m"
    assert json.loads(content["provenance"])["crane"] == "rotary"
    assert {name for name, *_ in whosmat(target)} >= {"time", "u", "q", "units", "provenance"}


def test_parquet_has_units_and_provenance_in_its_metadata(rotary):
    write, expected = rotary
    table = pq.read_table(write("parquet"))
    assert table.column_names == TITLES
    assert np.array_equal(np.column_stack([c.to_numpy() for c in table.columns]), expected)
    assert table.schema.field("u.M_b").metadata[b"unit"] == b"N*m"
    assert json.loads(table.schema.metadata[b"cranebridge"])["scenario"]["path"]["kind"] == "line"


def test_parquet_without_pyarrow_names_the_extra(rotary, monkeypatch):
    write, _ = rotary
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingDependencyError, match=re.escape("cranebridge[parquet]")):
        write("parquet")


def test_the_last_interval_is_shorter_where_the_cycle_does_not_divide_the_duration(rotary):
    write, _ = rotary
    _, values = read_combi_time_table(write("modelica", cycle=0.3).read_text())
    assert values[-1, 0] == 20.0
    assert values[-1, 0] - values[-2, 0] == pytest.approx(0.2)


def test_other_methods_are_delivered_at_their_own_accuracy(solved, tmp_path):
    feedforward, tables = solved("overhead")
    other = solve_index3(feedforward.problem, feedforward.time)
    deliver(
        other, DeliveryOrder("csv", tmp_path / "a.csv", scenario=tables, columns=["u", "v", "a"])
    )
    values = np.loadtxt(tmp_path / "a.csv", delimiter=",", skiprows=1)
    assert np.allclose(values[:, 1:], np.column_stack([other.u, other.v, other.a]), atol=1e-9)
    record = json.loads((tmp_path / "a.csv.json").read_text())
    assert record["method"] == other.method
    assert "order" in record["accuracy"]
    with pytest.raises(InputError, match="jerks need the index1 or inversion method"):
        deliver(other, DeliveryOrder("csv", tmp_path / "b.csv", scenario=tables, columns=["jerk"]))


def test_jerk_is_the_derivative_of_acceleration(solved):
    feedforward, _ = solved("rotary")
    h, times = 1e-4, np.array([1.0, 4.0, 7.5, 12.0, 18.0])
    grid = np.sort(np.concatenate([times - h, times, times + h]))
    samples = sample(feedforward, grid)
    for group, rate in samples.rates.items():
        values = samples.values[group]
        slope = (values[2::3] - values[0::3]) / (2 * h)
        scale = np.abs(rate).max(axis=0) + 1e-12
        assert (np.abs(slope - rate[1::3]) <= 1e-5 * scale).all(), group


def test_power_is_the_work_of_the_drives(solved):
    """The drives' work over the motion is the load's gain of height, as all is at rest."""
    feedforward, _ = solved("rotary")
    samples = sample(feedforward, feedforward.time)
    work = np.trapezoid(samples.values["power"].sum(axis=1), samples.time)
    assert work == pytest.approx(100.0 * 9.81 * 3.0, rel=1e-6)


@pytest.mark.parametrize("to", sorted(FORMATS))
def test_every_delivered_file_can_be_traced_and_checked(solved, tmp_path, to):
    feedforward, tables = solved("overhead", 0.1)
    # a hostile scenario must not end the comment that carries it
    tables["report"] = {"title": "end */ or *) or ??/ here"}
    target = tmp_path / f"made{FORMATS[to].suffix}"
    written = deliver(feedforward, DeliveryOrder(to, target, scenario=tables, cycle=0.1))
    assert set(written) == set(tmp_path.iterdir())
    for file in written:
        if file.name.endswith(".json"):
            continue
        assert is_unchanged(file)
        record = provenance_of(file)
        assert record["crane"] == "overhead"
        assert record["scenario"] == json.loads(json.dumps(tables))
        assert "cranebridge" in record["versions"]
        assert record["method"]
        assert record["accuracy"]
        content = file.read_bytes()
        file.write_bytes(content[:-2] + bytes([content[-2] ^ 1]) + content[-1:])
        assert not is_unchanged(file)


def provenance_of(file: Path) -> dict:
    beside = file.with_name(f"{file.name}.json")
    if beside.exists():
        return json.loads(beside.read_text())
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as archive:
            return json.loads(archive.read("extra/org.cranebridge/provenance.json"))
    lines = [re.sub(r"^(#| \*|  ) ", "", line) for line in file.read_text().splitlines()]
    first = lines.index("{")
    return json.loads("\n".join(lines[first : lines.index("}") + 1]))
