"""What a difference between twin and plant does to the load: propagated along the motion.

A plant whose accelerations differ by at most delta from the twin's moves away from it by

    |dy(t)| <= int_0^t |C(t) Phi(t, s) G| delta ds,   Phi' = A(t) Phi,

with the linearisation A(t), C(t) along the motion (:mod:`cranebridge.forward`) and G the columns of
the velocities: the worst that any course of the difference can do, growth of unstable motions
included.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import CranebridgeError
from cranebridge.forward import crane_dynamics, linearise
from cranebridge.inverse import Feedforward
from cranebridge.twin.language import names
from cranebridge.verify.certificate.outcome import Certificate

Array = NDArray[np.float64]

# Times at which the motion is linearised; cranes swing in seconds.
TIMES = 101


def model_error(solution: Feedforward, certificate: Certificate) -> float | None:
    """Return the largest error of an output that the certificate's differences can cause.

    None where the two are different machines or not much was compared, so that their difference is
    not a small one, or where the motion cannot be linearised.
    """
    if not certificate.compared or certificate.status == "different":
        return None
    rows = np.unique(np.linspace(0, solution.time.size - 1, TIMES).astype(int))
    problem = solution.problem
    try:
        linear = linearise(
            problem.crane,
            problem.parameters,
            solution.q[rows],
            solution.v[rows],
            solution.u[rows],
            solution.time[rows],
            _independent(solution),
        )
    except CranebridgeError:
        return None
    delta = _differences(certificate, linear.coordinates)
    return _propagate(linear.time, linear.A, linear.C, delta)


def _independent(solution: Feedforward) -> list[str]:
    """Return coordinates that determine the others: at the start, by Gram and Schmidt with pivots.

    The tangents of the constraints take one coordinate after the other, that with the largest part
    left first; what is left over is independent.
    """
    problem = solution.problem
    H = np.array(crane_dynamics(problem.crane).manifold(solution.q[0], problem.parameter_vector)[1])
    left = H / np.abs(H).max(axis=1, keepdims=True) if H.size else H
    dependent = []
    for _ in range(len(H)):
        column = int(np.argmax((left**2).sum(axis=0)))
        direction = left[:, column] / np.linalg.norm(left[:, column])
        left = left - np.outer(direction, direction @ left)
        dependent.append(column)
    coordinates = names(problem.crane.coordinates)
    return [name for i, name in enumerate(coordinates) if i not in dependent]


def _differences(certificate: Certificate, coordinates: tuple[str, ...]) -> Array:
    """Return the largest difference of each coordinate's acceleration, in its unit."""
    found = {
        entry.quantity.removeprefix("acceleration of "): entry.difference * entry.scale
        for entry in certificate.compared
        if entry.quantity.startswith("acceleration of ")
    }
    if not found:
        # Motions of half a second that differ by d: an acceleration that differs by d / (t^2 / 2).
        size = max(entry.difference * entry.scale for entry in certificate.compared)
        return np.full(len(coordinates), 8.0 * size)
    worst = max(found.values())
    return np.array([found.get(name, worst) for name in coordinates])


def _propagate(time: Array, A: Array, C: Array, delta: Array) -> float:
    """Return the largest bound of an output over all times."""
    count, n, f = len(time), A.shape[1], delta.size
    steps = np.diff(time)
    transition = _exponentials(0.5 * (A[:-1] + A[1:]) * steps[:, None, None])
    response = np.zeros((count, n, f))
    largest = 0.0
    for k in range(count - 1):
        response[k, n - f :] = np.eye(f)
        response[: k + 1] = transition[k] @ response[: k + 1]
        reached = np.abs(C[k + 1] @ response[: k + 1]) @ delta
        largest = max(largest, float((steps[: k + 1, None] * reached).sum(axis=0).max()))
    return largest


def _exponentials(matrices: Array) -> Array:
    """Return the exponentials of matrices: Taylor's series of a part, squared back."""
    size = float(np.abs(matrices).sum(axis=2).max(initial=1e-300))
    squarings = max(int(np.ceil(np.log2(size))) + 1, 0)
    part = matrices / 2.0**squarings
    term = total = np.broadcast_to(np.eye(part.shape[1]), part.shape)
    # ||part|| <= 1/2: the next term is below 2^-13 / 13! of the first
    for k in range(1, 13):
        term = term @ part / k
        total = total + term
    for _ in range(squarings):
        total = total @ total
    return np.asarray(total)
