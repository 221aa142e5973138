"""Structure analysis of the servo problem: Pryce's signature method, checked and repaired.

The servo problem of a crane is a square DAE in the coordinates q, multipliers lambda and inputs u:

    equations of motion (n),  g(q) = 0 (m),  s(q) - gamma(t) = 0 (a).

Its signature matrix sigma_ij is the highest order of derivative of variable j in equation i. A
transversal of highest sum (a linear assignment problem) and the smallest dual offsets c, d >= 0
with d_j - c_i >= sigma_ij, equality on the transversal, tell how often equation i must be
differentiated (c_i), up to which order variable j appears (d_j), the structural index
max c + (1 if some d_j = 0), and the number of free initial values, sum d - sum c.

All of this holds only where the system Jacobian df_i / dx_j^(d_j - c_i) is regular. Its rank is
looked at in random states near the start in which the equations hold; where it is singular, terms
cancel, and equations are combined until it is not (:mod:`cranebridge.structure.conversion`).

References
----------
J. D. Pryce, A simple structural analysis method for DAEs, BIT 41 (2001) 364-394.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import StructureError
from cranebridge.structure import (
    ABSENT,
    SIGNAL,
    VARIABLE,
    Analysis,
    Combination,
    Dae,
    DerivativeSymbols,
    NotConvertedError,
    Start,
    UnreachableError,
    analyse_dae,
    convert,
    determined_variables,
    differentiations,
    generic_start,
    is_regular,
    lower,
    rows,
    signature_of,
    uniform,
)
from cranebridge.twin import Crane, Equations, equations_of_motion
from cranebridge.twin.language import names


@dataclass(frozen=True, eq=False)
class Structure:
    """What is known of a servo problem before it is solved.

    Attributes
    ----------
    equations, variables : tuple of str
        Names such as ``"motion s"``, ``"constraint lambda"``, ``"servo x"`` and ``"q.s"``.
    plain : bool
        Nothing was changed in the crane's equations: it holds for other parameters and starts too,
        wherever the system Jacobian is regular.
    analysis : Analysis
        Signature, offsets and system Jacobian of `dae`.
    dae : Dae
        The equations as they are solved: some of them combined, where `combinations` says so.
    signature : numpy.ndarray
        sigma_ij of `dae`, ``-inf`` where variable j is absent from equation i.
    equation_offsets, variable_offsets : tuple of int
        c_i (how often equation i of `dae` is differentiated) and d_j.
    jacobian : casadi.SX
        The system Jacobian in the symbols of `dae`; regular near the start.
    combinations : tuple of Combination
        Equations that were replaced.
    differentiations : tuple of int
        How often each equation of the crane is differentiated in all.
    index : int
        Differentiation index.
    lowest : bool
        The solution was shown to depend on the highest path derivative of each output: no way of
        solving needs fewer. False where that is only not refuted.
    internal_dynamics : int
        Number of free initial values; zero for a flat problem.
    path_derivatives : dict of str to int
        The order of path derivative that each output needs.
    controls_determined : bool
        The controls follow from the path alone: the problem is flat, or its internal dynamics do
        not act on them (a rotator that turns freely).
    """

    crane: Crane
    model: Equations
    equations: tuple[str, ...]
    variables: tuple[str, ...]
    plain: bool
    analysis: Analysis
    dae: Dae
    signature: NDArray[np.float64]
    equation_offsets: tuple[int, ...]
    variable_offsets: tuple[int, ...]
    jacobian: ca.SX
    combinations: tuple[Combination, ...]
    differentiations: tuple[int, ...]
    index: int
    internal_dynamics: int
    path_derivatives: dict[str, int]
    lowest: bool = False
    controls_determined: bool = False

    def near(self, start: Start) -> Structure:
        """Return the structure for another start, or other parameters, near which it is regular.

        Whether internal dynamics act on the controls can depend on them (a load that is turned
        matters if it hangs beside its axis).
        """
        found = _controls_determined(self.analysis, start, self.crane)
        if found == self.controls_determined:
            return self
        return replace(self, controls_determined=found)

    @property
    def flat(self) -> bool:
        """Whether the solution is algebraic in the path and its derivatives."""
        return self.internal_dynamics == 0

    @property
    def fingerprint(self) -> str:
        """A hash of all that is solved: structures of one crane with the same one are the same."""
        dae = self.dae
        every = ca.vertcat(*dae.residuals, *(ca.vec(one.pivot) for one in self.combinations))
        symbols = dae.symbols.of(every)
        function = ca.Function("f", [ca.vertcat(*symbols.values()), dae.p], [every])
        columns = [one.columns for one in self.combinations]
        offsets = self.equation_offsets, self.variable_offsets
        text = f"{list(symbols)} {self.remarks} {columns} {offsets} {function.serialize()}"
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was combined and why, a sentence each."""
        return tuple(one.words(self.equations) for one in self.combinations)

    def as_dict(self) -> dict[str, object]:
        """Return the entries of ``summary.json``."""
        return {
            "index": self.index,
            "flat": self.flat,
            "internal_dynamics": self.internal_dynamics,
            "controls_determined": self.controls_determined,
            "lowest": self.lowest,
            "path_derivatives": dict(self.path_derivatives),
            "combinations": list(self.remarks),
        }


