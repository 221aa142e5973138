"""Whether a user's crane is one: its declarations, its methods and what they return.

Everything is built once, so that a mistake shows when the file is read, with class and line.
"""

from __future__ import annotations

import ast
import inspect
import math
import re
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import casadi as ca

from cranebridge.errors import CranebridgeError, InputError, unknown
from cranebridge.twin import units
from cranebridge.twin.crane import Components, Crane, Parameter, Quantity, names
from cranebridge.twin.lagrange import equations_of_motion

_DECLARATIONS = ("coordinates", "parameters", "inputs", "outputs", "multipliers", "ropes")
_METHODS: Mapping[str, tuple[str, str | None]] = {
    "kinetic_energy": ("qvp", None),
    "potential_energy": ("qp", None),
    "drive_power": ("qvup", None),
    "other_forces": ("qvp", "coordinates"),
    "constraints": ("qp", "multipliers"),
    "output_map": ("qp", "outputs"),
    "rope_forces": ("qlp", "ropes"),
    "massless": ("qlp", "coordinates"),
}
"""Each method with its arguments, and the group whose names it returns; None for a scalar."""
_DOMAINS = ("positive", "non-negative", "real")
_PARTIAL = ("other_forces", "massless")  # names that these leave out have none
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def validate(crane: Crane) -> None:
    """Raise an InputError if a crane is not complete or its methods do not work.

    Parameters
    ----------
    crane : Crane
        Not yet used for anything.

    Raises
    ------
    InputError
        In one sentence, with file, class and line where they are known.
    """
    _require_all(crane)
    for attribute in ("name", "description"):
        _require_text(crane, attribute)
    for group in _DECLARATIONS:
        _require_group(crane, group)
    _require_distinct(crane)
    arguments = _symbols(crane)
    for method in _METHODS:
        _require_method(crane, method, arguments)
    try:
        model = equations_of_motion(crane)
    except Exception as error:  # whatever the user's expressions do to CasADi
        raise _failed(crane, "", error) from error
    everything = ca.vertcat(model.motion, model.constraints, model.outputs, model.ropes)
    known = [model.q, model.v, model.a, model.lam, model.u, model.p]
    free = ca.Function("crane", known, [everything], {"allow_free": True}).free_sx()
    if free:
        raise _wrong(crane, "", f"uses the symbol {free[0]}, which is no quantity of the crane")


def require_rest(crane: Crane, outputs: Mapping[str, float], p: Mapping[str, float]) -> None:
    """Raise an InputError if ``rest()`` does not give finite coordinates for these outputs."""
    try:
        found = crane.rest(outputs, p)
    except Exception as error:  # a user's crane can raise anything
        raise _failed(crane, "rest", error) from error
    if not isinstance(found, Mapping):
        raise _wrong(crane, "rest", f"rest() must return a dict, got {_shown(found)}")
    for name, value in found.items():
        _require_known(crane, "rest", name, names(crane.coordinates))
        if not _is_number(value):
            raise _wrong(
                crane, "rest", f"rest() gives {_shown(value)} for {name}; a finite number is needed"
            )


def _require_all(crane: Crane) -> None:
    wanted = ("name", "description", *_DECLARATIONS)
    missing = [attribute for attribute in wanted if not hasattr(crane, attribute)]
    if missing:
        raise _wrong(crane, "", f"declares no {', '.join(missing)}; every crane needs them")


def _require_text(crane: Crane, attribute: str) -> None:
    value = getattr(crane, attribute)
    if not isinstance(value, str) or not value.strip():
        raise _wrong(crane, attribute, f"{attribute} must be text in quotes, got {_shown(value)}")


def _require_group(crane: Crane, group: str) -> None:
    kind = Parameter if group == "parameters" else Quantity
    value = getattr(crane, group)
    if not isinstance(value, tuple):
        hint = "a comma behind the only one" if isinstance(value, Quantity) else "in parentheses"
        raise _wrong(
            crane,
            group,
            f"{group} must be a tuple of {kind.__name__}(...), {hint}, got {_shown(value)}",
        )
    for entry in value:
        if not isinstance(entry, kind):
            raise _wrong(
                crane, group, f"{group} must hold {kind.__name__}(...) only, got {_shown(entry)}"
            )
        _require_quantity(crane, group, entry)
    if not value and group in ("coordinates", "inputs", "outputs"):
        raise _wrong(crane, group, f"{group} must not be empty")
    repeated = [name for name in names(value) if names(value).count(name) > 1]
    if repeated:
        raise _wrong(crane, group, f"{group} has the name '{repeated[0]}' twice")


def _require_quantity(crane: Crane, group: str, entry: Quantity) -> None:
    if not isinstance(entry.name, str) or not _NAME.fullmatch(entry.name):
        raise _wrong(
            crane, group, f"{_shown(entry.name)} in {group} is no name: letters, digits and _"
        )
    where = f"{group}: '{entry.name}'"
    if not isinstance(entry.meaning, str):
        raise _wrong(crane, group, f"{where} needs a meaning in words, got {_shown(entry.meaning)}")
    mixed = group == "multipliers" and entry.unit == "SI"  # of a constraint without a meaning
    if not isinstance(entry.unit, str) or not (mixed or units.is_si(entry.unit)):
        given = entry.unit if isinstance(entry.unit, str) else _shown(entry.unit)
        raise _wrong(
            crane, group, f"{where} has the unit '{given}', not SI; {units.advice(str(given))}"
        )
    if isinstance(entry, Parameter):
        if entry.domain not in _DOMAINS:
            error = unknown(f"domain of {where}:", str(entry.domain), _DOMAINS)
            raise _wrong(crane, group, str(error))
        try:
            entry.check(entry.value)
        except InputError as error:
            raise _wrong(crane, group, f"default of {error}") from error


