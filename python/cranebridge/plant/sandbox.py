"""The parent's side of the child process in which an FMU's binary runs.

The child has a time limit and a memory limit. If it crashes, hangs, answers nonsense or reports an
error, the parent raises a :class:`PlantError` with the FMU's last log lines and goes on.

This protects against mistakes: crashes, endless loops, wild memory, wrong values. It does not
protect against malice: the binary runs with the user's rights. For files from an unknown source
use an allow list, or a container.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import CranebridgeError
from cranebridge.plant import wire

Array = NDArray[np.float64]

_LOG_TAIL = 64 * 1024
_SHOWN_LINES = 15
_BOOT = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from cranebridge.plant.worker import main; main(int(sys.argv[2]), int(sys.argv[3]))"
)


class PlantError(CranebridgeError):
    """The FMU failed while it ran.

    Attributes
    ----------
    log : tuple of str
        The FMU's last log lines.
    """

    def __init__(self, message: str, log: tuple[str, ...] = ()) -> None:
        shown = "".join(f"\n  {line}" for line in log[-_SHOWN_LINES:])
        super().__init__(message + (f" Last lines of its log:{shown}" if shown else ""))
        self.log = log


class PlantCrashError(PlantError):
    """The child process ended."""


class PlantTimeoutError(PlantError):
    """The child process took longer than allowed and was stopped."""


class PlantStatusError(PlantError):
    """The FMU returned an error, or did something the standard does not allow."""


class PlantValueError(PlantError):
    """The FMU returned a value that is not finite."""


class Sandbox:
    """A child process that runs FMU code.

    Parameters
    ----------
    timeout : float
        Seconds that one request may take.
    memory : int
        Bytes of address space that the child may use.
    clock : callable
        Tells the time in s; only its differences count.
    """

    def __init__(
        self, timeout: float, memory: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.timeout, self.memory, self._clock = timeout, memory, clock
        self._log = tempfile.TemporaryFile(prefix="cranebridge-log-")  # noqa: SIM115
        self._log_start = 0
        # The child's working directory: FMUs write files where they stand.
        self._directory = tempfile.TemporaryDirectory(prefix="cranebridge-run-")
        self._channel, other = socket.socketpair()
        with other:
            self._process = self._start(other)

    def _start(self, other: socket.socket) -> subprocess.Popen[bytes]:
        descriptor = other.fileno()
        root = str(Path(__file__).resolve().parents[2])
        path = [root, *(os.path.abspath(item) for item in sys.path)]
        threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        return subprocess.Popen(
            # -I -S: the user's site files and environment are not the FMU's business
            [
                sys.executable,
                "-I",
                "-S",
                "-c",
                _BOOT,
                json.dumps(path),
                str(descriptor),
                str(self.memory),
            ],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            pass_fds=(descriptor,),
            cwd=self._directory.name,
            env=os.environ | threads,
            start_new_session=True,
        )

    def call(
        self, body: Mapping[str, Any], arrays: Mapping[str, Array]
    ) -> tuple[dict[str, Any], dict[str, Array], tuple[str, ...]]:
        """Send a request and return the answer and the log lines that came with it.

        Raises
        ------
        PlantError
            If the child crashes, hangs, or reports an error; it has ended then.
        """
        self._log_start = os.fstat(self._log.fileno()).st_size
        deadline = self._clock() + self.timeout
        try:
            self._channel.settimeout(self.timeout)
            wire.send(self._channel, {**body, "timeout": self.timeout}, arrays)
            self._await_answer(deadline)
            reply, results = wire.receive(self._channel, deadline, self._clock)
        except TimeoutError:
            self._stop()
            raise PlantTimeoutError(
                f"the FMU did not answer within {self.timeout:g} s and was stopped.", self.log()
            ) from None
        except (wire.WireError, OSError) as error:
            raise self._crash(error) from None
        except BaseException:
            self._stop()
            raise
        if "error" in reply:
            self._stop()
            kind = PlantValueError if reply.get("kind") == "value" else PlantStatusError
            raise kind(f"the FMU failed: {reply['error']}.", self.log())
        return reply, results, self.log()

    def _await_answer(self, deadline: float) -> None:
        """Wait until the child answers or ends.

        The end of the channel alone would not tell: a process that the FMU has started may hold it.
        """
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        while (remaining := deadline - self._clock()) > 0.0:
            if select.select([self._channel], [], [], min(remaining, 0.2))[0]:
                return
            if os.waitid(os.P_PID, self._process.pid, options) is not None:
                raise wire.WireError("it ended")
        raise TimeoutError

    @property
    def alive(self) -> bool:
        """Whether the child still runs."""
        return self._process.returncode is None

    def log(self) -> tuple[str, ...]:
        """The log lines since the last request was sent."""
        if self._log.closed:
            return ()
        end = os.fstat(self._log.fileno()).st_size
        begin = max(self._log_start, end - _LOG_TAIL)
        # pread: the child shares the position of this file and goes on writing
        text = os.pread(self._log.fileno(), end - begin, begin).decode("utf-8", "replace")
        return tuple(line[:1000] for line in text.splitlines() if line.strip())

    def _crash(self, error: Exception) -> PlantCrashError:
        usage = self._stop(grace=2.0)
        code = self._process.returncode
        if code is not None and code < 0 and code != -signal.SIGKILL:
            try:
                name = signal.Signals(-code).name
            except ValueError:
                name = str(-code)
            reason = f"was ended by signal {name}"
            if name in ("SIGXCPU", "SIGALRM"):
                reason = "used up its time"
        elif code == -signal.SIGKILL:
            reason = f"sent nonsense or was killed ({error})"
        else:
            reason = f"ended with exit code {code}"
        if usage is not None and usage.ru_maxrss * _RSS_UNIT > 0.5 * self.memory:
            reason += (
                f" after it had used most of its memory limit of {self.memory / 2**20:.0f} MiB"
            )
        return PlantCrashError(f"the process of the FMU {reason}.", self.log())

    def _stop(self, grace: float = 0.0) -> resource.struct_rusage | None:
        """End the child and all it started; returns what it used."""
        self._channel.close()
        process = self._process
        if process.returncode is not None:
            return None
        limit = time.monotonic() + grace
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        while os.waitid(os.P_PID, process.pid, options) is None:
            if time.monotonic() >= limit:
                break
            time.sleep(0.005)
        # Also what the FMU may have started; before the child is waited for, so that its number
        # cannot belong to someone else yet.
        self._kill()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return usage

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """End the child and remove its files."""
        self._stop()
        self._log.close()
        # A file the FMU has made without rights for us must not spoil a finished result.
        with contextlib.suppress(OSError):
            self._directory.cleanup()


_RSS_UNIT = 1 if sys.platform == "darwin" else 1024
