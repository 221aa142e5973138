"""The differentiated equations of a servo problem, which all staged solutions are built from."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from cranebridge.inverse.extension.servo_structure import Structure, residuals


class Derivatives:
    """The equations of a servo problem and their total time derivatives.

    Attributes
    ----------
    x, gammas : casadi.SX
        Variables and path, a column for each order of derivative.
    last : int
        The last stage: as many as give jerks and the rates of the controls.
    path_order : int
        Highest derivative of the path that the last stage needs.
    """

    def __init__(self, structure: Structure) -> None:
        self.structure = structure
        self.model = model = structure.model
        self.c, self.d = structure.equation_offsets, structure.variable_offsets
        self.last = max(1, 3 - min(self.d[: model.q.numel()]))
        self.path_order = max(structure.path_derivatives.values()) + self.last
        # One column for each order, and one more to differentiate into.
        self.x = ca.SX.sym("x", len(self.d), max(self.d) + self.last + 2)
        self.gammas = ca.SX.sym("gamma", model.outputs.numel(), self.path_order + 2)
        self._rows = self._differentiate()

    def at(self, expression: ca.SX, x: ca.SX) -> ca.SX:
        """Evaluate an expression of the model's symbols at the columns of `x`."""
        m, n = self.model, self.model.q.numel()
        count = n + m.lam.numel()
        function = ca.Function("at", [m.q, m.v, m.a, m.lam, m.u, m.p], [expression])
        return function(x[:n, 0], x[:n, 1], x[:n, 2], x[n:count, 0], x[count:, 0], m.p)

    def _differentiate(self) -> list[ca.SX]:
        """Return the equations' total time derivatives; row i is needed to the last stage."""
        dae = self.structure.dae
        start = dae.placed(ca.vertcat(*dae.residuals), self.x, self.gammas)
        now = ca.vertcat(ca.vec(self.x[:, :-1]), ca.vec(self.gammas[:, :-1]))
        rate = ca.vertcat(ca.vec(self.x[:, 1:]), ca.vec(self.gammas[:, 1:]))
        result = [start]
        for order in range(1, max(self.c) + self.last + 1):
            wanted = [i for i, c in enumerate(self.c) if c + self.last >= order]
            following = ca.SX(len(self.c), 1)
            following[wanted] = ca.jtimes(result[-1][wanted], now, rate)
            result.append(following)
        return result

    def stage(self, equations: Sequence[int], stage: int) -> ca.SX:
        """Return equations as they stand in a stage."""
        return ca.vertcat(*(self._rows[self.c[i] + stage][i] for i in equations))

    def leading(self, variables: Sequence[int], stage: int) -> ca.SX:
        """Return the unknowns of a stage."""
        return ca.vertcat(*(self.x[j, self.d[j] + stage] for j in variables))

    def jacobian(self) -> ca.Function:
        """Return the system Jacobian as a function ``(x, gammas, p) -> J``."""
        everything = range(len(self.d))
        J = ca.jacobian(self.stage(everything, 0), self.leading(everything, 0))
        return ca.Function("J", [self.x, self.gammas, self.model.p], [ca.densify(J)])

    def put(self, expression: ca.SX, x: ca.SX) -> ca.SX:
        """Put the solution so far into an expression."""
        function = ca.Function("put", [self.x, self.gammas, self.model.p], [expression])
        return function(x, self.gammas, self.model.p)

    def motion(self, x: ca.SX) -> dict[str, ca.SX]:
        """Return q, v, a, lambda and u of a solution."""
        n, count = self.model.q.numel(), self.model.q.numel() + self.model.lam.numel()
        return {
            "q": x[:n, 0],
            "v": x[:n, 1],
            "a": x[:n, 2],
            "lambda": x[n:count, 0],
            "u": x[count:, 0],
        }

    def rates(self, x: ca.SX) -> dict[str, ca.SX]:
        """Return jerks and the rates of multipliers and inputs of a solution."""
        n, count = self.model.q.numel(), self.model.q.numel() + self.model.lam.numel()
        return {"jerk": x[:n, 3], "lambda_rate": x[n:count, 1], "u_rate": x[count:, 1]}

    def residual(self, name: str) -> ca.Function:
        """Build the residuals of the equations as they were stated, not as they are solved."""
        m, gamma = self.model, self.gammas[:, 0]
        equations = residuals(m, gamma)
        everything = ca.vertcat(m.q, m.v, m.a, m.lam, m.u)
        scale = ca.fabs(ca.jacobian(equations, everything)) @ ca.fabs(everything)
        return ca.Function(
            name,
            [everything, gamma, m.p],
            ca.cse([ca.densify(equations), ca.densify(scale)]),
            ["motion", "gamma", "p"],
            ["residual", "scale"],
        )


class QrFactorisation:
    """A symbolic QR factorisation of a block's Jacobian.

    QR needs no pivoting, so it can be written down before the numbers are known; one step of
    iterative refinement makes up for the orthogonality that Gram-Schmidt loses.
    """

    def __init__(self, matrix: ca.SX) -> None:
        self.matrix = matrix
        if not matrix.is_scalar():
            self.Q, self.R = ca.qr(matrix)

    def solve(self, right: ca.SX) -> ca.SX:
        """Return the solution for a right-hand side."""
        if self.matrix.is_scalar():
            return right / self.matrix
        x = self._apply(right)
        return x + self._apply(right - self.matrix @ x)

    def _apply(self, right: ca.SX) -> ca.SX:
        return ca.solve(self.R, self.Q.T @ right)


def slices(parts: dict[str, ca.SX]) -> dict[str, slice]:
    """Return where each part is when they are stacked."""
    ends = np.cumsum([part.numel() for part in parts.values()])
    return {
        name: slice(int(end) - part.numel(), int(end))
        for end, (name, part) in zip(ends, parts.items(), strict=True)
    }
