"""The parent's side of the child process in which an FMU's binary runs.

The child has a time limit and a memory limit. If it crashes, hangs, answers nonsense or reports an
error, the parent raises a :class:`PlantError` with the FMU's last log lines and goes on.

Before the binary is loaded the child is contained (`containment`): what the kernel can take away
from it is taken away. The parent trusts nothing that comes from the child: sizes are checked before
memory is taken, an answer must be the one to the last request, text is shown without control
characters.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import math
import os
import resource
import secrets
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import CranebridgeError
from cranebridge.plant.containment import MEASURES, Containment, measures
from cranebridge.plant.description import plain
from cranebridge.plant.plant_choices import TOOLS
from cranebridge.plant.protocol import wire
from cranebridge.plant.sandbox import loop_library, watching
from cranebridge.temporary import TemporaryFolder

Array = NDArray[np.float64]

_LOG_TAIL = 64 * 1024
_SHOWN_LINES = 15
_ROOT = str(Path(__file__).resolve().parents[3])
_BOOT = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from cranebridge.plant.child import main; main(*map(int, sys.argv[2:]))"
)
# Of an answer: counters, words and an error.
_ANSWER_HEADER = 2**20
_REACHED = struct.Struct("=d")
# The child may start slowly on a busy machine; that is not the FMU's fault.
_START_TIME = 120.0


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


class ContainmentWarning(UserWarning):
    """An FMU runs with more rights than it needs."""


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
    environment : mapping of str to str, optional
        Environment variables of a child that is not to be contained.
    """

    def __init__(
        self,
        timeout: float,
        memory: int,
        clock: Callable[[], float] = time.monotonic,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.timeout, self.memory, self._clock = timeout, memory, clock
        self.containment: Containment | None = None
        self._log = tempfile.TemporaryFile(prefix="cranebridge-log-")  # noqa: SIM115
        self._log_start = 0
        # The child's working directory: FMUs write files where they stand.
        self._directory = TemporaryFolder("run")
        self._clean = environment is None
        # Where the child notes the time that it has simulated; nothing follows from it.
        self._reached = _time_file()
        self._channel, other = socket.socketpair()
        with other:
            self._process = self._start(other, environment)

    def _start(
        self, other: socket.socket, environment: Mapping[str, str] | None
    ) -> subprocess.Popen[bytes]:
        descriptor = other.fileno()
        path = [_ROOT, *(os.path.abspath(item) for item in sys.path)]
        if environment is None:
            environment = measures.clean_environment(self._directory.name)
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
                str(os.getpid() if measures.in_main_thread() else 0),
                str(self._reached.fileno()),
            ],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            pass_fds=(descriptor, self._reached.fileno()),
            cwd=self._directory.name,
            env={**environment, **threads},
            start_new_session=True,
        )

    def contain(self, directory: str, mode: str, backend: str = "own") -> Containment:
        """Take from the child what an FMU in this directory does not need.

        The child answers before it loads a binary, so what it says can be believed.

        Raises
        ------
        PlantError
            If `mode` is "require" and something cannot be enforced, or if the back end cannot be
            imported; the child has ended then.
        """
        body = {
            "command": "contain",
            "contain": mode != "off",
            "backend": backend,
            "read": [*measures.readable_folders(_ROOT), str(loop_library.folder()), directory],
            "write": [self._directory.name],
        }
        reply, _ = self._exchange(body, {}, _START_TIME, time.monotonic)
        if reply.get("missing"):
            self._stop()
            tool = TOOLS[backend]
            raise PlantError(
                f"{tool.name} cannot be imported ({plain(str(reply['missing']), 300)}); "
                f"run: {tool.install}"
            )
        words = {str(word) for word in reply.get("enforced", ())}
        if self._clean:
            words.add("environment")
        enforced = tuple(name for name in MEASURES if name in words)
        missing = tuple(name for name in MEASURES if name not in words)
        found = Containment(mode, enforced, missing, int(reply.get("landlock", 0)))
        if mode == "require" and missing:
            self._stop()
            raise PlantError(
                f"{found.warning}, and plant.contain = 'require' asks for all; use a kernel with "
                "Landlock and seccomp (Linux 5.13 or later), or plant.contain = 'auto'."
            )
        _warn_once(found.warning)
        self.containment = found
        return found

    def call(
        self,
        body: Mapping[str, Any],
        arrays: Mapping[str, Array],
        reached: Callable[[float], None] | None = None,
    ) -> tuple[dict[str, Any], dict[str, Array], tuple[str, ...]]:
        """Send a request and return the answer and the log lines that came with it.

        Parameters
        ----------
        body, arrays
            The request.
        reached : callable, optional
            Called with the simulated time while it is waited for.

        Raises
        ------
        PlantError
            If the child crashes, hangs, or reports an error; it has ended then.
        """
        self._log_start = os.fstat(self._log.fileno()).st_size
        os.pwrite(self._reached.fileno(), _REACHED.pack(math.nan), 0)
        reply, results = self._exchange(body, arrays, self.timeout, self._clock, reached)
        self._check_excess()
        reply = {key: plain(v) if isinstance(v, str) else v for key, v in reply.items()}
        if "error" in reply:
            self._stop()
            kind = PlantValueError if reply.get("kind") == "value" else PlantStatusError
            raise kind(f"the FMU failed: {plain(str(reply['error']))}.", self.log())
        return reply, results, self.log()

    def _exchange(
        self,
        body: Mapping[str, Any],
        arrays: Mapping[str, Array],
        timeout: float,
        clock: Callable[[], float],
        reached: Callable[[float], None] | None = None,
    ) -> tuple[dict[str, Any], dict[str, Array]]:
        """Send a request and return its answer; the child has ended if there is none."""
        deadline = clock() + timeout
        # A number that the binary does not know: what it writes on the channel is no answer.
        number = secrets.randbits(53)
        try:
            self._channel.settimeout(timeout)
            wire.send(self._channel, {**body, "timeout": timeout, "number": number}, arrays)
            self._await_answer(deadline, clock, reached)
            reply, results = wire.receive(
                self._channel,
                deadline,
                clock,
                header_limit=_ANSWER_HEADER,
                doubles_limit=largest_answer(body, arrays),
            )
            if reply.pop("number", None) != number:
                raise wire.WireError("an answer to another question")
        except TimeoutError:
            self._stop()
            t = self._reached_time()
            where = f" It had come to t = {t:.6g} s." if reached and math.isfinite(t) else ""
            raise PlantTimeoutError(
                f"the FMU did not answer within {timeout:g} s and was stopped.{where}", self.log()
            ) from None
        except (wire.WireError, OSError) as error:
            raise self._crash(error) from None
        except BaseException:
            self._stop()
            raise
        return reply, results

    def _check_excess(self) -> None:
        reason = watching.excess(self._process.pid, self._directory.name)
        if reason is not None:
            self._stop()
            raise PlantCrashError(f"the FMU was stopped: {reason}.", self.log())

    def _await_answer(
        self,
        deadline: float,
        clock: Callable[[], float],
        reached: Callable[[float], None] | None,
    ) -> None:
        """Wait until the child answers or ends.

        The end of the channel alone would not tell: a process that the FMU has started may hold it.
        """
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        while (remaining := deadline - clock()) > 0.0:
            if select.select([self._channel], [], [], min(remaining, 0.2))[0]:
                return
            if os.waitid(os.P_PID, self._process.pid, options) is not None:
                raise wire.ChannelEndedError("it ended")
            self._check_excess()
            if reached is not None and math.isfinite(t := self._reached_time()):
                reached(t)
        raise TimeoutError

    def _reached_time(self) -> float:
        """Return the simulated time that the child noted; whatever the FMU may have made of it."""
        said = os.pread(self._reached.fileno(), _REACHED.size, 0)
        return float(_REACHED.unpack(said)[0]) if len(said) == _REACHED.size else math.nan

    def end(self) -> None:
        """End the child: what it answered shows that it cannot be trusted."""
        self._stop()

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
        return tuple(plain(line) for line in text.splitlines() if line.strip())

    def _crash(self, error: Exception) -> PlantCrashError:
        # One that ends is given time to do so, for the sake of its exit code.
        ends = isinstance(error, wire.ChannelEndedError | OSError)
        usage = self._stop(grace=2.0 if ends else 0.0)
        code = self._process.returncode
        if code is not None and code < 0 and code != -signal.SIGKILL:
            try:
                name = signal.Signals(-code).name
            except ValueError:
                name = str(-code)
            reason = f"was ended by signal {name}"
            if name in ("SIGXCPU", "SIGALRM"):
                reason = "used up its time"
        elif not ends or code == -signal.SIGKILL:
            # its own exit code says nothing: it may end as soon as the channel is closed
            reason = f"sent nonsense or was killed ({plain(str(error), 200)})"
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
        self._reached.close()
        self._directory.remove()


