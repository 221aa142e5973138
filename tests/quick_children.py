"""Children for FMUs that are forked off one that has imported everything, for the tests alone.

A child of the product imports NumPy and FMPy for a quarter of a second; the tests start thousands,
most for an FMU that runs for a millisecond. Here one process imports once. For each child it forks
twice: the first fork ends at once, and what it forked becomes the child of the caller, who has said
that he takes orphans (PR_SET_CHILD_SUBREAPER). It has its own session, environment, folder and
files as the product would give it, and runs the same code from `worker.main` on.

Tests of how the product starts, contains and watches its children use the product's own start:
the fixture `own_children`.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Mapping
from typing import Any

from cranebridge.plant.containment import measures
from cranebridge.plant.sandbox import child_process
from cranebridge.plant.sandbox.child_process import Sandbox

own_start = Sandbox._start
"""How the product starts a child."""

_SET_CHILD_SUBREAPER = 36
_BOOT = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from quick_children import serve; serve(int(sys.argv[2]))"
)
_FIRST: list[tuple[int, list[str], socket.socket]] = []
"""The process that imported everything: for whom, with which path, and how to ask it."""


class Adopted(subprocess.Popen):  # type: ignore[type-arg]
    """A process that somebody else began, and whose parent this one is now."""

    def __init__(self, pid: int) -> None:
        self.pid, self.returncode = pid, None
        self.args, self._child_created = "a forked child", True
        self.stdin = self.stdout = self.stderr = None


def forked(
    self: Sandbox, other: socket.socket, environment: Mapping[str, str] | None
) -> subprocess.Popen[bytes]:
    """Start a child as `Sandbox._start` does, without its imports."""
    path = [child_process._ROOT, *(os.path.abspath(item) for item in sys.path)]
    if environment is not None or not measures.in_main_thread():
        return own_start(self, other, environment)
    if not _FIRST:
        _FIRST.append((os.getpid(), path, _begin(path)))
    owner, known, channel = _FIRST[0]
    if owner != os.getpid() or known != path:
        return own_start(self, other, environment)
    asked = {
        "environment": measures.clean_environment(self._directory.name),
        "directory": self._directory.name,
        "memory": self.memory,
        "parent": os.getpid(),
    }
    files = [other.fileno(), self._reached.fileno(), self._log.fileno()]
    libc = ctypes.CDLL(None)
    libc.prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        socket.send_fds(channel, [json.dumps(asked).encode()], files)
        pid = int(channel.recv(100))
    finally:
        # orphans of other tests are not ours
        libc.prctl(_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
    return Adopted(pid)


def _begin(path: list[str]) -> socket.socket:
    """Start the process that imports everything."""
    mine, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    boot = [sys.executable, "-I", "-S", "-c", _BOOT]
    with other:
        subprocess.Popen(
            [*boot, json.dumps([os.path.dirname(__file__), *path]), str(other.fileno())],
            pass_fds=(other.fileno(),),
            stdin=subprocess.DEVNULL,
            env={**measures.clean_environment("/"), **threads},
            cwd="/",
        )
    return mine


def serve(descriptor: int) -> None:
    """Fork a child for each request, until the channel is closed."""
    import fmpy.fmi2
    import fmpy.fmi3  # noqa: F401

    from cranebridge.plant.child import worker  # noqa: F401

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.path.remove(os.path.dirname(__file__))
    channel = socket.socket(fileno=descriptor)
    while True:
        text, files, _, _ = socket.recv_fds(channel, 2**16, 3)
        if not text:
            os._exit(0)
        if (first := os.fork()) == 0:
            if os.fork() == 0:
                _become_a_child(channel, json.loads(text), *files)
            os._exit(0)
        os.waitpid(first, 0)
        for file in files:
            os.close(file)


def _become_a_child(
    channel: socket.socket, asked: dict[str, Any], other: int, reached: int, log: int
) -> None:
    from cranebridge.plant.child import worker

    while os.getppid() != asked["parent"]:
        os.sched_yield()
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(asked["directory"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)
    channel.send(str(os.getpid()).encode())
    channel.close()
    try:
        worker.main(other, asked["memory"], asked["parent"], reached)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(1)
