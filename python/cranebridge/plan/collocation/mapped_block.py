"""A part of a nonlinear programme with its derivatives, to be mapped over many like it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca


@dataclass(frozen=True, eq=False)
class MappedBlock:
    """A part of the programme with its derivatives.

    Attributes
    ----------
    cost, residuals : casadi.Function
        Of ``(unknown, known)``.
    jacobian : casadi.Function
        Of the residuals, of the same arguments.
    hessian : casadi.Function
        ``(unknown, known, factor of the cost, multipliers) -> upper triangle``.
    """

    cost: ca.Function
    residuals: ca.Function
    jacobian: ca.Function
    hessian: ca.Function

    @classmethod
    def make(
        cls, name: str, unknown: ca.SX, known: ca.SX, cost: Any, residuals: Any
    ) -> MappedBlock:
        """Differentiate cost and residuals."""
        cost, residuals = ca.SX(cost), ca.densify(ca.SX(residuals))
        factor, multipliers = ca.SX.sym("factor"), ca.SX.sym("multipliers", residuals.numel())
        lagrangian = factor * cost + ca.dot(multipliers, residuals)
        given = [unknown, known]
        hessian = ca.triu(ca.hessian(lagrangian, unknown)[0])
        return cls(
            ca.Function(f"{name}_cost", given, ca.cse([cost])),
            ca.Function(f"{name}_residuals", given, ca.cse([residuals])),
            ca.Function(f"{name}_jacobian", given, ca.cse([ca.jacobian(residuals, unknown)])),
            ca.Function(f"{name}_hessian", [*given, factor, multipliers], ca.cse([hessian])),
        )
