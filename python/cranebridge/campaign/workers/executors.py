"""Who carries out batches: this process, a pool of processes, a cluster."""

from __future__ import annotations

import concurrent.futures
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cranebridge.campaign.workers.protocol import Workers
from cranebridge.campaign.workers.tls import Tls
from cranebridge.campaign.workers.work import Work, place_work, remove_work
from cranebridge.errors import InputError, MissingDependencyError


class Serial(Workers):
    """Runs in this process, one after another, when they are submitted."""

    def __init__(self) -> None:
        self._key: str | None = None

    @property
    def workers(self) -> int:
        """One."""
        return 1

    @property
    def in_flight(self) -> int:
        """One: what is submitted is done."""
        return 1

    def begin(self, work: Work) -> None:
        """Make a work known to this process; pickled, as elsewhere."""
        self.shutdown()
        self._key = work.key
        place_work(work.key, pickle.dumps(work))

    def submit(
        self, function: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> concurrent.futures.Future[Any]:
        """Call a function and return its result as a future that is done."""
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        try:
            future.set_result(function(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Close the runner."""
        if self._key is not None:
            remove_work(self._key)
            self._key = None

    def kill(self) -> None:
        """Close the runner."""
        self.shutdown()


def serial() -> Workers:
    """Return an executor that runs in this process: a crash ends it, too."""
    return Serial()


def pool(workers: int | None = None) -> Workers:
    """Return worker processes on this machine.

    Parameters
    ----------
    workers : int, optional
        How many processes; as many as this one may use processors if not given.
    """
    from cranebridge.campaign.workers.process_pool import ProcessPool

    count = _processors() if workers is None else workers
    if count < 1:
        raise InputError(f"a campaign needs one worker at least, and {count} are asked for")
    return ProcessPool(count)


def cluster(where: str | Path, tls: Tls | None = None) -> Workers:
    """Return the workers of a Dask cluster.

    Parameters
    ----------
    where : str or Path
        The scheduler's address, such as ``tls://host:8786``, or its scheduler file.
    tls : Tls, optional
        Certificates; without, those of Dask's own settings where the address is a tls:// one.

    Raises
    ------
    InputError
        If there is no scheduler, or it has no workers, or not these certificates.
    """
    try:
        from cranebridge.campaign.workers.dask_cluster import DaskCluster
    except ImportError as error:
        raise MissingDependencyError(
            "a cluster needs Dask distributed: pip install 'cranebridge[cluster]'"
        ) from error
    return DaskCluster(where, tls)


def _processors() -> int:
    """Return how many processors this process may use, which can be fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
