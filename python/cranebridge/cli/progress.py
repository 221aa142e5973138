"""What is at work while a verb runs, and how long it will take, on standard error.

On a terminal a line with a spinner: what is done, how much of all, since when, and how long it
still takes (:class:`~cranebridge.progress.JobProgress`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from cranebridge.cli.consoles import err
from cranebridge.readable import duration_text

if TYPE_CHECKING:
    from cranebridge.progress import JobProgress


class ProgressLine:
    """Gets reports of a verb on what is at work, and shows nothing of them."""

    def stage(self, text: str) -> None:
        """Report what begins, or how it goes on."""

    def part(self, done: float) -> None:
        """Report which part of what is at work is done."""

    def planning(self, done: float) -> None:
        """Report that a path is looked for, and which part of that is done."""
        self.stage("planning")
        self.part(done)


class _PlainLines(ProgressLine):
    """A line of text for each stage, without a terminal."""

    def stage(self, text: str) -> None:
        if text not in ("loading", "planning"):
            err.print(f"{text} ...")


class _TerminalLine(ProgressLine):
    """The line on a terminal."""

    def __init__(self, job: JobProgress, bar: Any, task: Any) -> None:
        self._job, self._bar, self._task = job, bar, task

    def stage(self, text: str) -> None:
        from cranebridge.progress import stage_of, without_times

        self._job.begin(stage_of(text, self._job.stage))
        self._bar.update(self._task, description=without_times(text))

    def part(self, done: float) -> None:
        self._job.progress(done)


@contextmanager
def at_work(quiet: bool, spoken: bool = False) -> Iterator[ProgressLine]:
    """Show what a verb is at, from its begin to its end.

    Parameters
    ----------
    quiet : bool
        Show nothing.
    spoken : bool
        Print a line for each stage where there is no terminal.
    """
    if quiet or not err.is_terminal:
        yield _PlainLines() if spoken and not quiet else ProgressLine()
        return
    from rich.progress import Progress, ProgressColumn, SpinnerColumn, Task, TextColumn
    from rich.text import Text

    from cranebridge.progress import JobProgress, expected_seconds, remember

    keys = command_keys()
    job = JobProgress(expected_seconds(keys))

    class Times(ProgressColumn):
        """Elapsed time, and what is left."""

        def render(self, task: Task) -> Text:
            return Text(times_text(job.elapsed, job.done(), job.left()), style="dim")

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), Times())
    with Progress(*columns, console=err, transient=True) as bar:
        line = _TerminalLine(job, bar, bar.add_task("", total=None))
        line.stage("loading")
        yield line
        job.end()
    remember(keys, job.taken)


def command_keys() -> tuple[str, ...]:
    """Return what the durations of this command belong to: all of it, and its first words.

    The first words serve for a command that was not given exactly so before. Where it writes to
    does not matter.
    """
    words, said = iter(sys.argv[1:]), list[str]()
    for word in words:
        if word in ("-o", "--output"):
            next(words, None)
        elif word != "--force":
            said.append(word)
    return tuple(dict.fromkeys(" ".join(part) for part in (said, said[:2])))


def times_text(elapsed: float, done: float | None, left: float | None) -> str:
    """Return the part that is done, elapsed time and time left in words, as far as is known."""
    parts = [] if done is None else [f"{100 * done:.0f} %"]
    parts.append(f"{elapsed:.0f} s")
    if left is not None:
        parts.append(f"about {duration_text(left)} left" if left >= 1.0 else "nearly done")
    return ", ".join(parts)
