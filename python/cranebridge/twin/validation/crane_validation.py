"""Whether a user's crane is one: its declarations, its methods and what they return.

Everything is built once, so that a mistake shows when the file is read, with class and line.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import casadi as ca

from cranebridge.errors import InputError
from cranebridge.twin.language import (
    Components,
    Crane,
    Equations,
    PartError,
    equations_of_motion,
    names,
)
from cranebridge.twin.validation import influence
from cranebridge.twin.validation.at_rest import is_constant, require_known
from cranebridge.twin.validation.declarations import misspelt, require_declarations
from cranebridge.twin.validation.error_places import failed, shown, wrong
from cranebridge.twin.validation.scene_checks import require_scene

_METHODS: Mapping[str, tuple[str, str | None]] = {
    "kinetic_energy": ("qvp", None),
    "potential_energy": ("qp", None),
    "drive_power": ("qvup", None),
    "other_forces": ("qvp", "coordinates"),
    "constraints": ("qp", "multipliers"),
    "output_map": ("qp", "outputs"),
    "rope_forces": ("qlp", "ropes"),
    "rope_forces_in_motion": ("qvaup", "ropes"),
    "massless": ("qlp", "coordinates"),
}
"""Each method with its arguments, and the group whose names it returns; None for a scalar."""
_ARGUMENTS = {"q": "q", "v": "v", "a": "a", "u": "u", "l": "lam", "p": "p", "y": "y"}
# Names that these leave out have none; ropes are looked at together.
_PARTIAL = ("other_forces", "massless", "rope_forces", "rope_forces_in_motion")


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
    try:
        crane.require_parts()
    except PartError as error:
        raise wrong(
            crane, error.attribute, str(error), entry=error.entry, call=error.call
        ) from error
    except Exception as error:  # what an author wrote into the parts can raise anything
        raise failed(crane, "parts", error) from error
    require_declarations(crane)
    arguments = _symbols(crane)
    for method in _METHODS:
        _require_method(crane, method, arguments)
    _require_ropes(crane, arguments)
    _require_arguments(crane, "rest", "yp")
    _require_arguments(crane, "scene", "qp")
    require_scene(crane, arguments["q"], arguments["p"])
    _require_power(crane, arguments)
    try:
        model = equations_of_motion(crane)
    except Exception as error:  # whatever the user's expressions do to CasADi
        raise failed(crane, "", error) from error
    everything = ca.vertcat(model.motion, model.constraints, model.outputs, model.ropes)
    known = [model.q, model.v, model.a, model.lam, model.u, model.p]
    free = ca.Function("crane", known, [everything], {"allow_free": True}).free_sx()
    if free:
        raise wrong(crane, "", f"uses the symbol {free[0]}, which is no quantity of the crane")
    _require_influence(crane, model)


def _symbols(crane: Crane) -> dict[str, Components]:
    """Return symbols as the methods get them: q, v, a, u, l (the multipliers) and p."""
    of = {
        "q": (names(crane.coordinates), "coordinate"),
        "v": (names(crane.coordinates), "velocity"),
        "a": (names(crane.coordinates), "acceleration"),
        "u": (names(crane.inputs), "input"),
        "l": (names(crane.multipliers), "multiplier"),
        "p": (names(crane.parameters), "parameter"),
    }
    return {
        key: Components(given, ca.SX.sym(key, len(given)), kind)
        for key, (given, kind) in of.items()
    }


def _require_arguments(crane: Crane, method: str, arguments: str) -> Callable[..., Any]:
    """Return a method, after making sure that it can be called with its arguments."""
    function: Callable[..., Any] = getattr(crane, method)
    if not callable(function):
        raise wrong(crane, method, f"{method} must be a method, got {shown(function)}")
    wanted = [_ARGUMENTS[key] for key in arguments]
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # not written in Python
        return function
    try:
        signature.bind(*wanted)
    except TypeError:
        own = inspect.signature(getattr(type(crane), method))
        given = ", ".join(own.parameters) or "nothing"
        what = f"{method} must take (self, {', '.join(wanted)}), it takes ({given})"
        raise wrong(crane, method, what) from None
    return function


def _require_method(crane: Crane, method: str, symbols: Mapping[str, Components]) -> None:
    arguments, group = _METHODS[method]
    function = _require_arguments(crane, method, arguments)
    try:
        found = function(*(symbols[key] for key in arguments))
    except NotImplementedError:
        raise _missing(crane, method) from None
    except Exception as error:  # the user's own code can raise anything
        raise failed(crane, method, error) from error
    if group is None:
        _require_scalar(crane, method, "", found)
        return
    wanted = names(getattr(crane, group))
    if not isinstance(found, Mapping):
        raise wrong(crane, method, f"{method}() must return a dict, got {shown(found)}")
    for name, value in found.items():
        require_known(crane, method, name, wanted)
        _require_scalar(crane, method, name, value)
    missing = [name for name in wanted if name not in found]
    if missing and method not in _PARTIAL:
        raise wrong(crane, method, f"{method}() gives nothing for {', '.join(missing)}")


def _require_ropes(crane: Crane, symbols: Mapping[str, Components]) -> None:
    """Refuse ropes of which neither method tells the force."""
    found = {
        *crane.rope_forces(*(symbols[key] for key in "qlp")),
        *crane.rope_forces_in_motion(*(symbols[key] for key in "qvaup")),
    }
    missing = [name for name in names(crane.ropes) if name not in found]
    if missing:
        raise wrong(crane, "rope_forces", f"rope_forces() gives nothing for {', '.join(missing)}")


def _missing(crane: Crane, method: str) -> InputError:
    found = misspelt(crane, method)
    hint = f"; it has '{found}', did you mean that?" if found else "; every crane needs one"
    return wrong(crane, found or "", f"has no {method}(){hint}")


def _require_scalar(crane: Crane, method: str, name: str, value: object) -> None:
    which = f" for {name}" if name else ""
    what = shown(value)
    if isinstance(value, ca.SX | ca.DM) and not value.is_scalar():
        regular, what = False, "a matrix of {} x {}".format(*value.shape)
    elif isinstance(value, ca.SX):
        regular = not value.is_constant() or ca.DM(value).is_regular()
    else:
        regular = is_constant(value)
    if not regular:
        message = f"{method}() must give one finite number{which}, got {what}"
        raise wrong(crane, method, message, entry=name)


def _require_power(crane: Crane, symbols: Mapping[str, Components]) -> None:
    """Refuse a drives' power of which the input matrix would be only a part."""
    power = ca.SX(crane.drive_power(*(symbols[key] for key in "qvup")))
    for key, what in (("u", "an input"), ("v", "a velocity")):
        vector = ca.vertcat(*symbols[key])
        others = [ca.vertcat(*symbols[other]) for other in "qvup" if other != key]
        if not ca.is_linear(power, vector):
            raise wrong(crane, "drive_power", "drive_power must be linear in u and in v")
        without = ca.simplify(ca.substitute(power, vector, ca.SX.zeros(vector.shape)))
        if ca.jacobian_sparsity(without, ca.vertcat(*others)).nnz() or not without.is_zero():
            raise wrong(
                crane,
                "drive_power",
                f"drive_power() has a term without {what}, which would be lost; friction and the "
                "like belong into other_forces()",
            )


def _require_influence(crane: Crane, model: Equations) -> None:
    """Refuse coordinates without equation, inputs without effect, outputs that nothing moves."""
    for i in influence.lacking_equation(model):
        name = crane.coordinates[i].name
        what = f"coordinate '{name}' has no equation: it is in no energy and in no constraint"
        raise wrong(crane, "coordinates", what, entry=name)
    for i in influence.unused_motions(model):
        name = crane.motions[i].name
        what = f"motion '{name}' moves nothing: it is in no energy, no constraint and no output"
        raise wrong(crane, "motions", what, entry=name)
    for i in influence.without_effect(model):
        name = crane.inputs[i].name
        what = f"input '{name}' has no effect: drive_power() gives it no power"
        raise wrong(crane, "inputs", what, entry=name)
    for i in influence.constant_outputs(model):
        name = crane.outputs[i].name
        what = f"output '{name}' depends on no coordinate"
        raise wrong(crane, "output_map", what, entry=name)
    for i in influence.unreached_outputs(model):
        name = crane.outputs[i].name
        what = f"no drive reaches output '{name}': nothing that it depends on is moved by an input"
        raise wrong(crane, "output_map", what, entry=name)
