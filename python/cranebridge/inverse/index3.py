"""The index-3 method: minimal extension applied once, then integrated in time.

The servo constraints are differentiated twice and appended; the derivatives of as many coordinates
(the load's) become dummy variables that no integrator links (thesis 5.107):

    motion(q, v, a, lambda, u) = 0,   g(q) = 0,   s(q) = gamma,   s' = gamma',   s'' = gamma''.

The remaining coordinates are integrated by collocation at Radau's points, of which backward Euler
is the case of one stage. For a flat crane of index 5 the coordinates are determined algebraically
and come out exact; velocities carry the error h^s of s stages, accelerations and controls h^(s-1)
for s > 1, and h for s = 1, where the errors of successive steps cancel in the difference.

References
----------
E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, Sections IV.5 and VII.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import casadi as ca
import numpy as np
from numpy.polynomial import Legendre, Polynomial
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.optimize import root

from cranebridge.errors import SolutionError, StructureError
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.index1 import (
    follow_path,
    point_solver,
    require_smoothness,
    start_motion,
    structure_of,
)
from cranebridge.inverse.problem import ServoProblem
from cranebridge.inverse.structure import Structure, residuals
from cranebridge.numerics import LINEAR_SOLVER
from cranebridge.twin import Crane, Equations

Array = NDArray[np.float64]

# Residuals are made dimensionless, so that this is a few units of rounding for every equation.
NEWTON_TOLERANCE = 1e-12
NEWTON_ITERATIONS = 30
# A step whose equations hold worse than this did not converge.
RESIDUAL_LIMIT = 1e-9
STEPS_PER_CALL = 100


@dataclass(frozen=True, eq=False)
class Scheme:
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


def collocation(name: str, c: Array, order: int) -> Scheme:
    """Return the collocation method with the points `c`."""
    powers = np.arange(1, c.size + 1)
    vandermonde = c[:, None] ** (powers - 1)
    inverse = np.linalg.inv(vandermonde)
    A = (c[:, None] ** powers / powers) @ inverse
    b = (1.0 / powers) @ inverse
    return Scheme(name, A, b, c, order)


def radau(stages: int) -> Scheme:
    """Return the Radau IIA method: points where P_s - P_(s-1) of Legendre vanishes, 1 included."""
    difference = Legendre.basis(stages) - Legendre.basis(stages - 1)
    points = np.sort(np.real(difference.convert(kind=Polynomial).roots()))
    points[-1] = 1.0
    name = "euler" if stages == 1 else f"radau{2 * stages - 1}"
    return collocation(name, (points + 1.0) / 2.0, max(1, stages - 1))


SCHEMES: dict[str, Scheme] = {scheme.name: scheme for scheme in (radau(1), radau(3), radau(4))}


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
    scheme: Scheme
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


@cache
def stepper_of(crane: Crane, scheme: str, dummies: tuple[int, ...]) -> Stepper:
    """Return the step function of a crane and a scheme; made once for each."""
    return build_stepper(structure_of(crane), SCHEMES[scheme], dummies)


def build_stepper(structure: Structure, scheme: Scheme, dummies: tuple[int, ...]) -> Stepper:
    """Build one step of `scheme` on the minimally extended equations."""
    return collocate(structure, scheme, dummies, extended_residual(structure.model))


def extended_residual(model: Equations) -> ca.Function:
    """Return the minimally extended equations ``(q v a lambda u, gammas, force scale, p) -> r``."""
    unknown = ca.vertcat(model.q, model.v, model.a, model.lam, model.u)
    gammas, force = ca.SX.sym("gammas", model.outputs.numel(), 3), ca.SX.sym("scale")
    rate = ca.jtimes(model.outputs, model.q, model.v)
    change = ca.jtimes(model.outputs, model.q, model.a) + ca.jtimes(rate, model.q, model.v)
    extended = ca.vertcat(
        model.motion / force,
        model.constraints,
        model.outputs - gammas[:, 0],
        rate - gammas[:, 1],
        change - gammas[:, 2],
    )
    return ca.Function("extended", [unknown, gammas, force, model.p], [extended])


def collocate(
    structure: Structure, scheme: Scheme, dummies: tuple[int, ...], residual: ca.Function
) -> Stepper:
    """Build one step of `scheme` on the equations `residual` of a stage.

    Parameters
    ----------
    structure : Structure
        Of the crane; tells the sizes of q, lambda and u.
    scheme : Scheme
        The collocation method.
    dummies : tuple of int
        Coordinates whose derivatives no integrator links.
    residual : casadi.Function
        As in `Stepper`: with the links of the other coordinates as many equations as unknowns.
    """
    m = structure.model
    n, outputs, stages = m.q.numel(), m.outputs.numel(), scheme.c.size
    kept = [i for i in range(n) if i not in dummies]
    size = residual.size1_in(0)
    force = ca.SX.sym("scale")
    z = ca.SX.sym("z", size, stages)
    all_gammas = ca.SX.sym("gammas", outputs, 3 * stages)
    q_0, v_0, h = ca.SX.sym("q", len(kept)), ca.SX.sym("v", len(kept)), ca.SX.sym("h")
    q, v, a = (z[[n * k + i for i in kept], :] for k in range(3))
    equations = []
    for i in range(stages):
        own = all_gammas[:, 3 * i : 3 * i + 3]
        equations += [
            residual(z[:, i], own, force, m.p),
            q[:, i] - q_0 - h * (v @ scheme.A[i, :]),
            v[:, i] - v_0 - h * (a @ scheme.A[i, :]),
        ]
    arguments = ca.vertcat(q_0, v_0, ca.vec(all_gammas), h, force, m.p)
    equations_all = ca.vertcat(*equations)
    system = ca.Function("system", [ca.vec(z), arguments], [equations_all])
    newton = ca.rootfinder(
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
    state = ca.MX.sym("state", 2 * len(kept) + size)
    parts = ca.vertsplit(state, [0, len(kept), 2 * len(kept), 2 * len(kept) + size])
    gammas_in, h_in = ca.MX.sym("gammas", outputs, 3 * stages), ca.MX.sym("h")
    scale_in, p_in = ca.MX.sym("scale"), ca.MX.sym("p", m.p.numel())
    inputs = ca.vertcat(parts[0], parts[1], ca.vec(gammas_in), h_in, scale_in, p_in)
    solved = newton(ca.repmat(parts[2], stages, 1), inputs)
    # Velocities and controls divide what is left of the coordinates' error by h and h^2: one more
    # Newton step takes it from the tolerance to rounding.
    jacobian = ca.Function("J", [ca.vec(z), arguments], [ca.jacobian(equations_all, ca.vec(z))])
    solved -= ca.solve(jacobian(solved, inputs), system(solved, inputs), LINEAR_SOLVER)
    values = ca.reshape(solved, size, stages)
    v_values = values[[n + i for i in kept], :]
    a_values = values[[2 * n + i for i in kept], :]
    following = ca.vertcat(
        parts[0] + h_in * (v_values @ scheme.b),
        parts[1] + h_in * (a_values @ scheme.b),
        values[:, -1],
    )
    step = ca.Function("step", [state, gammas_in, h_in, scale_in, p_in], [following, solved])
    sizes = (n, n, n, m.lam.numel(), m.u.numel())
    return Stepper(structure, scheme, dummies, step, residual, jacobian, sizes)


def solve_index3(
    problem: ServoProblem,
    times: Array,
    scheme: str = "euler",
    progress: Callable[[float], None] | None = None,
) -> Feedforward:
    """Integrate the minimally extended servo problem.

    Parameters
    ----------
    problem : ServoProblem
        Crane, path and parameters.
    times : numpy.ndarray
        The steps, from 0 to the path's duration. They should meet the path's knots: a step across
        one loses the order of the higher methods.
    scheme : {"euler", "radau5", "radau7"}
        Backward Euler, or Radau IIA with three or four stages.
    progress : callable, optional
        Told the fraction done from time to time.
    """
    started = clock.perf_counter()
    structure = structure_of(problem.crane)
    require_smoothness(problem, structure)
    require_convergent(structure, SCHEMES[scheme])
    if structure.flat:
        # Time steps can jump over a singular point without noticing it.
        follow_path(problem, point_solver(problem.crane, "never"))
    q, v, rest = initial_state(problem, structure)
    dummies = choose_dummies(structure, q, problem.parameter_vector)
    stepper = stepper_of(problem.crane, scheme, dummies)
    scale = force_scale(structure, q, problem)
    z = integrate(stepper, problem, times, np.concatenate([q, v, rest]), scale, progress)
    names = (
        *structure.equations,
        *(f"{name} {order}" for order in ("rate", "acceleration") for name in problem.path.outputs),
    )
    residual = require_converged(stepper, problem, times, z, scale)
    return feedforward_of(
        stepper,
        problem,
        times,
        z,
        method=f"index3 ({scheme})",
        residual=dict(zip(names, residual.max(axis=0).tolist(), strict=True)),
        notes=(*notes_on(structure), *_missed_knots(problem, times, SCHEMES[scheme])),
        started=started,
    )


def _missed_knots(problem: ServoProblem, times: Array, scheme: Scheme) -> tuple[str, ...]:
    """Say where a higher method loses its order because a step goes over a knot of the path."""
    knots = np.asarray(problem.path.knots)
    distance = np.abs(knots[:, None] - times).min(axis=1)
    missed = knots[distance > 1e-9 * problem.path.duration]
    if scheme.order == 1 or not missed.size:
        return ()
    where = ", ".join(f"{time:g} s" for time in missed)
    return (
        f"no step meets the path's knots at {where}, where it is less smooth: {scheme.name} loses "
        "its order there; choose solve.step so that they are met",
    )


def require_converged(
    stepper: Stepper, problem: ServoProblem, times: Array, z: Array, scale: float
) -> Array:
    """Return the residuals of all steps, or raise a SolutionError that names the first bad one."""
    gammas = problem.path.derivatives(times, 2)
    residual = _residuals(stepper, z, gammas, scale, problem.parameter_vector)
    bad = ~(residual.max(axis=1) <= RESIDUAL_LIMIT)
    if bad.any():
        first = int(np.argmax(bad))
        raise SolutionError(
            f"the step to t = {times[first]:.6g} s does not converge (step "
            f"{times[first] - times[max(first - 1, 0)]:.3g} s): use a smaller solve.step or index1"
        )
    return residual


def feedforward_of(
    stepper: Stepper,
    problem: ServoProblem,
    times: Array,
    z: Array,
    method: str,
    residual: dict[str, float],
    notes: tuple[str, ...],
    started: float,
) -> Feedforward:
    """Return the unknowns of all steps as a feedforward."""
    model, p = stepper.structure.model, problem.parameter_vector
    q, v, a, lam, u = np.split(z, np.cumsum(stepper.sizes)[:-1], axis=1)
    ropes = ca.Function("ropes", [model.q, model.lam, model.p], [model.ropes])
    return Feedforward(
        problem=problem,
        method=method,
        order=stepper.scheme.order,
        time=times,
        gamma=problem.path(times).T,
        q=q,
        v=v,
        a=a,
        u=u,
        lam=lam,
        ropes=np.array(ropes(q.T, lam.T, p)).T.reshape(times.size, -1),
        residual=residual,
        notes=notes,
        seconds=clock.perf_counter() - started,
    )


def require_convergent(structure: Structure, scheme: Scheme) -> None:
    """Refuse the higher methods where one extension leaves more than index 3.

    Their stages' errors differ, and each index more costs an order: on the index-5 rest of an
    index-7 problem the controls of the three-stage method do not converge at all.
    """
    if structure.index > 5 and scheme.c.size > 1:
        raise StructureError(
            f"crane '{structure.crane.name}' has index {structure.index}: one minimal extension "
            f"leaves index {structure.index - 2}, where the controls of {scheme.name} do not "
            "converge; use scheme euler, or method index1"
        )


def initial_state(problem: ServoProblem, structure: Structure) -> tuple[Array, Array, Array]:
    """Return consistent q, v and (a, lambda, u) at t = 0.

    A flat crane's follow from the path; with internal dynamics the crane is taken to be at rest.
    """
    if structure.flat:
        motion = start_motion(problem, point_solver(problem.crane, "never"))
        return motion["q"], motion["v"], np.concatenate([motion[k] for k in ("a", "lambda", "u")])
    model, p = structure.model, problem.parameter_vector
    gammas = problem.path.derivatives(np.zeros(1), 2)[:, :, 0]
    if np.abs(gammas[1:]).max() > 0.0:
        raise SolutionError(
            f"crane '{problem.crane.name}' has internal dynamics: its path must start at rest"
        )
    n, m = model.q.numel(), model.lam.numel()
    zero = ca.SX.zeros(n)
    x = ca.vertcat(model.q, model.lam, model.u)
    at_rest = ca.substitute(
        [residuals(model, gammas[0])], [model.v, model.a, model.p], [zero, zero, ca.SX(p)]
    )[0]
    static = ca.Function("static", [x], [at_rest, ca.jacobian(at_rest, x)])
    guess = np.concatenate([problem.start_coordinates(), np.zeros(m + model.u.numel())])
    found = root(
        lambda values: np.array(static(values)[0])[:, 0],
        guess,
        jac=lambda values: np.array(static(values)[1]),
        tol=1e-13,
    )
    if not np.abs(found.fun).max() <= 1e-6:
        raise SolutionError(f"no rest position found for crane '{problem.crane.name}' at t = 0 s")
    return found.x[:n], np.zeros(n), np.concatenate([np.zeros(n), found.x[n:]])


def choose_dummies(structure: Structure, q: Array, p: Array) -> tuple[int, ...]:
    """Choose the coordinates that the outputs determine best: pivots of the output Jacobian."""
    model = structure.model
    jacobian = ca.Function("S", [model.q, model.p], [ca.jacobian(model.outputs, model.q)])
    pivots = qr(np.array(jacobian(q, p)), pivoting=True, mode="r")[1]
    return tuple(sorted(int(i) for i in pivots[: model.outputs.numel()]))


def force_scale(structure: Structure, q: Array, problem: ServoProblem) -> float:
    """Return the largest generalised force at rest, which residuals in N are compared with."""
    model = structure.model
    force = ca.Function("f", [model.q, model.v, model.p], [model.force])
    return max(1.0, float(ca.norm_inf(force(q, np.zeros(q.size), problem.parameter_vector))))


def integrate(
    stepper: Stepper,
    problem: ServoProblem,
    times: Array,
    start: Array,
    scale: float,
    progress: Callable[[float], None] | None = None,
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
        if progress is not None:
            progress(end / steps.size)
    result = np.concatenate(rows)
    missing = np.full((times.size - len(result), result.shape[1]), np.nan)
    return np.concatenate([result, missing])


def _residuals(stepper: Stepper, z: Array, gammas: Array, scale: float, p: Array) -> Array:
    columns = gammas.transpose(2, 0, 1).reshape(-1, gammas.shape[1]).T
    mapped = stepper.residual.map(len(z))
    values = mapped(
        z.T, columns, ca.repmat(ca.DM(scale), 1, len(z)), ca.repmat(ca.DM(p), 1, len(z))
    )
    return np.abs(np.array(values)).T


def notes_on(structure: Structure) -> tuple[str, ...]:
    """Return what a user must know of a problem that keeps more than index 3."""
    if structure.index <= 5:
        return ()
    return (
        f"the servo problem has index {structure.index}: one minimal extension leaves index "
        f"{structure.index - 2}, so the coordinates carry an error of the step too (index1: none)",
    )
