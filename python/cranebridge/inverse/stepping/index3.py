"""The index-3 method: minimal extension applied once, then integrated in time.

The servo constraints are differentiated twice and appended; the derivatives of as many coordinates
(the load's) become dummy variables that no integrator links (thesis 5.107):

    motion(q, v, a, lambda, u) = 0,   g(q) = 0,   s(q) = gamma,   s' = gamma',   s'' = gamma''.

The remaining coordinates are integrated by collocation at Radau's points
(:mod:`cranebridge.inverse.stepping.time_steps`). For a flat crane of index 5 the coordinates are
determined algebraically and come out exact; velocities carry the error h^s of s stages,
accelerations and controls h^(s-1) for s > 1, and h for s = 1, where the errors of successive steps
cancel in the difference.
"""

from __future__ import annotations

import time as clock
from functools import cache

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import SolutionError, StructureError
from cranebridge.inverse.extension import Structure, residuals
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.index1 import (
    follow_path,
    point_solver,
    require_rest_ends,
    require_smoothness,
    start_motion,
    structure_of,
)
from cranebridge.inverse.problem import ServoProblem
from cranebridge.inverse.stepping.time_steps import (
    SCHEMES,
    Collocation,
    Stepper,
    collocate,
    integrate,
    step_residuals,
)
from cranebridge.progress import Progress, ignore_progress
from cranebridge.twin import Equations

Array = NDArray[np.float64]

# A step whose equations hold worse than this did not converge.
RESIDUAL_LIMIT = 1e-9


@cache
def extended_stepper(structure: Structure, scheme: str, dummies: tuple[int, ...]) -> Stepper:
    """Return the step function of a structure and a scheme; made once for each."""
    return build_stepper(structure, SCHEMES[scheme], dummies)


def build_stepper(structure: Structure, scheme: Collocation, dummies: tuple[int, ...]) -> Stepper:
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


def solve_index3(
    problem: ServoProblem,
    times: Array,
    scheme: str = "euler",
    progress: Progress = ignore_progress,
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
        Called with the fraction done from time to time.
    """
    started = clock.perf_counter()
    structure = structure_of(problem)
    require_smoothness(problem, structure)
    require_convergent(structure, SCHEMES[scheme])
    if structure.flat:
        # Time steps can jump over a singular point without noticing it.
        follow_path(problem, point_solver(problem, "never"))
    q, v, rest = initial_state(problem, structure)
    dummies = choose_dummies(structure.model, q, problem.parameter_vector)
    stepper = extended_stepper(structure, scheme, dummies)
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


def _missed_knots(problem: ServoProblem, times: Array, scheme: Collocation) -> tuple[str, ...]:
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
    residual = step_residuals(stepper, z, gammas, scale, problem.parameter_vector)
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
    ropes = model.rope_function(q.T, v.T, a.T, lam.T, u.T, p)
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
        ropes=np.array(ropes).T.reshape(times.size, -1),
        residual=residual,
        notes=notes,
        seconds=clock.perf_counter() - started,
    )


def require_convergent(structure: Structure, scheme: Collocation) -> None:
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
        motion = start_motion(problem, point_solver(problem, "never"))
        return motion["q"], motion["v"], np.concatenate([motion[k] for k in ("a", "lambda", "u")])
    model, p = structure.model, problem.parameter_vector
    require_rest_ends(problem, start_only=True)
    gamma = ca.SX(problem.path(np.zeros(1))[:, 0])
    n, m = model.q.numel(), model.lam.numel()
    zero = ca.SX.zeros(n)
    x = ca.vertcat(model.q, model.lam, model.u)
    at_rest = ca.substitute(
        [residuals(model, gamma)], [model.v, model.a, model.p], [zero, zero, ca.SX(p)]
    )[0]
    static = ca.Function("static", [x], [at_rest, ca.jacobian(at_rest, x)])
    guess = np.concatenate([problem.start_coordinates(), np.zeros(m + model.u.numel())])
    from scipy.optimize import root

    found = root(
        lambda values: np.array(static(values)[0])[:, 0],
        guess,
        jac=lambda values: np.array(static(values)[1]),
        tol=1e-13,
    )
    if not np.abs(found.fun).max() <= 1e-6:
        raise SolutionError(f"no rest position found for crane '{problem.crane.name}' at t = 0 s")
    return found.x[:n], np.zeros(n), np.concatenate([np.zeros(n), found.x[n:]])


def choose_dummies(model: Equations, q: Array, p: Array) -> tuple[int, ...]:
    """Choose the coordinates that the outputs determine best: pivots of the output Jacobian."""
    jacobian = ca.Function("S", [model.q, model.p], [ca.jacobian(model.outputs, model.q)])
    from scipy.linalg import qr

    pivots = qr(np.array(jacobian(q, p)), pivoting=True, mode="r")[1]
    return tuple(sorted(int(i) for i in pivots[: model.outputs.numel()]))


def force_scale(structure: Structure, q: Array, problem: ServoProblem) -> float:
    """Return the largest generalised force at rest, which residuals in N are compared with."""
    model = structure.model
    force = ca.Function("f", [model.q, model.v, model.p], [model.force])
    return max(1.0, float(ca.norm_inf(force(q, np.zeros(q.size), problem.parameter_vector))))


def notes_on(structure: Structure) -> tuple[str, ...]:
    """Return what a user must know of a problem that keeps more than index 3."""
    if structure.index <= 5:
        return ()
    return (
        f"the servo problem has index {structure.index}: one minimal extension leaves index "
        f"{structure.index - 2}, so the coordinates carry an error of the step too (index1: none)",
    )
