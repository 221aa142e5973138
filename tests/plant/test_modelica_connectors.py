"""Cranes with connectors and flanges: the same machine, wired; and cranes whose wind is left out.

The layer is held against the plain models at random points, flanges against the power that comes in
through them, and connectors against those of the Modelica Standard Library where it is at hand.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from library_models import library_model

pytest.importorskip("rumoca")

import casadi as ca

from cranebridge.errors import InputError
from cranebridge.frontend.compile.modelica_path import find_library
from cranebridge.frontend.flat_model import PlantModel
from cranebridge.frontend.library import ROOT, library_path
from cranebridge.frontend.modelica_model import crane_names, load_model
from further import mostly_further

needs_the_library = pytest.mark.skipif(
    find_library("Modelica") is None,
    reason="the Modelica Standard Library is not in MODELICAPATH",
)
LIBRARY = library_path()
MECHANICS = (LIBRARY / "Mechanics" / "package.order").read_text().split()
# Models with as many flanges of each kind, friction by default, and events among them.
ALWAYS = ("OverheadCraneReal", "RotaryCraneSpeed", "NavyCrane3D", "Cablev", "RprManipulator")
SOURCES = """
  model Push
    {translational} flange;
    input Real u;
  equation
    flange.f = -u;
  end Push;
  model Twist
    {rotational} flange;
    input Real u;
  equation
    flange.tau = -u;
  end Twist;
"""
OURS = SOURCES.format(
    translational="Cranes.Interfaces.TranslationalFlange",
    rotational="Cranes.Interfaces.RotationalFlange",
)


def names(variables) -> list[str]:
    return [variable.name for variable in variables]


def random_point(model: PlantModel, random: np.random.Generator):
    p = np.array([variable.start for variable in model.parameters])
    x = np.array(model.initial(with_memory(model, p))).ravel()
    u = np.array([variable.start for variable in model.inputs])
    return (
        x + 0.05 * random.uniform(-1.0, 1.0, x.size),
        u + (10.0 + 0.1 * np.abs(u)) * random.uniform(-1.0, 1.0, u.size),
        p,
    )


def with_memory(model: PlantModel, p) -> np.ndarray:
    """What a model with events takes behind its parameters: here nothing has happened yet."""
    size = model.rhs.size1_in(3)
    return np.concatenate([p, np.zeros(size - len(p))])


def write(folder: Path, text: str) -> Path:
    file = folder / "Wired.mo"
    file.write_text(f"model Wired\n{text}\nend Wired;\n")
    return file


# ------------------------------------------------------------------- inputs and outputs


@pytest.mark.parametrize("name", mostly_further(crane_names(), *ALWAYS))
def test_block_is_the_crane_with_connectors(name, tmp_path):
    plain = library_model(name)
    spatial = "SpatialWind" in (LIBRARY / f"{name}.mo").read_text()
    wind = [f"F_wind_{axis}" for axis in ("xyz" if spatial else "xz")]
    has_wind = any(variable.name in wind for variable in plain.inputs)
    modifier = "(useWind=true)" if has_wind else ""
    block = load_model(write(tmp_path, f"  extends Cranes.Blocks.{name}{modifier};"))

    for part in ("inputs", "outputs", "parameters"):
        here, there = getattr(block, part), getattr(plain, part)
        assert {v.name: v for v in here} == {v.name: v for v in there}
    x, u, p = random_point(plain, np.random.default_rng(3))

    def ordered(values, ours, theirs):
        known = dict(zip(names(theirs), values, strict=True))
        return [known[v.removeprefix("crane.")] for v in names(ours)]

    def states(values, source, target):
        known = {n.rsplit("crane.", 1)[-1]: v for n, v in zip(names(source), values, strict=True)}
        return [known[n.rsplit("crane.", 1)[-1]] for n in names(target)]

    arguments = (
        states(x, plain.states, block.states),
        ordered(u, block.inputs, plain.inputs),
        with_memory(block, ordered(p, block.parameters, plain.parameters)),
    )
    p = with_memory(plain, p)
    rate = np.array(block.rhs(0.0, *arguments)).ravel()
    expected = np.array(plain.rhs(0.0, x, u, p)).ravel()
    assert states(rate, block.states, plain.states) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    count = len(plain.outputs)  # behind them is what only events need
    found = np.array(block.outputs_function(0.0, *arguments)).ravel()[:count]
    there = np.array(plain.outputs_function(0.0, x, u, p)).ravel()[:count]
    wanted = ordered(there, block.outputs, plain.outputs)
    assert found == pytest.approx(wanted, rel=1e-9, abs=1e-9)


def test_every_crane_has_a_block_and_every_file_is_listed():
    for package in ("BaseClasses", "Blocks", "Mechanics"):
        listed = (LIBRARY / package / "package.order").read_text().split()
        files = {file.stem for file in (LIBRARY / package).glob("*.mo")} - {"package"}
        assert files == set(listed)
        assert set(listed) <= set(crane_names())
    assert (LIBRARY / "Blocks" / "package.order").read_text().split() == crane_names()
    top = set((LIBRARY / "package.order").read_text().split())
    entries = {path.stem for path in LIBRARY.iterdir() if path.name != "package.order"}
    assert top == entries - {"package"}


def test_layer_has_no_equation_of_a_crane():
    """Only what is connected: one name on the left, the crane's on the right or the reverse."""
    wire = re.compile(
        r"connect\([\w.]+, [\w.]+\)|(crane\.\w+ = [\w.]+)|([\w.]+ = crane\.\w+(/r\w*)?)"
    )
    for package in ("BaseClasses", "Blocks", "Mechanics"):
        for file in (LIBRARY / package).glob("*.mo"):
            if file.stem == "package":
                continue
            text = re.sub(r"\s*annotation \(.*?\)\);", ";", file.read_text(), flags=re.DOTALL)
            for line in text.split("\nequation\n")[1].split("\nend ")[0].split(";"):
                assert wire.fullmatch(line.strip()) or not line.strip(), (file, line)


