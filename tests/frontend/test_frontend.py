"""The Modelica front end: what it reads, what it solves, what it refuses and how it says so."""

from __future__ import annotations

import builtins
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import casadi as ca
import numpy as np
import pytest

pytest.importorskip("rumoca")

from cranebridge.errors import CranebridgeError, InputError, MissingDependencyError, StructureError
from cranebridge.frontend.compile import rumoca, source_text
from cranebridge.frontend.flat_model import PlantModel
from cranebridge.frontend.library import library_path
from cranebridge.frontend.modelica_model import crane_names, load_model, locate
from cranebridge.plant.export import omc
from cranebridge.structure import causalize
from library_models import library_model


def write(folder: Path, text: str, name: str = "Model.mo") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def evaluate(model: PlantModel, time: float = 0.0, **values: float) -> dict[str, float]:
    """Derivatives and outputs at the start, with changed states, inputs or parameters."""
    p = [values.get(v.name, v.start) for v in model.parameters]
    x0 = np.array(model.initial(p)).ravel()
    x = [values.get(v.name, x0[i]) for i, v in enumerate(model.states)]
    u = [values.get(v.name, v.start) for v in model.inputs]
    rhs = np.array(model.rhs(time, x, u, p)).ravel()
    y = np.array(model.outputs_function(time, x, u, p)).ravel()
    result = {f"der({v.name})": rhs[i] for i, v in enumerate(model.states)}
    return result | {v.name: y[i] for i, v in enumerate(model.outputs)}


# --- what it reads -----------------------------------------------------------------------------


def test_expressions_of_all_kinds_have_their_modelica_meaning(tmp_path: Path) -> None:
    model = load_model(
        write(
            tmp_path,
            """model Kinds
  parameter Real k[2] = {2.0, 3.0};
  parameter Real A[2,2] = [1.0, 2.0; 3.0, 4.0];
  Real x[2](start={0.5, 0.25}, each fixed=true);
  output Real products[7];
  output Real functions;
  output Real choice;
  output Real rows[2];
  output Real loops[3];
  output Real lengths;
  output Real powers;
  function twice
    input Real a;
    output Real b;
  protected
    Real c;
  algorithm
    c := a + a;
    b := c;
  end twice;
equation
  der(x) = -A*x;
  products = {k*x, sum(A*x), sum(x*A), sum(k .* x), sum(A*A), sum(outerProduct(k, x)),
    sum(cross({1.0, 2.0, 3.0}, {x[1], x[2], 1.0}))};
  functions = sin(x[1]) + atan2(x[1], x[2]) + sqrt(x[1]) + exp(-x[2]) + abs(-x[1])
    + max(x[1], x[2]) + min(x) + twice(x[1]) + tanh(x[1]) + log(x[2]) + asin(x[1]);
  choice = noEvent(if x[1] > 1 then 1.0 elseif x[1] > 0.4 and not x[2] > 0.3 then 2.0 else 3.0);
  rows = A[2, :] + transpose(A)[:, 1];
  for i in 1:3 loop
    loops[i] = i*x[1] + time;
  end for;
  lengths = size(x, 1) + sum(ones(3)) + sum(identity(2)) + sum(diagonal({1.0, 2.0})) + x[end];
  powers = x[1]^2 + x[1]^3 + x[1]^2.5 + x[1]^(-1) + sum((A^2)[1, :]);
end Kinds;
""",
        )
    )
    y = evaluate(model, time=10.0)
    x, k, A = np.array([0.5, 0.25]), np.array([2.0, 3.0]), np.array([[1.0, 2.0], [3.0, 4.0]])
    assert [y["der(x[1])"], y["der(x[2])"]] == pytest.approx(list(-A @ x))
    expected = [k @ x, (A @ x).sum(), (x @ A).sum(), (k * x).sum(), (A @ A).sum()]
    expected += [np.outer(k, x).sum(), np.cross([1, 2, 3], [*x, 1]).sum()]
    assert [y[f"products[{i}]"] for i in range(1, 8)] == pytest.approx(expected)
    functions = np.sin(0.5) + np.arctan2(0.5, 0.25) + np.sqrt(0.5) + np.exp(-0.25) + 0.5 + 0.5
    functions += 0.25 + 1.0 + np.tanh(0.5) + np.log(0.25) + np.arcsin(0.5)
    assert y["functions"] == pytest.approx(functions)
    assert y["choice"] == 2
    assert [y["rows[1]"], y["rows[2]"]] == [3 + 1, 4 + 2]
    assert [y[f"loops[{i}]"] for i in (1, 2, 3)] == pytest.approx([10.5, 11.0, 11.5])
    assert y["lengths"] == pytest.approx(2 + 3 + 2 + 3 + 0.25)
    assert y["powers"] == pytest.approx(0.25 + 0.125 + 0.5**2.5 + 2 + (A @ A)[0].sum())


