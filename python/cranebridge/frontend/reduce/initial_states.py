"""Consistent start values of the states of a reduced model.

The constraints hold whatever the states are: everything else follows from them. As many conditions
as there are states determine these: the initial equations, then what is ``fixed = true``, then the
start values of the states themselves where something is still free. Conditions that say nothing
new are left out, and must hold all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import StructureError
from cranebridge.frontend.reduce.index_reduction import FlatEquations, ReducedModel
from cranebridge.structure import causalize

Array = NDArray[np.float64]

_ITERATIONS = 50
# Newton's method converges quadratically: after a step of this relative size one more is enough.
_NEARLY = 1e-8
# Of a condition's gradient, what earlier ones do not have: less is rounding of the Jacobians.
_NEW = 1e-8
# A condition that follows from others may differ from them by this much.
_HOLDS = 1e-7
# Newton's steps in the FMU, from the solution at the default parameters: they converge
# quadratically, and a start value for which they do not is no number.
_STEPS = 10
_CONVERGED = 1e-9


@dataclass(frozen=True, eq=False)
class StartCondition:
    """Something that holds at the start: ``value = 0``."""

    value: ca.SX
    name: str
    is_demanded: bool


@dataclass(frozen=True, eq=False)
class InitialStates:
    """Start values of the states.

    Attributes
    ----------
    x : casadi.SX
        In terms of parameters.
    values : numpy.ndarray
        At the default parameters.
    loops : numpy.ndarray
        The iterated unknowns there.
    assumed : tuple of str
        States that neither an initial equation nor a fixed start value determines: they start at
        their start value.
    """

    x: ca.SX
    values: Array
    loops: Array
    assumed: tuple[str, ...]


def consistent_states(
    flat: FlatEquations,
    reduced: ReducedModel,
    initial_equations: Sequence[causalize.Residual],
    at_start: tuple[ca.SX, ca.SX],
) -> InitialStates:
    """Find the start.

    Parameters
    ----------
    at_start : tuple
        Symbols of inputs and time, and what they are at the start, in terms of parameters.

    Raises
    ------
    StructureError
        If conditions contradict each other, or no solution is found.
    """
    conditions = _conditions(reduced, initial_equations)
    loops = [residual.value for loop in reduced.loops for residual in loop.residuals]
    unknown = ca.vertcat(reduced.x, *(u.symbol for loop in reduced.loops for u in loop.unknowns))
    values = causalize.apply(reduced.found, *loops, *(c.value for c in conditions))
    values = ca.substitute(values, [at_start[0]], [at_start[1]])
    loop_values, condition_values = values[: len(loops)], values[len(loops) :]
    problem = _StartProblem(flat, reduced, unknown, loop_values, condition_values)
    guess = problem.settled(_first_guess(flat, reduced))
    chosen, redundant = problem.independent(guess)
    solution = problem.solved(guess, chosen)
    if solution is None:
        names = ", ".join(conditions[k].name for k in chosen if conditions[k].is_demanded)
        raise StructureError(
            f"the model's start has no solution near its start values that satisfies the "
            f"constraints and {names or 'the start values of its states'}: give other start values."
        )
    problem.check(solution, conditions, chosen, redundant)
    count = len(reduced.choice.states)
    residuals = [condition_values[k] for k in chosen]
    assumed = [conditions[k].name for k in chosen if not conditions[k].is_demanded]
    x = _in_parameters(reduced, unknown, [*loop_values, *residuals], solution)
    return InitialStates(x, solution[:count], solution[count:], tuple(assumed))


def _conditions(
    reduced: ReducedModel, initial_equations: Sequence[causalize.Residual]
) -> list[StartCondition]:
    """All conditions, the most binding first."""
    unknowns = reduced.unknowns
    found = [StartCondition(e.value, e.where, True) for e in initial_equations]
    found += [
        StartCondition(u.symbol - u.start, f"{u.name} (fixed)", True) for u in unknowns if u.fixed
    ]
    guesses = []
    for state, name in zip(reduced.choice.states, reduced.state_names, strict=True):
        (j, k), symbol = state, reduced.system.symbol(state)
        unknown = unknowns[j]
        if k == 0 and unknown.start_is_given:
            guesses.append((0, StartCondition(symbol - unknown.start, name, False)))
        else:  # from the start values of others, by way of the constraints
            start = reduced.point.values[state]
            guesses.append((1, StartCondition(symbol - start, name, False)))
    guesses.sort(key=lambda guess: guess[0])
    return [*found, *(condition for _, condition in guesses)]


def _first_guess(flat: FlatEquations, reduced: ReducedModel) -> Array:
    states = [reduced.point.values[state] for state in reduced.choice.states]
    guesses = [unknown.start for loop in reduced.loops for unknown in loop.unknowns]
    return np.array([*states, *(flat.value(g) for g in guesses if g is not None)])


class _StartProblem:
    """The conditions as functions of the states and the iterated unknowns."""

    def __init__(
        self,
        flat: FlatEquations,
        reduced: ReducedModel,
        unknown: ca.SX,
        loops: Sequence[ca.SX],
        conditions: Sequence[ca.SX],
    ) -> None:
        self._states, self._loops = len(reduced.choice.states), len(loops)
        values = ca.vertcat(ca.SX(0, 1), *loops, *conditions)
        own = {unknown[i].element_hash() for i in range(unknown.numel())}
        others = [s for s in ca.symvar(values) if s.element_hash() not in own]
        self._known = np.array([flat.number(symbol) for symbol in others])
        self._function = ca.Function(
            "start",
            [unknown, ca.vertcat(ca.SX(0, 1), *others)],
            [ca.densify(values), ca.densify(ca.jacobian(values, unknown))],
        )

    def _at(self, values: Array) -> tuple[Array, Array]:
        residual, jacobian = self._function(values, self._known)
        return np.array(residual).ravel(), np.array(jacobian)

    def settled(self, guess: Array) -> Array:
        """The iterated unknowns for given states; the guess where they have no solution there."""
        solution = guess.copy()
        for _ in range(_ITERATIONS if self._loops else 0):
            residual, jacobian = (part[: self._loops] for part in self._at(solution))
            step = _solution(jacobian[:, self._states :], residual)
            if step is None:
                return guess
            solution[self._states :] -= step
            if (np.abs(step) <= _NEARLY * (1.0 + np.abs(solution[self._states :]))).all():
                return solution
        return guess if self._loops else solution

    def independent(self, at: Array) -> tuple[list[int], list[int]]:
        """Conditions that determine the states, and others that follow from those before them."""
        _, jacobian = self._at(at)
        loops, conditions = jacobian[: self._loops], jacobian[self._loops :]
        gradient = conditions[:, : self._states]
        if self._loops:
            through = np.linalg.lstsq(
                loops[:, self._states :], loops[:, : self._states], rcond=None
            )[0]
            gradient = gradient - conditions[:, self._states :] @ through
        chosen: list[int] = []
        redundant: list[int] = []
        basis = np.zeros((0, self._states))
        for k, row in enumerate(gradient):
            size = float(np.linalg.norm(row))
            rest = row - basis.T @ (basis @ row)
            rest = rest - basis.T @ (basis @ rest)
            if len(chosen) < self._states and np.linalg.norm(rest) > _NEW * max(size, 1e-300):
                basis = np.vstack([basis, rest / np.linalg.norm(rest)])
                chosen.append(k)
            else:
                redundant.append(k)
        return chosen, redundant

    def solved(self, guess: Array, chosen: Sequence[int]) -> Array | None:
        """Newton's method for the chosen conditions.

        A step is halved as long as the next one, with the same Jacobian, would be longer
        (P. Deuflhard, *Newton Methods for Nonlinear Problems*, Springer (2004), Section 3.1.4):
        that does not depend on the sizes of equations.
        """
        rows = [*range(self._loops), *(self._loops + k for k in chosen)]
        values = guess.copy()
        for _ in range(_ITERATIONS):
            residual, jacobian = (part[rows] for part in self._at(values))
            step = _solution(jacobian, residual)
            if step is None:
                return None
            if (np.abs(step) <= _NEARLY * (1.0 + np.abs(values))).all():
                return values - step  # what is left after one more step is rounding
            part = 1.0
            while part > 1e-6:
                after = self._at(values - part * step)[0][rows]
                following = _solution(jacobian, after) if np.isfinite(after).all() else None
                size = 1.0 + np.abs(values)
                if following is not None and (
                    np.linalg.norm(following / size) < np.linalg.norm(step / size)
                ):
                    break
                part /= 2.0
            values = values - part * step
        return None

    def check(
        self,
        at: Array,
        conditions: Sequence[StartCondition],
        chosen: Sequence[int],
        redundant: Sequence[int],
    ) -> None:
        """Refuse conditions that contradict those that determine the states."""
        residual, jacobian = self._at(at)
        for k in redundant:
            row = self._loops + k
            size = 1.0 + np.abs(jacobian[row]) @ (1.0 + np.abs(at))
            if conditions[k].is_demanded and abs(residual[row]) > _HOLDS * size:
                rows = [*range(self._loops), *(self._loops + i for i in chosen)]
                share = np.linalg.lstsq(jacobian[rows].T, jacobian[row], rcond=None)[0]
                share = share[self._loops :]
                with_whom = [
                    conditions[i].name
                    for i, part in zip(chosen, share, strict=True)
                    if abs(part) > 1e-6
                ]
                raise StructureError(
                    f"{conditions[k].name}: the start is overdetermined: the model's constraints "
                    f"determine this from {', '.join(with_whom) or 'nothing else'}, and it differs "
                    f"by {abs(residual[row]):.3g}."
                )


def _solution(matrix: Array, right: Array) -> Array | None:
    try:
        step: Array = np.asarray(np.linalg.solve(matrix, right), dtype=float)
    except np.linalg.LinAlgError:
        return None
    return step if np.isfinite(step).all() else None


def _in_parameters(
    reduced: ReducedModel, unknown: ca.SX, residuals: Sequence[ca.SX], solution: Array
) -> ca.SX:
    """The states' start values as expressions of parameters."""
    names = [*reduced.state_names, *(u.name for loop in reduced.loops for u in loop.unknowns)]
    scalars = [unknown[i] for i in range(unknown.numel())]
    count = len(reduced.choice.states)
    needed = residuals[len(residuals) - count :]
    unknowns = [
        causalize.Unknown(symbol, name, ca.SX(value))
        for symbol, name, value in zip(scalars, names, solution, strict=True)
    ]
    loops = ca.vertcat(ca.SX(0, 1), *scalars[count:])
    if not ca.depends_on(ca.vertcat(ca.SX(0, 1), *needed), loops):
        # The iterated unknowns follow in the FMU, as at any other time.
        unknowns, residuals = unknowns[:count], needed
    equations = [causalize.Residual(value, "the start") for value in residuals]
    solver = causalize.BlockSolver(loops=[], tears=True)
    found = causalize.solve_blocks(unknowns, equations, solver)
    (x,) = causalize.apply(found, reduced.x)
    iterated = [u for loop in solver.loops or [] for u in loop.unknowns]
    if not iterated:
        return x
    values = causalize.apply(
        found, *(r.value for loop in solver.loops or [] for r in loop.residuals)
    )
    symbols = ca.vertcat(*(u.symbol for u in iterated))
    first = ca.vertcat(*(u.start for u in iterated if u.start is not None))
    return ca.substitute(x, symbols, _newton(ca.vertcat(*values), symbols, first))


def _newton(residual: ca.SX, unknown: ca.SX, first: ca.SX) -> ca.SX:
    """Some steps of Newton's method; no number where they have not converged."""
    jacobian = ca.jacobian(residual, unknown)
    value, step = first, ca.SX.zeros(first.shape)
    for _ in range(_STEPS):
        here, matrix = ca.substitute([residual, jacobian], [unknown], [value])
        step = causalize.solve_linear(matrix, here)
        value = value - step
    largest = ca.mmax(ca.fabs(step) / (1 + ca.fabs(value)))
    converged = largest <= _CONVERGED
    return ca.vertcat(
        *(ca.if_else(converged, value[i], ca.SX(np.nan)) for i in range(value.numel()))
    )
