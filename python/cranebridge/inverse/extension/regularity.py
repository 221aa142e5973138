"""Whether the blocks of a staged solution stay regular on the way, and the error if they do not."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import SolutionError
from cranebridge.inverse.extension.stages import JacobianBlock, Stages
from cranebridge.structure import scales

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

# A block, scaled, whose least singular value is this part of its largest element is singular.
SINGULAR = 1e-13
# A rope with this part of its largest force is about to go slack.
_SLACK = 0.02
# Up to this many rows bounds are cheaper than singular values.
_SMALL = 3
# Such bounds count if they are above this: well above the rounding of a determinant.
_CERTAIN = 1e-9


def block_jacobians(stages: Stages, columns: Array) -> list[tuple[JacobianBlock, Array]]:
    """Return all that is watched with its Jacobians, an array (times, size, size)."""
    result, position = [], 0
    for block in stages.watched:
        size = len(block.variables)
        part = columns[:, position : position + size * size].reshape(-1, size, size)
        result.append((block, part.transpose(0, 2, 1)))
        position += size * size
    return result


def require_regular(
    stages: Stages, columns: Array, times: Array, ropes: Array | None = None
) -> None:
    """Raise a SolutionError if a block is singular at or between the times.

    Between two times the line J_0 + tau (J_1 - J_0) meets a singular matrix where J_0^-1 J_1 has
    an eigenvalue on the negative real axis. This finds a slewing axis that is crossed between two
    times, and free fall, although the matrices at both times are regular.
    """
    certain = _certain_blocks(stages, columns)
    for number, (block, jacobians) in enumerate(block_jacobians(stages, columns)):
        if number in certain:
            continue
        jacobians = _scaled(jacobians)
        size = np.abs(jacobians).max(axis=(1, 2))
        values = np.linalg.svd(jacobians, compute_uv=False) if np.isfinite(size).all() else None
        if values is None or (values[:, -1] <= SINGULAR * size.max()).any():
            broken = (
                ~np.isfinite(size) if values is None else values[:, -1] <= SINGULAR * size.max()
            )
            first = int(np.argmax(broken))
            raise singular_block(stages, block, times[first], _forces_near(ropes, first))
        change = np.linalg.eigvals(np.linalg.solve(jacobians[:-1], jacobians[1:]))
        crossed = ((change.real <= 0.0) & (np.abs(change.imag) <= 1e-6 * np.abs(change))).any(
            axis=1
        )
        if crossed.any():
            first = int(np.argmax(crossed))
            between = 0.5 * (times[first] + times[first + 1])
            raise singular_block(stages, block, between, _forces_near(ropes, first))


def _scaled(jacobians: Array) -> Array:
    """Scale rows and columns to size one, the same at all times: newtons and metres do not compare.

    Eigenvalues of J_0^-1 J_1 stay as they are.
    """
    if not np.isfinite(jacobians).all():
        return jacobians
    for factor in scales(np.abs(jacobians).max(axis=0)):
        jacobians = jacobians * factor
    return jacobians


def _certain_blocks(stages: Stages, columns: Array) -> set[int]:
    """Return the numbers of the blocks that are certainly regular, at and between the times."""
    certain: set[int] = set()
    small = _small_blocks(tuple(len(block.variables) for block in stages.watched))
    for numbers, places in small.values():
        certain.update(numbers[certainly_regular(columns.T[places])].tolist())
    return certain


def certainly_regular(entries: Array) -> NDArray[np.bool_]:
    """Return which blocks bounds alone show to be regular, at and between the times.

    The least singular value of J is at least |det J| ((n - 1) / |J|^2)^((n - 1) / 2), with
    Frobenius' norm: the others' product is largest where they are equal. All matrices J + dJ with
    |dJ| less than that are regular, too, and J^-1 (J + dJ) has eigenvalues within 1 of 1. That is a
    dozen products, where singular values and eigenvalues take most of the time of a short motion.

    Parameters
    ----------
    entries : numpy.ndarray
        Of shape (n * n, blocks, times): blocks of n rows, up to three, entry by entry.
    """
    size = math.isqrt(len(entries))
    norm = (entries**2).sum(axis=0)
    with np.errstate(all="ignore"):  # what is not finite is not certain
        least = np.abs(_determinants(entries))
        if size > 1:
            least *= ((size - 1) / norm) ** (0.5 * (size - 1))
        change = np.sqrt(((entries[:, :, 1:] - entries[:, :, :-1]) ** 2).sum(axis=0))
        # far from what rounding can do to a determinant, and to the bound
        apart = (least > _CERTAIN * np.sqrt(norm.max(axis=1, keepdims=True))).all(axis=1)
        return np.asarray(apart & (change < 0.9 * least[:, :-1]).all(axis=1))


@cache
def _small_blocks(sizes: tuple[int, ...]) -> dict[int, tuple[Indices, Indices]]:
    """Return by size the numbers of small blocks, and where their entries are, a column for each.

    Entries of a block stand column by column.
    """
    begins = np.concatenate([[0], np.cumsum(np.square(sizes))]).astype(np.intp)
    found = {}
    for size in sorted(set(sizes)):
        if size <= _SMALL:
            numbers = np.flatnonzero(np.array(sizes) == size)
            found[size] = numbers, begins[numbers] + np.arange(size * size)[:, None]
    return found


def _determinants(entries: Array) -> Array:
    """Return determinants of matrices of up to three rows, from their entries one after another."""
    if len(entries) == 1:
        return np.asarray(entries[0])
    if len(entries) == 4:
        a, b, c, d = entries
        return np.asarray(a * d - b * c)
    a, b, c, d, e, f, g, h, i = entries
    return np.asarray(a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g))


def fading_block(stages: Stages, columns: Array) -> JacobianBlock | None:
    """Return the block that became singular most while the path was followed, if one did."""
    ratios = []
    for block, jacobians in block_jacobians(stages, columns[[0, -1]]):
        least = np.linalg.svd(jacobians, compute_uv=False)[:, -1]
        ratios.append((float(least[1] / least[0]), block))
    ratio, worst = min(ratios, key=lambda pair: pair[0])
    return worst if ratio < 0.1 else None


def worst_condition(stages: Stages, columns: Array) -> tuple[JacobianBlock, float]:
    """Return the block of largest condition, its rows and columns scaled, and its condition."""
    found = []
    for block, jacobians in block_jacobians(stages, columns):
        values = np.linalg.svd(_scaled(jacobians), compute_uv=False)
        with np.errstate(divide="ignore"):
            found.append((float((values[:, 0] / values[:, -1]).max()), block))
    condition, block = max(found, key=lambda pair: pair[0])
    return block, condition


def block_equations(stages: Stages, block: JacobianBlock) -> tuple[str, ...]:
    """Return the names of a block's equations."""
    return tuple(stages.structure.equations[i] for i in block.equations)