def test_variables_carry_unit_description_range_and_quantity(tmp_path: Path) -> None:
    model = load_model(
        write(
            tmp_path,
            """model Described "What it is"
  type Angle = Real(quantity="Angle", unit="rad", displayUnit="deg");
  parameter Real m(unit="kg", min=0, max=1e3, nominal=10) = 2 "Mass";
  input Real F(unit="N", start=m*9.81) "Force";
  output Angle phi(start=0.5, fixed=true) "Angle";
equation
  der(phi) = F/m;
  annotation (experiment(StartTime=1, StopTime=2.5e1, Tolerance=1e-7, Interval=0.1),
    Documentation(info="<html><p>A \\"quoted\\" text; // no comment</p></html>"));
end Described;
""",
        )
    )
    assert (model.name, model.description) == ("Described", "What it is")
    assert model.documentation == '<html><p>A "quoted" text; // no comment</p></html>'
    experiment = model.experiment
    assert (experiment.start_time, experiment.stop_time) == (1.0, 25.0)
    assert (experiment.tolerance, experiment.interval) == (1e-7, 0.1)
    (mass,), (force,), (angle,) = model.parameters, model.inputs, model.states
    assert (mass.unit, mass.min, mass.max, mass.nominal) == ("kg", 0.0, 1e3, 10.0)
    assert (mass.description, mass.start, mass.variability) == ("Mass", 2.0, "tunable")
    assert (force.unit, force.start) == ("N", pytest.approx(19.62))
    assert (angle.quantity, angle.unit, angle.display_unit) == ("Angle", "rad", "deg")
    assert (angle.start, angle.variability) == (0.5, "continuous")


def test_only_parameters_with_a_value_of_their_own_can_be_set(tmp_path: Path) -> None:
    model = load_model(
        write(
            tmp_path,
            """model Parameters
  parameter Real doubled = 2*own "computed from the next";
  parameter Real own = 3 "settable";
  parameter Real x_start = own "computed";
  parameter Real y_start = 7 "only for the start";
  final parameter Real fixedValue = 5;
  constant Real pi = 3;
  parameter Boolean flag = true;
  parameter Real gain = 0 "chooses a branch in every evaluation";
  parameter Real folded = 0 "rumoca chooses a branch by it once and for all";
  Real x(start=x_start, fixed=true), y(start=y_start, fixed=true);
  output Real a = doubled*x + fixedValue*pi;
equation
  der(x) = if flag then -own*x else 0;
  der(y) = (if gain > 0 then gain else 1) + noEvent(if folded > 0 then y else 0);
end Parameters;
""",
        )
    )
    assert {v.name: v.variability for v in model.parameters} == {
        "own": "tunable",
        "y_start": "fixed",
        "gain": "tunable",
    }
    assert evaluate(model, own=4.0)["a"] == 8 * 4 + 15
    assert evaluate(model, y_start=1.0)["der(y)"] == 1
    assert evaluate(model, gain=2.0)["der(y)"] == 2


def test_linear_loops_are_solved_for_derivatives_and_algebraic_variables(tmp_path: Path) -> None:
    model = load_model(
        write(
            tmp_path,
            """model Loop
  Real x(start=1, fixed=true), v(start=2, fixed=true);
  Real a, force, other;
  output Real f = force;
equation
  der(x) = v;
  a = der(v);
  (2 + x^2)*a + 3*other = force;
  x*a - other*cos(x) = 1;
  force = -5*a + sin(x)*other;
end Loop;
""",
        )
    )
    matrix = np.array([[3, 3, -1], [1, -np.cos(1), 0], [5, -np.sin(1), 1]])
    a, _, force = np.linalg.solve(matrix, [0, 1, 0])
    y = evaluate(model)
    assert y["der(v)"] == pytest.approx(a, rel=1e-14)
    assert y["f"] == pytest.approx(force, rel=1e-14)


def test_linear_solution_needs_no_pivot_that_may_vanish() -> None:
    """A zero on the diagonal of a symmetric saddle point matrix for some values of the entries."""
    a, b = ca.SX.sym("a", 3, 3), ca.SX.sym("b", 3)
    solve = ca.Function("solve", [a, b], [causalize.solve_linear(a, b)])
    for matrix in (
        [[0, 1, 2], [1, 0, 3], [2, 3, 0]],
        [[1e-12, 1, 0], [1, 1e-12, 1], [0, 1, 0.5]],
        [[0, 0, 1], [0, 1, 0], [1, 0, 0]],
    ):
        expected = np.linalg.solve(np.array(matrix, dtype=float), [1.0, 2.0, 3.0])
        found = np.array(solve(np.array(matrix), [1, 2, 3])).ravel()
        assert found == pytest.approx(expected, rel=1e-12)


