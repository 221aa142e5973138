"""Wrong Modelica: one sentence with file, line and what to do, in no words of the compiler's."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("rumoca")

from cranebridge.errors import CranebridgeError
from cranebridge.frontend.compile.unit_kinds import dimension
from cranebridge.frontend.library import library_path
from cranebridge.frontend.modelica_model import load_model

_END = "\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -x;"
# What stands between "model M" and "end M;", the line that is shown, and what the sentence says.
WRONG = {
    "unknown class": ("Foo.Bar b;" + _END, "Foo.Bar b;", "unknown name 'Foo'; if it is a library"),
    "unknown type": ("Reel r;" + _END, "Reel r;", "unknown name 'Reel'"),
    "unknown base": ("extends Base;" + _END, "extends Base;", "unknown name 'Base'"),
    "unknown modifier": (
        "model P\n parameter Real a = 1;\nend P;\nP p(b = 2);" + _END,
        "P p(b = 2);",
        "unknown modifier `b`",
    ),
    "unknown function": ("Real y = foo(2);" + _END, "Real y = foo(2);", "unknown name 'foo'"),
    "missing MSL": (
        "Modelica.Mechanics.Translational.Components.Mass m(m = 1);" + _END,
        "Modelica.Mechanics.Translational.Components.Mass m(m = 1);",
        "of the Modelica Standard Library, which is not here",
    ),
    "too many equations": (_END + "\n  x = 1;", "model M", "2 equations, 1 unknowns; remove 1"),
    "too few equations": ("Real y;" + _END, "model M", "1 equations, 2 unknowns; 1 more must be"),
    "singular": (
        "Real y, z;" + _END + "\n  y = 1;\n  y = x;",
        "y = x;",
        "structurally singular.*z is left undetermined",
    ),
    "syntax": ("Real y(start = 1;" + _END, "Real y(start = 1;", "syntax error: unexpected `;`"),
    "wrong end": (
        _END + "\nend N;\nmodel M",
        "end N;",
        "syntax error: End name 'N' does not match",
    ),
    "declared twice": (
        "Real x;" + _END,
        "Real x(start = 1, fixed = true);",
        r"syntax error: Duplicate declaration of 'x' at line \d+\.",
    ),
    "type clash": ("Boolean b = x;" + _END, "Boolean b = x;", "expected `Boolean`, found `Real`"),
    "array size": (
        "Real y[2] = {1, 2};\nReal z[3];" + _END + "\n  z = y;",
        "z = y;",
        "array dimension mismatch",
    ),
    "index": ("Real y[2] = {1, 2};\nReal z = y[3];" + _END, "Real z = y[3];", "out of bounds"),
    "parameters in a circle": (
        "parameter Real p = q;\nparameter Real q = p;" + _END,
        "parameter Real p = q;",
        "the value of the parameter 'p' depends on itself",
    ),
    "class in itself": ("M inner1;" + _END, "M inner1;", "a class contains itself"),
    "final": (
        "model P\n final parameter Real a = 1;\nend P;\nP p(a = 2);" + _END,
        "P p(a = 2);",
        "'a' is declared final and cannot be modified",
    ),
    "not replaceable": (
        "model P\n parameter Real a = 1;\nend P;\nmodel Q\n P p;\nend Q;\n"
        "Q q(redeclare P p(a = 2));" + _END,
        "Q q(redeclare P p(a = 2));",
        "its declaration is not replaceable",
    ),
    "expandable connector": (
        "expandable connector Bus\nend Bus;\nconnector Out = output Real;\n"
        "connector In = input Real;\n"
        "model A\n Bus bus;\n Out y = 1;\nequation\n connect(y, bus.v);\nend A;\n"
        "model B\n Bus bus;\n In u;\nequation\n connect(bus.v, u);\nend B;\n"
        "A a;\nB b;" + _END + "\n  connect(a.bus, b.bus);",
        "connect(y, bus.v);",
        "expandable connectors are not supported by the compiler",
    ),
    "no connector": (
        "connector C\n Real e;\n flow Real f;\nend C;\nC c;" + _END + "\n  connect(c, x);",
        "connect(c, x);",
        "connect takes connectors, which 'x' is not",
    ),
    "unit clash": (
        'Real a(unit = "m") = 1;\nReal b(unit = "s");' + _END + "\n  a - b = 0;",
        "a - b = 0;",
        "units that do not fit: 'a' is in 'm', but 'b' in 's'",
    ),
    "while in a function": (
        "function f\n input Real a;\n output Real b;\nalgorithm\n b := a;\n while b < 3 loop\n"
        "  b := b + 1;\n end while;\nend f;\nReal y = f(x);" + _END,
        "function f",
        "a statement that the compiler does not support",
    ),
    "der of an expression": (
        "Real y;" + _END + "\n  der(x*y) = 1;",
        "der(x*y) = 1;",
        "takes one variable",
    ),
    "string": (
        'String s = "a";' + _END,
        'String s = "a";',
        "'s' is neither a number nor a truth value",
    ),
}
# What only the compiler's inside has a word for.
_INSIDE = re.compile(r"ToDae|Flat\b|todae|canonical DAE|failed in|span|b1c|semantic owner|\bNone\b")


@pytest.mark.parametrize("mistake", WRONG)
def test_mistake_is_one_sentence_with_file_and_line(
    mistake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MODELICAPATH", raising=False)
    body, line, words = WRONG[mistake]
    path = tmp_path / "M.mo"
    path.write_text(f"model M\n  {body}\nend M;\n", encoding="utf-8")
    with pytest.raises(CranebridgeError, match=words) as caught:
        load_model(path, "M")
    message = str(caught.value)
    place = re.match(rf"{re.escape(str(path))}:(\d+): '(.*?)': ", message)
    assert place is not None, message
    assert place.group(2) == line
    assert path.read_text(encoding="utf-8").splitlines()[int(place.group(1)) - 1].strip() == line
    assert "\n" not in message
    assert not _INSIDE.search(message)
    assert message.endswith(".")
    assert not message.endswith("..")


def test_circular_inheritance_is_told(tmp_path: Path) -> None:
    path = tmp_path / "P.mo"
    path.write_text(
        "package P\n  model M\n    extends N;\n  end M;\n"
        "  model N\n    extends M;\n  end N;\nend P;\n",
        encoding="utf-8",
    )
    with pytest.raises(
        CranebridgeError, match=r":3: 'extends N;': .* extend each other\."
    ) as caught:
        load_model(path, "P.M")
    assert "\n" not in str(caught.value)


def test_command_line_shows_the_sentence_and_no_traceback(tmp_path: Path) -> None:
    path = tmp_path / "M.mo"
    path.write_text("model M\n  Reel r;\nend M;\n", encoding="utf-8")
    command = [sys.executable, "-m", "cranebridge", "export", str(path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert ended.returncode == 2
    assert ended.stderr == f"error: {path}:2: 'Reel r;': unknown name 'Reel'.\n"


def test_library_function_that_is_not_supported_is_shown_where_its_class_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path / "libraries" / "Tools"
    library.mkdir(parents=True)
    (library / "package.mo").write_text(
        "package Tools\n  function upTo3\n    input Real a;\n    output Real b;\n  algorithm\n"
        "    b := a;\n    while b < 3 loop\n      b := b + 1;\n    end while;\n  end upTo3;\n"
        "end Tools;\n",
        encoding="utf-8",
    )
    (library / "Friction.mo").write_text(
        "within Tools;\nmodel Friction\n  output Real y = Tools.upTo3(time);\nend Friction;\n",
        encoding="utf-8",
    )
    monkeypatch.setenv("MODELICAPATH", str(library.parent))
    path = tmp_path / "M.mo"
    path.write_text("model M\n  Real z;\n  Tools.Friction f;\nequation\n  z = f.y;\nend M;\n")
    with pytest.raises(
        CranebridgeError, match=r"M\.mo:3: 'Tools\.Friction f;': function 'Tools\.upTo3'"
    ):
        load_model(path)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("N.m", "J", True),
        ("N.m", "kg.m2/s2", True),
        ("W", "N.m/s", True),
        ("rad/s", "1/s", True),
        ("N/(m.s)", "kg/s3", True),
        ("mm", "km", True),
        ("V.A", "kW", True),
        ("m/s", "m/s2", False),
        ("N", "kg", False),
        ("Pa", "N/m", False),
    ],
)
def test_units_of_one_kind(one: str, other: str, same: bool) -> None:
    assert (dimension(one) == dimension(other)) is same
    assert dimension("furlong") is None


@pytest.mark.parametrize("equation", ["b = 2*a", "b = a/1", "b = 3", "b = c", "b = d", "b = -e"])
def test_what_is_not_certain_is_no_clash_of_units(equation: str, tmp_path: Path) -> None:
    path = tmp_path / "M.mo"
    path.write_text(
        'model M\n  Real a(unit = "m") = 1;\n  Real c = 1;\n  Real d(unit = "furlong") = 1;\n'
        '  Real e(unit = "W.h") = 1;\n  Real b(unit = "J");\n'
        f"equation\n  {equation};\nend M;\n"
    )
    load_model(path)


def test_changed_copy_of_a_library_model_needs_a_name_of_its_own(tmp_path: Path) -> None:
    text = (library_path() / "GantryCrane.mo").read_text(encoding="utf-8")
    path = tmp_path / "GantryCrane.mo"
    path.write_text(text.replace("= 10000", "= 9000"), encoding="utf-8")
    with pytest.raises(CranebridgeError, match="as well; give yours another name"):
        load_model(path)


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library: a sound part, and one that has an equation too many and an input."""
    library = tmp_path / "libraries" / "Parts"
    library.mkdir(parents=True)
    (library / "package.mo").write_text(
        "package Parts\n  model Sound\n    input Real u;\n    output Real y = 2*u;\n  end Sound;\n"
        "  model Brake\n    input Real u;\n    output Real y = 2*u;\n  equation\n    y = 3*u;\n"
        "  end Brake;\nend Parts;\n",
        encoding="utf-8",
    )
    monkeypatch.setenv("MODELICAPATH", str(library.parent))


