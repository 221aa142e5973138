"""Modifiers and redeclarations that the compiler loses: found by comparison, and refused by name.

For each variable of the flat model the place in the source where each of its values comes from is
compared with the place where it should come from (``instances``). A value from another place is
wrong, unless it is the same number. So only what is lost is refused, and what a newer compiler does
right passes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from cranebridge.errors import InputError
from cranebridge.frontend.compile.class_tree import ClassTree
from cranebridge.frontend.compile.instances import (
    InstanceTree,
    ReplacedClass,
    ScopedModifier,
    VariableInstance,
    instantiate,
)
from cranebridge.frontend.compile.modifier_text import Modification, Place

# Attributes that are compared: their names in Modelica and in rumoca's flat model. () is the value.
_ATTRIBUTES = {
    (): "binding",
    ("start",): "start",
    ("fixed",): "fixed",
    ("min",): "min",
    ("max",): "max",
    ("nominal",): "nominal",
    ("unit",): "unit",
    ("stateSelect",): "state_select",
}
_EXPRESSIONS = ("binding", "start", "min", "max", "nominal")


@dataclass(frozen=True)
class Loss:
    """What is lost, where it stands, and what a user can write instead."""

    place: Place
    reason: str


class _Source(Protocol):
    """A file: where it is, and what it holds."""

    @property
    def path(self) -> str: ...

    @property
    def text(self) -> str: ...


def refuse_lost(
    tree: ClassTree, class_name: str, flat: Mapping[str, Any], sources: Mapping[int, _Source]
) -> None:
    """Raise :class:`InputError` for the first modifier of the source that the flat model lacks."""
    loss = next(lost(tree, class_name, flat), None)
    if loss is not None:
        source, line = sources[loss.place.source], tree.line(loss.place)
        shown = source.text.splitlines()[line - 1].strip()
        raise InputError(f"{source.path}:{line}: '{shown}': {loss.reason}.")


def lost(tree: ClassTree, class_name: str, flat: Mapping[str, Any]) -> Iterator[Loss]:
    """All modifiers and redeclarations of a class that its flat model does not have."""
    functions = {tuple(name.split(".")) for name in flat["functions"]}
    found = instantiate(tree, class_name, functions)
    for by in found.modified_packages:
        yield Loss(by.place, _package_sentence(by))
    yield from _lost_redeclarations(tree, found, flat)
    for variable in flat["variables"].values():
        parts = variable["component_ref"]["parts"]
        path = tuple(part["ident"] for part in parts)
        expected = found.variables.get(path)
        if expected is None or expected.number != parts[-1]["def_id"]:
            continue
        for attribute, key in _ATTRIBUTES.items():
            loss = _compare(tree, variable, expected, attribute, key)
            if loss is not None:
                yield loss
    yield from _lost_arguments(tree, found, flat)


def inlined(tree: ClassTree, class_name: str, flat: Mapping[str, Any]) -> dict[str, str]:
    """Parameters that the compiler gives the value of another one: by name, the other's name.

    Where ``gear(ratio = ratio)`` is inside a motor, and the motor's ratio has a modifier, the
    compiler writes the modifier's value into the gear: it would not follow the motor's ratio.
    """
    found, variables = instantiate(tree, class_name).variables, flat["variables"]
    return {
        name: other
        for name, variable in variables.items()
        if (other := _copied(tree, found, name, variable)) in variables
    }


def _copied(
    tree: ClassTree,
    found: Mapping[tuple[str, ...], VariableInstance],
    name: str,
    variable: Mapping[str, Any],
) -> str:
    """Return the parameter that a variable's value is a copy of; empty if it is none."""
    parts, value = variable["component_ref"]["parts"], variable["binding"]
    expected = found.get(tuple(part["ident"] for part in parts))
    if expected is None or not _has_fixed_value(variable) or not isinstance(value, Mapping):
        return ""
    modifiers = [m for m in expected.modifiers if not m.path and m.modification.value]
    if not modifiers or modifiers[0].origin.is_dropped:
        return ""
    words, place = "".join(_words(tree, modifiers[0])), _place_of(value)
    if not re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", words) or _literal(words) is not None:
        return ""
    if place is None or place.meets(_value(modifiers[0])):
        return ""
    around = re.findall(r"[^.\[]+(?:\[[^\]]*\])?", name)[: len(modifiers[0].scope.instance)]
    return ".".join((*around, words))


