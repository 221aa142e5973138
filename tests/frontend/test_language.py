"""Pieces of the language that libraries of mechanics are written in, each with its value."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rumoca")

from cranebridge.errors import StructureError
from cranebridge.frontend.flat_model import PlantModel
from cranebridge.frontend.modelica_model import load_model

PIECES = """model Pieces
  record Pair
    Real a;
    Real b[2];
  end Pair;
  type Kind = enumeration(one, two, three);
  function branches "A loop, an array set entry by entry, an if with the array in a branch"
    input Real a;
    input Integer n;
    output Real b;
  protected
    Real w[3];
  algorithm
    b := 0;
    for i in 1:n loop
      b := b + a*i;
      w[i] := b;
    end for;
    if b > 20 then
      b := b - 1;
    elseif b > 10 then
      b := 7;
    else
      b := w[2];
    end if;
    assert(a < 100, "too large");
  end branches;
  function pair "A record as a result"
    input Real a;
    output Pair r;
  algorithm
    r.a := a;
    r.b := {a, 2*a};
  end pair;
  function total "A record as an argument"
    input Pair r;
    output Real t;
  algorithm
    t := r.a + sum(r.b);
  end total;
  function entry "An index that is not known beforehand"
    input Real table[3];
    input Real x;
    output Real y;
  protected
    Integer next = 1;
  algorithm
    for i in 1:2 loop
      next := if x > i then i + 1 else next;
    end for;
    y := table[next];
  end entry;
  parameter String label = "abc";
  parameter Kind kind = Kind.two;
  parameter Pair r0(a = 2, b = {1, 2});
  Pair r;
  input Real u(start = 1);
  Real x(start = 1, fixed = true);
  output Real y[3] = {branches(u, 3), total(r), total(r0)};
  output Real z[2, 3] = {{i*u + 10*j for i in 1:3} for j in 1:2};
  output Real q[3];
  output Real e = entry({5, 6, 7}, u);
equation
  der(x) = -x;
  r = pair(u);
  q[1] = if kind == Kind.two then 1 else 2;
  q[2] = if label == "abc" then 3 else 4;
  q[3] = if label == "xyz" then 5 else 6;
end Pieces;
"""


def outputs(model: PlantModel, u: float) -> dict[str, float]:
    p = [v.start for v in model.parameters] + [0.0] * model.memory
    values = np.array(model.outputs_function(0.0, [1.0], [u], p)).ravel()
    return dict(zip((v.name for v in model.outputs), values, strict=False))


@pytest.fixture(scope="module")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> PlantModel:
    file = tmp_path_factory.mktemp("language") / "Pieces.mo"
    file.write_text(PIECES)
    return load_model(file)


@pytest.mark.parametrize(("u", "wanted"), [(1.0, 3.0), (2.0, 7.0), (4.0, 23.0)])
def test_loops_and_branches_of_functions(pieces: PlantModel, u: float, wanted: float) -> None:
    # b = 6 u; above 20 less one, above 10 it is 7, else the sum after two rounds, 3 u
    assert outputs(pieces, u)["y[1]"] == wanted


def test_records_as_arguments_results_and_parameters(pieces: PlantModel) -> None:
    found = outputs(pieces, 1.5)
    assert found["y[2]"] == 4.0 * 1.5
    assert found["y[3]"] == 2.0 + 1.0 + 2.0


def test_array_comprehensions_within_each_other(pieces: PlantModel) -> None:
    found = outputs(pieces, 0.5)
    wanted = [[0.5 * i + 10.0 * j for i in (1, 2, 3)] for j in (1, 2)]
    assert [[found[f"z[{j},{i}]"] for i in (1, 2, 3)] for j in (1, 2)] == wanted


def test_texts_and_enumerations_are_compared(pieces: PlantModel) -> None:
    found = outputs(pieces, 1.0)
    assert [found[f"q[{i}]"] for i in (1, 2, 3)] == [1.0, 3.0, 6.0]


@pytest.mark.parametrize(("u", "wanted"), [(0.5, 5.0), (1.5, 6.0), (9.0, 7.0)])
def test_index_that_depends_on_a_variable(pieces: PlantModel, u: float, wanted: float) -> None:
    assert outputs(pieces, u)["e"] == wanted


def test_assertion_of_a_function_is_one_of_the_model(pieces: PlantModel) -> None:
    events = pieces.events
    assert events is not None
    assert [action.message for action in events.assertions] == ["too large"]
    p = [v.start for v in pieces.parameters] + [0.0] * pieces.memory
    assert float(events.checks(0.0, [1.0], [99.0], p)) == 0.0
    assert float(events.checks(0.0, [1.0], [101.0], p)) == 1.0


def write(folder: Path, body: str) -> Path:
    file = folder / "Model.mo"
    file.write_text(f"model Model\n  {body}\nend Model;\n")
    return file


def test_assertion_that_fails_always_is_refused_with_its_place(tmp_path: Path) -> None:
    body = (
        "function f\n    input Real a;\n    output Real b;\n  algorithm\n"
        '    assert(1 > 2, "never");\n    b := a;\n  end f;\n'
        "  Real x(start=1);\nequation\n  der(x) = f(x);"
    )
    with pytest.raises(StructureError, match="this assertion fails") as told:
        load_model(write(tmp_path, body))
    assert "Model.mo" in str(told.value)


def test_builtin_functions_of_a_library_have_their_values(tmp_path: Path) -> None:
    body = (
        "function sinus\n    input Real a;\n    output Real b;\n"
        '    external "builtin" b = sin(a);\n  end sinus;\n'
        "function angle\n    input Real a;\n    input Real b;\n    output Real c;\n"
        '    external "builtin" c = atan2(a, b);\n  end angle;\n'
        "  input Real u;\n  Real x(start=1);\n  output Real y[2] = {sinus(u), angle(u, -1)};\n"
        "equation\n  der(x) = -x;"
    )
    found = outputs(load_model(write(tmp_path, body)), 0.7)
    assert [found["y[1]"], found["y[2]"]] == [np.sin(0.7), np.arctan2(0.7, -1.0)]


def test_each_output_of_a_function_is_its_own(tmp_path: Path) -> None:
    body = (
        "function f\n    input Real a;\n    output Real b;\n    output Real c;\n  algorithm\n"
        "    b := 2*a;\n    c := a^2;\n  end f;\n"
        "  input Real u;\n  Real x(start=1), p, q;\n  output Real y[2] = {p, q};\nequation\n"
        "  der(x) = -x;\n  (p, q) = f(u);"
    )
    found = outputs(load_model(write(tmp_path, body)), 3.0)
    assert [found["y[1]"], found["y[2]"]] == [6.0, 9.0]


def test_function_without_an_equal_is_named_with_its_symbol(tmp_path: Path) -> None:
    body = (
        "function f\n    input Real a;\n    output Real b;\n"
        '    external "C" b = lookUp(a);\n  end f;\n'
        "  Real x(start=1);\nequation\n  der(x) = f(x);"
    )
    wanted = r"function 'f' is external \(the C function 'lookUp'\)"
    with pytest.raises(StructureError, match=wanted):
        load_model(write(tmp_path, body))