def _require_distinct(crane: Crane) -> None:
    """Refuse a name of two meanings: expressions of a scenario's map could not tell them apart."""
    for group, other in (("parameters", "coordinates"), ("parameters", "inputs")):
        for name in names(getattr(crane, group)):
            if name in names(getattr(crane, other)):
                raise _wrong(crane, group, f"'{name}' is in {group} and in {other}; rename one")


def _symbols(crane: Crane) -> dict[str, Components]:
    """Return symbols as the methods get them: q, v, u, l (the multipliers) and p."""
    of = {
        "q": names(crane.coordinates),
        "v": names(crane.coordinates),
        "u": names(crane.inputs),
        "l": names(crane.multipliers),
        "p": names(crane.parameters),
    }
    return {key: Components(given, ca.SX.sym(key, len(given))) for key, given in of.items()}


def _require_method(crane: Crane, method: str, symbols: Mapping[str, Components]) -> None:
    arguments, group = _METHODS[method]
    function: Callable[..., Any] = getattr(crane, method)
    if not callable(function):
        raise _wrong(crane, method, f"{method} must be a method, got {_shown(function)}")
    try:
        found = function(*(symbols[key] for key in arguments))
    except NotImplementedError:
        raise _wrong(crane, method, f"has no {method}(); every crane needs one") from None
    except Exception as error:  # the user's own code can raise anything
        raise _failed(crane, method, error) from error
    if group is None:
        _require_scalar(crane, method, "", found)
        return
    wanted = names(getattr(crane, group))
    if not isinstance(found, Mapping):
        raise _wrong(crane, method, f"{method}() must return a dict, got {_shown(found)}")
    for name, value in found.items():
        _require_known(crane, method, name, wanted)
        _require_scalar(crane, method, f" for {name}", value)
    missing = [name for name in wanted if name not in found]
    if missing and method not in _PARTIAL:
        raise _wrong(crane, method, f"{method}() gives nothing for {', '.join(missing)}")


def _require_known(crane: Crane, method: str, name: object, wanted: tuple[str, ...]) -> None:
    if name not in wanted:
        error = unknown(f"name in {method}():", str(name), wanted)
        raise _wrong(crane, method, str(error))


def _require_scalar(crane: Crane, method: str, which: str, value: object) -> None:
    if isinstance(value, ca.SX) and value.is_scalar():
        regular = not value.is_constant() or ca.DM(value).is_regular()
    else:
        regular = _is_number(value)
    if not regular:
        raise _wrong(
            crane, method, f"{method}() must give one finite number{which}, got {_shown(value)}"
        )


def _is_number(value: object) -> bool:
    """Whether CasADi takes a value as a constant: a finite number, NumPy's included."""
    if isinstance(value, bool | str | bytes | complex):
        return False
    try:
        return math.isfinite(value)  # type: ignore[arg-type]
    except Exception:  # no number: what happens then depends on what it is
        return False


def _failed(crane: Crane, method: str, error: Exception) -> InputError:
    """Return the sentence for an exception in the user's code, with the line where it arose."""
    file = _file(crane)
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if file is not None and Path(frame.filename) == file
    ]
    reason = str(error).strip().splitlines() or [""]
    kind = "" if isinstance(error, CranebridgeError) else f"{type(error).__name__}: "
    what = f"{method}() fails: " if method else "its equations cannot be derived: "
    return _wrong(crane, method, f"{what}{kind}{reason[0]}", lines[-1] if lines else None)


def _wrong(crane: Crane, attribute: str, what: str, line: int | None = None) -> InputError:
    """Return the error about a crane's class, with file and line where they are known."""
    file = _file(crane)
    line = line if line is not None else _line(type(crane), file, attribute)
    place = f"crane class {type(crane).__name__}"
    place += f" in {file}" if file is not None else ""
    place += f", line {line}" if line is not None else ""
    return InputError(f"{place}: {what}")


def _file(crane: Crane) -> Path | None:
    try:
        return Path(inspect.getfile(type(crane)))
    except (TypeError, OSError):
        return None


def _line(kind: type, file: Path | None, attribute: str) -> int | None:
    """Return the line where a class declares an attribute, or where the class itself begins."""
    if file is None:
        return None
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name == kind.__name__:
            lines = [item.lineno for item in node.body if attribute in _declared(item)]
            return lines[0] if lines else node.lineno
    return None


def _declared(item: ast.stmt) -> list[str]:
    if isinstance(item, ast.FunctionDef):
        return [item.name]
    targets = item.targets if isinstance(item, ast.Assign) else [getattr(item, "target", None)]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except Exception:  # a user's class can fail even here
        text = f"an object of {type(value).__name__}"
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:57]}..."