def _lost_arguments(
    tree: ClassTree, found: InstanceTree, flat: Mapping[str, Any]
) -> Iterator[Loss]:
    """Defaults of functions: the compiler writes them into each call."""
    modified: dict[int, list[tuple[Mapping[str, Any], VariableInstance]]] = {}
    for name, function in flat["functions"].items():
        path = tuple(name.split("."))
        inputs = [(one, found.variables.get((*path, one["name"]))) for one in function["inputs"]]
        known = [(one, expected) for one, expected in inputs if expected is not None]
        if len(known) == len(inputs) and any(len(expected.modifiers) > 1 for _, expected in known):
            modified[function["instance_id"]] = known
    if not modified:
        return
    for call in _calls(flat):
        called = call["name"].get("resolved_function")
        inputs_of_call = modified.get(called["instance_id"], []) if called else []
        for argument, (one, expected) in zip(call["args"], inputs_of_call, strict=False):
            variable = {
                "name": f"{call['name']['name']}.{one['name']}",
                "binding": argument,
                "source_span": one["span"],
            }
            loss = _compare(tree, variable, expected, (), "binding")
            if loss is not None:
                yield loss


def _calls(node: Any) -> Iterator[Mapping[str, Any]]:
    """All calls of functions in a flat model."""
    if isinstance(node, Mapping):
        if "FunctionCall" in node:
            yield node["FunctionCall"]
        for value in node.values():
            yield from _calls(value)
    elif isinstance(node, list):
        for value in node:
            yield from _calls(value)


def _compare(
    tree: ClassTree,
    variable: Mapping[str, Any],
    expected: VariableInstance,
    attribute: tuple[str, ...],
    key: str,
) -> Loss | None:
    """Compare one value of a variable with the modifier that should give it."""
    found = [m for m in expected.modifiers if m.path == attribute and m.modification.value]
    candidates = sorted(found, key=lambda modifier: modifier.origin.is_dropped)
    if not candidates or candidates[0].origin.is_dropped:
        return None
    first = candidates[0]
    value = variable[key]
    place = _place_of(value) if isinstance(value, Mapping) else None
    if place is not None:
        kept = _is_kept(tree, variable, candidates, value, place)
    elif value is None and key in _EXPRESSIONS:
        kept = key != "binding" or not _has_fixed_value(variable)
    else:
        kept = _literal(tree.text(_value(first))) in (None, *_words_of(value))
    if kept:
        return None
    return Loss(first.modification.place, _sentence(tree, variable, first, attribute))


def _is_kept(
    tree: ClassTree,
    variable: Mapping[str, Any],
    candidates: Sequence[ScopedModifier],
    value: Mapping[str, Any],
    place: Place,
) -> bool:
    """Whether a value with a place comes from the modifier that counts, or is the same."""
    first = candidates[0]
    if place.meets(_value(first)):
        return True
    others = [m for m in candidates[1:] if place.meets(_value(m))]
    # Without a modifier the compiler takes a value for the declaration.
    if not others and place != _place(variable["source_span"]):
        return True  # worked out from something else: nothing is known of it
    literal = _literal(tree.text(_value(first)))
    if literal is not None and literal == _literal(tree.text(place), value):
        return True
    same = [m for m in others if m.scope.instance == first.scope.instance]
    return any(_words(tree, m) == _words(tree, first) for m in same)


def _lost_redeclarations(
    tree: ClassTree, found: InstanceTree, flat: Mapping[str, Any]
) -> Iterator[Loss]:
    """Components whose variables or equations are of the class that was redeclared."""
    variables = {
        tuple(part["ident"] for part in v["component_ref"]["parts"]): v
        for v in flat["variables"].values()
    }
    present = [_component_and_place(equation) for equation in flat["equations"]]
    for path, replaced in found.replaced.items():
        classes = found.classes.get(path)
        if classes is None:
            continue  # of a predefined type: its attributes are compared
        was = {one.number for one in tree.with_bases(replaced.was)} - classes
        wrong = [tree.classes[number].place for number in was]
        numbers = {c.number for n in was for c in tree.classes[n].components}
        of_old_class = any(
            v["component_ref"]["parts"][-1]["def_id"] in numbers
            for name, v in variables.items()
            if name[:-1] == path
        ) or any(
            component == path and any(place.meets(one) for one in wrong)
            for component, place in present
        )
        if of_old_class:
            yield Loss(
                replaced.by.modification.place, _redeclaration_sentence(tree, path, replaced)
            )


