"""Small Modelica models with the values that the language gives: a new compiler must pass them.

The files of ``tests/data/modelica_corpus`` hold the models. A model's description says the section
of the Modelica Language Specification (3.6; 7.2.7 is of 3.7) and the values of its outputs, worked
out by hand. What the compiler does wrong must be refused by name, and stays listed here until it is
right.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rumoca")

from cranebridge.errors import InputError
from cranebridge.frontend.compile import rumoca
from cranebridge.frontend.compile.modifier_text import Modification, read_modifiers
from cranebridge.frontend.flat_model import PlantModel
from cranebridge.frontend.modelica_model import load_model

CORPUS = Path(__file__).parents[1] / "data" / "modelica_corpus"
_MODEL = re.compile(r'^  model (\w+) "([\d.]+): ([^"]*)"', re.MULTILINE)


def corpus() -> dict[str, dict[str, float]]:
    """Expected values of the outputs by ``File.Model``."""
    return {
        f"{file.stem}.{name}": {
            output: float(value) for output, value in re.findall(r"(\w+) = (-?[\d.]+)", values)
        }
        for file in sorted(CORPUS.glob("*.mo"))
        for name, _, values in _MODEL.findall(file.read_text(encoding="utf-8"))
    }


EXPECTED = corpus()

# What the compiler loses, and what a user reads: the end of the sentence, and the line it shows.
_NAMED = r"as in 'My\w+ = [\w.]+\(\.\.\.\)', and redeclare with that name"
_KEPT = r"add 'constrainedby' with a class without modifiers"
_CLASS = r"loses this redeclaration: .* write a class that extends the one around it"
_DOT = r"write it with parentheses"
_FUNCTION = r"write a function of your own"
_PACKAGE = r"write a package 'MyMedium' that extends Water"
_ITSELF = r"write it at the component itself"
_BREAK = r"leave the value out of the class that declares it"
LOST = {
    "Arrays.EachRedeclare": (_NAMED, "Holder holder[2](redeclare each model P = Part(d = 0.5));"),
    "Attributes.StartByDot": (_DOT, "State s(x.start = 6);"),
    "Attributes.RedeclaredStart": (
        _NAMED,
        "extends RedeclaredStartBase(redeclare model S = State(x(start = 5)));",
    ),
    "Attributes.RedeclaredType": (
        _NAMED,
        "extends RedeclaredTypeBase(redeclare type T = Real(start = 6));",
    ),
    "Attributes.RedeclaredTypeKept": (_KEPT, "replaceable type T = Real(start = 1);"),
    "Modifiers.Nested": (_DOT, "Pair pair(first(d = 0.5), second.d = 0.25);"),
    "Records.FieldByDot": (_DOT, "Machine machine(data.m = 5);"),
    "Records.RedeclaredRecordClass": (
        _NAMED,
        "extends RedeclaredRecordClassBase(redeclare record R = Data(m = 5, l = 3));",
    ),
    "Redeclares.ClassInExtends": (
        _NAMED,
        "extends ClassBase(redeclare model D = Quadratic(d = 2));",
    ),
    "Redeclares.ClassInExtendsModifier": (
        _NAMED,
        "extends ClassBase(redeclare model D = Linear(d = 0.5));",
    ),
    "Redeclares.ClassOnComponent": (_NAMED, "ClassBase b(redeclare model D = Linear(d = 0.5));"),
    "Redeclares.ComponentConstrainingModifier": (
        _KEPT,
        "replaceable Linear drag constrainedby Linear(d = 0.5, v = 2);",
    ),
    "Redeclares.ComponentConstrainingKept": (
        _KEPT,
        "replaceable Linear drag(d = 0.1) constrainedby Linear(d = 0.5, v = 2);",
    ),
    "Redeclares.ClassConstrainingModifier": (
        _KEPT,
        "replaceable model D = Linear constrainedby Linear(d = 0.5);",
    ),
    "Redeclares.ClassConstrainingKept": (
        _KEPT,
        "replaceable model D = Linear constrainedby Linear(d = 0.5);",
    ),
    "Redeclares.NestedRedeclare": (
        _NAMED,
        "extends NestedBase(redeclare model B = ClassBase(redeclare model D = Linear(d = 0.5)));",
    ),
    "Redeclares.NestedRedeclarePlain": (
        _CLASS,
        "extends NestedBase(redeclare model B = ClassBase(redeclare model D = Quadratic));",
    ),
    "Redeclares.DeepRedeclare": (
        _NAMED,
        "DeepRedeclareOuter o(b(redeclare model D = Linear(d = 0.5)));",
    ),
    "Redeclares.DeepRedeclarePlain": (
        _CLASS,
        "DeepRedeclarePlainOuter o(b(redeclare model D = Quadratic));",
    ),
    "Redeclares.ThroughShortClass": (
        _NAMED,
        "model B5 = ClassBase(redeclare model D = Linear(d = 0.5));",
    ),
    "Redeclares.ModifierFromParameter": (
        _NAMED,
        "extends ClassBase(redeclare model D = Linear(d = k));",
    ),
    "Redeclares.TwoLevels": (_NAMED, "extends Middle(redeclare model D = Linear(d = 0.5));"),
    "Redeclares.FunctionRedeclareNamed": (_FUNCTION, "function Scaled5 = Scaled(k = 5);"),
    "Redeclares.PackageRedeclareModifier": (
        _PACKAGE,
        "extends PackageBase(redeclare package Medium = Water(rho = 3));",
    ),
    "Redeclares.ClassModified": (_ITSELF, "extends ClassBase(D(d = 0.5));"),
    "Redeclares.ClassImplicitConstraint": (_KEPT, "replaceable model D = Linear(d = 0.5);"),
    "Redeclares.ReplaceableInModifier": (
        _CLASS,
        "extends ClassBase(replaceable model D = Quadratic);",
    ),
    "Redeclares.DeepEquations": (_CLASS, "Outer o(b(redeclare model D = OtherEquationsOnly));"),
    "Redeclares.DeepComponent": (_CLASS, "Outer o(b(redeclare Quadratic drag));"),
    "Redeclares.DeepComponentModifier": (_CLASS, "Outer o(b(redeclare Quadratic drag(d = 0.5)));"),
    "Removed.Break": (_BREAK, "extends Part(d = break);"),
    "Removed.BreakOfComponent": (_BREAK, "Part part(d = break);"),
    "Structure.InnerRedeclared": (_ITSELF, "extends World(g = 12);"),
}
# What the compiler refuses itself, and what a user reads.
REJECTED = {
    "Arrays.SplitArray": r":\d+: 'model SplitArray .*the compiler cannot form the equations",
    "Redeclares.ClassExtends": r":\d+: 'redeclare model extends D.*a class that extends this one",
    "Redeclares.ElementComponent": r":\d+: 'redeclare Quadratic drag.*in the extends clause",
    "Redeclares.FunctionRedeclareExtended": r":\d+: '.*law = Scaled7.*find it compatible with",
    "Structure.ExtendsLocalClass": r":\d+: 'Part part;'.*declare the inner class outside",
}


def outputs(model: PlantModel, **parameters: float) -> dict[str, float]:
    """Outputs at the start; the names of parameters are without dots and indices."""
    named = {re.sub(r"[.\[\]]", "", v.name): v.start for v in model.parameters}
    assert parameters.keys() <= named.keys()
    p = list((named | parameters).values())
    x = np.array(model.initial(p)).ravel()
    u = [v.start for v in model.inputs]
    y = np.array(model.outputs_function(0.0, x, u, p)).ravel()
    return {v.name: float(value) for v, value in zip(model.outputs, y, strict=True)}


def load(name: str) -> PlantModel:
    file, _, model = name.partition(".")
    return load_model(f"{CORPUS / file}.mo:{model}")


@pytest.mark.parametrize("name", sorted(EXPECTED.keys() - LOST.keys() - REJECTED.keys()))
def test_model_has_the_values_that_the_language_gives(name: str) -> None:
    values = outputs(load(name))
    assert {output: values[output] for output in EXPECTED[name]} == pytest.approx(EXPECTED[name])


def test_parameters_that_are_handed_to_parts_can_be_changed_there_only_by_their_owner() -> None:
    # The compiler writes the numbers of the modifiers into the gears: they would stay as they are.
    model = load("Modifiers.Handed")
    assert not any("gear" in parameter.name for parameter in model.parameters)
    changed = outputs(model, aratio=60.0, b2ratio=8.0, cratio=4.0, cway2=9.0)
    assert changed == {"y": 60.0, "z": 8.0, "w": 4.0, "v": 9.0}


@pytest.mark.parametrize("name", sorted(LOST))
def test_what_the_compiler_loses_is_refused_with_line_and_way_out(name: str) -> None:
    message, line = LOST[name]
    with pytest.raises(InputError, match=message) as caught:
        load(name)
    file = CORPUS / f"{name.partition('.')[0]}.mo"
    pattern = rf"{re.escape(str(file))}:(\d+): '(.*?)': the Modelica compiler loses"
    place = re.match(pattern, str(caught.value))
    assert place is not None
    lines = file.read_text(encoding="utf-8").splitlines()
    assert place.group(2) == line == lines[int(place.group(1)) - 1].strip()


@pytest.mark.parametrize("name", sorted(LOST))
def test_what_is_refused_is_wrong_without_the_refusal(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A compiler that does it right makes this fail: then the name leaves the list.
    monkeypatch.setattr(rumoca, "refuse_lost", lambda *_: None)
    monkeypatch.setattr(rumoca, "inlined", lambda *_: {})
    values = outputs(load(name))
    assert {output: values[output] for output in EXPECTED[name]} != pytest.approx(EXPECTED[name])


@pytest.mark.parametrize("name", sorted(REJECTED))
def test_what_the_compiler_rejects_is_one_sentence(name: str) -> None:
    with pytest.raises(InputError, match=REJECTED[name]) as caught:
        load(name)
    assert "\n" not in str(caught.value)


def test_corpus_names_are_models_of_the_files() -> None:
    assert len(EXPECTED) > 150
    assert LOST.keys() | REJECTED.keys() <= EXPECTED.keys()
    assert all(EXPECTED.values())


def test_attributes_come_from_type_and_declaration() -> None:
    model = load("Attributes.Ranges")
    x, y = model.states
    assert (x.unit, x.min, x.max, x.nominal, x.start) == ("m", -5.0, 4.0, 10.0, 3.0)
    assert (y.unit, y.min, y.max, y.nominal, y.start) == ("m", -1.0, 4.0, 20.0, 3.0)


def test_modifiers_of_a_constraining_class_are_read_from_the_text() -> None:
    text = """constrainedby P /* (no = 1) */ (final a = {f(1, 2), 3},
    b(start = "x, (y", each c.d = 2) = 5, redeclare replaceable model D = E.F(g = 1) "why",
    redeclare parameter R r[2](h = 3)) "a = 7";"""
    source = text.encode()

    def shown(modifiers: tuple[Modification, ...]) -> list[object]:
        return [
            (".".join(m.path), source[m.value.start : m.value.end].decode())
            if m.value
            else (
                ".".join(m.path),
                m.redeclaration
                and (".".join(m.redeclaration.type_name), shown(m.redeclaration.modifiers)),
            )
            for m in modifiers
        ]

    assert shown(read_modifiers(source, 1, len("constrainedby P"))) == [
        ("a", "{f(1, 2), 3}"),
        ("b.start", '"x, (y"'),
        ("b.c.d", "2"),
        ("b", "5"),
        ("D", ("E.F", [("g", "1")])),
        ("r", ("R", [("h", "3")])),
    ]
    assert read_modifiers(b"constrainedby P;", 1, 15) == ()
