"""The inverse methods in all their variants, and how far their controls are from the exact ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import StructureError
from cranebridge.inverse import Feedforward, ServoProblem, solve_index3, solve_projection
from cranebridge.inverse.index1 import structure_of
from cranebridge.inverse.stepping import (
    COORDINATES,
    SCHEMES,
    Stepper,
    choose_dummies,
    choose_split,
    extended_stepper,
    force_scale,
    minimal_crane,
    projected_stepper,
    reduced_problem,
    require_masses,
    require_motion,
    to_reduced,
)

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Variant:
    """An integrating method: index3, or projection in some coordinates; and its scheme."""

    method: str
    scheme: str
    coordinates: str = ""

    @property
    def label(self) -> str:
        """What it is called in tables and charts."""
        return " ".join(part for part in (self.method, self.coordinates, self.scheme) if part)

    @property
    def order(self) -> int:
        """Order of the controls' error on an index-5 crane."""
        return SCHEMES[self.scheme].order

    def solve(self, problem: ServoProblem, times: Array) -> Feedforward:
        """Solve a servo problem."""
        if self.method == "index3":
            return solve_index3(problem, times, self.scheme)
        return solve_projection(problem, times, self.scheme, self.coordinates)


VARIANTS = (
    *(Variant("index3", scheme) for scheme in SCHEMES),
    *(Variant("projection", scheme, name) for name in COORDINATES for scheme in SCHEMES),
)


def sizes(values: Array) -> Array:
    """Return the largest value of each signal; of all signals for one that stays zero."""
    largest = np.abs(values).max(axis=0)
    return np.asarray(np.where(largest > 1e-6 * largest.max(), largest, largest.max()))


def control_error(found: Feedforward, exact: Feedforward) -> float:
    """Return the largest error of the controls, each relative to its largest value."""
    return float((np.abs(found.u - exact.u) / sizes(exact.u)).max())


def coordinate_error(found: Feedforward, exact: Feedforward) -> float:
    """Return the largest error of a coordinate."""
    return float(np.abs(found.q - exact.q).max())


def condition(variant: Variant, exact: Feedforward, row: int, h: float) -> float:
    """Return the condition number of the iteration matrix of a step at one time of a solution.

    Raises
    ------
    StructureError
        If the variant does not apply to the crane.
    """
    problem = exact.problem
    z = np.concatenate([part[row] for part in (exact.q, exact.v, exact.a, exact.lam, exact.u)])
    gammas = problem.path.derivatives(exact.time[row : row + 1], 2)[:, :, 0].T
    if variant.coordinates == "minimal":
        crane = minimal_crane(problem.crane)
        own = to_reduced(crane, problem, exact.q[row], exact.v[row], exact.a[row])
        z = np.concatenate([*own, exact.u[row]])
        problem = reduced_problem(problem, crane)
    stepper, scale = _stepper(variant, problem, z[: len(problem.crane.coordinates)])
    matrix = stepper.iteration_matrix(z, gammas, h, scale, problem.parameter_vector)
    return float(np.linalg.cond(matrix))


def _stepper(variant: Variant, problem: ServoProblem, q: Array) -> tuple[Stepper, float]:
    structure, p = structure_of(problem), problem.parameter_vector
    scale = force_scale(structure, q, problem)
    if variant.method == "index3":
        dummies = choose_dummies(structure.model, q, p)
        return extended_stepper(structure, variant.scheme, dummies), scale
    dependent = variant.coordinates == "dependent"
    require_motion(structure.model)
    require_masses(structure.model, q, p, dependent)
    split = choose_split(structure.model, q, p, dependent)
    return projected_stepper(structure, variant.scheme, split), scale


def require_flat(problem: ServoProblem, what: str) -> None:
    """Raise a StructureError for a crane without an exact solution to compare with."""
    structure = structure_of(problem)
    if not structure.flat:
        raise StructureError(
            f"{what} compares methods for flat cranes with index1, and crane "
            f"'{problem.crane.name}' is not flat: it has internal dynamics of dimension "
            f'{structure.internal_dynamics}; solve.method = "inversion" solves it, and verify '
            f"measures how well"
        )
