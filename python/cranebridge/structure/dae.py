"""Differential-algebraic equations of any order, as CasADi expressions.

A square system of equations f_i = 0 in variables x_j, their derivatives x_j^(k), driving signals
g_l (the path) and theirs, and parameters p. Each derivative is a symbol of its own, made when it is
first needed; the total time derivative of an expression replaces each symbol by the next one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import casadi as ca

VARIABLE = "x"
SIGNAL = "g"
Key = tuple[str, int, int]
"""Variable or signal, its position, order of the derivative."""


class DerivativeSymbols:
    """The symbols of all derivatives of some variables and driving signals."""

    def __init__(self) -> None:
        self._made: dict[Key, ca.SX] = {}
        self._keys: dict[int, Key] = {}

    def use(self, kind: str, position: int, order: int, symbol: ca.SX) -> None:
        """Take a symbol that exists already."""
        key = (kind, position, order)
        self._made[key] = symbol
        self._keys[symbol.element_hash()] = key

    def at(self, kind: str, position: int, order: int) -> ca.SX:
        """Return the symbol of a derivative."""
        key = (kind, position, order)
        if key not in self._made:
            self.use(*key, ca.SX.sym(f"{kind}{position}_{order}"))
        return self._made[key]

    def of(self, expression: ca.SX) -> dict[Key, ca.SX]:
        """Return the symbols in an expression by their keys, without those of parameters."""
        found = {}
        for symbol in ca.symvar(expression):
            key = self._keys.get(symbol.element_hash())
            if key is not None:
                found[key] = symbol
        return found

    def rate(self, expression: ca.SX, times: int = 1) -> ca.SX:
        """Return a total time derivative."""
        for _ in range(times):
            now = self.of(expression)
            if not now:
                return ca.SX.zeros(expression.shape)
            following = [self.at(kind, i, order + 1) for kind, i, order in now]
            expression = ca.jtimes(expression, ca.vertcat(*now.values()), ca.vertcat(*following))
        return expression


@dataclass(frozen=True, eq=False)
class Dae:
    """A square system of equations.

    Attributes
    ----------
    equations, variables, signals : tuple of str
        Names.
    residuals : tuple of casadi.SX
        f_i.
    symbols : DerivativeSymbols
        What the residuals are made of.
    p : casadi.SX
        Parameters.
    """

    equations: tuple[str, ...]
    variables: tuple[str, ...]
    signals: tuple[str, ...]
    residuals: tuple[ca.SX, ...]
    symbols: DerivativeSymbols
    p: ca.SX

    def with_residual(self, position: int, residual: ca.SX, name: str) -> Dae:
        """Replace one equation."""
        residuals, equations = list(self.residuals), list(self.equations)
        residuals[position], equations[position] = residual, name
        return replace(self, residuals=tuple(residuals), equations=tuple(equations))

    def variable(self, position: int, order: int = 0) -> ca.SX:
        """Return the symbol of a variable's derivative."""
        return self.symbols.at(VARIABLE, position, order)

    def placed(self, expressions: ca.SX, x: ca.SX, g: ca.SX) -> ca.SX:
        """Return expressions with the columns of `x` and `g` as derivatives of all orders."""
        keys = self.symbols.of(expressions)
        old = ca.vertcat(*keys.values())
        new = [(x if kind == VARIABLE else g)[i, order] for kind, i, order in keys]
        if not new:
            return expressions
        function = ca.Function("placed", [old, self.p], [expressions])
        return function(ca.vertcat(*new), self.p)


def rows(vector: ca.SX) -> Iterable[ca.SX]:
    """Return the elements of a vector."""
    return (vector[i] for i in range(vector.numel()))
