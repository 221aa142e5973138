"""Worker processes on this machine; one that dies costs the batch that it was at, no other.

Python's own process pool gives up all its batches if one process dies, and does not say which one
it was at. Here each process has a pipe of its own, and a thread of this process waits at it.
"""

from __future__ import annotations

import concurrent.futures
import gc
import multiprocessing
import pickle
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from multiprocessing.connection import Connection
from typing import Any

from cranebridge.campaign.workers.protocol import WorkerDiedError, Workers
from cranebridge.campaign.workers.work import Work, place_work, remove_all

# How long in s to wait at the pipe before looking whether the process still lives. Its end closes
# the pipe at once, unless a process that it has forked holds the other end.
_LOOK = 1.0
# How long in s a process may take to close its runner.
_CLOSING = 10.0
# So many messages until all is loaded: one to make the runner, one with the first runs.
_LOADING = 2
# New processes import anew: none inherits threads or locks in whatever state they are.
_CONTEXT = multiprocessing.get_context("spawn")


class ProcessPool(Workers):
    """Worker processes, begun when they are needed, and anew if they die."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._work: tuple[str, bytes] | None = None
        self._lock = threading.Lock()
        self._living: set[_Process] = set()
        self._idle: queue.SimpleQueue[_Process | None] = queue.SimpleQueue()
        self._threads = concurrent.futures.ThreadPoolExecutor(workers, "campaign")
        self._killed = False
        for _ in range(workers):
            self._idle.put(None)

    @property
    def workers(self) -> int:
        """The number of processes."""
        return self._workers

    def begin(self, work: Work) -> None:
        """Keep a work for the processes; those of an earlier one end."""
        self._work = work.key, pickle.dumps(work)
        for process in [self._idle.get() for _ in range(self._workers)]:
            if process is not None:
                self._end(process)
            self._idle.put(None)

    def submit(
        self, function: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> concurrent.futures.Future[Any]:
        """Have a function called in a process."""
        return self._threads.submit(self._call, function, args, kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let the processes close their runners and end, after the batches that are given."""
        self._threads.shutdown(wait, cancel_futures=cancel_futures)
        if not wait:
            self.kill()
        for process in list(self._living):
            self._end(process)

    def kill(self) -> None:
        """End all processes at once."""
        with self._lock:
            self._killed = True
            for process in self._living:
                process.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _call(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        process = self._idle.get()
        try:
            if process is None:
                process = self._new()
            return process.call(function, args, kwargs)
        except WorkerDiedError:
            if process is not None:
                self._end(process)
            process = None
            raise
        finally:
            self._idle.put(process)

    def _new(self) -> _Process:
        with self._lock:
            if self._killed or self._work is None:
                raise WorkerDiedError("the workers were ended")
            process = _Process(*self._work)
            self._living.add(process)
            return process

    def _end(self, process: _Process) -> None:
        process.end()
        with self._lock:
            self._living.discard(process)


class _Process:
    """A worker process and the pipe to it.

    The work, which has an FMU in it, is not given as an argument: Python writes those into a pipe
    whose other end this process holds as well, and would wait for ever for a reader that has died.
    """

    def __init__(self, key: str, pickled: bytes) -> None:
        self._pipe, other = _CONTEXT.Pipe()
        self._work: tuple[str, bytes] | None = key, pickled
        # As a daemon it goes with this process, too, if nobody shuts the pool down.
        self._process = _CONTEXT.Process(target=_serve, args=(other,), daemon=True)
        with nullcontext() if b"__main__" in pickled else _without_main():
            self._process.start()
        other.close()

    def call(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        try:
            if self._work is not None:
                self._pipe.send(self._work)
                self._work = None
            self._pipe.send((function, args, kwargs))
            while not self._pipe.poll(_LOOK):
                if not self._process.is_alive() and not self._pipe.poll():
                    raise EOFError
            good, value = self._pipe.recv()
        except (EOFError, OSError) as error:
            raise WorkerDiedError("a worker process died in the middle of a batch") from error
        if good:
            return value
        raise value

    def end(self) -> None:
        try:
            self._pipe.send(None)
            self._process.join(_CLOSING)
        except (OSError, ValueError):
            pass  # it has ended itself
        self.kill()
        self._process.join()
        self._pipe.close()

    def kill(self) -> None:
        self._process.kill()


@contextmanager
def _without_main() -> Iterator[None]:
    """Keep a new process from importing the program that began it.

    A user's script without ``if __name__ == "__main__"`` would begin its campaign again in each
    worker. What is not pickled from that program does not need it.
    """
    main = sys.modules["__main__"]
    hidden = {name: vars(main)[name] for name in ("__file__", "__spec__") if name in vars(main)}
    try:
        for name in hidden:
            setattr(main, name, None)
        yield
    finally:
        for name, value in hidden.items():
            setattr(main, name, value)


def _serve(pipe: Connection) -> None:
    """Do what comes through the pipe, in a worker process, until it closes: first a work."""
    # Ctrl-C reaches all processes of a terminal; the first one decides what becomes of the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    served = 0
    try:
        place_work(*pipe.recv())
        while (message := pipe.recv()) is not None:
            function, args, kwargs = message
            try:
                answer = True, function(*args, **kwargs)
            except Exception as error:
                answer = False, _portable(error)
            pipe.send(answer)
            served += 1
            if served <= _LOADING:
                # What is loaded by now stays: garbage is not looked for in it any more.
                gc.freeze()
    except (EOFError, BrokenPipeError):
        pass  # the process that began this one has ended
    finally:
        remove_all()


def _portable(error: Exception) -> Exception:
    """Return an error that can be sent, with the place where it was raised as a note."""
    text = "".join(traceback.format_exception(error))
    try:
        copy = pickle.loads(pickle.dumps(error))
    except Exception:
        copy = RuntimeError(f"{type(error).__name__}: {error}")
    copy.add_note(f"in a worker process:\n{text}")
    return copy if isinstance(copy, Exception) else RuntimeError(text)
