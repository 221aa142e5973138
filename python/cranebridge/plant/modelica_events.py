"""Events of a Modelica model: what is held between events, and what happens at one.

Between events every relation that may switch keeps its truth value (Modelica: relations outside
``noEvent`` and ``smooth`` make events). Its operands' difference is an event indicator z whose
domains z > 0 and z <= 0 are exactly the two truth values; a relation that only time can change has
a time instead. At an event all of them are evaluated literally, together with the discrete
variables, until nothing changes any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from cranebridge.errors import StructureError
from cranebridge.plant import causalize

RELATIONS = ("greater", "greater_equal", "less", "less_equal")
_MIRRORED = {
    "greater": "less",
    "less": "greater",
    "greater_equal": "less_equal",
    "less_equal": "greater_equal",
}


@dataclass(frozen=True)
class Held:
    """A quantity that keeps its value between events.

    Attributes
    ----------
    symbol : casadi.SX
        Its value between events, and the new one at an event.
    literal : casadi.SX
        Its value by definition.
    indicators : tuple of casadi.SX
        Functions whose change between z > 0 and z <= 0 ends its validity.
    due : casadi.SX, optional
        The time when it changes, if only time can change it.
    strict : bool
        Whether it changes right after that time, not at it.
    """

    symbol: ca.SX
    literal: ca.SX
    indicators: tuple[ca.SX, ...] = ()
    due: ca.SX | None = None
    strict: bool = False
    where: str = ""


@dataclass(frozen=True)
class Setting:
    """``symbol`` has this value at an event; ``held`` stands for what it was before."""

    symbol: ca.SX
    value: ca.SX
    held: ca.SX
    name: str
    is_relation: bool = False


class Switches:
    """Relations and rounding functions that make events.

    Parameters
    ----------
    time : casadi.SX
        The symbol of time.
    moving : casadi.SX
        Everything else that changes between events: states, continuous inputs, unknowns.
    """

    def __init__(self, time: ca.SX, moving: ca.SX) -> None:
        self.time, self.moving = time, moving
        self.held: list[Held] = []

    def relation(self, operator: str, left: ca.SX, right: ca.SX, where: str) -> ca.SX:
        """Truth value of a relation: held, unless it can only change at events anyway."""
        literal = compare(operator, left, right)
        difference = left - right
        if not ca.depends_on(difference, ca.vertcat(self.time, self.moving)):
            return literal
        slope = self._slope_in_time(difference)
        if slope is not None:
            return self._time_relation(operator, difference, slope, where)
        # z > 0 is the truth of > and <, and the untruth of >= and <=: no value is left out.
        positive = operator in ("greater", "less_equal")
        indicator = difference if positive else right - left
        return self._add(literal, (indicator,), where)

    def floor(self, value: ca.SX, where: str) -> ca.SX:
        """Largest whole number that is not above a value, held while it is right."""
        if not ca.depends_on(value, ca.vertcat(self.time, self.moving)):
            return ca.floor(value)
        for held in self.held:
            if ca.is_equal(held.literal, ca.floor(value), 100):
                return held.symbol
        symbol = ca.SX.sym(f"floor{len(self.held)}")
        self.held.append(
            Held(symbol, ca.floor(value), (symbol - value, symbol + 1 - value), where=where)
        )
        return symbol

    def _slope_in_time(self, difference: ca.SX) -> float | None:
        """Constant slope of a function of time and of what is held; ``None`` if it is not one."""
        if ca.depends_on(difference, self.moving):
            return None
        slope = ca.simplify(ca.jacobian(difference, self.time))
        return float(slope) if slope.is_constant() and float(slope) != 0.0 else None

    def _time_relation(self, operator: str, difference: ca.SX, slope: float, where: str) -> ca.SX:
        """``time > T`` and its like: held = (time >= due), or (time > due)."""
        if slope < 0.0:
            operator = _MIRRORED[operator]
        due = ca.substitute(difference, self.time, ca.SX(0)) / -slope
        strict = operator in ("greater", "less_equal")
        literal = compare("greater" if strict else "greater_equal", self.time, due)
        symbol = self._add(literal, (), where, due, strict)
        return symbol if operator in ("greater", "greater_equal") else ca.logic_not(symbol)

    def _add(
        self,
        literal: ca.SX,
        indicators: tuple[ca.SX, ...],
        where: str,
        due: ca.SX | None = None,
        strict: bool = False,
    ) -> ca.SX:
        for held in self.held:
            if ca.is_equal(held.literal, literal, 100):
                return held.symbol
        symbol = ca.SX.sym(f"relation{len(self.held)}")
        self.held.append(Held(symbol, literal, indicators, due, strict, where))
        return symbol


def compare(operator: str, left: ca.SX, right: ca.SX) -> ca.SX:
    """Literal value of a relation."""
    if operator == "greater":
        return left > right
    if operator == "greater_equal":
        return left >= right
    return left < right if operator == "less" else left <= right


def order(
    continuous: Sequence[causalize.Assignment], settings: Sequence[Setting]
) -> list[causalize.Assignment]:
    """Order of evaluation at an event: continuous unknowns, relations and discrete variables.

    A relation that depends on itself, through what it switches, is evaluated with the value that it
    had before; the event is iterated until both agree.

    Raises
    ------
    StructureError
        If discrete variables depend on each other without ``pre``.
    """
    found = [*continuous, *(causalize.Assignment(s.symbol, s.value) for s in settings)]
    first = len(continuous)
    while True:
        depends = _dependencies(found)
        count, label = connected_components(depends, directed=True, connection="strong")
        sizes = np.bincount(label, minlength=count)
        loops = depends.diagonal() > 0
        stuck = [i for i in range(len(found)) if sizes[label[i]] > 1 or loops[i]]
        if not stuck:
            break
        cut = [i for i in stuck if i >= first and settings[i - first].is_relation]
        if not cut:
            names = ", ".join(settings[i - first].name for i in stuck if i >= first)
            raise StructureError(
                f"{names}: these discrete variables depend on each other at the same event; use "
                "pre(...) for the value from before the event."
            )
        old = ca.vertcat(*[settings[i - first].symbol for i in cut])
        new = ca.vertcat(*[settings[i - first].held for i in cut])
        for i in stuck:
            value = ca.substitute(found[i].value, old, new)
            found[i] = causalize.Assignment(found[i].symbol, value)
    edges = [set(map(int, depends[i].indices)) for i in range(len(found))]
    return [found[i] for i in causalize.topological(edges)]


def _dependencies(found: Sequence[causalize.Assignment]) -> csr_matrix:
    symbols = ca.vertcat(*[assignment.symbol for assignment in found])
    values = ca.vertcat(*[assignment.value for assignment in found])
    sparsity = ca.jacobian_sparsity(values, symbols)
    rows, columns = sparsity.get_triplet()
    return csr_matrix((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=sparsity.shape)
