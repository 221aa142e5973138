"""A delivered Modelica block: compiled, its outputs are the solution, and its example follows."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rumoca")

from cranebridge.deliver import DeliveryOrder, LearnedInputs, deliver, deliver_inputs, is_unchanged
from cranebridge.deliver.tables.modelica_block import (
    ACCURACY,
    modelica_package,
    rows,
)
from cranebridge.errors import InputError, MissingDependencyError
from cranebridge.frontend.compile.modelica_path import find_library
from cranebridge.frontend.library import library_path
from cranebridge.frontend.modelica_model import load_model
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.inverse.sampling import Samples
from cranebridge.inverse.signal_groups import Signal
from cranebridge.job.delivering import hand_over
from cranebridge.job.ordering import Wishes
from cranebridge.plant.export.fmu_export import cached_fmu
from cranebridge.plant.plant import Plant
from cranebridge.scenario import load_scenario

# Neither parameters nor start are those that the plant has by itself.
SETTINGS = ("path.start=[1.0, -3.0]", "crane.parameters={m = 120.0, J = 0.2}")


@pytest.fixture(scope="module")
def overhead(tmp_path_factory) -> Path:
    """The overhead crane's block, as the command line delivers it."""
    target = tmp_path_factory.mktemp("block") / "Lift.mo"
    (file,) = hand_over(load_scenario("overhead", SETTINGS), Wishes("modelica", target))
    return file


def outputs_at(model, times) -> np.ndarray:
    p = [parameter.start for parameter in model.parameters]
    return np.array([np.array(model.outputs_function(t, [], [], p)).ravel() for t in times])


def with_class(text: str, name: str, extra: str) -> str:
    """The package under another name, with a class more."""
    old = re.search(r"^package (\w+)", text, re.MULTILINE)[1]
    text = text.replace(f"end {old};", f"end {name};")
    return re.sub(rf"^package {old}( .*\n)", rf"package {name}\1{extra}", text, flags=re.MULTILINE)


def test_compiled_block_gives_the_controls_of_the_solution(overhead):
    model = load_model(f"{overhead}:Feedforward")
    assert [(v.name, v.unit) for v in model.outputs] == [("F_t", "N"), ("M_w", "N.m")]
    assert model.states == ()
    problem = load_scenario("overhead", SETTINGS).problem
    times = np.sort(np.random.default_rng(1).uniform(0.0, problem.path.duration, 60))
    exact = solve_index1(problem, times).u
    error = np.abs(outputs_at(model, times) - exact).max(axis=0) / np.ptp(exact, axis=0)
    assert error.max() < ACCURACY
    held = outputs_at(model, [-1.0, problem.path.duration + 1.0])
    ends = solve_index1(problem, np.array([0.0, problem.path.duration])).u
    assert held == pytest.approx(ends, rel=1e-9, abs=1e-9)


def test_load_of_the_examples_fmu_follows_the_path(overhead):
    """Exported and run as any plant: x and z from its states, by the geometry of one rope."""
    path = load_scenario("overhead", SETTINGS).problem.path
    times = np.linspace(0.0, path.duration, 31)
    with Plant(cached_fmu(f"{overhead}:Example")) as plant:
        assert plant.info.input_names == ()
        names = [name.rsplit(".", 1)[-1] for name in plant.info.states]
        states = dict(zip(names, plant.simulate(times=times).states.T, strict=True))
    s, length, theta = states["s"], states["l"], states["theta"]
    found = np.array([s + length * np.sin(theta), -length * np.cos(theta)])
    wanted = path.derivatives(times, 0)[0]
    assert np.abs(found - wanted).max() < 1e-5
    assert np.ptp(wanted, axis=1).min() > 1.0


def test_block_starts_when_it_is_told(overhead, tmp_path):
    late = tmp_path / "Late.mo"
    extra = "  model Later\n    extends Feedforward(startTime=0.75);\n  end Later;\n"
    late.write_text(with_class(overhead.read_text(), "Late", extra))
    now, later = load_model(f"{overhead}:Feedforward"), load_model(f"{late}:Later")
    times = np.linspace(-0.5, 4.0, 10)
    assert outputs_at(later, times + 0.75) == pytest.approx(outputs_at(now, times), rel=1e-9)


