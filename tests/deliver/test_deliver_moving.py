"""A motion that starts moving in every format: the rest of the whole motion, and its state said."""

from __future__ import annotations

import csv
import ctypes
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import loadmat

from cranebridge.deliver import DeliveryOrder, deliver, modelica_model
from cranebridge.deliver.formats import FORMATS
from cranebridge.deliver.provenance import is_unchanged, sidecar_path
from cranebridge.errors import InputError
from cranebridge.frontend.library import library_path
from cranebridge.frontend.modelica_model import load_model
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.problem import time_grid
from cranebridge.path import BSplinePath, tail
from cranebridge.scenario import load_scenario
from cranebridge.twin.language.crane import names

BEGIN = 6.0


def moving(name: str = "rotary") -> tuple[Feedforward, dict[str, Any]]:
    """Return the rest of a ready scenario's motion."""
    scenario = load_scenario(name)
    path = tail(scenario.problem.path, BEGIN)
    problem = replace(scenario.problem, path=path)
    tables = scenario.tables.model_dump(exclude_none=True)
    return solve_index1(problem, time_grid(path.duration, 0.02)), tables


def ends_moving() -> Feedforward:
    """Return a motion of the overhead crane that moves at both ends."""
    problem = load_scenario("overhead").problem
    points = tuple((0.1 * i, -4.0 + 0.02 * i * i) for i in range(6))
    path = BSplinePath(problem.path.outputs, 5, (0.0,) * 6 + (1.0,) * 6, points, True, True)
    return solve_index1(replace(problem, path=path), time_grid(1.0, 0.02))


def record_in(target: Path) -> dict[str, Any]:
    """Return the provenance of a delivered file."""
    beside = sidecar_path(target)
    if beside.is_file():
        return json.loads(beside.read_text())
    lines = target.read_text().split("\n}", 1)[0].splitlines()
    first = next(i for i, line in enumerate(lines) if line.rstrip().endswith("{"))
    text = "\n".join(re.sub(r"^(\s\* |# |\s*)", "", line) for line in lines[first:])
    return json.JSONDecoder().raw_decode(text + "}")[0]


def whole_at(times: np.ndarray) -> Feedforward:
    """Return the whole motion at the times of the cut one."""
    problem = load_scenario("rotary").problem
    return solve_index1(problem, np.union1d([0.0], BEGIN + times))


TABLES = sorted(name for name, form in FORMATS.items() if form.kind != "on line")


@pytest.mark.parametrize("to", TABLES)
def test_every_table_and_code_says_the_state_that_it_starts_with(to, tmp_path) -> None:
    if to == "parquet":
        pytest.importorskip("pyarrow")
    feedforward, tables = moving()
    target = deliver(feedforward, DeliveryOrder(to, tmp_path, scenario=tables))[0]
    entries = record_in(target)
    coordinates = names(feedforward.problem.crane.coordinates)
    whole = whole_at(np.zeros(1))
    for key, values in (("q", whole.q), ("v", whole.v)):
        stated = [entries["start_state"][key][name] for name in coordinates]
        assert stated == pytest.approx(values[-1].tolist(), rel=1e-9, abs=1e-9)
    assert np.abs(whole.v[-1]).max() > 0.1
    assert "starts moving" in entries["caution"]
    assert "end_state" not in entries
    assert is_unchanged(target)


def test_a_motion_that_rests_at_both_ends_says_nothing_of_it(solved, tmp_path) -> None:
    feedforward, tables = solved("rotary", 0.05)
    target = deliver(feedforward, DeliveryOrder("csv", tmp_path, scenario=tables))[0]
    assert not {"start_state", "end_state", "caution"} & record_in(target).keys()


def test_a_motion_that_ends_moving_says_that_its_last_values_do_not_hold(tmp_path) -> None:
    feedforward = ends_moving()
    target = deliver(feedforward, DeliveryOrder("c", tmp_path))[0]
    for file in (target, target.with_suffix(".h")):
        entries = record_in(file)
        assert "the last values do not hold the crane" in entries["caution"]
        last = list(entries["end_state"]["v"].values())
        assert last == pytest.approx(feedforward.v[-1].tolist(), rel=1e-12)