def test_part_of_a_library_that_cannot_be_compiled_alone_is_named(
    parts: None, tmp_path: Path
) -> None:
    path = tmp_path / "P.mo"
    path.write_text(
        "package P\n  model Drive\n    Parts.Sound a(u = 1);\n    Parts.Brake b(u = a.y);\n"
        "  end Drive;\n  model M\n    Drive drive;\n  end M;\nend P;\n"
    )
    with pytest.raises(
        CranebridgeError,
        match=r"P\.mo:4: 'Parts\.Brake b\(u = a\.y\);': .* cannot form the equations of "
        r"'Parts\.Brake' \(b\), not even of it alone \(2 equations, 1 unknowns\)",
    ):
        load_model(path, "P.M")


def test_sound_part_is_not_blamed_for_the_fault_of_a_model(parts: None, tmp_path: Path) -> None:
    path = tmp_path / "M.mo"
    path.write_text(
        "model M\n  Parts.Sound a(u = 1);\n  Real z = 1;\nequation\n  z = a.y;\nend M;\n"
    )
    with pytest.raises(CranebridgeError, match=r"M\.mo:1: 'model M': unbalanced model: .*remove 1"):
        load_model(path)


def test_units_of_version_3_of_the_standard_library_are_told_their_new_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path / "libraries" / "Modelica"
    library.mkdir(parents=True)
    (library / "package.mo").write_text("package Modelica\nend Modelica;\n", encoding="utf-8")
    monkeypatch.setenv("MODELICAPATH", str(library.parent))
    path = tmp_path / "M.mo"
    path.write_text("model M\n  parameter Modelica.SIunits.Mass m = 3;\nend M;\n")
    with pytest.raises(CranebridgeError, match=r"mo:2: .*on: Modelica\.Units\.SI\.Mass\)\.$"):
        load_model(path)
