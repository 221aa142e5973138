"""Which variables become states: what the model asks for, as far as its constraints allow.

The candidates of a stage are weighed by ``StateSelect``, then by ``fixed = true``, then by whether
the model differentiates them itself; derivatives that have no variable of their own come last. The
heaviest independent ones become dummy derivatives (:mod:`cranebridge.structure.dummy_derivatives`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import StructureError
from cranebridge.frontend.reduce.scalars import ScalarUnknown
from cranebridge.structure import DifferentiatedDae, Order, basis_columns

# The higher, the sooner a variable is determined by the constraints instead of being a state.
_EAGERNESS = {"never": 5, "avoid": 3, "default": 2, "prefer": 1, "always": 0}
# By default only a variable that the model differentiates is a state (Modelica 3.6, 4.8.8.1).
_NOT_DIFFERENTIATED = 4

Evaluate = Callable[[ca.SX], NDArray[np.float64]]


@dataclass(frozen=True)
class StateChoice:
    """States, and what the constraints give in their place: (variable, order of derivative)."""

    states: tuple[Order, ...]
    dummies: tuple[Order, ...]


def order_name(unknowns: Sequence[ScalarUnknown], order: Order) -> str:
    """Name of a derivative, ``der(x)`` or ``der(x,2)`` as FMI writes it."""
    j, k = order
    name = unknowns[j].name
    if k == 0:
        return name
    return f"der({name})" if k == 1 else f"der({name},{k})"


def choose_states(
    system: DifferentiatedDae, unknowns: Sequence[ScalarUnknown], evaluate: Evaluate
) -> StateChoice:
    """Choose dummy derivatives stage by stage.

    Parameters
    ----------
    evaluate : callable
        Value of an expression in the consistent state in which the choice is made.

    Raises
    ------
    StructureError
        If constraints depend on each other there, or ``StateSelect`` asks for what they forbid.
    """
    dummies: set[Order] = set()
    for stage in system.stages:
        rows = system.rows(stage)
        columns = system.columns(stage)
        if stage < -1:  # only what is the integral of a dummy derivative
            columns = [(j, k) for j, k in columns if (j, k + 1) in dummies]
        equations = ca.vertcat(*(system.equations[row] for row in rows))
        jacobian = ca.jacobian(equations, system.symbols(columns))
        chosen = basis_columns(
            evaluate(ca.densify(jacobian)),
            [_weight(unknowns[j], k) for j, k in columns],
            _constant_entries(system, jacobian),
        )
        if chosen is None:
            raise StructureError(_dependent(system, rows))
        dummies |= {columns[position] for position in chosen}
    states = [(j, k) for j, d in enumerate(system.d) for k in range(d) if (j, k) not in dummies]
    _check_select(unknowns, states, dummies)
    return StateChoice(tuple(_in_order(unknowns, states)), tuple(sorted(dummies)))


def _constant_entries(system: DifferentiatedDae, jacobian: ca.SX) -> NDArray[np.bool_]:
    """Which entries contain no variable, input or time."""
    found = np.zeros(jacobian.shape, dtype=bool)
    for row, column in zip(*jacobian.sparsity().get_triplet(), strict=True):
        found[row, column] = not system.dae.symbols.of(jacobian[row, column])
    return found


def _weight(unknown: ScalarUnknown, order: int) -> tuple[int, ...]:
    """Eagerness of a candidate to become a dummy derivative."""
    own = _eagerness(unknown), int(not unknown.fixed), int(unknown.rate is None)
    if order == 0:
        return *own, 0, 0, 0, 0
    # A variable that the model declares goes before a derivative, which has no name of its own;
    # among these the derivatives of wanted states stay.
    return max(_EAGERNESS["default"], own[0]), 1, 1, order, *own


def _eagerness(unknown: ScalarUnknown) -> int:
    plain = unknown.rate is None and not unknown.fixed
    if unknown.select == "default" and plain:
        return _NOT_DIFFERENTIATED
    return _EAGERNESS[unknown.select]


def _in_order(unknowns: Sequence[ScalarUnknown], states: Sequence[Order]) -> list[Order]:
    """In the order in which the model declares them, derivatives behind their variables."""
    return sorted(states, key=lambda s: (unknowns[s[0]].variable.index, unknowns[s[0]].entry, s[1]))


def _check_select(
    unknowns: Sequence[ScalarUnknown], states: Sequence[Order], dummies: set[Order]
) -> None:
    unwanted = [unknowns[j].name for j, k in states if k == 0 and unknowns[j].select == "never"]
    if unwanted:
        raise StructureError(
            f"{', '.join(unwanted)}: StateSelect.never, but the model's constraints leave nothing "
            "else to be a state in its place."
        )
    taken = [
        unknown.name
        for j, unknown in enumerate(unknowns)
        if unknown.select == "always" and ((j, 0) in dummies or (j, 0) not in states)
    ]
    if taken:
        raise StructureError(
            f"{', '.join(taken)}: StateSelect.always (or reinit asks for it), but constraints of "
            "the model determine this from other states: "
            f"{', '.join(order_name(unknowns, s) for s in states) or 'there are none'}."
        )


def _dependent(system: DifferentiatedDae, rows: Sequence[Order]) -> str:
    places = list(dict.fromkeys(system.dae.equations[i] for i, k in rows if k == 0))
    places = places or list(dict.fromkeys(system.dae.equations[i] for i, _ in rows))
    more = f" and {len(places) - 3} more" if len(places) > 3 else ""
    return (
        f"{'; '.join(places[:3])}{more}: where the model starts, these constraints do not "
        "determine as many variables as there are of them: they depend on each other, or the start "
        "is a singular position."
    )