def test_initial_equations_determine_states_that_are_not_fixed(tmp_path: Path) -> None:
    model = load_model(
        write(
            tmp_path,
            """model Initial
  parameter Real k = 4;
  Real x(start=1, fixed=true), v;
initial equation
  2*v = k*x;
equation
  der(x) = v;
  der(v) = -x;
end Initial;
""",
        )
    )
    assert np.array(model.initial([6.0])).ravel() == pytest.approx([1.0, 3.0])


def test_users_model_may_use_our_library_and_is_not_disturbed_by_files_beside_it(
    tmp_path: Path,
) -> None:
    write(tmp_path, "model Mine\n  this is broken\n", "Broken.mo")
    path = write(
        tmp_path,
        """model Mine "Two of ours"
  Cranes.OverheadCrane crane(m=50);
  input Real F = crane.F_t;
  output Real x = crane.x;
equation
  crane.M_w = -490.5*0.1;
  crane.F_wind_x = 0;
  crane.F_wind_z = 0;
end Mine;
""".replace("input Real F = crane.F_t;", "input Real F;").replace(
            "equation\n", "equation\n  crane.F_t = F;\n"
        ),
    )
    model = load_model(path)
    assert evaluate(model)["der(crane.v_l)"] == pytest.approx(0, abs=1e-12)
    assert "crane.m" in {v.name for v in model.parameters}
    assert str(path) in model.sources


def test_class_is_found_by_name_by_file_and_in_packages(tmp_path: Path) -> None:
    assert locate("RotaryCrane") == (library_path() / "RotaryCrane.mo", "Cranes.RotaryCrane")
    file = library_path() / "OverheadCrane.mo"
    assert locate(file) == (file, "Cranes.OverheadCrane")
    package = write(
        tmp_path,
        "package Mine\n  model A\n    output Real x(start=2);\n  equation\n    der(x) = -x;\n"
        "  end A;\nend Mine;\n",
        "Mine.mo",
    )
    assert load_model(f"{package}:A").name == "A"
    assert load_model(package, "Mine.A").states[0].start == 2.0
    with pytest.raises(InputError, match=r"holds a package.*Models in it: A"):
        load_model(package)


@pytest.mark.parametrize("name", crane_names())
def test_every_crane_compiles_to_few_operations(name: str) -> None:
    # What compiling costs grows with the expressions: a front end that forgets common ones, or
    # multiplies out a product, makes millions of them. The largest crane has about 3000.
    model = library_model(name)
    assert 30 < model.rhs.n_instructions() < 6000
    assert model.outputs_function.n_instructions() < 6000


def test_the_same_source_gives_the_same_functions() -> None:
    first, second = load_model("RotaryCrane"), load_model("RotaryCrane")
    assert first.rhs.serialize() == second.rhs.serialize()


# --- what it refuses ---------------------------------------------------------------------------

REFUSED = {
    "contradiction": (
        "Real x(start=1), y(start=0), v, w, f;\nequation\n  der(x) = v;\n  der(y) = w;\n"
        "  x + y = 1;\n  x - y = 3;\n  w + x = 2;",
        r":7: 'x - y = 3;': the model is structurally singular.*f is left undetermined",
    ),
    "nonlinear loop": (
        "Real x(start=1), y;\nequation\n  der(x) = y;\n  y + exp(y) = x;",
        r":5: 'y \+ exp\(y\) = x;': nonlinear in y",
    ),
    "external function": (
        'function f\n    input Real a;\n    output Real b;\n    external "C" b = sin(a);\n'
        "  end f;\n  Real x(start=1);\nequation\n  der(x) = f(x);",
        r":9: 'der\(x\) = f\(x\);': function 'f' is external",
    ),
    "delay": (
        "Real x(start=1);\nequation\n  der(x) = -delay(x, 0.1);",
        r":4: 'der\(x\) = -delay",
    ),
    "singular at the start": (
        "Real x(start=0, fixed=true);\nequation\n  x*der(x) = 1;",
        r"der\(x\) cannot be computed at the start values",
    ),
}


