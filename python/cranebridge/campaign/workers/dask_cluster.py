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
from distributed.security import Security

from cranebridge.campaign.workers.protocol import Workers, workers_lost
from cranebridge.campaign.workers.tls import Tls, open_connection
from cranebridge.campaign.workers.work import Work, place_work, remove_work
from cranebridge.errors import InputError
from cranebridge.regular_files import require_regular

# How long in s a scheduler may take to answer.
_ANSWER = 10.0
# How long in s its first worker may take to appear.
_PATIENCE = 30.0
# How long in s it may take to leave: whoever interrupts does not wait for a cluster that is busy.
_LEAVING = 5.0
# How long in s a count of workers is taken to be still right.
_COUNTED = 1.0
_TLS = "tls://"


def _address_of(name: str) -> str:
    """Return the address that a scheduler file says; an InputError if it says none."""
    require_regular(f"the scheduler file '{name}'", name)
    try:
        content = json.loads(Path(name).read_bytes())
    except OSError as error:
        raise InputError(
            f"'{name}' is neither the address of a Dask scheduler, such as "
            f"tcp://127.0.0.1:8786, nor a scheduler file"
        ) from error
    except ValueError:
        content = None
    address = content.get("address") if isinstance(content, dict) else None
    if not isinstance(address, str):
        raise InputError(
            f"'{name}' is no scheduler file: it does not say an address; one is written by: dask "
            f"scheduler --scheduler-file {name}"
        )
    return address


def _require_security(where: str, address: str, tls: Tls | None) -> None:
    """Refuse certificates for a connection that has none, and TLS without any."""
    if tls is not None and not address.startswith(_TLS):
        raise InputError(
            f"certificates are given, but '{where}' is a scheduler without TLS ({address}); begin "
            f"it with --protocol tls and certificates, and give its tls:// address"
        )
    known = Security().get_connection_args("client").get("ssl_context")  # of Dask's own settings
    if tls is None and address.startswith(_TLS) and known is None:
        raise InputError(
            f"the scheduler at '{where}' takes TLS only: give --tls-ca-file, --tls-cert and "
            "--tls-key"
        )


def _security(tls: Tls | None) -> Security | None:
    """Return the certificates as Dask takes them; None leaves it to Dask's own settings."""
    if tls is None:
        return None
    return Security(
        tls_ca_file=str(tls.ca_file),
        tls_client_cert=str(tls.cert),
        tls_client_key=str(tls.key),
        require_encryption=True,
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

    def __init__(self, where: str | Path, tls: Tls | None = None) -> None:
        self._where = str(where)
        self._client = self._connected(tls)
        # Not pure: Dask would keep results by the arguments, and no batch is given twice.
        self._executor: concurrent.futures.Executor = self._client.get_executor(pure=False)
        self._name: str | None = None
        self._count, self._counted = 0, float("-inf")

    def _connected(self, tls: Tls | None) -> Client:
        given = "://" in self._where
        address = self._where if given else _address_of(self._where)
        place = {"address": address} if given else {"scheduler_file": self._where}
        _require_security(self._where, address, tls)
        try:
            return Client(**place, security=_security(tls), timeout=_ANSWER, set_as_default=False)
        except (OSError, ValueError) as error:  # a timeout is an OSError
            certificates = (
                "; or its certificates and these are not signed by the same authority"
                if address.startswith(_TLS)
                else ""
            )
            raise InputError(
                f"no Dask scheduler answers at '{self._where}'; one is begun by: dask scheduler"
                f"{certificates}"
            ) from error
        except Exception as error:  # what is no scheduler can answer anything
            raise InputError(
                f"what answers at '{self._where}' is no Dask scheduler, or one of another version "
                f"({type(error).__name__}); one is begun by: dask scheduler"
            ) from error

    @property
    def warning(self) -> str:
        """What the user must know of the connection; empty if both sides proved who they are."""
        address = str(self._client.scheduler.address)
        return "" if address.startswith(_TLS) else open_connection(address)

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
        """Return whether the scheduler gave a batch up because its workers died."""
        return isinstance(error, KilledWorker)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let the workers close their runners, and leave the cluster; it goes on."""
        self._executor.shutdown(wait and not cancel_futures)
        with contextlib.suppress(Exception):  # the scheduler may be gone, and then all is done
            self._forget()
        with contextlib.suppress(OSError):  # it does not say goodbye: a timeout is an OSError
            self._client.close(_LEAVING)

    def kill(self) -> None:
        """Cancel what is given and leave the cluster; a worker ends its batch, for nobody."""
        self.shutdown(wait=False)

    def _forget(self) -> None:
        if self._name is not None:
            name, self._name = self._name, None
            leave = self._client.scheduler.unregister_worker_plugin
            self._client.sync(leave, name=name, callback_timeout=_LEAVING)
