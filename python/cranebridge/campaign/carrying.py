"""A campaign carried out: batches given to workers, their results saved as they come.

Batches are taken from the runs that are not yet done; what is in flight is bounded, so that memory
does not grow with the number of runs. A batch whose worker dies is put aside; at the end, when
nothing else can have been the reason, its runs are done one by one. A run that kills its worker
twice so is a failed run.
"""

from __future__ import annotations

import concurrent.futures
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranebridge.campaign.design import Design
from cranebridge.campaign.results import CampaignRuns, Parts, arrow, finished_runs, write_runs
from cranebridge.campaign.workers import RunBatch, RunResult, Work, Workers, run_batch, workers_lost
from cranebridge.errors import InputError, SolutionError
from cranebridge.readable import duration_text

DIED = "the worker process died in the middle of this run, twice"

# A batch shall take about as long, in s: some hundred times what it costs to give and save it, and
# not more than one likes to lose.
_BATCH_SECONDS = 2.0
_LARGEST = 256


@dataclass(frozen=True)
class RunCounts:
    """How far a campaign is.

    Attributes
    ----------
    done, failed, total : int
        Runs: finished, of these failed, and all.
    rate : float
        Runs in a second since the first ones were done, before which workers only start; 0 if
        that is not known.
    left : float or None
        Time in s that the others will take; None if that is not known.
    """

    done: int
    failed: int
    total: int
    rate: float
    left: float | None

    def __str__(self) -> str:
        text = f"{self.done} of {self.total} runs"
        text += f", {self.failed} failed" if self.failed else ""
        if not self.left or not self.rate:
            return text
        return f"{text}, {self.rate:.3g} runs/s, {duration_text(self.left)} left"


RunsReport: TypeAlias = Callable[[RunCounts], None]


def carry_out(
    work: Work,
    design: Design,
    executor: Workers,
    folder: Path,
    batch: int | None = None,
    report_runs: RunsReport | None = None,
) -> CampaignRuns:
    """Carry out all runs of a design, or those that an earlier call has not finished.

    Parameters
    ----------
    work : Work
        What a run is.
    design : Design
        The values of the factors in each run.
    executor : Workers
        Who runs: `serial`, `pool`, `cluster`. It stays open.
    folder : Path
        Where ``runs.parquet`` will be; until then the finished runs are in ``parts`` there.
    batch : int, optional
        Runs that are given at once; by their duration if not given. Results do not depend on it.
    report_runs : callable, optional
        Called with a `Progress` when something was finished.

    Returns
    -------
    CampaignRuns
        The table; its bytes do not depend on executor, order, batches and interruptions.

    Raises
    ------
    InputError
        If the folder holds runs of another campaign.
    SolutionError
        If no worker survives, or the cluster is lost; the finished runs are kept.
    """
    if batch is not None and batch < 1:
        raise InputError(f"a batch has one run at least, and {batch} are asked for")
    arrow()  # better said before the runs than after
    with Parts(folder, work.key, design) as parts:
        runs = finished_runs(folder, work.key, design)
        if runs is None:
            if not parts.finished.all():
                executor.begin(work)
                _Campaign(work.key, design, executor, parts, batch, report_runs).carry_out()
            runs = write_runs(folder, work.key, design, parts)
        parts.remove()
    return runs


class _Campaign:
    """The runs that are waiting, in flight, and put aside."""

    def __init__(
        self,
        key: str,
        design: Design,
        executor: Workers,
        parts: Parts,
        batch: int | None,
        report_runs: RunsReport | None,
    ) -> None:
        self._key, self._design, self._executor, self._parts = key, design, executor, parts
        self._waiting = parts.unfinished()
        self._alone: deque[int] = deque()
        self._deaths: Counter[int] = Counter()
        self._in_flight: dict[concurrent.futures.Future[RunBatch], NDArray[np.int64]] = {}
        self._batch, self._size = batch, batch or 1
        self._report_runs = report_runs or (lambda _: None)
        self._restored = int(parts.finished.sum())
        self._first: tuple[int, float] | None = None  # runs done when the first were, and when

    def carry_out(self) -> None:
        """Carry out what is waiting."""
        self._say()
        if not any(self._workers_begin() for _ in range(2)):
            raise SolutionError(
                "no worker process survives its beginning; its standard error may say why"
            )
        try:
            while self._fill():
                done, _ = concurrent.futures.wait(
                    self._in_flight, return_when=concurrent.futures.FIRST_COMPLETED
                )
                for future in done:
                    self._take(future, self._in_flight.pop(future))
        finally:
            for future in self._in_flight:
                future.cancel()

    def _workers_begin(self) -> bool:
        """Let the workers make their runners, before a run can be blamed if they die of it."""
        count = self._executor.workers
        futures = [self._submit(self._waiting[:0]) for _ in range(count)]
        errors = [_error(future) for future in futures]
        for error in errors:
            if error is not None and not self._executor.is_death(error):
                raise error
        return None in errors

    def _fill(self) -> bool:
        """Give batches until enough are in flight; returns whether there is one to wait for."""
        while len(self._waiting) and len(self._in_flight) < self._executor.in_flight:
            # At the end smaller ones, so that all workers are ready at about the same time.
            share = -(-len(self._waiting) // (2 * self._executor.workers))
            size = self._size if self._batch else max(1, min(self._size, share))
            self._in_flight[self._submit(self._waiting[:size])] = self._waiting[:size]
            self._waiting = self._waiting[size:]
        if self._alone and not self._in_flight:
            number = np.array([self._alone.popleft()])
            self._in_flight[self._submit(number)] = number
        return bool(self._in_flight)

    def _submit(self, numbers: NDArray[np.int64]) -> concurrent.futures.Future[RunBatch]:
        values = self._design.values[numbers]
        return self._executor.submit(
            run_batch, self._key, numbers.tolist(), self._design.keys, values
        )

    def _take(
        self, future: concurrent.futures.Future[RunBatch], numbers: NDArray[np.int64]
    ) -> None:
        error = _error(future)
        if error is None:
            batch = future.result()
            self._save(batch.rows)
            self._adapt(batch)
        elif self._executor.is_death(error):
            self._put_aside(numbers)
        else:
            raise error

    def _adapt(self, batch: RunBatch) -> None:
        if self._batch is None:
            fitting = _BATCH_SECONDS * len(batch.rows) / max(batch.seconds, 1e-9)
            self._size = max(1, min(int(fitting), 2 * self._size, _LARGEST))

    def _put_aside(self, numbers: NDArray[np.int64]) -> None:
        alone = len(numbers) == 1 and not self._in_flight
        for number in numbers.tolist():
            self._deaths[number] += alone
            if self._deaths[number] < 2:
                self._alone.appendleft(number)
            else:
                self._save((RunResult(number, {}, DIED),))

    def _save(self, rows: tuple[RunResult, ...]) -> None:
        self._parts.save(rows)
        self._say()

    def _say(self) -> None:
        done, total = int(self._parts.finished.sum()), len(self._design)
        now = time.monotonic()
        if done > self._restored and self._first is None:
            self._first = (done, now)
        before, since = self._first or (done, now)
        rate = (done - before) / (now - since) if now > since else 0.0
        left = (total - done) / rate if rate > 0.0 else 0.0 if done == total else None
        self._report_runs(RunCounts(done, self._parts.failed, total, rate, left))


def _error(future: concurrent.futures.Future[RunBatch]) -> BaseException | None:
    """Return the error of a batch when it is done; nobody here has cancelled it."""
    try:
        return future.exception()
    except concurrent.futures.CancelledError as error:
        raise workers_lost() from error
