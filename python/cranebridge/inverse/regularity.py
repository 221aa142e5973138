"""Whether the blocks of a staged solution stay regular on the way, and how it is told if not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import SolutionError
from cranebridge.inverse.stages import Block, Stages

Array = NDArray[np.float64]


def block_jacobians(stages: Stages, columns: Array) -> list[tuple[Block, Array]]:
    """Return all that is watched with its Jacobians, an array (times, size, size)."""
    result, position = [], 0
    for block in stages.watched:
        size = len(block.variables)
        part = columns[:, position : position + size * size].reshape(-1, size, size)
        result.append((block, part.transpose(0, 2, 1)))
        position += size * size
    return result


def require_regular(stages: Stages, columns: Array, times: Array) -> None:
    """Raise a SolutionError if a block is singular at or between the times.

    Between two times the line J_0 + tau (J_1 - J_0) meets a singular matrix where J_0^-1 J_1 has
    an eigenvalue on the negative real axis. This finds a slewing axis that is crossed between two
    times, and free fall, although the matrices at both times are regular.
    """
    for block, jacobians in block_jacobians(stages, columns):
        size = np.abs(jacobians).max(axis=(1, 2))
        values = np.linalg.svd(jacobians, compute_uv=False) if np.isfinite(size).all() else None
        if values is None or (values[:, -1] <= 1e-13 * size.max()).any():
            broken = ~np.isfinite(size) if values is None else values[:, -1] <= 1e-13 * size.max()
            raise singular_block(stages, block, times[int(np.argmax(broken))])
        change = np.linalg.eigvals(np.linalg.solve(jacobians[:-1], jacobians[1:]))
        crossed = ((change.real <= 0.0) & (np.abs(change.imag) <= 1e-6 * np.abs(change))).any(
            axis=1
        )
        if crossed.any():
            first = int(np.argmax(crossed))
            raise singular_block(stages, block, 0.5 * (times[first] + times[first + 1]))


def fading_block(stages: Stages, columns: Array) -> Block | None:
    """Return the block that became singular most while the path was followed, if one did."""
    ratios = []
    for block, jacobians in block_jacobians(stages, columns[[0, -1]]):
        least = np.linalg.svd(jacobians, compute_uv=False)[:, -1]
        ratios.append((float(least[1] / least[0]), block))
    ratio, worst = min(ratios, key=lambda pair: pair[0])
    return worst if ratio < 0.1 else None


def singular_block(stages: Stages, block: Block, time: float) -> SolutionError:
    """Return the error that names a block that is singular at a time."""
    equations = ", ".join(stages.structure.equations[i] for i in block.equations)
    variables = ", ".join(stages.structure.variables[j] for j in block.variables)
    return SolutionError(
        f"stage {block.first_stage} is singular near t = {time:.4g} s: the equations ({equations}) "
        f"do not determine ({variables}) there; typical causes are a load path through the slewing "
        "axis, or a load that falls as fast as gravity pulls it"
    )
