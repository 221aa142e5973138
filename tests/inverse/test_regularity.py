"""Bounds that show matrices regular: never where singular values or a crossing say otherwise."""

from __future__ import annotations

import numpy as np
import pytest

from cranebridge.inverse.extension.regularity import certainly_regular


def is_certain(matrices: np.ndarray) -> bool:
    """Ask for one block beside another one that never is: each is judged by itself."""
    entries = matrices.transpose(2, 1, 0).reshape(-1, len(matrices))
    beside = np.zeros_like(entries)
    found = certainly_regular(np.stack([beside, entries], axis=1))
    assert not found[0]
    return bool(found[1])


@pytest.mark.parametrize("size", [1, 2, 3])
def test_what_is_certainly_regular_is_regular_at_and_between_the_times(size: int) -> None:
    rng = np.random.default_rng(size)
    certain = 0
    for _ in range(300):
        first, change = rng.normal(size=(2, size, size))
        steps = np.linspace(0.0, 1.0, 6)[:, None, None]
        matrices = first + rng.choice([0.02, 0.3, 2.0]) * steps * change
        if not is_certain(matrices):
            continue
        certain += 1
        between = np.linspace(0.0, 1.0, 200)[:, None, None, None]
        line = (matrices[:-1] + between * np.diff(matrices, axis=0)).reshape(-1, size, size)
        assert np.linalg.svd(line, compute_uv=False)[:, -1].min() > 0.0
        assert np.ptp(np.sign(np.linalg.det(line))) == 0.0
    assert certain > 50  # a bound that never tells would pass, too


@pytest.mark.parametrize("size", [1, 2, 3])
def test_singular_and_broken_matrices_are_never_certain(size: int) -> None:
    regular = np.repeat(np.eye(size)[None], 4, axis=0)
    assert is_certain(regular)
    for value in (0.0, np.nan, np.inf, 1e-12):
        broken = regular.copy()
        broken[2, -1, -1] = value
        assert not is_certain(broken)
    crossed = regular.copy()
    crossed[2:, 0, 0] = -1.0  # regular at all times, singular in between
    assert not is_certain(crossed)
