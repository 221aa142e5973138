"""What a campaign needs of those who carry out batches: executors that know of works and deaths."""

from __future__ import annotations

import concurrent.futures
from abc import abstractmethod
from types import TracebackType

from cranebridge.campaign.workers.work import Work
from cranebridge.errors import SolutionError


class WorkerDiedError(concurrent.futures.BrokenExecutor):
    """A worker process ended in the middle of a batch; the executor itself goes on."""


def workers_lost() -> SolutionError:
    """Make the error for workers that do not answer and do not come back."""
    return SolutionError(
        "the workers were lost; the finished runs are kept, and the same campaign goes on where it "
        "was"
    )


class Workers(concurrent.futures.Executor):
    """An executor that keeps a runner in each of its processes.

    `begin` makes a work known to all processes, those of later included; what is submitted then is
    `run_batch` with the work's key.
    """

    @property
    @abstractmethod
    def workers(self) -> int:
        """How many batches can be worked on at once, now."""

    @property
    def warning(self) -> str:
        """What the user must know before anything is given to them; empty if nothing."""
        return ""

    @property
    def in_flight(self) -> int:
        """How many batches are given at once: one waits for each that is worked on."""
        return 2 * self.workers

    @abstractmethod
    def begin(self, work: Work) -> None:
        """Make a work known to all processes."""

    def is_death(self, error: BaseException) -> bool:
        """Return whether an error of a batch says that its process died."""
        return isinstance(error, WorkerDiedError)

    @abstractmethod
    def kill(self) -> None:
        """End at once, in the middle of batches."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        # Whoever interrupts does not want to wait for batches whose results nobody takes.
        if kind is None:
            self.shutdown()
        else:
            self.kill()
