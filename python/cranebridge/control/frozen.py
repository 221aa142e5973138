"""The closed loop of a law, frozen at one time of the motion: a matrix from sample to sample.

The plant is a linear model that may differ from the design's: other parameters, another place, a
lag of the drives, a longer delay, other gains of the inputs. The law is the one that runs, its
integrals summed as it sums them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Protocol

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.control.discretisation import delayed
from cranebridge.control.law import Law
from cranebridge.control.reference import Reference
from cranebridge.control.rest import drive_names, rest_state
from cranebridge.errors import unknown
from cranebridge.forward.crane_accelerations import crane_dynamics, project
from cranebridge.forward.linearisation import LinearModel, linearise
from cranebridge.twin import Crane, equations_of_motion
from cranebridge.twin.crane import names

Array = NDArray[np.float64]


class LawAlong(Protocol):
    """A law along a motion, and the linearisation there: a design, or loops of drives."""

    @property
    def law(self) -> Law:
        """The law."""

    @property
    def reference(self) -> Reference:
        """The motion on the law's cycle."""

    @property
    def model(self) -> LinearModel:
        """The linearisation along it."""


@dataclass(frozen=True, eq=False)
class FrozenLoop:
    """A law at one time, and the linear plant that it acts on.

    Attributes
    ----------
    A, B : numpy.ndarray
        The plant, continuous in time, in the model's independent coordinates.
    C : numpy.ndarray
        The signals that the law integrates, as functions of the plant's state.
    K, K_integral, K_past : numpy.ndarray
        The law's gains there.
    cycle, delay : float
        In s.
    """

    A: Array
    B: Array
    C: Array
    K: Array
    K_integral: Array
    K_past: Array
    cycle: float
    delay: float

    def closed(self) -> Array:
        """Return the matrix from one sample to the next: plant, integrals, past inputs."""
        open_, B, K = self.parts()
        return np.asarray(open_ - B @ K)

    def parts(self) -> tuple[Array, Array, Array]:
        """Return the loop cut at the plant's inputs: A and B of all that is fed back, and K."""
        A, B = delayed(self.A[None], self.B[None], self.cycle, self.delay)
        n, m, sums = len(self.A), self.B.shape[1], self.K_integral.shape[1]
        past = max(len(A[0]) - n, self.K_past.shape[1])
        size = n + sums + past
        big_A, big_B, K = np.zeros((size, size)), np.zeros((size, m)), np.zeros((m, size))
        kept = len(A[0]) - n
        rows = [*range(n), *range(n + sums, n + sums + kept)]
        big_A[np.ix_(rows, rows)], big_B[rows] = A[0], B[0]
        if past > kept:  # the law remembers more than acts: the plant is faster than thought
            first = n + sums
            big_A[first + m :, first : size - m] = np.eye(past - m)
            big_B[first : first + m] = np.eye(m)
        if sums:
            big_A[n : n + sums, :n] = self.cycle * self.C
            big_A[n : n + sums, n : n + sums] = np.eye(sums)
        K[:, :n], K[:, n : n + sums] = self.K, self.K_integral
        K[:, n + sums : n + sums + self.K_past.shape[1]] = self.K_past
        return big_A, big_B, K

    def scaled(self, factors: Array) -> FrozenLoop:
        """Return the loop with inputs that act this much stronger."""
        return replace(self, B=self.B * factors)

    def seeing(self, seen: Array) -> FrozenLoop:
        """Return the loop of a law that sees `seen` times the plant's state."""
        return replace(self, K=self.K @ seen, C=self.C @ seen)

    def lagged(self, lag: float) -> FrozenLoop:
        """Return the loop with drives that follow with a lag of first order, in s."""
        if lag <= 0.0:
            return self
        n, m = self.B.shape
        A = np.zeros((n + m, n + m))
        A[:n, :n], A[:n, n:], A[n:, n:] = self.A, self.B, -np.eye(m) / lag
        return replace(
            self,
            A=A,
            B=np.vstack([np.zeros((n, m)), np.eye(m) / lag]),
            C=np.column_stack([self.C, np.zeros((len(self.C), m))]),
            K=np.column_stack([self.K, np.zeros((m, m))]),
        )


