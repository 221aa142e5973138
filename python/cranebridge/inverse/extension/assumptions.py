"""The assumptions of the thesis under which it proves that minimal extension gives index 3.

The coordinates are split into drive coordinates p and load coordinates x = s(q), the constraints
into h(p) and Phi(p, x).

* Drives without own constraints (assumption 1, thesis 5.1.2): no h, m <= a <= n - a, M_1 positive
  definite, G_2 = dPhi/dx of full rank, H = d(Phi, z)/dp of full rank and P = H M_1^-1 B_1^T
  invertible.
* Constraints hold the load (assumption 2, thesis 5.4.2): G_2 of full rank, m_2 <= a,
  2 a + m_1 <= n, a < n - m.
* Drives move the load (assumption 3): the matrix (5.109) is invertible.

Here z = P_2^T (f_2 - M_2 gamma''), with P_2 a basis of the null space of G_2; on the solution its
derivative is dz/dp = -P_2^T d(G_2^T lambda)/dp.

They are sufficient, not necessary: the Navy cranes violate them and are solved all the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse.extension.servo_structure import Structure
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.twin.language import names

Array = NDArray[np.float64]

# Smallest singular value over the largest, after scaling rows and columns, of a singular matrix.
SINGULAR = 1e-10

# The assumptions by what they say; a reader of messages does not know their numbers.
NAMES = ("drives without own constraints", "constraints hold the load", "drives move the load")


@dataclass(frozen=True)
class Assumption:
    """An assumption of the thesis: whether it holds, and why or why not."""

    name: str
    holds: bool | None
    reason: str

    def as_dict(self) -> dict[str, object]:
        """Return it for JSON; `holds` is null where it does not apply."""
        return {"name": self.name, "holds": self.holds, "reason": self.reason}


@dataclass(frozen=True, eq=False)
class _Parts:
    """The matrices of the assumptions along the path, first axis time."""

    n: int
    a: int
    m_1: int
    m_2: int
    M_1: Array
    B_1: Array
    H_1: Array
    G_1: Array
    G_2: Array
    coupling: Array


def check_assumptions(structure: Structure, solution: Feedforward) -> list[Assumption]:
    """Check the assumptions of the thesis at the times of a solution."""
    if structure.crane.motions:
        reason = "does not apply: it is about cranes whose base stands still"
        return [Assumption(name, None, reason) for name in NAMES]
    split = _load_coordinates(structure)
    if split is None:
        reason = "does not apply: an output is a function of coordinates and not one of them"
        return [Assumption(name, None, reason) for name in NAMES]
    parts = _evaluate(structure, solution, split)
    return [_first(parts), second := _second(parts), _third(parts, second)]


def _load_coordinates(structure: Structure) -> list[int] | None:
    """Return the coordinates that are the outputs, or None."""
    coordinates = names(structure.crane.coordinates)
    outputs = names(structure.crane.outputs)
    if any(name not in coordinates for name in outputs):
        return None
    load = [coordinates.index(name) for name in outputs]
    model = structure.model
    difference = ca.simplify(model.outputs - model.q[load])
    return load if difference.is_zero() else None


def _evaluate(structure: Structure, solution: Feedforward, load: list[int]) -> _Parts:
    model = structure.model
    drive = [i for i in range(model.q.numel()) if i not in load]
    phi = [
        i
        for i in range(model.constraints.numel())
        if ca.depends_on(model.constraints[i], model.q[load])
    ]
    h = [i for i in range(model.constraints.numel()) if i not in phi]
    G = model.constraint_jacobian
    force = G[phi, load].T @ model.lam[phi] if phi else ca.SX.zeros(len(load))
    matrices = [
        model.mass_matrix[drive, drive],
        model.input_matrix[drive, :],
        G[h, drive] if h else ca.SX(0, len(drive)),
        G[phi, drive] if phi else ca.SX(0, len(drive)),
        G[phi, load] if phi else ca.SX(0, len(load)),
        ca.jacobian(force, model.q[drive]),
    ]
    function = ca.Function(
        "parts", [model.q, model.lam, model.p], [ca.densify(matrix) for matrix in matrices]
    )
    count = solution.time.size
    values = function.map(count)(
        solution.q.T, solution.lam.T, np.tile(solution.problem.parameter_vector, (count, 1)).T
    )
    stacked = [
        np.array(value).reshape(matrix.shape[0], count, matrix.shape[1]).transpose(1, 0, 2)
        for value, matrix in zip(values, matrices, strict=True)
    ]
    return _Parts(model.q.numel(), len(load), len(h), len(phi), *stacked)


def _first(parts: _Parts) -> Assumption:
    name, m = NAMES[0], parts.m_1 + parts.m_2
    if parts.m_1 > 0 or not m <= parts.a <= parts.n - parts.a:
        return Assumption(name, None, "does not apply: it needs m <= a <= n - a and m_1 = 0")
    if np.linalg.eigvalsh(parts.M_1).min() <= 0.0:
        return Assumption(name, False, "M_1 is not positive definite")
    if not _full_rank(parts.G_2):
        return Assumption(name, False, "G_2 does not have full rank")
    H = np.concatenate([parts.G_1, _z_jacobian(parts)], axis=1)
    # H (5.18) needs no look of its own: it has full rank where P = H M_1^-1 B_1^T is regular.
    P = H @ np.linalg.solve(parts.M_1, parts.B_1)
    if not _full_rank(P):
        return Assumption(name, False, "P (thesis 5.19) is singular")
    return Assumption(name, True, f"condition of P (thesis 5.19) up to {_condition(P):.3g}")


def _second(parts: _Parts) -> Assumption:
    name, n, a, m_1, m_2 = NAMES[1], parts.n, parts.a, parts.m_1, parts.m_2
    if m_2 > a:
        return Assumption(name, False, f"m_2 = {m_2} is larger than a = {a}")
    if not _full_rank(parts.G_2):
        return Assumption(name, False, "G_2 does not have full rank")
    if 2 * a + m_1 > n or a >= n - m_1 - m_2:
        return Assumption(name, False, "2 a + m_1 <= n and a < n - m do not both hold")
    return Assumption(name, True, f"G_2 has full rank, n = {n}, a = {a}, m_1 = {m_1}, m_2 = {m_2}")


def _third(parts: _Parts, second: Assumption) -> Assumption:
    name = NAMES[2]
    if not second.holds:
        return Assumption(name, False, f"it presupposes '{NAMES[1]}', which fails")
    count, n, a, m_1 = len(parts.M_1), parts.n, parts.a, parts.m_1
    drives = n - a
    matrix = np.zeros((count, n + m_1, n + m_1))
    matrix[:, :drives, :drives] = parts.M_1
    matrix[:, :drives, drives : drives + a] = -parts.B_1
    matrix[:, :drives, drives + a :] = parts.H_1.transpose(0, 2, 1)
    lower = np.concatenate([_z_jacobian(parts), parts.G_1, parts.H_1], axis=1)
    matrix[:, drives:, :drives] = lower
    rank = int(_ranks(matrix).min())
    if rank < n + m_1:
        return Assumption(name, False, f"the matrix (thesis 5.109) has rank {rank} of {n + m_1}")
    return Assumption(name, True, f"condition of (thesis 5.109) up to {_condition(matrix):.3g}")


def _z_jacobian(parts: _Parts) -> Array:
    """Return Z_1 = -P_2^T d(G_2^T lambda)/dp along the path."""
    rows = parts.G_2.shape[1]
    basis = np.linalg.svd(parts.G_2, full_matrices=True)[2][:, rows:, :]
    result: Array = -basis @ parts.coupling
    return result


def _full_rank(matrices: Array) -> bool:
    if not matrices.size:  # no constraint on the load
        return True
    return bool((_ranks(matrices) == min(matrices.shape[1:])).all())


def _ranks(matrices: Array) -> NDArray[np.int_]:
    """Return the ranks after scaling rows and columns, which carry different units."""
    rows = np.abs(matrices).max(axis=2, keepdims=True)
    scaled = matrices / np.where(rows > 0.0, rows, 1.0)
    columns = np.abs(scaled).max(axis=1, keepdims=True)
    scaled = scaled / np.where(columns > 0.0, columns, 1.0)
    values = np.linalg.svd(scaled, compute_uv=False)
    return np.asarray((values > SINGULAR * values[:, :1]).sum(axis=1))


def _condition(matrices: Array) -> float:
    return float(np.linalg.cond(matrices).max())
