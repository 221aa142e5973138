"""One sample of a crane's motion in scalar operations: a Runge-Kutta step, and the slopes.

With inputs u and a force w on the load held over a time h, the twin's accelerations

    A(q) (a, lambda) = b(q, v, u) + (s_q^T w, 0)

(:mod:`cranebridge.forward.crane_accelerations`, s(q) the outputs) are integrated by one classical
Runge-Kutta step of order four. The independent coordinates and velocities are kept as they come
out; the others follow from the constraints h(q) = 0, H(q) v = 0. The derivatives of the rates along
the constraint manifold,

    d(a, lambda) = -A^-1 (r_q dq + r_v dv + ...),   r = A (a, lambda) - b,

reuse the factors of A. Everything is written with scalar operations (the linear systems by a sparse
QR decomposition without branches), so that it can be evaluated, mapped, differentiated and printed
as C: the observer predicts with it, and the twin as a plant moves with it.

Drives with a speed loop take velocity references in place of forces. What such a drive has
integrated is how far its reference is ahead of it, so with the place r that the reference has come
to its force is

    u = F_0 + kp (reference - velocity) + ki (r - coordinate),   r' = reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import casadi as ca

from cranebridge.errors import StructureError, unknown
from cranebridge.forward import CraneDynamics, crane_dynamics
from cranebridge.inverse import SpeedDrive
from cranebridge.twin import Crane
from cranebridge.twin.language import names

# Newton steps that complete coordinates from a guess near the manifold: corrections of an
# observer are small, and what one sample leaves the next one removes.
NEWTON_STEPS = 2


@dataclass(frozen=True, eq=False)
class MotionStep:
    """The sampled motion of a crane; all functions are of scalar operations (SX).

    Attributes
    ----------
    crane : Crane
        The crane: n coordinates, f degrees of freedom, k outputs.
    independent : tuple of str
        The f independent coordinates. The state x is they, then their velocities.
    estimated : tuple of str
        Parameters with respect to which the motion is differentiated.
    drives : tuple of SpeedDrive
        Drives with a speed loop: their inputs are velocity references, and w is followed by the
        places r of those that have an integral.
    hold : tuple of float
        Their forces F_0.
    """

    crane: Crane
    independent: tuple[str, ...]
    estimated: tuple[str, ...]
    drives: tuple[SpeedDrive, ...] = ()
    hold: tuple[float, ...] = ()

    @property
    def inner(self) -> list[int]:
        """Positions of the independent coordinates."""
        return [names(self.crane.coordinates).index(name) for name in self.independent]

    @cached_property
    def _writer(self) -> _StepWriter:
        return _StepWriter(self.crane, self.inner, self.estimated, self.drives, self.hold)

    @cached_property
    def step(self) -> ca.Function:
        """``(q, v, u, w, p, h) -> (q, v)`` after the time h; places of drives move meanwhile."""
        return self._writer.step()

    @cached_property
    def slopes(self) -> ca.Function:
        """``(q, v, u, w, p) -> (A, G)``.

        Derivatives of the state's rates with respect to the state (2f, 2f), and to w and the
        estimated parameters (2f, k + parameters).
        """
        return self._writer.slopes()

    @cached_property
    def complete(self) -> ca.Function:
        """``(q, v, p) -> (q, v)`` on the manifold, the independent ones unchanged."""
        return self._writer.complete()

    @cached_property
    def shift(self) -> ca.Function:
        """``(q, v, p) -> (2n, parameters)``: dq and dv with the estimated parameters, dx = 0."""
        return self._writer.shift()

    @cached_property
    def tangent(self) -> ca.Function:
        """``(q, v, p) -> (n, 2f), (n, 2f)``: dq and dv as functions of dx."""
        return self._writer.tangent()


def motion_step(
    crane: Crane,
    independent: Sequence[str],
    estimated: Sequence[str] = (),
    drives: Sequence[SpeedDrive] = (),
    hold: Sequence[float] = (),
) -> MotionStep:
    """Return the sampled motion of a crane; made once for the same names.

    Parameters
    ----------
    crane : Crane
        The crane.
    independent : sequence of str
        Independent coordinates, as :func:`cranebridge.forward.linearisation.linearise` finds them.
    estimated : sequence of str
        Parameters with respect to which derivatives are wanted.
    drives : sequence of SpeedDrive
        Drives that take velocity references.
    hold : sequence of float
        Forces with which these hold the crane at the start.

    Raises
    ------
    StructureError
        If a force on the load would act on a part without mass.
    """
    for name in independent:
        if name not in names(crane.coordinates):
            raise unknown(f"coordinate of crane '{crane.name}'", name, names(crane.coordinates))
    for name in estimated:
        if name not in names(crane.parameters):
            raise unknown(f"parameter of crane '{crane.name}'", name, names(crane.parameters))
    return _motion_step(crane, tuple(independent), tuple(estimated), tuple(drives), tuple(hold))


@cache
def _motion_step(
    crane: Crane,
    independent: tuple[str, ...],
    estimated: tuple[str, ...],
    drives: tuple[SpeedDrive, ...],
    hold: tuple[float, ...],
) -> MotionStep:
    return MotionStep(crane, independent, estimated, drives, hold)


def _pick(vector: ca.SX, rows: Sequence[int]) -> ca.SX:
    """Return rows of a vector or matrix; of a scalar CasADi would make a row."""
    return ca.vertcat(*(vector[i, :] for i in rows)) if rows else ca.SX(0, vector.size2())


class _QrFactors:
    """A sparse QR decomposition written out, for any number of right-hand sides."""

    def __init__(self, matrix: ca.SX) -> None:
        self.empty = matrix.numel() == 0
        if not self.empty:
            self.parts = ca.qr_sparse(matrix)

    def solve(self, right: ca.SX) -> ca.SX:
        """Return the solutions, a column for each right-hand side."""
        if self.empty or right.size2() == 0:
            return ca.SX(right)
        return ca.qr_solve(ca.densify(right), *self.parts, False)


class _StepWriter:
    """Writes the functions of a `MotionStep`."""

    def __init__(
        self,
        crane: Crane,
        inner: list[int],
        estimated: tuple[str, ...],
        drives: tuple[SpeedDrive, ...],
        hold: tuple[float, ...],
    ) -> None:
        self.dynamics: CraneDynamics = crane_dynamics(crane)
        m = self.dynamics.model
        self.n = int(m.q.numel())
        self.inner = inner
        self.outer = [i for i in range(self.n) if i not in inner]
        self.drives, self.hold = drives, hold
        self.places = [drive for drive in drives if drive.ki != 0.0]
        self.w = ca.SX.sym("w", m.outputs.numel() + len(self.places))
        self.h = ca.SX.sym("h")
        chosen = [names(crane.parameters).index(name) for name in estimated]
        self.p_columns = ca.SX.eye(m.p.numel())[:, chosen] if chosen else ca.SX(m.p.numel(), 0)
        self._residual()

    def _residual(self) -> None:
        """Make r = A x - b - (s_q^T w, 0) and its derivative along given directions."""
        m = self.dynamics.model
        A, b = self.dynamics.system(m.q, m.v, self._forces(), m.p)
        push = ca.jtimes(m.outputs, m.q, self.w[: m.outputs.numel()], True)
        offsets = self.dynamics.equation_offsets[: self.n]
        for i in range(self.n):
            if (offsets[i] or i in m.massless) and not push[i].is_zero():
                raise StructureError(
                    f"crane '{m.crane.name}': a force on its outputs would act on the massless "
                    f"coordinate {names(m.crane.coordinates)[i]}"
                )
        b = b + ca.vertcat(push, ca.SX.zeros(A.size1() - self.n))
        x = ca.SX.sym("x", A.size1())
        arguments = [m.q, m.v, self.w, m.p]
        self.system = ca.Function("system", [m.q, m.v, m.u, self.w, m.p], [A, b])
        seeds = [ca.SX.sym("d", part.numel()) for part in arguments]
        change = ca.jtimes(A @ x - b, ca.vertcat(*arguments), ca.vertcat(*seeds))
        self.change = ca.Function("change", [m.q, m.v, m.u, self.w, m.p, x, *seeds], [change])

    def _forces(self) -> ca.SX:
        """Return the forces that the inputs make: those of speed loops depend on the state."""
        m = self.dynamics.model
        forces = ca.SX(m.u)
        for drive, hold in zip(self.drives, self.hold, strict=True):
            i, c = self._places_of(drive)
            forces[i] = hold + drive.kp * (m.u[i] - m.v[c])
            if drive in self.places:
                place = self.w[m.outputs.numel() + self.places.index(drive)]
                forces[i] += drive.ki * (place - m.q[c])
        return forces

    def _places_of(self, drive: SpeedDrive) -> tuple[int, int]:
        """Return the positions of a drive's input and coordinate."""
        crane = self.dynamics.model.crane
        return (
            names(crane.inputs).index(drive.input),
            names(crane.coordinates).index(drive.coordinate),
        )

    def _after(self, part: float) -> ca.SX:
        """Return forces on the load, and the places of the drives after a part of the step."""
        if not self.places or not part:
            return self.w
        m = self.dynamics.model
        moved = [part * self.h * m.u[self._places_of(drive)[0]] for drive in self.places]
        return self.w + ca.vertcat(ca.SX.zeros(m.outputs.numel()), *moved)

    def step(self) -> ca.Function:
        """Write the step."""
        m = self.dynamics.model
        arguments = [m.q, m.v, m.u, self.w, m.p, self.h]
        after = self._on_manifold(*self._runge_kutta(), steps=1)
        named = ["q", "v", "u", "w", "p", "h"]
        return _function("step", arguments, [*after], named, ["q_next", "v_next"])

    def complete(self) -> ca.Function:
        """Write the completion of a guess."""
        m = self.dynamics.model
        found = self._on_manifold(m.q, m.v, steps=NEWTON_STEPS)
        return _function(
            "complete", [m.q, m.v, m.p], [*found], ["q", "v", "p"], ["q_next", "v_next"]
        )

    def tangent(self) -> ca.Function:
        """Write the tangent map."""
        m = self.dynamics.model
        found = self._tangent(m.q, m.v, m.p)
        return _function("tangent", [m.q, m.v, m.p], found, ["q", "v", "p"], ["dq", "dv"])

    def shift(self) -> ca.Function:
        """Write what the estimated parameters do to dependent coordinates."""
        m = self.dynamics.model
        found = self._shift(self.p_columns.size2())
        return _function("shift", [m.q, m.v, m.p], [found], ["q", "v", "p"], ["shift"])

    def slopes(self) -> ca.Function:
        """Write the derivatives of the state's rates."""
        m = self.dynamics.model
        f, k, e = len(self.inner), self.w.numel(), self.p_columns.size2()
        dw = ca.horzcat(ca.SX.zeros(k, 2 * f), ca.SX.eye(k), ca.SX.zeros(k, e))
        dp = ca.horzcat(ca.SX.zeros(m.p.numel(), 2 * f + k), self.p_columns)
        others = ca.SX.zeros(2 * self.n, k)
        tangent = ca.vertcat(*self._tangent(m.q, m.v, m.p))
        directions = ca.horzcat(tangent, others, self._shift(e))
        A, b = self.system(m.q, m.v, m.u, self.w, m.p)
        factors = _QrFactors(A)
        x = factors.solve(b)
        columns = [
            self.change(m.q, m.v, m.u, self.w, m.p, x, d[: self.n], d[self.n :], d_w, d_p)
            for d, d_w, d_p in zip(
                ca.horzsplit(directions), ca.horzsplit(dw), ca.horzsplit(dp), strict=True
            )
        ]
        accelerations = factors.solve(-ca.horzcat(*columns))
        velocities = ca.SX.eye(2 * f)[f:, :]
        upper = ca.horzcat(velocities, ca.SX.zeros(f, k + e))
        both = ca.vertcat(upper, _pick(accelerations, self.inner))
        arguments = [m.q, m.v, m.u, self.w, m.p]
        return _function(
            "slopes",
            arguments,
            [both[:, : 2 * f], both[:, 2 * f :]],
            ["q", "v", "u", "w", "p"],
            ["A", "G"],
        )

    def _shift(self, count: int) -> ca.SX:
        """Return dq and dv of the dependent coordinates with the estimated parameters."""
        m = self.dynamics.model
        if not count or not self.outer:
            return ca.SX.zeros(2 * self.n, count)
        h, H = self.dynamics.manifold(m.q, m.p)
        factors = _QrFactors(H[:, self.outer])
        dq = self._spread(factors.solve(-ca.jacobian(h, m.p) @ self.p_columns), count)
        rate = H @ m.v
        bending = ca.jacobian(rate, m.p) @ self.p_columns + ca.jacobian(rate, m.q) @ dq
        return ca.vertcat(dq, self._spread(factors.solve(-bending), count))

    def _spread(self, outer: ca.SX, count: int) -> ca.SX:
        """Return dependent rows among all, the independent ones zero."""
        full = ca.SX(self.n, count)
        for row, i in enumerate(self.outer):
            full[i, :] = outer[row, :]
        return full

    def _runge_kutta(self) -> tuple[ca.SX, ca.SX]:
        """Return q and v after one classical Runge-Kutta step."""
        m = self.dynamics.model
        start = ca.vertcat(m.q, m.v)
        total, stage, after = ca.SX.zeros(2 * self.n), start, 0.0
        for weight, reach in ((1.0, 0.5), (2.0, 0.5), (2.0, 1.0), (1.0, 0.0)):
            q, v = stage[: self.n], stage[self.n :]
            A, b = self.system(q, v, m.u, self._after(after), m.p)
            after = reach
            rate = ca.vertcat(v, _QrFactors(A).solve(b)[: self.n])
            total = total + weight * rate
            stage = start + reach * self.h * rate
        end = start + self.h / 6.0 * total
        return end[: self.n], end[self.n :]

    def _on_manifold(self, q: ca.SX, v: ca.SX, steps: int) -> tuple[ca.SX, ca.SX]:
        """Return the dependent coordinates by Newton, their velocities with the last factors."""
        p = self.dynamics.model.p
        if not self.outer:
            return q, v
        for _ in range(steps):
            h, H = self.dynamics.manifold(q, p)
            factors = _QrFactors(H[:, self.outer])
            q = q - self._spread(factors.solve(h), 1)
        H = self.dynamics.manifold(q, p)[1]
        if steps > 1:  # a guess of the velocities can be far off: solved, not corrected
            factors = _QrFactors(H[:, self.outer])
        return q, v - self._spread(factors.solve(H @ v), 1)

    def _tangent(self, q: ca.SX, v: ca.SX, p: ca.SX) -> list[ca.SX]:
        """Return [K 0] and [L K] of :mod:`cranebridge.forward.linearisation`."""
        f = len(self.inner)
        zero = ca.SX.zeros(self.n, f)
        K = ca.SX(self.n, f)
        for column, i in enumerate(self.inner):
            K[i, column] = 1.0
        if not self.outer:
            return [ca.horzcat(K, zero), ca.horzcat(zero, K)]
        h, H = self.dynamics.manifold(q, p)
        factors = _QrFactors(H[:, self.outer])
        K = K + self._spread(factors.solve(-H[:, self.inner]), f)
        bending = ca.jacobian(ca.jtimes(h, q, v), q) @ K
        L = self._spread(factors.solve(-bending), f)
        return [ca.horzcat(K, zero), ca.horzcat(L, K)]


def _function(
    name: str, arguments: list[Any], results: list[Any], named: list[str], gives: list[str]
) -> ca.Function:
    dense = [ca.densify(result) for result in results]
    return ca.Function(name, arguments, ca.cse(dense), named, gives)