def frozen_loop(along: LawAlong, row: int, model: LinearModel | None = None) -> FrozenLoop:
    """Return the loop of a law at a row; `model` replaces its plant (one time)."""
    law = along.law
    plant = along.model if model is None else model
    at = row if model is None else 0
    shown = {"q": plant.q_matrix[at], "v": plant.v_matrix[at], "y": plant.C[at]}
    known = {"q": names(law.crane.coordinates), "y": names(law.crane.outputs)}
    integrated = [
        shown[group][known[group].index(name)]
        for group, _, name in (signal.partition(".") for signal in law.integrals)
    ]
    return FrozenLoop(
        A=plant.A[at],
        B=plant.B[at],
        C=np.array(integrated).reshape(-1, len(plant.states)),
        K=law.K[row] @ np.vstack([shown["q"], shown["v"]]),
        K_integral=law.K_integral[row],
        K_past=law.K_past[row],
        cycle=law.cycle,
        delay=law.delay,
    )


def plant_with(along: LawAlong, row: int, parameters: dict[str, float]) -> LinearModel:
    """Return the plant with other parameters, at a row of the motion and with the inputs it needs.

    The inputs are those that keep the motion, by least squares where they cannot keep all of it.
    """
    reference = along.reference
    crane = reference.crane
    values = crane.parameter_values({**reference.parameters, **parameters})
    p = np.array([values[name] for name in names(crane.parameters)])
    q, v = project(crane_dynamics(crane), reference.q[row], reference.v[row], p)
    slope, rest = (np.array(part) for part in _needed(crane)(q, v, reference.a[row], p))
    needed = np.linalg.lstsq(slope, -rest[:, 0], rcond=None)[0]
    u = needed[: len(crane.inputs)]
    return linearise(crane, values, q, v, u, independent=along.model.coordinates)


@cache
def _needed(crane: Crane) -> ca.Function:
    """Return the equations of motion as slope (u, lambda) + rest, functions of q, v, a and p."""
    model = equations_of_motion(crane)
    unknowns = ca.vertcat(model.u, model.lam)
    none = ca.SX.zeros(unknowns.shape)
    slope = ca.substitute(ca.jacobian(model.motion, unknowns), unknowns, none)
    rest = ca.substitute(model.motion, unknowns, none)
    return ca.Function("needed", [model.q, model.v, model.a, model.p], [slope, rest])


def swing_seen(model: LinearModel, row: int, factor: float) -> Array:
    """Return the state as seen with a swing that is `factor` times as large as it is.

    What hangs still below its drives is seen where it is: small changes dq with which inputs du can
    hold the crane, A dq + B du = 0, make as many directions as there are inputs. The place of the
    drives says how far along these the crane is; the rest of the state is swing, and what moves
    with other velocities than those of the drives is its rate.
    """
    crane = model.crane
    f = len(model.coordinates)
    rows = [names(crane.coordinates).index(name) for name in drive_names(crane)]
    accelerations = np.column_stack([model.A[row][f:, :f], model.B[row][f:]])
    _, _, vectors = np.linalg.svd(accelerations)
    still = vectors[f:, :f].T
    drives = model.q_matrix[row][rows, :f]
    below = still @ np.linalg.pinv(drives @ still) @ drives
    swing = np.eye(f) - below
    seen = np.eye(f) + (factor - 1.0) * swing
    return np.asarray(np.kron(np.eye(2), seen))


def plant_at(along: LawAlong, row: int, coordinate: str, factor: float) -> LinearModel:
    """Return the plant at rest with one drive coordinate at another place, the other drives kept.

    Raises
    ------
    InputError
        If the coordinate is no drive of the crane.
    SolutionError
        If the crane finds no rest there.
    """
    reference = along.reference
    crane, q = reference.crane, reference.q[row]
    known = drive_names(crane)
    if coordinate not in known:
        raise unknown(f"drive coordinate of crane '{crane.name}'", coordinate, known)
    place = {coordinate: factor * float(q[names(crane.coordinates).index(coordinate)])}
    there, u = rest_state(crane, reference.parameters, place, q, reference.u[row])
    still = np.zeros(q.size)
    independent = along.model.coordinates
    return linearise(crane, reference.parameters, there, still, u, independent=independent)
