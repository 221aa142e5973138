"""Cranes whose class is there already: made in a notebook's cell or in a script.

A crane of a file is known by the file's text. One that has no file is known by its mechanics: what
is kept for it (a path that was found) is not taken for a class that was changed.
"""

from __future__ import annotations

import hashlib
from dataclasses import astuple
from types import CodeType, FunctionType

import casadi as ca

from cranebridge.errors import InputError
from cranebridge.twin import validation
from cranebridge.twin.catalogue import CRANES, IN_MEMORY
from cranebridge.twin.language import Crane, equations_of_motion, with_motions

_GROUPS = ("coordinates", "parameters", "inputs", "outputs", "multipliers", "ropes")


def crane_in_memory(given: type[Crane] | Crane) -> tuple[Crane, str]:
    """Return a checked crane of a class, and what scenarios call it.

    Parameters
    ----------
    given : type or Crane
        The class, or a crane of it.

    Raises
    ------
    InputError
        If it is no crane, or not a complete one.

    Examples
    --------
    >>> from cranebridge.twin.cranes import OverheadCrane
    >>> class Heavy(OverheadCrane):
    ...     name = "heavy"
    >>> crane, model = crane_in_memory(Heavy)
    >>> crane.name, model.rpartition(":")[0]
    ('heavy', 'memory:Heavy')
    """
    kind = given if isinstance(given, type) else type(given)
    if not issubclass(kind, Crane):
        raise InputError(
            f"a crane is a built-in name, 'FILE.py:Class', or a class derived from Crane; got "
            f"{validation.shown(given)}"
        )
    if CRANES.get(getattr(kind, "name", "")) is kind:
        return with_motions(kind)(), kind.name
    validation.require_motions(kind)
    moving = with_motions(kind)
    try:
        crane = moving() if isinstance(given, type) or moving is not kind else given
    except Exception as error:  # the user's own code can raise anything
        raise InputError(
            f"crane class {kind.__name__} cannot be made without arguments: "
            f"{type(error).__name__}: {error}"
        ) from error
    validation.validate(crane)
    return crane, f"{IN_MEMORY}{kind.__name__}:{_mechanics(crane)}"


def _mechanics(crane: Crane) -> str:
    """Return a hash of all that results with a crane depend on."""
    model = equations_of_motion(crane)
    symbols = [model.q, model.v, model.a, model.lam, model.u, model.p]
    parts = [model.motion, model.constraints, model.outputs, model.ropes, model.energy]
    declared = [[astuple(entry) for entry in getattr(crane, group)] for group in _GROUPS]
    found = hashlib.sha256(repr((crane.name, crane.description, declared)).encode())
    found.update(ca.Function("mechanics", symbols, parts).serialize().encode())
    for name in ("rest", "scene"):  # what these do is known from their code only
        method = getattr(type(crane), name)
        if isinstance(method, FunctionType):
            found.update(repr(_instructions(method.__code__)).encode())
    return found.hexdigest()[:16]


def _instructions(code: CodeType) -> tuple[object, ...]:
    """Return what a function does, without file and lines."""
    constants = [
        _instructions(part) if isinstance(part, CodeType) else part for part in code.co_consts
    ]
    return code.co_code, code.co_names, constants
