"""Time steps on the equations of a servo problem: collocation, solved by Newton's method.

Which equations hold in a stage is up to the method (minimal extension in
:mod:`cranebridge.inverse.stepping.index3`, projection in
:mod:`cranebridge.inverse.stepping.projection`). Here the coordinates that are no dummies are linked
to their velocities and accelerations at Radau's points, of which backward Euler is the case of one
stage:

    q_i = q_0 + h sum_j A_ij v_j,    v_i = v_0 + h sum_j A_ij a_j.

References
----------
E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, Sections IV.5 and VII.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.polynomial import Legendre, Polynomial
from numpy.typing import NDArray

from cranebridge.inverse.extension import Structure
from cranebridge.inverse.problem import ServoProblem
from cranebridge.numerics import LINEAR_SOLVER
from cranebridge.progress import Progress, ignore_progress

Array = NDArray[np.float64]

# Residuals are made dimensionless, so that this is a few units of rounding for every equation.
NEWTON_TOLERANCE = 1e-12
NEWTON_ITERATIONS = 30
STEPS_PER_CALL = 100


@dataclass(frozen=True, eq=False)
class Collocation:
    """A collocation method: the integrals A of the Lagrange polynomials at the points c.

    Attributes
    ----------
    order : int
        Order of the error of the controls of an index-5 crane.
    """

    name: str
    A: Array
    b: Array
    c: Array
    order: int


def collocation(name: str, c: Array, order: int) -> Collocation:
    """Return the collocation method with the points `c`."""
    powers = np.arange(1, c.size + 1)
    vandermonde = c[:, None] ** (powers - 1)
    inverse = np.linalg.inv(vandermonde)
    A = (c[:, None] ** powers / powers) @ inverse
    b = (1.0 / powers) @ inverse
    return Collocation(name, A, b, c, order)


def radau(stages: int) -> Collocation:
    """Return the Radau IIA method: points where P_s - P_(s-1) of Legendre vanishes, 1 included."""
    difference = Legendre.basis(stages) - Legendre.basis(stages - 1)
    points = np.sort(np.real(difference.convert(kind=Polynomial).roots()))
    points[-1] = 1.0
    name = "euler" if stages == 1 else f"radau{2 * stages - 1}"
    return collocation(name, (points + 1.0) / 2.0, max(1, stages - 1))


SCHEMES: dict[str, Collocation] = {scheme.name: scheme for scheme in (radau(1), radau(3), radau(4))}


@dataclass(frozen=True, eq=False)
class Stepper:
    """One time step of a scheme on the extended equations of a crane.

    Attributes
    ----------
    step : casadi.Function
        ``(state, gammas, h, scale, p) -> (next state, stage values)``; the state holds the
        integrated coordinates and velocities and the last stage's unknowns, where Newton starts.
    residual : casadi.Function
        ``(unknowns of a stage, gammas of a stage, scale, p) -> residual``.
    dummies : tuple of int
        The coordinates whose derivatives are dummy variables.
    jacobian : casadi.Function
        ``(unknowns of all stages, arguments) -> iteration matrix``; see `iteration_matrix`.
    """

    structure: Structure
    scheme: Collocation
    dummies: tuple[int, ...]
    step: ca.Function
    residual: ca.Function
    jacobian: ca.Function
    sizes: tuple[int, ...]

    def iteration_matrix(self, z: Array, gammas: Array, h: float, scale: float, p: Array) -> Array:
        """Return Newton's matrix of a step of size `h` whose stages all have the unknowns `z`.

        Parameters
        ----------
        z : numpy.ndarray
            (q, v, a, lambda, u).
        gammas : numpy.ndarray
            The path, its rate and its second derivative, a column each.
        """
        stages, n = self.scheme.c.size, self.sizes[0]
        kept = np.array([i for i in range(n) if i not in self.dummies], dtype=int)
        path = np.tile(gammas.T.reshape(-1), stages)
        arguments = np.concatenate([z[kept], z[n + kept], path, [h, scale], p])
        return np.array(self.jacobian(np.tile(z, stages), arguments))


def collocate(
    structure: Structure, scheme: Collocation, dummies: tuple[int, ...], residual: ca.Function
) -> Stepper:
    """Build one step of `scheme` on the equations `residual` of a stage.

    Parameters
    ----------
    structure : Structure
        Of the crane; tells the sizes of q, lambda and u.
    scheme : Collocation
        The collocation method.
    dummies : tuple of int
        Coordinates whose derivatives no integrator links.
    residual : casadi.Function
        As in `Stepper`: with the links of the other coordinates as many equations as unknowns.
    """
    m = structure.model
    n = m.q.numel()
    kept = [i for i in range(n) if i not in dummies]
    system, jacobian = _stage_equations(scheme, residual, n, kept)
    step = _step(scheme, system, jacobian, residual, n, kept)
    sizes = (n, n, n, m.lam.numel(), m.u.numel())
    return Stepper(structure, scheme, dummies, step, residual, jacobian, sizes)


def _stage_equations(
    scheme: Collocation, residual: ca.Function, n: int, kept: list[int]
) -> tuple[ca.Function, ca.Function]:
    """Return the equations of all stages and their Jacobian.

    Both are functions of the unknowns of all stages and of the arguments q_0, v_0, path, h, scale
    and parameters in one vector.
    """
    stages, outputs = scheme.c.size, residual.size1_in(1)
    force, p = ca.SX.sym("scale"), ca.SX.sym("p", residual.size1_in(3))
    z = ca.SX.sym("z", residual.size1_in(0), stages)
    gammas = ca.SX.sym("gammas", outputs, 3 * stages)
    q_0, v_0, h = ca.SX.sym("q", len(kept)), ca.SX.sym("v", len(kept)), ca.SX.sym("h")
    q, v, a = (z[[n * k + i for i in kept], :] for k in range(3))
    rows = []
    for i in range(stages):
        rows += [
            residual(z[:, i], gammas[:, 3 * i : 3 * i + 3], force, p),
            q[:, i] - q_0 - h * (v @ scheme.A[i, :]),
            v[:, i] - v_0 - h * (a @ scheme.A[i, :]),
        ]
    equations = ca.vertcat(*rows)
    arguments = [ca.vec(z), ca.vertcat(q_0, v_0, ca.vec(gammas), h, force, p)]
    return (
        ca.Function("system", arguments, [equations]),
        ca.Function("J", arguments, [ca.jacobian(equations, ca.vec(z))]),
    )


def _step(
    scheme: Collocation,
    system: ca.Function,
    jacobian: ca.Function,
    residual: ca.Function,
    n: int,
    kept: list[int],
) -> ca.Function:
    """Return one step: Newton's method on all stages, then the state at its end."""
    stages, size, links = scheme.c.size, residual.size1_in(0), len(kept)
    state = ca.MX.sym("state", 2 * links + size)
    q_0, v_0, last = ca.vertsplit(state, [0, links, 2 * links, 2 * links + size])
    gammas, h = ca.MX.sym("gammas", residual.size1_in(1), 3 * stages), ca.MX.sym("h")
    scale, p = ca.MX.sym("scale"), ca.MX.sym("p", residual.size1_in(3))
    arguments = ca.vertcat(q_0, v_0, ca.vec(gammas), h, scale, p)
    solved = _newton(system)(ca.repmat(last, stages, 1), arguments)
    # Velocities and controls divide what is left of the coordinates' error by h and h^2: one more
    # Newton step takes it from the tolerance to rounding.
    solved -= ca.solve(jacobian(solved, arguments), system(solved, arguments), LINEAR_SOLVER)
    values = ca.reshape(solved, size, stages)
    v, a = (values[[k * n + i for i in kept], :] for k in (1, 2))
    following = ca.vertcat(q_0 + h * (v @ scheme.b), v_0 + h * (a @ scheme.b), values[:, -1])
    return ca.Function("step", [state, gammas, h, scale, p], [following, solved])