# ------------------------------------------------------------------------------- flanges


def driven(name: str, sources: str = OURS, package: str = "Mechanics") -> str:
    """A crane with a source of force or torque on each flange, whose input is an input."""
    text = (LIBRARY / package / f"{name}.mo").read_text()
    lines, wires = [sources, f"  Cranes.{package}.{name} crane;"], []
    for kind, flange in re.findall(r"Interfaces\.(\w+)Flange flange_(\w+)", text):
        source = "Push" if kind == "Translational" else "Twist"
        lines.append(f"  {source} {flange}(u=u_{flange});\n  input Real u_{flange};")
        lines.append(f"  output Real at_{flange};")
        coordinate = "s" if kind == "Translational" else "phi"
        wires.append(f"  connect({flange}.flange, crane.flange_{flange});")
        wires.append(f"  at_{flange} = crane.flange_{flange}.{coordinate};")
    lines.append("  output Real energy = crane.energy;")
    return "\n".join([*lines, "equation", *wires])


@pytest.mark.parametrize("name", MECHANICS)
def test_energy_rises_by_the_power_that_comes_in_through_the_flanges(name, tmp_path):
    """d(energy)/dt = sum of force times velocity of the flange, for any force: no sign is wrong."""
    model = load_model(write(tmp_path, driven(name)))
    x, u, p = random_point(model, np.random.default_rng(4))
    # damping of the elastic jib is the only friction that is on by default
    p = [
        0.0 if variable.name == "crane.d_j" else value
        for variable, value in zip(model.parameters, p, strict=True)
    ]
    state, force = ca.SX.sym("x", x.size), ca.SX.sym("u", u.size)
    rate = model.rhs(0.0, state, force, p)
    outputs = model.outputs_function(0.0, state, force, p)
    along = ca.Function("along", [state, force], [ca.jtimes(outputs, state, rate)])

    def power_and_rise(forces):
        rates = dict(zip(names(model.outputs), np.array(along(x, forces)).ravel(), strict=True))
        power = sum(
            f * rates[f"at_{n.removeprefix('u_')}"]
            for n, f in zip(names(model.inputs), forces, strict=True)
        )
        return power, rates["energy"]

    power, rise = power_and_rise(1e3 * u)
    _, lost = power_and_rise(0.0 * u)
    assert abs(power) > 1.0
    assert rise - lost == pytest.approx(power, rel=1e-9, abs=1e-9 * np.abs(u).max() * 1e3)
    assert lost == pytest.approx(0.0, abs=1e-8)