def largest_answer(body: Mapping[str, Any], arrays: Mapping[str, Array]) -> int:
    """Return how many numbers the answer to a request may have at most."""
    if body["command"] == "contain":
        return 0
    if body.get("dense"):
        return wire.ANSWER_DOUBLES
    rows = max((len(array) for array in arrays.values()), default=1)
    fmu = body.get("fmu", {})
    lists = ("outputs", "state_names", "output_names", "inputs", "states", "derivatives")
    columns = int(fmu.get("states", 0)) + sum(len(body.get(name, ())) for name in lists)
    # Up to three tables of a row for each point, or a square one.
    return min(4 * max(rows, columns) * (columns + 1) + 1024, wire.ANSWER_DOUBLES)


def _time_file() -> BinaryIO:
    """Return a file of one number; where the system can do that, one that stays of this size."""
    if not hasattr(os, "memfd_create"):
        file = tempfile.TemporaryFile(prefix="cranebridge-time-")  # noqa: SIM115
        file.truncate(_REACHED.size)
        return file
    descriptor = os.memfd_create("cranebridge-time", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, _REACHED.size)
    seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)
    return os.fdopen(descriptor, "r+b", buffering=0)


_said: set[str] = set()


def _warn_once(sentence: str) -> None:
    if sentence and sentence not in _said:
        _said.add(sentence)
        warnings.warn(f"{sentence}.", ContainmentWarning, stacklevel=4)


_RSS_UNIT = 1 if sys.platform == "darwin" else 1024