def _newton(system: ca.Function) -> ca.Function:
    return ca.rootfinder(
        "newton",
        "newton",
        system,
        {
            "abstol": NEWTON_TOLERANCE,
            "max_iter": NEWTON_ITERATIONS,
            "linear_solver": LINEAR_SOLVER,
            "error_on_fail": False,
        },
    )


def integrate(
    stepper: Stepper,
    problem: ServoProblem,
    times: Array,
    start: Array,
    scale: float,
    progress: Progress = ignore_progress,
) -> Array:
    """Return the unknowns (q, v, a, lambda, u) at all times; the first row is `start`."""
    n, stages = stepper.sizes[0], stepper.scheme.c.size
    kept = [i for i in range(n) if i not in stepper.dummies]
    p, steps = problem.parameter_vector, np.diff(times)
    at = (times[:-1, None] + steps[:, None] * stepper.scheme.c).reshape(-1)
    # Stages of a step belong to the path's piece to the left of the step's end.
    gammas = problem.path.derivatives(at, 2, side="left").transpose(2, 0, 1)
    columns = gammas.reshape(steps.size, stages * 3, -1)
    state = np.concatenate([start[kept], start[[n + i for i in kept]], start])
    rows = [start[None, :]]
    for begin in range(0, steps.size, STEPS_PER_CALL):
        end = min(begin + STEPS_PER_CALL, steps.size)
        states, _ = stepper.step.mapaccum(end - begin)(
            state,
            columns[begin:end].reshape(-1, columns.shape[2]).T,
            steps[None, begin:end],
            ca.repmat(ca.DM(scale), 1, end - begin),
            ca.repmat(ca.DM(p), 1, end - begin),
        )
        found = np.array(states)
        state = found[:, -1]
        rows.append(found[2 * len(kept) :].T)
        if not np.isfinite(state).all():
            break  # the caller finds the step that failed
        progress(end / steps.size)
    result = np.concatenate(rows)
    missing = np.full((times.size - len(result), result.shape[1]), np.nan)
    return np.concatenate([result, missing])


def step_residuals(stepper: Stepper, z: Array, gammas: Array, scale: float, p: Array) -> Array:
    """Return the residuals of the stage equations at all times, a row each."""
    columns = gammas.transpose(2, 0, 1).reshape(-1, gammas.shape[1]).T
    mapped = stepper.residual.map(len(z))
    values = mapped(
        z.T, columns, ca.repmat(ca.DM(scale), 1, len(z)), ca.repmat(ca.DM(p), 1, len(z))
    )
    return np.abs(np.array(values)).T