@pytest.mark.parametrize("name", ["RotaryCrane", "NavyCrane2D"])
def test_forces_on_flanges_move_the_crane_as_its_inputs_do(name, tmp_path):
    model, plain = load_model(write(tmp_path, driven(name))), library_model(name)
    x, u, p = random_point(plain, np.random.default_rng(5))
    u[len(model.inputs) :] = 0.0  # no wind
    assert [n.removeprefix("crane.crane.") for n in names(model.states)] == names(plain.states)
    found = np.array(model.rhs(0.0, x, u[: len(model.inputs)], p)).ravel()
    assert found == pytest.approx(np.array(plain.rhs(0.0, x, u, p)).ravel(), rel=1e-12, abs=1e-12)


# ------------------------------------------------------------------------- without wind


@pytest.mark.parametrize("name", ["OverheadCrane", "RotaryCrane", "RotaryCraneSpeed", "Cablev"])
def test_crane_in_a_model_does_without_equations_for_its_wind(name, tmp_path):
    plain = library_model(name)
    drives = [n for n in names(plain.inputs) if not n.startswith("F_wind")]
    assert len(drives) < len(plain.inputs)  # the plain model keeps the wind
    declared = "".join(f"  input Real in_{n};\n" for n in drives)
    wires = "".join(f"  crane.{n} = in_{n};\n" for n in drives)
    text = f"  Cranes.{name} crane(useWind=false);\n{declared}equation\n{wires}"
    model = load_model(write(tmp_path, text))
    assert names(model.inputs) == [f"in_{n}" for n in drives]
    x, u, p = random_point(plain, np.random.default_rng(6))
    u[len(drives) :] = 0.0
    found = np.array(model.rhs(0.0, x, u[: len(drives)], p)).ravel()
    assert found == pytest.approx(np.array(plain.rhs(0.0, x, u, p)).ravel(), rel=1e-12, abs=1e-12)


def test_wind_can_be_given_by_equations_as_before_and_by_connections(tmp_path):
    drives = "  crane.F_t = 0;\n  crane.M_w = -981;\n"
    given = "  crane.F_wind_x = 7;\n  crane.F_wind_z = 0;\n"
    wired = "  connect(wind, crane.F_wind_x);\n  crane.F_wind_z = 0;\n"
    crane = "  Cranes.OverheadCrane crane;\n"
    equations = load_model(write(tmp_path, f"{crane}equation\n{drives}{given}"))
    connected = load_model(
        write(tmp_path, f"{crane}  Cranes.Interfaces.RealInput wind;\nequation\n{drives}{wired}")
    )
    assert names(connected.inputs) == ["wind"]
    x, _, p = random_point(equations, np.random.default_rng(7))
    here, there = equations.rhs(0.0, x, [], p), connected.rhs(0.0, x, [7.0], p)
    assert np.array(here) == pytest.approx(np.array(there), rel=1e-12)
    without = connected.rhs(0.0, x, [0.0], p)
    assert np.abs(np.array(without) - np.array(there)).max() > 0.01


