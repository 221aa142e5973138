"""What is at work while a verb runs, and how long it will take, on standard error.

On a terminal a line with a spinner: what is done, how much of all, since when, and how long it
still takes (:class:`~cranebridge.progress.course.Course`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from cranebridge.cli.consoles import err
from cranebridge.readable import duration_text


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

    def __init__(self, course: Any, bar: Any, task: Any) -> None:
        self._course, self._bar, self._task = course, bar, task

    def stage(self, text: str) -> None:
        from cranebridge.progress import PLANNING, stage_of, without_times

        stage = stage_of(text, self._course.stage)
        self._course.begin(stage, PLANNING if stage == "planning" else None)
        self._bar.update(self._task, description=without_times(text))

    def part(self, done: float) -> None:
        self._course.progress(done)


@contextmanager
def at_work(verb: str, quiet: bool, spoken: bool = False) -> Iterator[ProgressLine]:
    """Show what a verb is at, from its begin to its end.

    Parameters
    ----------
    verb : str
        What is done.
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

    from cranebridge.progress import Course, expected_seconds, receiving_estimates, remember

    keys = command_keys()
    course = Course(expected_seconds(verb, keys))

    class Times(ProgressColumn):
        """Elapsed time, and what is left."""

        def render(self, task: Task) -> Text:
            return Text(times_text(course.elapsed, course.done(), course.left()), style="dim")

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), Times())
    with (
        Progress(*columns, console=err, transient=True) as bar,
        receiving_estimates(course.estimate),
    ):
        line = _TerminalLine(course, bar, bar.add_task("", total=None))
        line.stage("loading")
        yield line
        course.end()
    remember(keys, course.taken)


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


def times_text(elapsed: float, done: float, left: float) -> str:
    """Return the part that is done, elapsed time and time left in words."""
    known = f"about {duration_text(left)} left" if left >= 1.0 else "nearly done"
    return f"{100 * done:.0f} %, {elapsed:.0f} s, {known}"
