"""Events of a Modelica model: what is held between events, and what happens at one.

Between events every relation that may switch keeps its truth value (Modelica: relations outside
``noEvent`` and ``smooth`` make events). Its operands' difference is an event indicator z whose
domains z > 0 and z <= 0 are exactly the two truth values. At an event all of them are evaluated
literally, together with the discrete variables, until nothing changes any more.

A relation that only time can change, linearly, has a time instead: parameters may be part of it. It
is held inside ``noEvent``, ``smooth`` and functions, too: an integrator would step over what it
switches. One that is not linear in time keeps its indicator; where it has kinks (``abs``, ``min``,
``max``) or, if it is a parabola, its extreme, are times at which the integration stops: in between
it changes its sign once at most, and none is missed. Of other functions of time a change is found
if it lasts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from cranebridge.emit import applied, interpret
from cranebridge.errors import StructureError
from cranebridge.structure import causalize

RELATIONS = ("greater", "greater_equal", "less", "less_equal")
_MIRRORED = {
    "greater": "less",
    "less": "greater",
    "greater_equal": "less_equal",
    "less_equal": "greater_equal",
}


@dataclass(frozen=True)
class HeldQuantity:
    """A quantity that keeps its value between events.

    Attributes
    ----------
    symbol : casadi.SX
        Its value between events, and the new one at an event.
    literal : casadi.SX
        Its value by definition.
    indicators : tuple of casadi.SX
        Functions whose change between z > 0 and z <= 0 ends its validity.
    dues : tuple of (casadi.SX, bool)
        Times when it changes, or at which it must be looked at, if only time can change it; and
        whether it changes right after such a time, not at it.
    """

    symbol: ca.SX
    literal: ca.SX
    indicators: tuple[ca.SX, ...] = ()
    dues: tuple[tuple[ca.SX, bool], ...] = ()
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
    clocks : sequence of Assignment
        Unknowns that time alone gives, such as ``tau = time - t0``.
    """

    def __init__(
        self, time: ca.SX, moving: ca.SX, clocks: Sequence[causalize.Assignment] = ()
    ) -> None:
        self.time, self.moving = time, moving
        self._clocks = tuple(clocks)
        self.held: list[HeldQuantity] = []

    def relation(self, operator: str, left: ca.SX, right: ca.SX, where: str) -> ca.SX:
        """Truth value of a relation: held, unless it can only change at events anyway."""
        literal = compare(operator, left, right)
        difference = left - right
        if not ca.depends_on(difference, ca.vertcat(self.time, self.moving)):
            return literal
        timed = self._time_relation(operator, difference, where)
        if timed is not None:
            return timed
        # z > 0 is the truth of > and <, and the untruth of >= and <=: no value is left out.
        positive = operator in ("greater", "less_equal")
        indicator = difference if positive else right - left
        return self._add(literal, (indicator,), where, self._looks(difference))

    def literal_relation(self, operator: str, left: ca.SX, right: ca.SX, where: str) -> ca.SX:
        """Truth value where no events are wanted: of time alone it is held, else as it stands."""
        timed = self._time_relation(operator, left - right, where)
        return compare(operator, left, right) if timed is None else timed

    def floor(self, value: ca.SX, where: str) -> ca.SX:
        """Largest whole number that is not above a value, held while it is right."""
        if not ca.depends_on(value, ca.vertcat(self.time, self.moving)):
            return ca.floor(value)
        for held in self.held:
            if ca.is_equal(held.literal, ca.floor(value), 100):
                return held.symbol
        symbol = ca.SX.sym(f"floor{len(self.held)}")
        self.held.append(
            HeldQuantity(symbol, ca.floor(value), (symbol - value, symbol + 1 - value), where=where)
        )
        return symbol

    def _in_time(self, value: ca.SX) -> ca.SX:
        """Put in what time alone gives."""
        if not self._clocks:
            return value
        symbols, values = ([getattr(c, name) for c in self._clocks] for name in ("symbol", "value"))
        return ca.substitute(value, ca.vertcat(*symbols), ca.vertcat(*values))

    def _slope_in_time(self, difference: ca.SX) -> ca.SX | None:
        """Slope of a linear function of time and of what is held; ``None`` if it is not one."""
        if ca.depends_on(difference, self.moving) or not ca.depends_on(difference, self.time):
            return None
        slope = ca.simplify(ca.jacobian(difference, self.time))
        if ca.depends_on(slope, self.time) or slope.is_zero() or _kinks(difference, self.time):
            return None
        return slope

    def _time_relation(self, operator: str, difference: ca.SX, where: str) -> ca.SX | None:
        """``time > T`` and its like: held = (time >= due), or (time > due)."""
        difference = self._in_time(difference)
        slope = self._slope_in_time(difference)
        if slope is None:
            return None
        at_zero = ca.substitute(difference, self.time, ca.SX(0))
        due = -at_zero / slope
        if not slope.is_constant():
            # Parameters decide in which direction it changes: at the time, or right after it.
            rising, falling = (
                compare(name, self.time, due) for name in (operator, _MIRRORED[operator])
            )
            never = compare(operator, at_zero, ca.SX(0))
            moves = ca.if_else(slope > 0, rising, ca.if_else(slope < 0, falling, never))
            return self._add(moves, (), where, ((due, False), (due, True)))
        if float(slope) < 0.0:
            operator = _MIRRORED[operator]
        strict = operator in ("greater", "less_equal")
        literal = compare("greater" if strict else "greater_equal", self.time, due)
        symbol = self._add(literal, (), where, ((due, strict),))
        return symbol if operator in ("greater", "greater_equal") else ca.logic_not(symbol)

    def _looks(self, difference: ca.SX) -> tuple[tuple[ca.SX, bool], ...]:
        """Times between which a function of time alone changes its sign once at most."""
        difference = self._in_time(difference)
        if ca.depends_on(difference, self.moving):
            return ()
        turns = _kinks(difference, self.time) or [ca.jacobian(difference, self.time)]
        slopes = [(turn, self._slope_in_time(turn)) for turn in turns]
        return tuple(
            (-ca.substitute(turn, self.time, ca.SX(0)) / slope, False)
            for turn, slope in slopes
            if slope is not None
        )

    def _add(
        self,
        literal: ca.SX,
        indicators: tuple[ca.SX, ...],
        where: str,
        dues: tuple[tuple[ca.SX, bool], ...] = (),
    ) -> ca.SX:
        for held in self.held:
            if ca.is_equal(held.literal, literal, 100):
                return held.symbol
        symbol = ca.SX.sym(f"relation{len(self.held)}")
        self.held.append(HeldQuantity(symbol, literal, indicators, dues, where))
        return symbol


