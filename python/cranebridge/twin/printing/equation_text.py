"""The equations of a crane as an engineer writes them: inertia on the left, forces on the right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca

from cranebridge.twin.language import Equations, names
from cranebridge.twin.printing.sums import Product, Sum, TooLongError, joined, sum_of, text_of

SHORT = 200
"""Characters of a side of an equation that is not shown in full."""


@dataclass(frozen=True)
class EquationText:
    """An equation as text.

    Attributes
    ----------
    group : str
        ``"motion"``, ``"constraint"``, ``"output"`` or ``"rope"``.
    name : str
        The coordinate, multiplier, output or rope that it belongs to.
    left, right : tuple of str
        The terms of both sides, each with its sign; none for zero.
    operations : int
        How many it would take to write an equation that nobody could read; 0 for others.
    """

    group: str
    name: str
    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    operations: int = 0

    def text(self, full: bool = True) -> str:
        """Return the equation on one line; a long one is cut unless it shall be shown in full."""
        if self.operations:
            return f"too long to read: an expression of {self.operations} operations"
        most = None if full else SHORT
        return f"{_side(self.left, most)} = {_side(self.right, most)}"


def equation_texts(model: Equations) -> tuple[EquationText, ...]:
    """Return all equations of a crane: motion, constraints, outputs and rope forces."""
    crane = model.crane
    called, rank = _symbol_names(model), _rank(model)

    def terms(sums: Sum, sign: float = 1.0) -> tuple[str, ...]:
        return _terms({product: sign * value for product, value in sums.items()}, rank)

    found = []
    for name, row in zip(names(crane.coordinates), ca.vertsplit(model.motion), strict=True):
        try:
            everything = sum_of(row, called)
        except TooLongError:
            found.append(EquationText("motion", name, operations=_operations(row)))
            continue
        inertia = {key: value for key, value in everything.items() if _accelerates(key, rank)}
        rest = {key: value for key, value in everything.items() if key not in inertia}
        # a balance without inertia reads as it was derived, not turned round
        sign = -1.0 if inertia else 1.0
        found.append(EquationText("motion", name, terms(inertia), terms(rest, sign)))
    for group, quantities, expressions in (
        ("constraint", crane.multipliers, model.constraints),
        ("output", crane.outputs, model.outputs),
        ("rope", crane.ropes, model.ropes),
    ):
        rows = ca.vertsplit(expressions) if quantities else []
        for name, row in zip(names(quantities), rows, strict=True):
            left = () if group == "constraint" else (f"+ {name}",)
            try:
                right = terms(sum_of(row, called))
            except TooLongError:
                found.append(EquationText(group, name, operations=_operations(row)))
            else:
                found.append(EquationText(group, name, left, right))
    return tuple(found)


def used_parameters(model: Equations) -> frozenset[str]:
    """Return the parameters that some equation contains."""
    everything = ca.vertcat(model.motion, model.constraints, model.outputs, model.ropes)
    columns = ca.jacobian_sparsity(everything, model.p).get_triplet()[1]
    return frozenset(model.crane.parameters[int(column)].name for column in columns)


def _operations(expression: ca.SX) -> int:
    return int(ca.Function("f", ca.symvar(expression), [expression]).n_nodes())


def _symbol_names(model: Equations) -> dict[str, str]:
    """Return what each symbol of the equations is called: x, x' and x'' for a coordinate x."""
    crane = model.crane
    groups = (
        (model.q, crane.coordinates, ""),
        (model.v, crane.coordinates, "'"),
        (model.a, crane.coordinates, "''"),
        (model.lam, crane.multipliers, ""),
        (model.u, crane.inputs, ""),
        (model.p, crane.parameters, ""),
    )
    return {
        vector[i].name(): f"{name}{mark}"
        for vector, quantities, mark in groups
        for i, name in enumerate(names(quantities))
    }


def _rank(model: Equations) -> Callable[[str], int]:
    """Return the order of factors: parameters, coordinates, functions, forces, velocities."""
    crane = model.crane
    known = dict.fromkeys(names(crane.parameters), 0) | dict.fromkeys(names(crane.coordinates), 1)
    known |= dict.fromkeys((*names(crane.multipliers), *names(crane.inputs)), 3)
    for name in names(crane.coordinates):
        known |= {f"{name}'": 4, f"{name}''": 5}
    return lambda name: known.get(name, 2)


def _accelerates(product: Product, rank: Callable[[str], int]) -> bool:
    return any(rank(name) == 5 for name, _ in product)


def _terms(sums: Sum, rank: Callable[[str], int]) -> tuple[str, ...]:
    """Return the terms of a sum with their signs, drives and rope forces first.

    What multiplies the same force, velocity or acceleration stands together in parentheses.
    """
    groups: dict[Product, Sum] = {}
    for product, value in sums.items():
        common = tuple(factor for factor in product if rank(factor[0]) >= 3)
        rest = tuple(factor for factor in product if factor not in common)
        groups.setdefault(common, {})[rest] = value
    ordered = sorted(groups.items(), key=lambda group: all(rank(f) != 3 for f, _ in group[0]))
    found = []
    for common, inner in ordered:
        if len(inner) == 1 or not common:
            found += [
                _signed(value, text_of(_product(common, rest), value, rank))
                for rest, value in inner.items()
            ]
            continue
        sign = 1.0 if next(iter(inner.values())) > 0 else -1.0
        inside = joined({rest: sign * value for rest, value in inner.items()}, rank)
        found.append(_signed(sign, f"({inside})*{text_of(common, 1.0, rank)}"))
    return tuple(found)


def _product(a: Product, b: Product) -> Product:
    return tuple(sorted((*a, *b)))


def _signed(value: float, text: str) -> str:
    return f"- {text}" if value < 0 else f"+ {text}"


def _side(terms: tuple[str, ...], most: int | None) -> str:
    text = ""
    for i, term in enumerate(terms):
        if most is not None and text and len(text) + len(term) > most:
            return f"{text} + ... ({len(terms) - i} more terms)"
        sign, _, rest = term.partition(" ")
        if most is not None and len(rest) > most:
            rest = f"{rest[:most]}... (a term of {len(rest)} characters)"
        text += (("-" if sign == "-" else "") + rest) if not text else f" {term}"
    return text or "0"
