"""Places where an inversion is singular: the inputs lose their hold on the outputs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import SolutionError
from cranebridge.inverse.internal.boundary_problem import BoundarySolution
from cranebridge.inverse.internal.dynamics import InternalDynamics, singular_inversion

Array = NDArray[np.float64]

# Below this part of its largest value a least singular value is rounding.
SINGULAR = 1e-12
# A choice of free states so much nearer to singular than the inversion itself is to blame.
UNSUITED = 1e-3


def scaled(matrices: Array) -> Array:
    """Scale rows and columns to size one, by the same factors at all times."""
    rows = np.abs(matrices).max(axis=(0, 2), keepdims=True)
    result = matrices / np.where(rows > 0.0, rows, 1.0)
    columns = np.abs(result).max(axis=(0, 1), keepdims=True)
    return np.asarray(result / np.where(columns > 0.0, columns, 1.0))


def crossing(jacobians: Array) -> int | None:
    """Return the first position at or after which the system Jacobian becomes singular.

    Between two times the line J_0 + tau (J_1 - J_0) meets a singular matrix where J_0^-1 J_1 has
    an eigenvalue on the negative real axis.
    """
    if not np.isfinite(jacobians).all():
        return int(np.argmax(~np.isfinite(jacobians).all(axis=(1, 2))))
    matrices = scaled(jacobians)
    least = np.linalg.svd(matrices, compute_uv=False)[:, -1]
    singular = least <= SINGULAR * least.max()
    if singular.any():
        return int(np.argmax(singular))
    change = np.linalg.eigvals(np.linalg.solve(matrices[:-1], matrices[1:]))
    real = np.abs(change.imag) <= 1e-6 * np.abs(change)
    crossed = ((change.real <= 0.0) & real).any(axis=1)
    return int(np.argmax(crossed)) if crossed.any() else None


def require_regular(dynamics: InternalDynamics, times: Array, jacobians: Array, q: Array) -> None:
    """Raise a SolutionError if the inversion is singular at or between the times."""
    # The system Jacobian jumps nowhere, so that a time that stands twice needs one look only.
    kept = np.append(np.diff(times) > 0.0, True)
    found = crossing(jacobians[kept])
    if found is not None:
        raise singular_inversion(dynamics, float(times[kept][found]), q[kept][found])


def _chosen_parts(dynamics: InternalDynamics, jacobians: Array) -> list[Array]:
    """Return the parts of system Jacobians that the choice of free states makes square."""
    c = np.array(dynamics.structure.equation_offsets)
    parts = []
    for below, columns in enumerate(dynamics.stages.choice.dependent):
        rows = np.flatnonzero(c >= below)
        if below and rows.size:
            parts.append(jacobians[:, rows][:, :, list(columns)])
    return parts


def no_motion(dynamics: InternalDynamics, time: float, eta: Array, gammas: Array) -> SolutionError:
    """Return the error for a state at which a motion ends: what is singular there, and where.

    The choice of free states can fail where the inversion itself is regular; that is told apart.
    """
    at = np.array([time])
    w, _ = dynamics.solve(dynamics.first_guess(at), eta, gammas)
    motion, _, _, jacobians = dynamics.finish(w, eta, gammas)
    if np.isfinite(jacobians).all():
        # All in the scale of the whole: a small part must not be scaled up to be regular.
        whole, *chosen = (
            np.linalg.svd(part, compute_uv=False)[0, -1]
            for part in (scaled(jacobians), *_chosen_parts(dynamics, scaled(jacobians)))
        )
        if min(chosen, default=np.inf) < UNSUITED * whole:
            return unsuited_choice(dynamics, time)
    return singular_inversion(dynamics, time, motion[0, dynamics.stages.layout["q"]])


def unsuited_choice(dynamics: InternalDynamics, time: float) -> SolutionError:
    """Return the error for a time at which other free states would have to be chosen."""
    return SolutionError(
        f"the free states {', '.join(dynamics.names)}, chosen at the start, do not tell the motion "
        f"near t = {time:.4g} s, although the inversion is regular there; describe the crane in "
        "coordinates that serve all along, such as an angle in place of a position"
    )


def singular_rest(dynamics: InternalDynamics) -> tuple[float, Array] | None:
    """Return time and coordinates where the inversion is singular for a crane at rest."""
    rest = dynamics.rest
    gammas = dynamics.gammas(rest.time)
    gammas[:, len(dynamics.problem.path.outputs) :] = 0.0
    eta = np.column_stack(
        [
            rest.x[:, j] if order == 0 else np.zeros(rest.time.size)
            for j, order in dynamics.stages.choice.free
        ]
    )
    jacobians = dynamics.finish(dynamics.first_guess(rest.time), eta, gammas)[3]
    found = crossing(jacobians)
    return None if found is None else (float(rest.time[found]), rest.x[found])


def weakest_place(
    dynamics: InternalDynamics, motion: BoundarySolution, part: float
) -> SolutionError:
    """Return the error for the place where a motion is nearest to a singular inversion.

    Parameters
    ----------
    dynamics : InternalDynamics
        Whose motion it is.
    motion : BoundarySolution
        With a part of the path's derivatives, as far as motions were found.
    part : float
        That part.
    """
    times, eta = motion.within(np.array([0.0, 0.5]))
    gammas = dynamics.gammas(times)
    gammas[:, len(dynamics.problem.path.outputs) :] *= part
    w, _ = dynamics.solve(dynamics.first_guess(times), eta, gammas)
    jacobians = dynamics.finish(w, eta, gammas)[3]
    k = int(np.argmin(np.linalg.svd(scaled(jacobians), compute_uv=False)[:, -1]))
    return no_motion(dynamics, float(times[k]), eta[k : k + 1], gammas[k : k + 1])