@pytest.mark.parametrize("construct", REFUSED)
def test_unsupported_construct_is_refused_with_file_and_line(
    tmp_path: Path, construct: str
) -> None:
    body, message = REFUSED[construct]
    path = write(tmp_path, f"model Refused\n  {body}\nend Refused;\n")
    with pytest.raises(StructureError, match=message) as caught:
        load_model(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


MISTAKES = {
    "syntax": ("Real x;\nequation\n  der(x) = -x +;", r"Model.mo:4: 'der\(x\) = -x \+;': syntax"),
    "unknown name": ("Real x;\nequation\n  der(x) = -yy;", r":4: 'der\(x\) = -yy;'.*name 'yy'"),
    "too few equations": ("Real x, y;\nequation\n  der(x) = -x;", r"Model.mo.*1 equations, 2 unkn"),
    "unknown type": ("Reel x;\nequation\n  der(x) = -x;", r"Model.mo.*Reel"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_users_mistake_is_one_sentence_with_the_place(tmp_path: Path, mistake: str) -> None:
    body, message = MISTAKES[mistake]
    path = write(tmp_path, f"model Wrong\n  {body}\nend Wrong;\n")
    with pytest.raises(InputError, match=message) as caught:
        load_model(path)
    assert "\n" not in str(caught.value)


def test_missing_file_class_and_crane_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'none\.mo' does not exist"):
        load_model("none.mo")
    with pytest.raises(InputError, match=r"Did you mean 'RotaryCrane'\?"):
        load_model("RotaryCran")
    path = write(tmp_path, "model A\n  Real x;\nequation\n  der(x) = -x;\nend A;\n")
    with pytest.raises(InputError, match=r"no class 'B' in .*Classes in it: A"):
        load_model(path, "B")
    with pytest.raises(InputError, match="no Modelica class"):
        load_model(write(tmp_path, "// nothing\n", "Empty.mo"))
    bad = tmp_path / "Bad.mo"
    bad.write_bytes(b"model Bad \xff\nend Bad;\n")
    with pytest.raises(InputError, match="not UTF-8"):
        load_model(bad)


# --- rumoca and omc ----------------------------------------------------------------------------


def test_missing_rumoca_names_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    importing = builtins.__import__

    def without_rumoca(name: str, *arguments: object) -> object:
        if name == "rumoca":
            raise ImportError(name)
        return importing(name, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without_rumoca)
    with pytest.raises(MissingDependencyError, match=re.escape("pip install cranebridge")):
        load_model("RotaryCrane")


def test_another_version_of_rumoca_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rumoca", SimpleNamespace(version=lambda: "0.11.0"))
    with pytest.raises(MissingDependencyError, match=r"rumoca 0\.11\.0 is installed.*0\.10\.2"):
        load_model("RotaryCrane")


def test_another_schema_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rumoca, "SCHEMA_VERSION", 44)
    with pytest.raises(MissingDependencyError, match=r"schema version 43.*reads version 44"):
        load_model("RotaryCrane")


def test_missing_omc_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingDependencyError, match="'omc' is not on the PATH"):
        omc.build_fmu("RotaryCrane", tmp_path / "out.fmu")


@pytest.mark.parametrize("works", [True, False])
def test_omc_is_asked_for_an_fmu(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, works: bool
) -> None:
    """With a stand-in for omc: the script it gets and what is made of its answer."""
    stand_in = tmp_path / "omc"
    action = 'cp "$1" RotaryCrane.fmu' if works else "echo 'Error: no such class'"
    stand_in.write_text(f"#!/bin/sh\n{action}\n")
    stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    if not works:
        with pytest.raises(InputError, match="no such class"):
            omc.build_fmu("RotaryCrane", tmp_path / "out.fmu")
        return
    script = omc.build_fmu("RotaryCrane", tmp_path / "made" / "out.fmu").read_text()
    assert f'loadFile("{(library_path() / "package.mo").as_posix()}");' in script
    assert 'buildModelFMU(Cranes.RotaryCrane, version="2.0", fmuType="me_cs"' in script


def test_unknown_tool_is_an_error() -> None:
    with pytest.raises(CranebridgeError, match="unknown Modelica tool 'dymola'"):
        load_model("RotaryCrane", tool="dymola")  # type: ignore[arg-type]


# --- text --------------------------------------------------------------------------------------


def test_comments_and_strings_are_blanked_with_offsets_kept() -> None:
    text = 'model A "end A; // x" /* model B\n */ Real x; // end A;\nend A;'
    code = source_text.blank(text)
    assert len(code) == len(text)
    assert code.count("end A;") == 1
    assert code.count("\n") == text.count("\n")
    assert source_text.top_class(text) == ("model", "A")
    assert source_text.class_names(text) == ["A"]
