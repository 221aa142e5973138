"""The scalar unknowns of a flat model, with what their declarations say about states and starts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import casadi as ca

from cranebridge.frontend.read import CompiledDae, DaeVariable, Value, event_dictionary

StateSelect = Literal["never", "avoid", "default", "prefer", "always"]


@dataclass(frozen=True)
class ScalarUnknown:
    """A scalar variable that the equations determine.

    Attributes
    ----------
    symbol : casadi.SX
        Its value.
    rate : casadi.SX, optional
        The symbol of its derivative, where the model differentiates it itself.
    start : casadi.SX
        Start value in terms of the parameters, 0 where none is given.
    start_is_given, fixed : bool
        Whether the source states the start value, and whether it must hold.
    select : str
        ``StateSelect`` of the declaration.
    variable, entry : DaeVariable, int
        The declaration, and which entry of it.
    """

    name: str
    symbol: ca.SX
    rate: ca.SX | None
    start: ca.SX
    start_is_given: bool
    fixed: bool
    select: StateSelect
    variable: DaeVariable
    entry: int


def start_value(dae: CompiledDae, variable: DaeVariable) -> ca.SX:
    """Start value of a variable's entries, in terms of the parameters."""
    node = variable.attributes["start"]
    value = Value.scalar(0.0) if node is None else dae.expression(node)
    return value.broadcast(variable.shape).data


def fixed_entries(variable: DaeVariable) -> list[bool]:
    """Which entries of a variable have ``fixed = true``."""
    flags = variable.attributes["fixed"] or [False]
    size = math.prod(variable.shape)  # 1 for a scalar
    return list(flags) if len(flags) == size else [flags[0]] * size


def scalar_unknowns(dae: CompiledDae) -> Iterator[ScalarUnknown]:
    """States and algebraic variables entry by entry, states first.

    What ``reinit`` gives a new value must be a state (Modelica 3.6, 8.3.6).
    """
    reset = event_dictionary.reset_variables(dae)
    for variable in (*dae.with_role("state"), *dae.with_role("algebraic")):
        differentiated = variable.role == "state"
        symbols = dae.value(variable.role, variable).entries()
        rates = dae.value("derivative", variable).entries() if differentiated else []
        start, fixed = start_value(dae, variable), fixed_entries(variable)
        select = str(variable.attributes["state_select"] or "default").lower()
        select = "always" if variable.index in reset else select
        for k, name in enumerate(variable.scalar_names()):
            yield ScalarUnknown(
                name=name,
                symbol=symbols[k],
                rate=rates[k] if differentiated else None,
                start=start[k],
                start_is_given=dae.start_is_given(variable),
                fixed=fixed[k],
                select=select,  # type: ignore[arg-type]
                variable=variable,
                entry=k,
            )