def residuals(model: Equations, gamma: ca.SX) -> ca.SX:
    """Return the residuals of all equations of the servo problem, `gamma` being the path."""
    return ca.vertcat(model.motion, model.constraints, model.outputs - gamma)


def unknowns(model: Equations) -> ca.SX:
    """Return the variables of the servo problem, q, lambda and u, in this order."""
    return ca.vertcat(model.q, model.lam, model.u)


def analyse(crane: Crane, start: Start | None = None, model: Equations | None = None) -> Structure:
    """Analyse the structure of the servo problem of `crane`.

    Parameters
    ----------
    crane : Crane
        The crane.
    start : Start, optional
        Where a problem starts: ranks are judged near it, and what is combined is chosen so that it
        holds there.
    model : Equations, optional
        The crane's equations of motion, where they are known.

    Raises
    ------
    StructureError
        If the problem is not square, structurally singular, or singular in a way that cannot be
        repaired.
    """
    if len(crane.inputs) != len(crane.outputs):
        raise StructureError(
            f"crane '{crane.name}' has {len(crane.inputs)} inputs for {len(crane.outputs)} outputs;"
            " inverse dynamics needs as many inputs as outputs"
        )
    model = model or equations_of_motion(crane)
    dae = servo_dae(model, equation_names(crane))
    if start is None:
        start = generic_start(len(dae.variables), model.p.numel())
    try:
        analysis = analyse_dae(dae, _signature(model), _path_orders(model))
        combinations: tuple[Combination, ...] = ()
        plain = is_regular(analysis, start)
        if not plain:
            analysis, combinations = convert(*signature_of(dae, start), start)
        analysis, lowering, needed = lower(analysis, start)
    except UnreachableError:
        raise _singular(crane) from None
    except NotConvertedError as error:
        raise StructureError(
            f"the structure of the servo problem of crane '{crane.name}' could not be found: "
            f"{error}; other coordinates may help, such as positions with constraints in place of "
            "angles"
        ) from None
    plain = plain and not lowering
    found = _structure(crane, model, analysis, (*combinations, *lowering), plain)
    determined = _controls_determined(analysis, start, crane)
    return replace(found, lowest=bool(needed.all()), controls_determined=determined)


def _controls_determined(analysis: Analysis, start: Start, crane: Crane) -> bool:
    return bool(determined_variables(analysis, start)[-len(crane.inputs) :].all())