def test_forgotten_wind_is_told_with_the_line_and_what_to_write(tmp_path):
    file = write(
        tmp_path, "  Real a;\n  Cranes.OverheadCrane lift(m=5);\nequation\n  a = 1;\n"
        "  lift.F_t = 0;\n  lift.M_w = -1;"
    )  # fmt: skip
    with pytest.raises(InputError) as told:
        load_model(file)
    words = str(told.value)
    assert words.startswith(f"{file}:3: 'Cranes.OverheadCrane lift(m=5);': unbalanced model")
    assert "17 equations, 19 unknowns" in words
    assert "write lift(useWind=false) if no wind acts on it" in words
    assert "\n" not in words


def test_other_unbalanced_models_are_told_as_before(tmp_path):
    file = write(tmp_path, "  Real a, b;\nequation\n  a = 1;")
    with pytest.raises(InputError, match=r"unbalanced model") as told:
        load_model(file)
    assert "useWind" not in str(told.value)


# ------------------------------------------------- with the Modelica Standard Library


def test_models_of_the_documentation_compile(tmp_path):
    text = (ROOT / "docs" / "modelica-library.md").read_text()
    models = re.findall(r"```modelica\n(model (\w+).*?)```", text, re.DOTALL)
    assert [name for _, name in models] == ["Lift", "Still"]
    for text, name in models:
        file = tmp_path / f"{name}.mo"
        file.write_text(text)
        assert load_model(file).states


@needs_the_library
def test_flanges_connect_with_those_of_the_standard_library(tmp_path):
    theirs = SOURCES.format(
        translational="Modelica.Mechanics.Translational.Interfaces.Flange_b",
        rotational="Modelica.Mechanics.Rotational.Interfaces.Flange_b",
    )
    model = load_model(write(tmp_path, driven("RotaryCrane", theirs)))
    ours = load_model(write(tmp_path, driven("RotaryCrane")))
    x, u, p = random_point(ours, np.random.default_rng(8))
    here, there = model.rhs(0.0, x, u, p), ours.rhs(0.0, x, u, p)
    assert np.array(here) == pytest.approx(np.array(there), rel=1e-12, abs=1e-12)


@needs_the_library
def test_blocks_connect_with_those_of_the_standard_library(tmp_path):
    text = (
        "  Modelica.Blocks.Sources.Constant force(k=3), torque(k=-970), wind(k=2);\n"
        "  Modelica.Blocks.Math.Gain double(k=2);\n"
        "  Modelica.Blocks.Interfaces.RealOutput y;\n"
        "  Cranes.Blocks.OverheadCrane crane(useWind=true);\n"
        "equation\n"
        "  connect(force.y, crane.F_t);\n  connect(torque.y, crane.M_w);\n"
        "  connect(wind.y, crane.F_wind_x);\n  connect(wind.y, crane.F_wind_z);\n"
        "  connect(crane.x, double.u);\n  connect(double.y, y);"
    )
    model, plain = load_model(write(tmp_path, text)), library_model("OverheadCrane")
    x, _, _ = random_point(plain, np.random.default_rng(9))
    mine = [v.start for v in model.parameters]
    p = [v.start for v in plain.parameters]
    here = np.array(model.rhs(0.0, x, [], mine)).ravel()
    there = np.array(plain.rhs(0.0, x, [3.0, -970.0, 2.0, 2.0], p)).ravel()
    assert here == pytest.approx(there, rel=1e-12, abs=1e-12)
    (y,) = np.array(model.outputs_function(0.0, x, [], mine)).ravel()
    at = names(plain.outputs).index("x")
    outputs = np.array(plain.outputs_function(0.0, x, [3.0, -970.0, 2.0, 2.0], p)).ravel()
    assert y == pytest.approx(2.0 * outputs[at], rel=1e-12)


def test_library_uses_no_other():
    for file in LIBRARY.rglob("*.mo"):
        code = re.sub(r'"(?:[^"\\]|\\.)*"', '""', file.read_text(), flags=re.DOTALL)
        assert not re.search(r"\bModelica\.", code), file
