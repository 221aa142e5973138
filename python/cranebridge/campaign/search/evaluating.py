"""Points evaluated by the workers of a campaign beside its runs, for searches that ask for more."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.campaign.carrying import DIED
from cranebridge.campaign.workers import RunResult, Workers, run_batch

# Batches for each worker: who is ready sooner takes one more.
_SHARES = 4


def evaluate(
    executor: Workers, key: str, keys: Sequence[str], points: NDArray[np.float64]
) -> list[RunResult]:
    """Carry out a run for each point, all of them as run 0; nothing is saved.

    Parameters
    ----------
    executor : Workers
        To whom the work was made known (`Workers.begin`).
    key : str
        Of the work.
    keys : sequence of str
        The factors.
    points : numpy.ndarray
        Their values, a row each.

    Returns
    -------
    list of Row
        In the order of the points; runs whose worker died are failed ones.
    """
    if not len(points):
        return []
    parts = np.array_split(points, min(len(points), _SHARES * executor.workers))
    futures: list[concurrent.futures.Future[Any]] = [
        executor.submit(run_batch, key, [0] * len(part), list(keys), part) for part in parts
    ]
    rows: list[RunResult] = []
    for future, part in zip(futures, parts, strict=True):
        error = future.exception()
        if error is None:
            rows += future.result().rows
        elif executor.is_death(error):
            rows += [RunResult(0, {}, DIED)] * len(part)
        else:
            raise error
    return rows