def equation_names(crane: Crane) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Names of equations, variables and outputs."""
    equations = (
        *(f"motion {name}" for name in names(crane.coordinates)),
        *(f"constraint {name}" for name in names(crane.multipliers)),
        *(f"servo {name}" for name in names(crane.outputs)),
    )
    variables = (
        *(f"q.{name}" for name in names(crane.coordinates)),
        *(f"lambda.{name}" for name in names(crane.multipliers)),
        *(f"u.{name}" for name in names(crane.inputs)),
    )
    return equations, variables, names(crane.outputs)


def _structure(
    crane: Crane,
    model: Equations,
    analysis: Analysis,
    combinations: tuple[Combination, ...],
    plain: bool,
) -> Structure:
    c, d = analysis.c, analysis.d
    counts = differentiations(len(c), c, combinations)
    path = analysis.signal_offsets
    return Structure(
        crane=crane,
        model=model,
        equations=analysis.dae.equations,
        variables=analysis.dae.variables,
        plain=plain,
        analysis=analysis,
        dae=analysis.dae,
        signature=analysis.signature,
        equation_offsets=tuple(int(offset) for offset in c),
        variable_offsets=tuple(int(offset) for offset in d),
        jacobian=analysis.jacobian,
        combinations=combinations,
        differentiations=counts,
        index=max(counts) + (1 if d.min() == 0 else 0),
        internal_dynamics=analysis.freedom,
        path_derivatives={output.name: int(path[i]) for i, output in enumerate(crane.outputs)},
    )


def _path_orders(model: Equations) -> NDArray[np.float64]:
    """Return where the path stands: in its servo constraints, not differentiated."""
    count = model.outputs.numel()
    orders = np.full((model.motion.numel() + model.constraints.numel() + count, count), ABSENT)
    orders[-count:][np.eye(count, dtype=bool)] = 0.0
    return orders


def present(jacobian: ca.SX, arguments: list[ca.SX], rounding: float = 1e-12) -> NDArray[np.bool_]:
    """Return which entries of a Jacobian are not identically zero.

    CasADi's sparsity can hold entries that cancel, such as x - x; evaluation at random points finds
    them. Where it gives no number (a square root of a negative one) the entry counts as present.
    Values up to `rounding` count as zero.
    """
    random = Random(0)
    function = ca.Function("entries", arguments, [jacobian])
    found = np.zeros(jacobian.shape, dtype=bool)
    for _ in range(5):
        point = [uniform(random, 0.5, 1.5, argument.numel()) for argument in arguments]
        values = np.array(function(*point))
        found |= ~(np.abs(values) <= rounding)
    return found


def _signature(model: Equations) -> NDArray[np.float64]:
    """Return sigma of the servo problem."""
    equations = residuals(model, ca.SX.zeros(model.outputs.shape))
    arguments = [model.q, model.v, model.a, model.lam, model.u, model.p]
    n = model.q.numel()
    sigma = np.full((equations.numel(), n + model.lam.numel() + model.u.numel()), ABSENT)
    for order, symbol in enumerate((model.q, model.v, model.a)):
        entries = present(ca.jacobian(equations, symbol), arguments)
        sigma[:, :n][entries] = order
    algebraic = ca.vertcat(model.lam, model.u)
    sigma[:, n:][present(ca.jacobian(equations, algebraic), arguments)] = 0
    return sigma


def _singular(crane: Crane) -> StructureError:
    return StructureError(
        f"the servo problem of crane '{crane.name}' is structurally singular: its inputs cannot "
        "move its outputs independently; check drive_power() and output_map()"
    )


def servo_dae(model: Equations, names: tuple[Sequence[str], Sequence[str], Sequence[str]]) -> Dae:
    """Return the servo problem of a crane: motion, g(q) = 0, s(q) - gamma = 0.

    Parameters
    ----------
    model : Equations
        Equations of motion.
    names : tuple
        Names of the equations, of the variables q, lambda, u, and of the path's signals.
    """
    symbols = DerivativeSymbols()
    algebraic = ca.vertcat(model.lam, model.u)
    for order, vector in enumerate((model.q, model.v, model.a)):
        for i in range(vector.numel()):
            symbols.use(VARIABLE, i, order, vector[i])
    for i in range(algebraic.numel()):
        symbols.use(VARIABLE, model.q.numel() + i, 0, algebraic[i])
    gamma = [symbols.at(SIGNAL, i, 0) for i in range(model.outputs.numel())]
    residuals = ca.vertcat(model.motion, model.constraints, model.outputs - ca.vertcat(*gamma))
    equations, variables, signals = (tuple(part) for part in names)
    return Dae(equations, variables, signals, tuple(rows(residuals)), symbols, model.p)
