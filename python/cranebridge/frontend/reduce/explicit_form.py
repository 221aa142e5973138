"""The explicit form of a model: states, their derivatives, and how everything else follows.

A model whose highest derivatives follow from its equations as they are is solved as it stands, with
the states that it declares. Where constraints tie these together, the index is reduced first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import casadi as ca

from cranebridge.frontend.reduce.index_reduction import FlatEquations, ReducedModel, reduce_index
from cranebridge.frontend.reduce.initial_states import InitialStates, consistent_states
from cranebridge.frontend.reduce.scalars import ScalarUnknown
from cranebridge.frontend.reduce.singularity import SingularityWatch, singularity_watches
from cranebridge.structure import causalize

_ADVICE = "check start values, parameters and states."


@dataclass(frozen=True, eq=False)
class InitialConditions:
    """What determines the start besides start values.

    Attributes
    ----------
    equations : tuple of causalize.Residual
        Initial equations.
    symbols, values : casadi.SX
        Inputs and time, and what they are at the start.
    """

    equations: tuple[causalize.Residual, ...]
    symbols: ca.SX
    values: ca.SX


@dataclass(frozen=True, eq=False)
class ExplicitForm:
    """der(x) and all other unknowns.

    Attributes
    ----------
    states : tuple of (ScalarUnknown, int)
        Variables whose derivatives of this order are the states.
    x, rates : casadi.SX
        Symbols of the states and of their derivatives.
    found : list of causalize.Assignment
        Everything else, in the order of evaluation.
    loops : list of causalize.AlgebraicLoop
        What is iterated.
    x0 : casadi.SX
        The states at the start, in terms of parameters.
    advice : str
        What to check where a loop has no solution.
    watches : tuple of SingularityWatch
        Where the choice of states ends.
    assumed : tuple of str
        States at a start value that nothing demands.
    is_reduced : bool
        Whether the index was reduced.
    """

    states: tuple[tuple[ScalarUnknown, int], ...]
    x: ca.SX
    rates: ca.SX
    found: list[causalize.Assignment]
    loops: list[causalize.AlgebraicLoop]
    x0: ca.SX
    advice: str = _ADVICE
    watches: tuple[SingularityWatch, ...] = ()
    assumed: tuple[str, ...] = ()
    is_reduced: bool = False

    def remarks(self) -> Iterator[str]:
        """What to tell about the states and their start."""
        if not self.is_reduced:
            return
        yield (
            "Constraints tie variables of the model together: of these the states were chosen, and "
            "the others follow from them."
        )
        if self.assumed:
            yield (
                f"The start is underdetermined: {', '.join(self.assumed)} begin at their start "
                "values, which no initial equation and no fixed=true demands."
            )


def solve_explicitly(flat: FlatEquations, start: InitialConditions) -> ExplicitForm:
    """Solve a model for the derivatives of its states.

    Raises
    ------
    StructureError
        If it has no explicit form or no consistent start.
    """
    return _reduced(flat, start) if flat.needs_reduction() else _direct(flat, start)


# --- as it stands --------------------------------------------------------------------------------


def _direct(flat: FlatEquations, start: InitialConditions) -> ExplicitForm:
    states = [unknown for unknown in flat.unknowns if unknown.rate is not None]
    others = [unknown for unknown in flat.unknowns if unknown.rate is None]
    unknowns = [
        causalize.Unknown(unknown.rate, f"der({unknown.name})")
        for unknown in states
        if unknown.rate is not None
    ]
    unknowns += [
        causalize.Unknown(
            unknown.symbol, unknown.name, unknown.start if unknown.start_is_given else None
        )
        for unknown in others
    ]
    loops: list[causalize.AlgebraicLoop] = []
    keeps = flat.keeps_blocks
    solver = causalize.BlockSolver(loops, tears=keeps, keeps_blocks=keeps)
    found = causalize.solve_blocks(unknowns, flat.residuals, solver)
    return ExplicitForm(
        states=tuple((unknown, 0) for unknown in states),
        x=_column([unknown.symbol for unknown in states]),
        rates=_column([unknown.rate for unknown in states if unknown.rate is not None]),
        found=found,
        loops=loops,
        x0=_start_of_states(states, found, start),
    )


def _start_of_states(
    states: Sequence[ScalarUnknown],
    found: Sequence[causalize.Assignment],
    start: InitialConditions,
) -> ca.SX:
    """Start values: the ``start`` attributes, then the initial equations."""
    x, given = (_column([getattr(s, part) for s in states]) for part in ("symbol", "start"))
    if not start.equations:
        return given
    values = causalize.apply(found, *[e.value for e in start.equations])
    values = ca.substitute(values, [start.symbols], [start.values])
    residuals = [
        causalize.Residual(value, e.where) for value, e in zip(values, start.equations, strict=True)
    ]
    # States that the initial equations determine: not fixed, one for each equation.
    candidates = [i for i, state in enumerate(states) if not state.fixed]
    chosen = causalize.choose([x[i] for i in candidates], residuals)
    free = [candidates[k] for k in chosen]
    solved = causalize.assignments(
        [causalize.Unknown(x[i], states[i].name) for i in free], residuals
    )
    (x0,) = causalize.apply(solved, x)
    return ca.substitute(x0, x, given)


# --- with its index reduced ----------------------------------------------------------------------


def _reduced(flat: FlatEquations, start: InitialConditions) -> ExplicitForm:
    reduced = reduce_index(flat)
    initial = consistent_states(flat, reduced, start.equations, (start.symbols, start.values))
    names = ", ".join(reduced.state_names) or "none"
    return ExplicitForm(
        states=tuple((reduced.unknowns[j], k) for j, k in reduced.choice.states),
        x=reduced.x,
        rates=reduced.rates,
        found=reduced.found,
        loops=_from_solution(flat, reduced, initial),
        x0=initial.x,
        advice=f"the states ({names}) may not determine them any further; {_ADVICE}",
        watches=tuple(_watches(flat, reduced, initial, start)),
        assumed=initial.assumed,
        is_reduced=True,
    )


def _from_solution(
    flat: FlatEquations, reduced: ReducedModel, initial: InitialStates
) -> list[causalize.AlgebraicLoop]:
    """Loops whose iteration begins at the solution at the start, moved with its parameters."""
    result, position = [], 0
    for loop in reduced.loops:
        unknowns = []
        for unknown in loop.unknowns:
            guess = ca.SX(initial.loops[position])
            position += 1
            if unknown.start is not None and not unknown.start.is_constant():
                guess = guess + unknown.start - flat.value(unknown.start)
            unknowns.append(causalize.Unknown(unknown.symbol, unknown.name, guess))
        result.append(causalize.AlgebraicLoop(tuple(unknowns), loop.residuals))
    return result


def _watches(
    flat: FlatEquations, reduced: ReducedModel, initial: InitialStates, start: InitialConditions
) -> Iterator[SingularityWatch]:
    iterated = [unknown.symbol for loop in reduced.loops for unknown in loop.unknowns]
    symbols = ca.vertcat(reduced.x, *iterated)
    values = [*initial.values, *initial.loops]

    def at_start(expression: ca.SX) -> float:
        here = ca.substitute(expression, symbols, ca.SX(values))
        return flat.value(ca.substitute(here, start.symbols, start.values))

    return singularity_watches(reduced, len(flat.inputs), at_start)


def _column(parts: Sequence[ca.SX]) -> ca.SX:
    return ca.vertcat(*parts) if parts else ca.SX(0, 1)
