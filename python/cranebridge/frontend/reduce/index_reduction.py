"""Index reduction: a flat model whose constraints tie states together becomes an explicit ODE.

Structure (signature, offsets), derivatives of the constraints, a state that satisfies them, the
choice of states there, and the equations of all stages ordered and solved together: what is left of
it are loops of few unknowns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import casadi as ca
import numpy as np

from cranebridge.errors import StructureError
from cranebridge.frontend.read import DaeVariable
from cranebridge.frontend.reduce.constraint_projection import (
    ConsistentPoint,
    Environment,
    consistent_point,
)
from cranebridge.frontend.reduce.scalars import ScalarUnknown
from cranebridge.frontend.reduce.state_choice import StateChoice, choose_states, order_name
from cranebridge.structure import (
    SIGNAL,
    VARIABLE,
    Dae,
    DerivativeSymbols,
    DifferentiatedDae,
    Order,
    causalize,
    differentiated,
    unmatched,
)


@dataclass(frozen=True, eq=False)
class FlatEquations:
    """The continuous equations of a model before anything is solved.

    Attributes
    ----------
    unknowns : tuple of ScalarUnknown
        States and algebraic variables.
    residuals : tuple of causalize.Residual
        Equations.
    inputs : tuple of causalize.Unknown
        Continuous inputs.
    time : casadi.SX
        Symbol of time.
    values : mapping of int to float
        What other symbols are where the states are chosen, by their hashes: parameters, inputs,
        discrete variables. Missing ones are zero.
    keeps_blocks : bool
        Whether linear equations that have to be solved together become loops, too.
    """

    unknowns: tuple[ScalarUnknown, ...]
    residuals: tuple[causalize.Residual, ...]
    inputs: tuple[causalize.Unknown, ...]
    time: ca.SX
    values: Mapping[int, float]
    keeps_blocks: bool = False

    def needs_reduction(self) -> bool:
        """Whether constraints tie states together, or what is no state yet must be one."""
        highest = [u.symbol if u.rate is None else u.rate for u in self.unknowns]
        if len(highest) != len(self.residuals):
            return False  # the usual messages name what is missing or too many
        if self.added_states():
            return True
        return not causalize.is_solvable(highest, [r.value for r in self.residuals])

    def added_states(self) -> list[int]:
        """Variables with ``StateSelect.always`` that the model does not differentiate."""
        return [j for j, u in enumerate(self.unknowns) if u.select == "always" and u.rate is None]

    def number(self, symbol: ca.SX) -> float:
        """Value of a symbol that is no unknown."""
        return self.values.get(symbol.element_hash(), 0.0)

    def value(self, expression: ca.SX) -> float:
        """Value of an expression without unknowns."""
        symbols = ca.symvar(expression)
        function = ca.Function("value", [ca.vertcat(ca.SX(0, 1), *symbols)], [expression])
        return float(function([self.number(symbol) for symbol in symbols]))


@dataclass(frozen=True, eq=False)
class ReducedModel:
    """An explicit form with its loops.

    Attributes
    ----------
    unknowns : tuple of ScalarUnknown
        Variables of the system, also those that stand for derivatives of added states.
    system : DifferentiatedDae
        Equations and their derivatives.
    choice : StateChoice
        States and dummy derivatives.
    point : ConsistentPoint
        Where they were chosen.
    found : list of causalize.Assignment
        All other variables and derivatives, in the order of evaluation.
    loops : list of causalize.AlgebraicLoop
        What is iterated.
    cores : list of causalize.LinearCore
        Linear blocks with coefficients that change.
    """

    unknowns: tuple[ScalarUnknown, ...]
    system: DifferentiatedDae
    choice: StateChoice
    point: ConsistentPoint
    found: list[causalize.Assignment]
    loops: list[causalize.AlgebraicLoop]
    cores: list[causalize.LinearCore]

    @property
    def x(self) -> ca.SX:
        """Symbols of the states."""
        return self.system.symbols(list(self.choice.states))

    @property
    def rates(self) -> ca.SX:
        """Symbols of their derivatives."""
        return self.system.symbols([(j, k + 1) for j, k in self.choice.states])

    @property
    def state_names(self) -> list[str]:
        """Names of the states."""
        return [order_name(self.unknowns, state) for state in self.choice.states]

    def variable_of(self, state: Order) -> DaeVariable:
        """Declaration of a state."""
        return self.unknowns[state[0]].variable


def reduce_index(flat: FlatEquations) -> ReducedModel:
    """Reduce the index of a model.

    Raises
    ------
    StructureError
        If the equations are structurally singular, need derivatives of inputs, or have no
        consistent start.
    """
    dae, unknowns = _as_dae(flat, flat.added_states())
    system = differentiated(dae, clock=len(flat.inputs))
    if system is None:
        raise StructureError(_singular(dae))
    named = _named_derivatives(flat, system)
    if named:
        dae, unknowns = _as_dae(flat, [*flat.added_states(), *named])
        system = differentiated(dae, clock=len(flat.inputs))
        assert system is not None
    _refuse_input_rates(flat, system)
    start = [flat.value(unknown.start) for unknown in unknowns]
    point = consistent_point(system, unknowns, start, _environment(flat, system))
    choice = choose_states(system, unknowns, point.evaluate)
    solver = causalize.BlockSolver(loops=[], tears=True, keeps_blocks=flat.keeps_blocks)
    found = _solve(flat, unknowns, system, choice, point, start, solver)
    return ReducedModel(unknowns, system, choice, point, found, solver.loops or [], solver.cores)


def _named_derivatives(flat: FlatEquations, system: DifferentiatedDae) -> list[int]:
    """Variables that are der(x) of an x that is differentiated twice: der(x) may be a state."""
    rates = {u.rate.element_hash(): j for j, u in enumerate(flat.unknowns) if u.rate is not None}
    plain = {u.symbol.element_hash(): j for j, u in enumerate(flat.unknowns) if u.rate is None}
    found = []
    for residual in flat.residuals:
        symbols = ca.symvar(residual.value)
        x = [rates[s.element_hash()] for s in symbols if s.element_hash() in rates]
        w = [plain[s.element_hash()] for s in symbols if s.element_hash() in plain]
        if len(symbols) != 2 or len(x) != 1 or len(w) != 1:
            continue
        if system.d[x[0]] < 2 or system.d[w[0]] > 0:
            continue
        slopes = ca.simplify(ca.densify(ca.jacobian(residual.value, ca.vertcat(*symbols))))
        if slopes.is_constant() and float(slopes[0]) == -float(slopes[1]):
            found.append(w[0])
    return found


def _as_dae(flat: FlatEquations, added: Sequence[int]) -> tuple[Dae, tuple[ScalarUnknown, ...]]:
    """The model with symbols for all derivatives; what may become a state gets one of its own."""
    symbols = DerivativeSymbols()
    for j, unknown in enumerate(flat.unknowns):
        symbols.use(VARIABLE, j, 0, unknown.symbol)
        if unknown.rate is not None:
            symbols.use(VARIABLE, j, 1, unknown.rate)
    for i, signal in enumerate(flat.inputs):
        symbols.use(SIGNAL, i, 0, signal.symbol)
    symbols.use(SIGNAL, len(flat.inputs), 0, flat.time)
    unknowns, residuals = list(flat.unknowns), list(flat.residuals)
    for j in added:
        name = f"der({unknowns[j].name})"
        rate = ca.SX.sym(name)
        symbols.use(VARIABLE, len(unknowns), 0, rate)
        residuals.append(causalize.Residual(symbols.at(VARIABLE, j, 1) - rate, name))
        unknowns[j] = replace(unknowns[j], rate=symbols.at(VARIABLE, j, 1))
        unknowns.append(
            replace(
                unknowns[j],
                name=name,
                symbol=rate,
                start=ca.SX(0),
                start_is_given=False,
                fixed=False,
                select="default",
            )
        )
    dae = Dae(
        equations=tuple(residual.where for residual in residuals),
        variables=tuple(unknown.name for unknown in unknowns),
        signals=(*(signal.name for signal in flat.inputs), "time"),
        residuals=tuple(residual.value for residual in residuals),
        symbols=symbols,
        p=ca.SX(0, 1),
    )
    return dae, tuple(unknowns)


def _singular(dae: Dae) -> str:
    """Name equations that are too many and variables that none is left for."""
    too_many, missing = unmatched(dae)
    places = "; ".join(dae.equations[i] for i in too_many)
    names = ", ".join(dae.variables[j] for j in missing)
    return (
        f"{places}: the model is structurally singular: this equation determines none of its "
        f"unknowns, and {names} is left undetermined, however often the equations are "
        "differentiated. Equations contradict or repeat each other, or one for that is missing."
    )


def _refuse_input_rates(flat: FlatEquations, system: DifferentiatedDae) -> None:
    for (i, k), equation in system.equations.items():
        for kind, j, order in system.dae.symbols.of(equation):
            if kind == SIGNAL and order > 0 and j < len(flat.inputs) and k > 0:
                raise StructureError(
                    f"{system.dae.equations[i]}: this constraint prescribes a motion by the input "
                    f"'{flat.inputs[j].name}', whose derivative it needs: let the input be the "
                    "highest derivative and integrate it in the model."
                )


def _environment(flat: FlatEquations, system: DifferentiatedDae) -> Environment:
    everything = ca.vertcat(*system.equations.values())
    own = {
        symbol.element_hash()
        for key, symbol in system.dae.symbols.of(everything).items()
        if key[0] == VARIABLE
    }
    others = [s for s in ca.symvar(everything) if s.element_hash() not in own]
    values = np.array([flat.number(symbol) for symbol in others])
    return Environment(ca.vertcat(ca.SX(0, 1), *others), values)


def _solve(
    flat: FlatEquations,
    unknowns: Sequence[ScalarUnknown],
    system: DifferentiatedDae,
    choice: StateChoice,
    point: ConsistentPoint,
    start: Sequence[float],
    solver: causalize.BlockSolver,
) -> list[causalize.Assignment]:
    """Order and solve the equations of all stages for highest and dummy derivatives."""
    wanted = [*((j, int(d)) for j, d in enumerate(system.d)), *choice.dummies]
    chosen = []
    for j, k in dict.fromkeys(wanted):
        unknown = unknowns[j]
        guess = ca.SX(point.values.get((j, k), start[j] if k == 0 else 0.0))
        if k == 0 and not unknown.start.is_constant():
            guess = guess + (unknown.start - start[j])  # a start value may depend on parameters
        chosen.append(causalize.Unknown(system.symbol((j, k)), order_name(unknowns, (j, k)), guess))
    residuals = [
        causalize.Residual(equation, system.dae.equations[i])
        for (i, _), equation in system.equations.items()
    ]
    return causalize.solve_blocks(chosen, residuals, solver)