def test_units_smoothness_accuracy_and_provenance_are_stated(overhead):
    text = overhead.read_text()
    assert is_unchanged(overhead)
    assert text.startswith('// {\n//  "tool": "cranebridge"')
    assert 'RealOutput M_w(final unit="N.m")' in text
    assert "<td>F_t</td><td>N</td>" in text
    assert re.search(
        r"<td>(continuously differentiable|continuous; its rate jumps at .* s)</td>", text
    )
    stated = float(re.search(r"outputs are\s+within (\S+) of the\s+solution", text)[1])
    assert 0.0 < stated <= ACCURACY
    assert 'uses(Cranes(version="0.1.0"))' in text
    version = re.search(r'version="([^"]*)"', (library_path() / "package.mo").read_text())[1]
    assert version == "0.1.0"


# ------------------------------------------------------------------------ bends and jumps


def made(times, values, rates) -> tuple[Samples, Signal]:
    signal = Signal("u", 0, "f", "N*m", 'so "called"')
    columns = [np.array(column, dtype=float)[:, None] for column in (values, rates)]
    samples = Samples(None, np.array(times, dtype=float), {"u": columns[0]}, {"u": columns[1]}, "")
    return samples, signal


def test_jump_and_bend_are_kept_in_the_compiled_block(tmp_path):
    """t^2 to 1, then 5 + 3 (t - 1) to 2, then 8 - (t - 2): cubics are exact, and events at 1."""
    samples, signal = made(
        [0.0, 1.0, 1.0, 2.0, 2.0, 3.0],
        [0.0, 1.0, 5.0, 8.0, 8.0, 7.0],
        [0.0, 2.0, 3.0, 3.0, -1.0, -1.0],
    )
    found = rows(samples, signal)
    assert found.jumps == ((1.0, 4.0),)
    assert found.smoothness == "jumps at 1 s; else continuous"
    at = np.array([0.5, 0.999999, 1.5, 2.5, 9.0])
    expected = [0.25, 0.999998, 6.5, 7.5, 7.0]
    assert found.at(at) == pytest.approx(expected, abs=1e-9)
    file = tmp_path / "Jump.mo"
    extra = (
        "  model Use\n    Feedforward f;\n    Real x(start=0, fixed=true);\n  equation\n"
        "    der(x) = f.f;\n  end Use;\n"
    )
    text = modelica_package("Jumping", samples, [signal], ["A test."])
    file.write_text(with_class(text, "Jump", extra))
    with Plant(cached_fmu(f"{file}:Use")) as plant:
        states = plant.simulate(times=[0.0, 1.0, 2.0, 3.0, 4.0]).states[:, 0]
    # integrals by hand: 1/3, then 5 + 3/2, then 8 - 1/2, then 7
    assert states == pytest.approx(np.cumsum([0.0, 1 / 3, 6.5, 7.5, 7.0]), abs=1e-6)


def test_bend_is_told_from_a_jump_and_from_a_smooth_knot():
    bend = rows(*made([0, 1, 1, 2], [0, 1, 1, 3], [1, 1, 2, 2]))
    assert (bend.jumps, bend.bends) == ((), (1.0,))
    assert bend.smoothness == "continuous; its rate jumps at 1 s"
    smooth = rows(*made([0, 1, 1, 2], [0, 1, 1, 2], [1, 1, 1, 1]))
    assert smooth.smoothness == "continuously differentiable"


# -------------------------------------------------------------------------- other plants

OWN = (
    "model OwnLift\n  extends Cranes.OverheadCrane;\n"
    "  input Real brake(start=2);\n  output Real also = brake;\nend OwnLift;\n"
)


