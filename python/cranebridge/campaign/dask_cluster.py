"""Worker processes of a Dask cluster, on this machine and others.

The scheduler keeps the work and hands it to each worker once, also to those that come later; a
worker keeps its runner as long as the client stays. Batches whose worker is lost are given to
others by the scheduler, up to its setting ``distributed.scheduler.allowed-failures``.

A process runs one batch at a time, however many threads it has: workers are best begun with
``dask worker --nthreads 1 --nworkers N``, in an environment with the same cranebridge.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import json
import pickle
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from distributed import Client, KilledWorker
from distributed.diagnostics.plugin import WorkerPlugin

from cranebridge.campaign.work import Work, place_work, remove_work
from cranebridge.campaign.workers import Workers, workers_lost
from cranebridge.errors import InputError

# How long in s a scheduler may take to answer, and its first worker to appear.
_ANSWER, _PATIENCE = 10.0, 30.0
# How long in s a count of workers is taken to be still right.
_COUNTED = 1.0


def _require_scheduler_file(name: str) -> None:
    """Raise an InputError if a file does not say where a scheduler is."""
    try:
        content = json.loads(Path(name).read_bytes())
    except OSError as error:
        raise InputError(
            f"'{name}' is neither the address of a Dask scheduler, such as "
            f"tcp://127.0.0.1:8786, nor a scheduler file"
        ) from error
    except ValueError:
        content = None
    if not (isinstance(content, dict) and isinstance(content.get("address"), str)):
        raise InputError(
            f"'{name}' is no scheduler file: it does not say an address; one is written by: dask "
            f"scheduler --scheduler-file {name}"
        )


class _Carrier(WorkerPlugin):  # type: ignore[misc]
    """Places a work in a Dask worker."""

    # A client that comes again after it was killed finds its work there, and the runners begun.
    idempotent = True

    def __init__(self, key: str, pickled: bytes) -> None:
        self._key, self._pickled = key, pickled

    def setup(self, worker: Any) -> None:
        """Place the work."""
        place_work(self._key, self._pickled)

    def teardown(self, worker: Any) -> None:
        """Remove it."""
        remove_work(self._key)


class DaskCluster(Workers):
    """The workers of a Dask scheduler."""

    def __init__(self, where: str | Path) -> None:
        self._where = str(where)
        self._client = self._connected()
        # Not pure: Dask would keep results by the arguments, and no batch is given twice.
        self._executor: concurrent.futures.Executor = self._client.get_executor(pure=False)
        self._name: str | None = None
        self._count, self._counted = 0, float("-inf")

    def _connected(self) -> Client:
        address = "://" in self._where
        if not address:
            _require_scheduler_file(self._where)
        place = {"address": self._where} if address else {"scheduler_file": self._where}
        try:
            return Client(**place, timeout=_ANSWER, set_as_default=False)
        except (OSError, ValueError) as error:  # a timeout is an OSError
            raise InputError(
                f"no Dask scheduler answers at '{self._where}'; one is begun by: dask scheduler"
            ) from error
        except Exception as error:  # what is no scheduler can answer anything
            raise InputError(
                f"what answers at '{self._where}' is no Dask scheduler, or one of another version "
                f"({type(error).__name__}); one is begun by: dask scheduler"
            ) from error

    @property
    def workers(self) -> int:
        """The number of worker processes; they may come and go."""
        if time.monotonic() - self._counted > _COUNTED:
            self._counted = time.monotonic()
            with contextlib.suppress(OSError):  # the scheduler is away: then the old count stays
                self._count = len(self._client.ncores())
        return max(1, self._count)

    def begin(self, work: Work) -> None:
        """Have the scheduler place a work in all workers, those of later included."""
        try:
            self._client.wait_for_workers(1, timeout=_PATIENCE)
        except OSError as error:
            raise InputError(
                f"the Dask scheduler at '{self._where}' has no workers; one is begun by: dask "
                f"worker --nthreads 1 {self._where}"
            ) from error
        self._forget()
        self._name = f"cranebridge-{work.key}"
        self._client.register_plugin(_Carrier(work.key, pickle.dumps(work)), name=self._name)

    def submit(
        self, function: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> concurrent.futures.Future[Any]:
        """Have a function called in a worker."""
        try:
            return self._executor.submit(function, *args, **kwargs)
        except OSError as error:
            raise workers_lost() from error

    def is_death(self, error: BaseException) -> bool:
        """Tell whether the scheduler gave a batch up because its workers died."""
        return isinstance(error, KilledWorker)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let the workers close their runners, and leave the cluster; it goes on."""
        self._executor.shutdown(wait and not cancel_futures)
        with contextlib.suppress(Exception):  # the scheduler may be gone, and then all is done
            self._forget()
        self._client.close()

    def kill(self) -> None:
        """Cancel what is given and leave the cluster."""
        self.shutdown(wait=False)

    def _forget(self) -> None:
        if self._name is not None:
            self._client.unregister_worker_plugin(self._name)
            self._name = None