def slack_rope(stages: Stages, forces: Array) -> str | None:
    """Return that a rope goes slack where a solution ends, with its force; None if none does.

    Parameters
    ----------
    forces : numpy.ndarray
        Rope forces until there, a row for each time.
    """
    if not forces.size:
        return None
    part = forces[-3:] / np.abs(forces).max(axis=0, initial=np.finfo(float).tiny)
    near_zero = (part.min(axis=0) <= _SLACK) & (part.max(axis=0) >= -_SLACK)
    if not near_zero.any():
        return None
    least = int(np.argmax(near_zero))
    name = stages.structure.crane.ropes[least].name
    return f"rope {name} goes slack there (its force is {forces[-1, least]:.4g} N)"


def _forces_near(ropes: Array | None, time: int) -> Array:
    """Return rope forces until the later one of the two times between which a block is singular."""
    return np.zeros((0, 0)) if ropes is None else ropes[: time + 2]


def singular_block(
    stages: Stages, block: JacobianBlock, time: float, forces: Array | None = None
) -> SolutionError:
    """Return the error that names a block that is singular at a time, and what can be seen of why.

    Parameters
    ----------
    forces : numpy.ndarray, optional
        Rope forces until there, a row for each time.
    """
    equations = ", ".join(block_equations(stages, block))
    variables = ", ".join(stages.structure.variables[j] for j in block.variables)
    slack = None if forces is None else slack_rope(stages, forces)
    if slack is not None:
        why = (
            f"{slack}, as where a load falls as fast as gravity pulls it; a slower path, or one "
            "farther below, keeps it taut"
        )
    else:
        turns = any(one.unit == "rad" for one in stages.structure.crane.coordinates)
        axis = "a load path through the slewing axis, or " if turns else ""
        causes = "typical causes are" if turns else "a typical cause is"
        why = f"{causes} {axis}a load that falls as fast as gravity pulls it"
    return SolutionError(
        f"stage {block.first_stage} is singular near t = {time:.4g} s: the equations ({equations}) "
        f"do not determine ({variables}) there; {why}"
    )