def order_for(tables, target: Path, plant: dict, folder: Path = Path(), **options):
    content = {**tables, "plant": plant}
    return DeliveryOrder("modelica", target, scenario=content, folder=folder, **options)


def test_plant_of_a_users_file_is_given_its_inputs_by_equations(solved, tmp_path):
    feedforward, tables = solved("overhead")
    (tmp_path / "OwnLift.mo").write_text(OWN)
    folder = tmp_path / "out"
    folder.mkdir()
    plant = {"model": "OwnLift.mo:OwnLift", "map": {"inputs": {"M_w": "2*M_w - 3"}}}
    deliver(feedforward, order_for(tables, folder / "Mine.mo", plant, tmp_path))
    text = (folder / "Mine.mo").read_text()
    assert "crane.F_t = feedforward.F_t;" in text
    assert "crane.M_w = (2.0)*feedforward.M_w + (-3.0);" in text
    assert "crane.brake = (2.0);" in text
    assert "crane.F_wind_x = (0.0);" in text
    assert "load &#x27;OwnLift.mo&#x27; for it" in " ".join(text.split())
    # both in one file: a tool that has loaded the two
    both = folder / "Both.mo"
    both.write_text(with_class(text, "Both", OWN))
    model = load_model(f"{both}:Example")
    assert model.inputs == ()
    assert "crane.s" in [state.name for state in model.states]


@pytest.mark.parametrize(
    ("plant", "words"),
    [({"fmu": "x.fmu"}, "the plant is an FMU: import it"), ({}, "is not in the scenario")],
)
def test_block_for_any_other_plant_has_no_example_and_says_why(solved, tmp_path, plant, words):
    feedforward, tables = solved("overhead")
    target = tmp_path / "Any.mo"
    deliver(feedforward, order_for(tables, target, plant))
    text = target.read_text()
    assert "model Example" not in text
    assert words in " ".join(text.split())
    assert "Cranes" not in re.sub(r"//.*", "", text)
    assert [v.name for v in load_model(f"{target}:Feedforward").outputs] == ["F_t", "M_w"]


def test_block_is_written_where_the_plant_cannot_be_compiled(solved, tmp_path, monkeypatch):
    def missing(*_, **__):
        raise MissingDependencyError("no C compiler was found")

    monkeypatch.setattr("cranebridge.deliver.ssp.modelica_wiring.plant_of", missing)
    feedforward, tables = solved("overhead")
    target = tmp_path / "Bare.mo"
    deliver(feedforward, order_for(tables, target, {"model": "OverheadCrane"}))
    text = " ".join(target.read_text().split())
    assert "could not be compiled: no C compiler was found" in text
    assert "model Example" not in text


def test_drives_with_velocity_references_are_connected_with_them(tmp_path):
    scenario = load_scenario("overhead-speed")
    (file,) = hand_over(scenario, Wishes("modelica", tmp_path / "Speed.mo"))
    text = file.read_text()
    assert "Cranes.Blocks.OverheadCraneSpeed crane(" in text
    assert "connect(feedforward.w_s, crane.w_s)" in text
    assert "connect(feedforward.w_l, crane.w_l)" in text
    assert 'RealOutput w_s(final unit="m/s")' in text


def test_chosen_columns_are_outputs_beside_the_controls(solved, tmp_path):
    feedforward, tables = solved("overhead")
    target = tmp_path / "More.mo"
    deliver(feedforward, DeliveryOrder("modelica", target, scenario=tables, columns=["q.s", "v"]))
    model = load_model(f"{target}:Feedforward")
    units = {v.name: v.unit for v in model.outputs}
    assert {"q_s": "m", "v_s": "m/s", "F_t": "N", "M_w": "N.m"}.items() <= units.items()
    (place,) = outputs_at(model, [1.3])[:, [list(units).index("q_s")]]
    exact = solve_index1(feedforward.problem, np.array([1.2, 1.3])).q[1, 0]
    assert place == pytest.approx([exact], abs=1e-5)


