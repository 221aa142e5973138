"""What a campaign carries out, and how a worker process does it.

A process keeps one runner for each work: made at the first batch, kept for all others. What a
runner needs (loaded plants, compiled functions) is so made once in a process and not in each run.
"""

from __future__ import annotations

import contextlib
import pickle
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import CranebridgeError

Value: TypeAlias = float | str | bool


class Runner(Protocol):
    """Carries out runs, one at a time, in one process.

    It may have a method ``prepare(numbers, points)``, called with the numbers and values of all
    runs of a batch before the first of them: what they need is made faster together. Results must
    not depend on it.
    """

    def __call__(self, number: int, values: Mapping[str, float]) -> Mapping[str, Value]:
        """Carry out a run and return its results by column.

        A `CranebridgeError` makes it a failed run, whose reason is the message. Any other
        exception is a fault of the program and ends the campaign.
        """

    def close(self) -> None:
        """Let go of what the runner holds."""


class Work(Protocol):
    """What is carried out; it is pickled and sent to each worker process once.

    Results must depend on `key`, the number of the run and its values alone: not on the runs that
    the same runner has done before, nor on the process.
    """

    @property
    def key(self) -> str:
        """Hash of everything that a result depends on, apart from the values of the factors."""

    def begin(self) -> Runner:
        """Make a runner; called once in each worker process.

        An exception, of whichever type, ends the campaign: nothing can be run.
        """


@dataclass(frozen=True)
class RunResult:
    """What came of a run.

    Attributes
    ----------
    number : int
        The run.
    results : mapping of str to float, str or bool
        By column; empty if it failed.
    reason : str or None
        Why it failed.
    """

    number: int
    results: Mapping[str, Value]
    reason: str | None = None


@dataclass(frozen=True)
class RunBatch:
    """What came of several runs, and how long they took."""

    rows: tuple[RunResult, ...]
    seconds: float


# The works that were sent to this process, and the runners that were made of them.
_works: dict[str, bytes] = {}
_runners: dict[str, Runner] = {}
_lock = threading.Lock()
# Dask runs several threads in a process if it is told to: one of them runs at a time.
_running = threading.RLock()


def place_work(key: str, pickled: bytes) -> None:
    """Make a work known to this process."""
    with _lock:
        _works[key] = pickled


def remove_work(key: str) -> None:
    """Forget a work and close its runner; one that is in the middle of a batch after that.

    Who was interrupted does not wait for a batch whose results nobody takes.
    """
    with _lock:
        _works.pop(key, None)
        runner = _runners.pop(key, None)
    if runner is None:
        return
    if _running.acquire(blocking=False):
        _running.release()
        _close(runner)
    else:
        threading.Thread(target=_close, args=(runner,), daemon=True).start()


def _close(runner: Runner) -> None:
    with _running:
        runner.close()


def run_batch(
    key: str, numbers: Sequence[int], keys: Sequence[str], values: NDArray[np.float64]
) -> RunBatch:
    """Carry out runs one after another in this process."""
    with _running:
        runner = _runner(key)
        begin = time.perf_counter()
        points = [dict(zip(keys, point, strict=True)) for point in values.tolist()]
        prepare = getattr(runner, "prepare", None)
        if prepare is not None and len(points) > 1:
            prepare(numbers, points)
        rows = tuple(
            _run(runner, number, point) for number, point in zip(numbers, points, strict=True)
        )
        return RunBatch(rows, time.perf_counter() - begin)


def _runner(key: str) -> Runner:
    """Return the runner of a work, made when it is first needed."""
    with _lock:
        found, pickled = _runners.get(key), _works[key]
    if found is not None:
        return found
    made: Runner = pickle.loads(pickled).begin()
    with _lock:
        _runners[key] = made
    return made


def _run(runner: Runner, number: int, point: Mapping[str, float]) -> RunResult:
    try:
        return RunResult(
            number, {name: _plain(name, v) for name, v in runner(number, point).items()}
        )
    except CranebridgeError as error:
        return RunResult(number, {}, _text(str(error)) or type(error).__name__)
    except Exception as error:
        error.add_note(f"in run {number} of the campaign")
        raise


def _plain(name: str, value: object) -> Value:
    """Return a value as Python's own type: NumPy's would depend on where it was computed."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | float | np.integer | np.floating):
        return float(value)
    if isinstance(value, str):
        return _text(value)
    raise TypeError(f"column '{name}' is {value!r}: a result is a number, a text or true or false")


def _text(text: str) -> str:
    """Return a text that can be written: bytes that were no text stand in it as surrogates."""
    return text.encode("utf-8", "replace").decode("utf-8")


def remove_all() -> None:
    """Close all runners of this process, whatever they say to it: the process ends."""
    for key in list(_works):
        with contextlib.suppress(Exception):
            remove_work(key)