def clocks(
    residuals: Sequence[ca.SX], unknowns: ca.SX, time: ca.SX, moving: ca.SX
) -> list[causalize.Assignment]:
    """Find unknowns that time and parameters alone give, each by an equation of its own."""
    symbols = {unknowns[i].element_hash(): unknowns[i] for i in range(unknowns.numel())}
    others = {moving[i].element_hash() for i in range(moving.numel())} - set(symbols)
    found: dict[int, causalize.Assignment] = {}
    pending = list(residuals)
    while True:
        left: list[ca.SX] = []
        for residual in pending:
            used = {symbol.element_hash() for symbol in ca.symvar(residual)}
            free = (used & set(symbols)) - set(found)
            if used & others or len(free) > 1:
                left += [] if used & others else [residual]
            elif free:
                (key,) = free
                value = _solved(residual, symbols[key], [found[k] for k in used & set(found)])
                if value is not None:
                    found[key] = causalize.Assignment(symbols[key], value)
        if len(left) == len(pending):
            return [c for c in found.values() if ca.depends_on(c.value, time)]
        pending = left


def _solved(residual: ca.SX, symbol: ca.SX, known: Sequence[causalize.Assignment]) -> ca.SX | None:
    """Solve a linear equation for its unknown; ``None`` if it is not linear in it.

    What else is in it is known: values of time and parameters alone.
    """
    if known:
        own, values = ([getattr(k, part) for k in known] for part in ("symbol", "value"))
        residual = ca.substitute(residual, ca.vertcat(*own), ca.vertcat(*values))
    slope = ca.simplify(ca.jacobian(residual, symbol))
    if ca.depends_on(slope, symbol) or slope.is_zero():
        return None
    return -ca.substitute(residual, symbol, ca.SX(0)) / slope


def _kinks(value: ca.SX, time: ca.SX) -> list[ca.SX]:
    """Functions of time at whose zeros an expression has a kink or a jump."""
    symbols = ca.symvar(value)
    function = ca.Function("value", symbols, [value])
    found: list[ca.SX] = []

    def compute(operation: int, operands: Sequence[ca.SX]) -> ca.SX:
        if operation in (ca.OP_FABS, ca.OP_SIGN, ca.OP_FMIN, ca.OP_FMAX):
            turn = operands[0] - operands[1] if len(operands) == 2 else operands[0]
            found.extend([turn] if ca.depends_on(turn, time) else [])
        return applied(operation, operands)

    interpret(function, lambda argument, _: symbols[argument], ca.SX, compute)
    return found


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