def _component_and_place(equation: Mapping[str, Any]) -> tuple[tuple[str, ...], Place]:
    origin = equation["origin"]
    component = origin.get("ComponentEquation", {}) if isinstance(origin, Mapping) else {}
    name = re.sub(r"\[[^\]]*\]", "", component.get("component", ""))
    return tuple(name.split(".")) if name else (), _place(equation["span"])


# --- values ------------------------------------------------------------------------------------


def _value(modifier: ScopedModifier) -> Place:
    value = modifier.modification.value
    assert value is not None
    return value


def _place(span: Mapping[str, Any]) -> Place:
    return Place(int(span["source"]), int(span["start"]), int(span["end"]))


def _place_of(expression: Mapping[str, Any]) -> Place | None:
    """Where an expression of the flat model stands in the source."""
    (body,) = expression.values()
    span = body.get("span") if isinstance(body, Mapping) else None
    return _place(span) if span and span["source"] else None


def _has_fixed_value(variable: Mapping[str, Any]) -> bool:
    """Whether a variable is a parameter or a constant; others may have equations instead."""
    variability = variable.get("variability")
    return isinstance(variability, Mapping) and bool(variability.keys() & {"Parameter", "Constant"})


def _words(tree: ClassTree, modifier: ScopedModifier) -> list[str]:
    return tree.text(_value(modifier)).split()


def _literal(text: str, value: Mapping[str, Any] | None = None) -> str | None:
    """A number, truth value, string or enumeration literal in one form; ``None`` for others."""
    if value is not None and "Literal" in value:
        ((_, content),) = value["Literal"]["value"].items()
        text = str(content)
    text = text.strip()
    if re.fullmatch(r"[-+]?\s*(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", text):
        return repr(float(text.replace(" ", "")))
    if text.lower() in ("true", "false"):
        return text.lower()
    if re.fullmatch(r'"[^"\\]*"', text):
        return text[1:-1]
    match = re.fullmatch(r"StateSelect\s*\.\s*(\w+)", text)
    return match.group(1).lower() if match else None


def _words_of(value: Any) -> tuple[str, ...]:
    """An attribute of the flat model in the forms that :func:`_literal` may give it."""
    entries = value if isinstance(value, list) else [value]
    words = {"" if entry is None else str(entry) for entry in entries}
    # Not the same for all entries: left to the modifier's own expression.
    return (word := words.pop(), word.lower()) if len(words) == 1 else ()


# --- sentences ---------------------------------------------------------------------------------


def _sentence(
    tree: ClassTree,
    variable: Mapping[str, Any],
    modifier: ScopedModifier,
    attribute: tuple[str, ...],
) -> str:
    name = ".".join((variable["name"], *attribute))
    value = " ".join(_words(tree, modifier))
    lost = f"the Modelica compiler loses the modifier '{name} = {value}'"
    if value == "break":
        return f"{lost}; leave the value out of the class that declares it"
    if "variability" not in variable:
        return f"{lost}; write a function of your own with this value in it"
    return f"{lost}; {_way_out(tree, modifier)}"


def _way_out(tree: ClassTree, modifier: ScopedModifier) -> str:
    if modifier.origin.is_constraint:
        return (
            "every redeclaration keeps it by the language, but not by the compiler: add "
            "'constrainedby' with a class without modifiers, and write it into each class that is "
            "put in"
        )
    redeclaration = modifier.origin.redeclaration
    if redeclaration is not None and redeclaration.redeclaration is not None:
        base = ".".join(redeclaration.redeclaration.type_name)
        own = f"My{base.rsplit('.', 1)[-1]}"
        return (
            f"give the modified class a name of its own, as in '{own} = {base}(...)', and "
            "redeclare with that name"
        )
    target = tree.text(modifier.modification.place).split("=")[0]
    if "." in target:
        return "write it with parentheses, a(b = 1), not with a dot"
    return "write it at the component itself, where it is declared or redeclared"


def _package_sentence(by: Modification) -> str:
    redeclaration = by.redeclaration
    assert redeclaration is not None
    name, base = by.path[-1], ".".join(redeclaration.type_name)
    return (
        f"the Modelica compiler loses the modifiers of the redeclared '{name}'; write a package "
        f"'My{name}' that extends {base}(...), and redeclare with that name"
    )


def _redeclaration_sentence(tree: ClassTree, path: tuple[str, ...], replaced: ReplacedClass) -> str:
    old = tree.classes[replaced.was].name
    return (
        f"the Modelica compiler loses this redeclaration: '{'.'.join(path)}' would be of class "
        f"'{old}'; write a class that extends the one around it with the redeclaration, and use "
        "that one"
    )
