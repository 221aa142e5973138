"""Structure analysis of the servo problem by Pryce's signature method.

The servo problem of a crane is a square DAE in the coordinates q, multipliers lambda and inputs u:

    equations of motion (n),  g(q) = 0 (m),  s(q) - gamma(t) = 0 (a).

Its signature matrix sigma_ij is the highest order of derivative of variable j in equation i. A
transversal of highest sum (a linear assignment problem) and the smallest dual offsets c, d >= 0
with d_j - c_i >= sigma_ij, equality on the transversal, tell how often equation i must be
differentiated (c_i), up to which order variable j appears (d_j), the structural index
max c + (1 if some d_j = 0), and the number of free initial values, sum d - sum c.

References
----------
J. D. Pryce, A simple structural analysis method for DAEs, BIT 41 (2001) 364-394.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import StructureError
from cranebridge.inverse.assignment import best_assignment
from cranebridge.twin import Crane, Equations, equations_of_motion
from cranebridge.twin.crane import names

ABSENT = -np.inf


@dataclass(frozen=True, eq=False)
class Structure:
    """What is known of a servo problem before it is solved.

    Attributes
    ----------
    equations, variables : tuple of str
        Names such as ``"motion s"``, ``"constraint lambda"``, ``"servo x"`` and ``"q.s"``.
    signature : numpy.ndarray
        sigma_ij, ``-inf`` where variable j is absent from equation i.
    equation_offsets, variable_offsets : tuple of int
        c_i (how often equation i is differentiated) and d_j.
    index : int
        Structural differentiation index.
    internal_dynamics : int
        Number of free initial values; zero for a flat problem.
    path_derivatives : dict of str to int
        The order of path derivative that each output needs.
    """

    crane: Crane
    model: Equations
    equations: tuple[str, ...]
    variables: tuple[str, ...]
    signature: NDArray[np.float64]
    equation_offsets: tuple[int, ...]
    variable_offsets: tuple[int, ...]
    index: int
    internal_dynamics: int
    path_derivatives: dict[str, int]

    @property
    def flat(self) -> bool:
        """Whether the solution is algebraic in the path and its derivatives."""
        return self.internal_dynamics == 0

    def as_dict(self) -> dict[str, object]:
        """Return the entries of ``summary.json``."""
        return {
            "index": self.index,
            "flat": self.flat,
            "internal_dynamics": self.internal_dynamics,
            "path_derivatives": dict(self.path_derivatives),
        }


def residuals(model: Equations, gamma: ca.SX) -> ca.SX:
    """Return the residuals of all equations of the servo problem, `gamma` being the path."""
    return ca.vertcat(model.motion, model.constraints, model.outputs - gamma)


def unknowns(model: Equations) -> ca.SX:
    """Return the variables of the servo problem, q, lambda and u, in this order."""
    return ca.vertcat(model.q, model.lam, model.u)


def analyse(crane: Crane) -> Structure:
    """Analyse the structure of the servo problem of `crane`.

    Raises
    ------
    StructureError
        If the problem is not square or structurally singular.
    """
    if len(crane.inputs) != len(crane.outputs):
        raise StructureError(
            f"crane '{crane.name}' has {len(crane.inputs)} inputs for {len(crane.outputs)} outputs;"
            " inverse dynamics needs as many inputs as outputs"
        )
    model = equations_of_motion(crane)
    sigma = _signature(model)
    found = offsets(sigma)
    if found is None:
        raise _singular(crane)
    c, d = found
    n, m = len(crane.coordinates), len(crane.multipliers)
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
    return Structure(
        crane=crane,
        model=model,
        equations=equations,
        variables=variables,
        signature=sigma,
        equation_offsets=tuple(int(offset) for offset in c),
        variable_offsets=tuple(int(offset) for offset in d),
        index=int(c.max() + (1 if d.min() == 0 else 0)),
        internal_dynamics=int(d.sum() - c.sum()),
        path_derivatives={output.name: int(c[n + m + i]) for i, output in enumerate(crane.outputs)},
    )


def present(jacobian: ca.SX, arguments: list[ca.SX], rounding: float = 1e-12) -> NDArray[np.bool_]:
    """Tell which entries of a Jacobian are not identically zero.

    CasADi's sparsity can hold entries that cancel, such as x - x; evaluation at random points finds
    them. Where it gives no number (a square root of a negative one) the entry counts as present.
    Values up to `rounding` count as zero.
    """
    random = np.random.default_rng(0)
    function = ca.Function("entries", arguments, [jacobian])
    found = np.zeros(jacobian.shape, dtype=bool)
    for _ in range(5):
        point = [random.uniform(0.5, 1.5, argument.shape) for argument in arguments]
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


def transversal(sigma: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return a transversal of highest sum: the column of each row.

    Absent entries cost more than any sum of present ones: a transversal that needs one is none.
    """
    penalty = -10.0 * sigma.shape[0]
    return best_assignment(np.where(np.isfinite(sigma), sigma, penalty))


def offsets(
    sigma: NDArray[np.float64],
) -> tuple[NDArray[np.int_], NDArray[np.int_]] | None:
    """Return the smallest offsets c, d of a signature matrix, or None if it has no transversal.

    A transversal of highest sum by linear assignment, then Pryce's fixed-point iteration (his
    Algorithm 3.1).
    """
    columns = transversal(sigma)
    on_transversal = sigma[np.arange(len(columns)), columns]
    if not np.isfinite(on_transversal).all():
        return None
    c = np.zeros(len(columns))
    while True:
        d = (sigma + c[:, None]).max(axis=0)
        updated = d[columns] - on_transversal
        if (updated == c).all():
            return c.astype(int), d.astype(int)
        c = updated


def _singular(crane: Crane) -> StructureError:
    return StructureError(
        f"the servo problem of crane '{crane.name}' is structurally singular: its inputs cannot "
        "move its outputs independently; check drive_power() and output_map()"
    )