def test_cycle_that_is_asked_for_sets_the_rows(solved, tmp_path):
    feedforward, tables = solved("overhead")
    target = tmp_path / "Coarse.mo"
    deliver(feedforward, DeliveryOrder("modelica", target, scenario=tables, cycle=0.5))
    first = target.read_text().split("Table table_F_t")[1].split("])")[0]
    assert np.diff([float(row.split(",")[0]) for row in first.splitlines()[1:]]).max() <= 0.5
    assert first.count("\n") <= 7 + len(feedforward.problem.path.knots)


# -------------------------------------------------------------------- files and refusals


def test_folder_gets_table_and_block_and_a_table_is_as_before(solved, tmp_path):
    feedforward, tables = solved("overhead")
    both = deliver(feedforward, DeliveryOrder("modelica", tmp_path, scenario=tables))
    assert [file.name for file in both] == ["overhead_feedforward.txt", "overhead_feedforward.mo"]
    alone = tmp_path / "alone.txt"
    deliver(feedforward, DeliveryOrder("modelica", alone, scenario=tables))
    assert alone.read_bytes() == both[0].read_bytes()
    assert load_model(f"{both[1]}:Feedforward").outputs
    with pytest.raises(InputError, match=r"overhead_feedforward\.txt' exists already"):
        deliver(feedforward, DeliveryOrder("modelica", tmp_path, scenario=tables))
    both[0].unlink()
    with pytest.raises(InputError, match=r"overhead_feedforward\.mo' exists already"):
        deliver(feedforward, DeliveryOrder("modelica", tmp_path, scenario=tables))


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("my-lift.mo", {}, r"the name of its file, and 'my-lift' cannot .* such as 'my_lift\.mo'"),
        ("model.mo", {}, "'model' cannot be one"),
        ("Lift.mo", {"columns": ["jerk"]}, "exact rates"),
        ("Lift.mo", {"cycle": 1e-4}, "rows takes compilers minutes; at most 2000"),
    ],
)
def test_what_cannot_be_a_block_is_refused(solved, tmp_path, name, options, words):
    feedforward, tables = solved("overhead")
    with pytest.raises(InputError, match=words):
        deliver(feedforward, DeliveryOrder("modelica", tmp_path / name, scenario=tables, **options))
    assert list(tmp_path.iterdir()) == []


def test_learned_inputs_of_a_plant_without_twin_are_a_block(tmp_path):
    time = np.linspace(0.0, 1.0, 6)
    values = np.column_stack([time**2, np.sin(time)])
    learned = LearnedInputs("mine", "x.fmu", time, values, {"motor.f": "N", "end": "N.m"})
    (file,) = deliver_inputs(learned, DeliveryOrder("modelica", tmp_path / "Learned.mo"))
    model = load_model(f"{file}:Feedforward")
    assert [(v.name, v.unit) for v in model.outputs] == [("motor_f", "N"), ("end_", "N.m")]
    at = np.array([0.05, 0.37, 0.9, 2.0])
    lines = np.column_stack([np.interp(at, time, column) for column in values.T])
    assert outputs_at(model, at) == pytest.approx(lines, abs=1e-12)
    assert is_unchanged(file)


@pytest.mark.skipif(
    find_library("Modelica") is None,
    reason="the Modelica Standard Library is not in MODELICAPATH",
)
def test_block_connects_with_the_standard_library(overhead, tmp_path):
    use = (
        "  model Use\n    Feedforward f;\n    Modelica.Blocks.Math.Gain g(k=3);\n"
        "    Modelica.Blocks.Interfaces.RealOutput y;\n  equation\n    connect(f.F_t, g.u);\n"
        "    connect(g.y, y);\n  end Use;\n"
    )
    file = tmp_path / "Std.mo"
    file.write_text(with_class(overhead.read_text(), "Std", use))
    here, there = load_model(f"{file}:Use"), load_model(f"{overhead}:Feedforward")
    at = [0.4, 1.1]
    assert outputs_at(here, at)[:, 0] == pytest.approx(3.0 * outputs_at(there, at)[:, 0], rel=1e-9)
