"""Tearing of nonlinear algebraic loops: few unknowns are iterated, the others follow from them.

An unknown that enters an equation with a constant factor follows from that equation, whatever the
values of the others: it is eliminated, least fill-in first. What no such equation gives is left to
the iteration: of a four-bar linkage two angles out of a hundred unknowns.

References
----------
F. E. Cellier, E. Kofman, *Continuous System Simulation*, Springer (2006), Section 7.7.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca


def explicit_unknowns(
    unknowns: Sequence[ca.SX], residuals: Sequence[ca.SX]
) -> tuple[list[tuple[int, ca.SX]], list[int], list[ca.SX]]:
    """Eliminate what follows explicitly.

    Returns
    -------
    found : list of (int, casadi.SX)
        Positions of eliminated unknowns and their values, in the order of evaluation.
    left : list of int
        Positions of the unknowns that remain.
    residuals : list of casadi.SX
        Their equations.
    """
    loop = _Loop(unknowns, residuals)
    found: list[tuple[int, ca.SX]] = []
    while (pivot := loop.pivot()) is not None:
        found.insert(0, loop.eliminate(*pivot))  # found later, needed earlier
    gone = {j for j, _ in found}
    left = [j for j in range(len(unknowns)) if j not in gone]
    return found, left, [loop.residuals[i] for i in sorted(loop.rows)]


class _Loop:
    """Equations that are left, with the constant factors of their unknowns."""

    def __init__(self, unknowns: Sequence[ca.SX], residuals: Sequence[ca.SX]) -> None:
        self.unknowns, self.residuals = list(unknowns), list(residuals)
        self.position = {symbol.element_hash(): j for j, symbol in enumerate(unknowns)}
        # Unknown: its factor where that is a constant, else None.
        self.rows: dict[int, dict[int, float | None]] = {}
        for i in range(len(residuals)):
            self.rows[i] = self._factors(i)

    def _factors(self, i: int) -> dict[int, float | None]:
        keys = (self.position.get(s.element_hash()) for s in ca.symvar(self.residuals[i]))
        used = [j for j in keys if j is not None]
        if not used:
            return {}
        symbols = ca.vertcat(*(self.unknowns[j] for j in used))
        gradient = ca.densify(ca.simplify(ca.jacobian(self.residuals[i], symbols)))
        found: dict[int, float | None] = {}
        for k, j in enumerate(used):
            factor = gradient[k]
            number = float(factor) if factor.is_constant() else None
            if number != 0.0:
                found[j] = number
        return found

    def pivot(self) -> tuple[int, int] | None:
        """Equation and unknown with the least fill-in (Markowitz)."""
        counts: dict[int, int] = {}
        for row in self.rows.values():
            for j in row:
                counts[j] = counts.get(j, 0) + 1
        best: tuple[int, int, int] | None = None
        for i in sorted(self.rows):
            row = self.rows[i]
            for j, factor in row.items():
                if factor is None:
                    continue
                cost = (len(row) - 1) * (counts[j] - 1)
                if best is None or cost < best[0]:
                    best = (cost, i, j)
        return None if best is None else best[1:]

    def eliminate(self, i: int, j: int) -> tuple[int, ca.SX]:
        """Solve an equation for an unknown, and put it in everywhere."""
        factor = self.rows.pop(i)[j]
        assert factor is not None
        symbol = self.unknowns[j]
        value = -ca.substitute(self.residuals[i], symbol, ca.SX(0)) / factor
        for other, row in self.rows.items():
            if j in row:
                self.residuals[other] = ca.substitute(self.residuals[other], symbol, value)
                self.rows[other] = self._factors(other)
        return j, value