def test_rows_of_tables_are_the_rest_of_the_whole_motion(tmp_path) -> None:
    feedforward, tables = moving()
    order = DeliveryOrder("csv", tmp_path, scenario=tables, columns=["u", "q", "v"], cycle=0.01)
    rows = list(csv.reader(deliver(feedforward, order)[0].open()))
    values = np.array(rows[1:], dtype=float)
    whole = whole_at(values[:, 0])
    wanted = np.hstack([whole.u, whole.q, whole.v])[1:]
    assert values[0, 0] == 0.0
    # 17 digits of the same algebraic solution
    assert np.abs(values[:, 1:] - wanted).max() < 1e-9 * np.abs(wanted).max()
    mat = deliver(feedforward, replace(order, to="mat"))[0]
    assert np.array_equal(loadmat(mat)["u"]["M_w"][0, 0][:, 0], values[:, 3])


def test_compiled_table_gives_the_rest_of_the_whole_motion(compile_c, tmp_path) -> None:
    feedforward, tables = moving()
    order = DeliveryOrder(
        "c", tmp_path / "table.c", scenario=tables, columns=["u", "v"], cycle=0.01
    )
    deliver(feedforward, order)
    library = compile_c(tmp_path / "table.c")
    times = np.sort(np.random.default_rng(2).uniform(0.0, feedforward.time[-1], 200))
    whole = whole_at(times)
    wanted = np.hstack([whole.u, whole.v])[1:]
    array = (ctypes.c_double * wanted.shape[1])()
    library.table_at.argtypes = [ctypes.c_double, type(array)]
    found = []
    for time in times:
        assert library.table_at(time, array) == 0
        found.append(list(array))
    # cubic pieces of 10 ms of a motion of 20 s, as from rest (5e-7)
    error = np.abs(np.array(found) - wanted) / np.abs(wanted).max(axis=0)
    assert error.max() < 5e-7


def test_modelica_model_starts_its_plant_in_motion(tmp_path) -> None:
    from scipy.integrate import solve_ivp

    feedforward, tables = moving()
    text = modelica_model(feedforward, tables, "Moved", step=0.1)
    assert "It starts moving" in text
    file = tmp_path / "Moved.mo"
    file.write_text(text)
    model = load_model(file, roots=[library_path()])
    p = [parameter.start for parameter in model.parameters]
    start = np.array(model.initial(p))[:, 0]
    solution = solve_ivp(
        lambda t, x: np.array(model.rhs(t, x, [], p))[:, 0],
        (0.0, feedforward.time[-1]),
        start,
        rtol=1e-9,
        atol=1e-11,
        t_eval=feedforward.time,
        max_step=0.1,
    )
    state = dict(zip((s.name for s in model.states), solution.y, strict=True))
    coordinates = names(feedforward.problem.crane.coordinates)
    for name in ("phi", "s", "l"):
        column = coordinates.index(name)
        q = feedforward.q[:, column]
        assert state[f"crane.{name}"][0] == pytest.approx(q[0], abs=1e-12)
        assert state[f"crane.v_{name}"][0] == pytest.approx(feedforward.v[0, column], abs=1e-12)
        # tables with cubic pieces of 0.1 s, as the committed example of 0.2 s (1e-4)
        assert np.abs(state[f"crane.{name}"] - q).max() < 1e-4


def test_what_plans_on_line_begins_at_rest_and_says_what_to_take_instead(tmp_path) -> None:
    feedforward, tables = moving()
    words = r"begins and ends at rest, and the path starts moving; deliver this .* \(csv, c, fmu\)"
    with pytest.raises(InputError, match=words):
        deliver(feedforward, DeliveryOrder("generator", tmp_path, scenario=tables))
    words = r"the path starts moving; with control.gains = 'time'"
    for to in ("fmu", "ssp"):
        order = DeliveryOrder(to, tmp_path, scenario=tables, controlled_on_line=True)
        with pytest.raises(InputError, match=words):
            deliver(feedforward, order)
    assert not list(tmp_path.iterdir())
