"""Minimal extension until nothing is left to differentiate: the staged algebraic system.

With the offsets c_i, d_j of the structure analysis, stage k = -max(d), ..., 0 solves the equations
differentiated c_i + k >= 0 times for the derivatives d_j + k >= 0 of the variables. The Jacobian of
every stage is a part of the system Jacobian J_ij = df_i / dx_j^(d_j - c_i), so that one
block-triangular form serves all of them: each block is nonlinear at most in its first stage, and
linear with the same matrix in all later ones. Stage 1 is added, for the exact derivative of u
and the jerks; more stages where a massless coordinate has fewer derivatives than that.

Two functions of one time point come out of it. `sweep` does one Newton step on the nonlinear
blocks, block after block; `finish` takes their solution and computes all derivatives, inputs and
multipliers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import StructureError
from cranebridge.inverse.extension.derivatives import Derivatives, QrFactorisation, slices
from cranebridge.inverse.extension.servo_structure import Structure
from cranebridge.structure import strong_components, transversal

# Relative steps of blocks after which those of the next stage are iterated, too.
_CONVERGED = 1e-6


@dataclass(frozen=True)
class JacobianBlock:
    """A diagonal block of the system Jacobian: equations solved together for their variables.

    Attributes
    ----------
    equations, variables : tuple of int
        Positions in `Structure.equations` and `Structure.variables`.
    first_stage : int
        The stage in which it is solved for the first time.
    nonlinear : bool
        Whether that first stage needs Newton's method.
    """

    equations: tuple[int, ...]
    variables: tuple[int, ...]
    first_stage: int
    nonlinear: bool


@dataclass(frozen=True, eq=False)
class Stages:
    """The staged solution of one time point, as CasADi functions.

    Attributes
    ----------
    blocks : tuple of JacobianBlock
        In the order in which they are solved.
    watched : tuple of JacobianBlock
        All that must stay regular: the blocks, and what equations were combined by.
    guess : tuple of (int, int)
        The unknowns w of Newton's method: variable and order of its derivative.
    path_order : int
        Highest path derivative in `gammas`.
    sweep : casadi.Function
        ``(w, gammas, p) -> (w_new, step)``; `gammas` has a column for each order.
    finish : casadi.Function
        ``(w, gammas, p) -> (motion, ropes, rates, jacobians)``: what `layout` names, rope forces,
        jerks with the rates of multipliers and inputs, and the Jacobians of all that is watched.
    residual : casadi.Function
        ``(motion, gamma, p) -> (residual, scale)`` of all equations: an independent look at the
        numbers that came out, with the size of the terms that cancel in each equation.
    jacobian : casadi.Function
        ``(w, gammas, p) -> J``: the system Jacobian.
    layout : dict of str to slice
        Where q, v, a, lambda and u are in `motion`, and jerk, lambda_rate and u_rate in `rates`.
    """

    structure: Structure
    blocks: tuple[JacobianBlock, ...]
    watched: tuple[JacobianBlock, ...]
    guess: tuple[tuple[int, int], ...]
    path_order: int
    sweep: ca.Function
    finish: ca.Function
    residual: ca.Function
    jacobian: ca.Function
    layout: dict[str, slice]

    @cached_property
    def seen(self) -> tuple[int, ...]:
        """Which of the path's derivatives Newton's unknowns depend on, as columns of its table."""
        return tuple(sorted(set(self.sweep.jac_sparsity(0, 1).get_col())))


def build_stages(structure: Structure) -> Stages:
    """Build the staged solution of a flat servo problem.

    Raises
    ------
    StructureError
        If the problem has internal dynamics, so that no algebraic solution exists.
    """
    if not structure.flat:
        n = structure.internal_dynamics
        raise StructureError(
            f"crane '{structure.crane.name}' is not flat with these outputs: its servo problem has "
            f"internal dynamics of dimension {n}, and the controls depend on free initial values "
            "of it, not on the path alone; the index-1 method cannot solve it (use inversion)"
        )
    return _StagesBuilder(structure).build()


def lifted_stages(structure: Structure) -> ca.Function:
    """Return the stages with Newton's unknowns as free variables, for those who solve themselves.

    ``(w, gammas, p) -> (residual, motion, ropes, rates)``: where the residual of the nonlinear
    blocks vanishes, the rest is what `Stages.finish` gives.
    """
    return _StagesBuilder(structure).lifted()


class _StagesBuilder:
    """Builds `sweep` and `finish` from the symbols of all derivatives of all variables."""

    def __init__(self, structure: Structure) -> None:
        self.structure = structure
        self.of = of = Derivatives(structure)
        self.model, self.c, self.d = of.model, of.c, of.d
        self.x, self.gammas = of.x, of.gammas
        self.last, self.path_order = of.last, of.path_order
        self.blocks = self._find_blocks()

    def _find_blocks(self) -> tuple[JacobianBlock, ...]:
        """Find the strongly connected parts of the system Jacobian, in the order of solution."""
        pattern = system_jacobian_pattern(self.structure)
        # On a transversal of highest sum sigma_ij = d_j - c_i: it lies within the Jacobian.
        rows = np.argsort(transversal(self.structure.signature))
        # Equation rows[j] is solved for variable j; needs[j, k]: for that it needs variable k.
        needs = pattern[rows]
        number, labels = strong_components(needs)
        above = np.zeros((number, number), dtype=bool)
        for j, k in np.argwhere(needs):
            above[labels[j], labels[k]] = labels[j] != labels[k]
        order: list[int] = []
        while len(order) < number:
            free = ~above[:, [b for b in range(number) if b not in order]].any(axis=1)
            order.extend(int(b) for b in np.flatnonzero(free) if b not in order)
        return tuple(self._block(np.flatnonzero(labels == label), rows) for label in order)

    def _block(self, variables: NDArray[np.intp], rows: NDArray[np.intp]) -> JacobianBlock:
        equations = tuple(int(rows[j]) for j in variables)
        columns = tuple(int(j) for j in variables)
        stage = -min(self.c[i] for i in equations)
        own = self.of.leading(columns, stage)
        jacobian = ca.jacobian(self.of.stage(equations, stage), own)
        return JacobianBlock(
            equations, columns, stage, nonlinear=bool(ca.depends_on(jacobian, own))
        )

    def build(self) -> Stages:
        guess = tuple(
            (j, self.d[j] + block.first_stage)
            for block in self._by_first_stage()
            if block.nonlinear
            for j in block.variables
        )
        w = ca.SX.sym("w", len(guess))
        gammas = self.gammas[:, : self.path_order + 1]
        arguments = [w, gammas, self.model.p]
        _, new, _, _ = self._solve(w, newton=True)
        sweep = ca.Function(
            "sweep", arguments, [new, new - w], ["w", "gammas", "p"], ["w_new", "step"]
        )
        solution, _, factors, _ = self._solve(w, newton=False)
        motion, rates = self.of.motion(solution), self.of.rates(solution)
        results = [
            ca.vertcat(*motion.values()),
            self.of.at(self.model.ropes, solution),
            ca.vertcat(*rates.values()),
            ca.vertcat(*(ca.vec(jacobian) for jacobian in self._watched(solution, factors))),
        ]
        finish = ca.Function(
            "finish",
            arguments,
            ca.cse(results),
            ["w", "gammas", "p"],
            ["motion", "ropes", "rates", "jacobians"],
        )
        return Stages(
            self.structure,
            self.blocks,
            (*self.blocks, *self._pivots()),
            guess,
            self.path_order,
            sweep,
            finish,
            self.of.residual("residual"),
            self._jacobian(solution, arguments),
            slices(motion) | slices(rates),
        )

    def lifted(self) -> ca.Function:
        """Build `lifted_stages`."""
        w = ca.SX.sym("w", sum(len(b.variables) for b in self.blocks if b.nonlinear))
        solution, _, _, open_ones = self._solve(w, newton=False)
        motion, rates = self.of.motion(solution), self.of.rates(solution)
        results = [
            open_ones,
            ca.vertcat(*motion.values()),
            self.of.at(self.model.ropes, solution),
            ca.vertcat(*rates.values()),
        ]
        return ca.Function(
            "lifted",
            [w, self.gammas[:, : self.path_order + 1], self.model.p],
            ca.cse(results),
            ["w", "gammas", "p"],
            ["residual", "motion", "ropes", "rates"],
        )

    def _jacobian(self, solution: ca.SX, arguments: list[ca.SX]) -> ca.Function:
        placed = self.structure.dae.placed(self.structure.jacobian, self.x, self.gammas)
        system = ca.densify(self.of.put(placed, solution))
        return ca.Function("system", arguments, ca.cse([system]), ["w", "gammas", "p"], ["J"])

    def _by_first_stage(self) -> list[JacobianBlock]:
        return sorted(self.blocks, key=lambda block: block.first_stage)  # stable: keeps the order

    def _solve(
        self, w: ca.SX, newton: bool
    ) -> tuple[ca.SX, ca.SX, dict[JacobianBlock, QrFactorisation], ca.SX]:
        """Go through the stages, block by block.

        With `newton`, do one Newton step from w on each nonlinear block, and end with the last one;
        without, take w as its solution. Returns the solution (variables by orders), the values of
        the nonlinear blocks, the factors of all blocks, and what w leaves of the nonlinear blocks'
        equations.
        """
        solution = ca.SX(self.x)
        factors: dict[JacobianBlock, QrFactorisation] = {}
        chosen: list[ca.SX] = []
        left: list[ca.SX] = []
        position = 0
        iterated: list[ca.SX] = []
        for stage in range(-max(self.c), self.last + 1):
            if newton and position == w.numel():
                break
            before = list(iterated)
            for block in self.blocks:
                if block.first_stage > stage:
                    continue
                iterate = block.nonlinear and block.first_stage == stage
                size = len(block.variables)
                values = w[position : position + size] if iterate else ca.SX.zeros(size)
                self._store(solution, block, stage, values)
                if block not in factors:
                    own = self.of.leading(block.variables, stage)
                    jacobian = ca.jacobian(self.of.stage(block.equations, stage), own)
                    factors[block] = QrFactorisation(self.of.put(jacobian, solution))
                if iterate and not newton:
                    left.append(self.of.put(self.of.stage(block.equations, stage), solution))
                else:
                    rest = self.of.put(self.of.stage(block.equations, stage), solution)
                    step = -factors[block].solve(rest)
                    if iterate:
                        iterated.extend(_relative(step, values))
                        step = _held(step, before)
                    values = values + step
                    self._store(solution, block, stage, values)
                if iterate:
                    position += size
                    chosen.append(values)
        return solution, ca.vertcat(*chosen), factors, ca.vertcat(ca.SX(0, 1), *left)

    def _watched(
        self, solution: ca.SX, factors: dict[JacobianBlock, QrFactorisation]
    ) -> list[ca.SX]:
        """Return the Jacobians of all that must stay regular, as `Stages.watched` has it."""
        jacobians = [factors[block].matrix for block in self.blocks]
        dae = self.structure.dae
        for one in self.structure.combinations:
            placed = dae.placed(one.pivot, self.x, self.gammas)
            jacobians.append(self.of.put(placed, solution))
        return [ca.densify(jacobian) for jacobian in jacobians]

    def _pivots(self) -> tuple[JacobianBlock, ...]:
        """What equations were combined by, in the order of the combinations."""
        return tuple(
            JacobianBlock(
                equations=tuple(i for i, _ in one.others),
                variables=one.columns,
                first_stage=-min(self.c[i] for i, _ in one.others),
                nonlinear=False,
            )
            for one in self.structure.combinations
        )

    def _store(self, solution: ca.SX, block: JacobianBlock, stage: int, values: ca.SX) -> None:
        for position, j in enumerate(block.variables):
            solution[j, self.d[j] + stage] = values[position]


def _relative(step: ca.SX, values: ca.SX) -> list[ca.SX]:
    """Return the steps of a block as parts of its values."""
    return [ca.fabs(step[i]) / (1.0 + ca.fabs(values[i])) for i in range(step.numel())]


def _held(step: ca.SX, before: list[ca.SX]) -> ca.SX:
    """Return a step, or none before the blocks of earlier stages have nearly converged.

    A later block sees their derivatives, which are anything until then: stiff ropes would throw it
    out of where Newton's method converges.
    """
    if not before:
        return step
    largest = before[0]
    for one in before[1:]:
        largest = ca.fmax(largest, one)
    return ca.if_else(largest <= _CONVERGED, step, 0.0)


def system_jacobian_pattern(structure: Structure) -> NDArray[np.bool_]:
    """Return which entries df_i / dx_j^(d_j - c_i) of the system Jacobian are present."""
    offsets = np.subtract.outer(structure.equation_offsets, structure.variable_offsets)
    return np.asarray(structure.signature == -offsets)
