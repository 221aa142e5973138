"""The internal dynamics eta' = q(t, eta) of a servo problem, as CasADi functions of one time point.

With the free states eta given (:mod:`cranebridge.inverse.extension.free_states`), every stage of
the staged system has as many equations as unknowns: Newton's method where a stage is nonlinear in
its own unknowns, linear solves elsewhere. The rates of eta are among what comes out of it, with the
multipliers, the controls and their exact derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from cranebridge.inverse.extension import (
    Derivatives,
    FreeStates,
    Numbers,
    QrFactorisation,
    StageBlock,
    Structure,
    slices,
    stage_blocks,
)


@dataclass(frozen=True, eq=False)
class InnerStages:
    """The internal dynamics at one time point, for given free states.

    Attributes
    ----------
    guess : tuple of (int, int)
        The unknowns w of Newton's method: variable and order of its derivative.
    sweep : casadi.Function
        ``(w, eta, gammas, p) -> (w_new, step)``: one Newton step on each nonlinear block.
    rate : casadi.Function
        ``(w, eta, gammas, p) -> (eta_rate, jacobian)``: q(t, eta) and dq/deta, for w that solve
        the nonlinear blocks.
    finish : casadi.Function
        ``(w, eta, gammas, p) -> (motion, ropes, rates, jacobian)``: what `layout` names, rope
        forces, jerks with the rates of multipliers and inputs, and the whole system Jacobian.
    residual : casadi.Function
        ``(motion, gamma, p) -> (residual, scale)`` of the equations as they were stated.
    layout : dict of str to slice
        Where q, v, a, lambda and u are in `motion`, and jerk, lambda_rate and u_rate in `rates`.
    """

    structure: Structure
    choice: FreeStates
    guess: tuple[tuple[int, int], ...]
    path_order: int
    sweep: ca.Function
    rate: ca.Function
    finish: ca.Function
    residual: ca.Function
    layout: dict[str, slice]


def build_inner_stages(derivatives: Derivatives, choice: FreeStates) -> InnerStages:
    """Build the internal dynamics of a servo problem for a choice of free states."""
    return _InnerStagesBuilder(derivatives, choice).build()


class _InnerStagesBuilder:
    def __init__(self, derivatives: Derivatives, choice: FreeStates) -> None:
        self.of, self.choice = derivatives, choice
        self.structure = derivatives.structure
        self.plan = [
            (stage, block, self._nonlinear(block, stage))
            for stage in range(-max(self.of.d), self.of.last + 1)
            for block in self._blocks(stage)
        ]

    def _blocks(self, stage: int) -> tuple[StageBlock, ...]:
        offsets = np.subtract.outer(self.of.c, self.of.d)
        pattern = np.asarray(self.structure.signature == -offsets)
        rows = [i for i, c in enumerate(self.of.c) if c + stage >= 0]
        return stage_blocks(pattern, rows, self.choice.dependent[max(-stage, 0)])

    def _nonlinear(self, block: StageBlock, stage: int) -> bool:
        own = self.of.leading(block.variables, stage)
        jacobian = ca.jacobian(self.of.stage(block.equations, stage), own)
        return bool(ca.depends_on(jacobian, own))

    def build(self) -> InnerStages:
        guess = tuple(
            (j, self.of.d[j] + stage)
            for stage, block, nonlinear in self.plan
            if nonlinear
            for j in block.variables
        )
        w, eta = ca.SX.sym("w", len(guess)), ca.SX.sym("eta", len(self.choice.free))
        gammas = self.of.gammas[:, : self.of.path_order + 1]
        arguments = [w, eta, gammas, self.of.model.p]
        given = ["w", "eta", "gammas", "p"]
        _, new = self._solve(w, eta, newton=True)
        sweep = ca.Function("inner_sweep", arguments, [new, new - w], given, ["w_new", "step"])
        solution, _ = self._solve(w, eta, newton=False)
        everything = range(len(self.of.d))
        whole = ca.jacobian(self.of.stage(everything, 0), self.of.leading(everything, 0))
        motion, rates = self.of.motion(solution), self.of.rates(solution)
        results = [
            ca.vertcat(*motion.values()),
            ca.densify(self.of.at(self.of.model.ropes, solution)),
            ca.vertcat(*rates.values()),
            ca.densify(ca.vec(self.of.put(whole, solution))),
        ]
        outputs = ["motion", "ropes", "rates", "jacobian"]
        return InnerStages(
            structure=self.structure,
            choice=self.choice,
            guess=guess,
            path_order=self.of.path_order,
            sweep=sweep,
            rate=self._rate(solution, new, w, eta, arguments),
            finish=ca.Function("inner_finish", arguments, ca.cse(results), given, outputs),
            residual=self.of.residual("inner_residual"),
            layout=slices(motion) | slices(rates),
        )

    def _rate(
        self, solution: ca.SX, new: ca.SX, w: ca.SX, eta: ca.SX, arguments: list[ca.SX]
    ) -> ca.Function:
        """Build q and its derivative by eta.

        Where w solves the nonlinear blocks, a Newton step does not depend on w to first order, so
        that its derivative by eta is that of the solution.
        """
        q = ca.vertcat(*(solution[j, order + 1] for j, order in self.choice.free))
        by_eta = ca.jacobian(q, eta) + ca.jacobian(q, w) @ ca.jacobian(new, eta)
        results = ca.cse([ca.densify(q), ca.densify(ca.vec(by_eta))])
        given = ["w", "eta", "gammas", "p"]
        return ca.Function("inner_rate", arguments, results, given, ["eta_rate", "jacobian"])

    def _solve(self, w: ca.SX, eta: ca.SX, newton: bool) -> tuple[ca.SX, ca.SX]:
        """Go through the stages, block by block.

        With `newton`, do one Newton step from w on each nonlinear block; without, take w as its
        solution. Returns the solution (variables by orders) and the values of the nonlinear blocks.
        """
        x = ca.SX(self.of.x)
        for position, (j, order) in enumerate(self.choice.free):
            x[j, order] = eta[position]
        factors: dict[tuple[Numbers, Numbers], QrFactorisation] = {}
        chosen: list[ca.SX] = []
        position = 0
        for stage, block, nonlinear in self.plan:
            size, key = len(block.variables), (block.equations, block.variables)
            values = w[position : position + size] if nonlinear else ca.SX.zeros(size)
            self._store(x, block, stage, values)
            if newton or not nonlinear:
                factor = factors.get(key) or self._factor(block, stage, x)
                rest = self.of.put(self.of.stage(block.equations, stage), x)
                values = values - factor.solve(rest)
                self._store(x, block, stage, values)
                if not nonlinear:  # the matrix of a nonlinear block changes with its own values
                    factors[key] = factor
            if nonlinear:
                position += size
                chosen.append(values)
        return x, ca.vertcat(*chosen)

    def _factor(self, block: StageBlock, stage: int, x: ca.SX) -> QrFactorisation:
        own = self.of.leading(block.variables, stage)
        return QrFactorisation(
            self.of.put(ca.jacobian(self.of.stage(block.equations, stage), own), x)
        )

    def _store(self, x: ca.SX, block: StageBlock, stage: int, values: ca.SX) -> None:
        for position, j in enumerate(block.variables):
            x[j, self.of.d[j] + stage] = values[position]
