"""What is at work while a verb runs, and how long it will take, on standard error.

On a terminal a line with a spinner: what is done, since when, and how long it still takes. That
follows from the fraction done where that is known, else from how long it took the last time. A
search may end before its last round: what is told of it is at least done, and says nothing of time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from cranebridge.cli.consoles import err
from cranebridge.cli.durations import command_keys, remember, usual_seconds
from cranebridge.readable import duration_text


@contextmanager
def stages(quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show which stage is at work; without a terminal a line each."""
    if quiet:
        yield lambda stage: None
        return
    if not err.is_terminal:
        yield lambda stage: err.print(f"{stage} ...")
        return
    with _line("starting", "stages") as (bar, task):
        yield lambda stage: bar.update(task, description=stage)


@contextmanager
def working(what: str, quiet: bool, search: bool = False) -> Iterator[Callable[[float], None]]:
    """Show that something is at work, and how far as soon as a fraction is known.

    Parameters
    ----------
    what : str
        What is done.
    quiet : bool
        Show nothing.
    search : bool
        Whether it may end long before all of it is done.
    """
    if quiet or not err.is_terminal:
        yield lambda fraction: None
        return
    with _line(what, what, search) as (bar, task):
        yield lambda fraction: bar.update(task, total=1.0, completed=fraction)


@contextmanager
def planning(quiet: bool) -> Iterator[Callable[[float], None]]:
    """Show that a scenario is loaded, and that its path is looked for as soon as that is so."""
    if quiet or not err.is_terminal:
        yield lambda fraction: None
        return
    with _line("loading", "planning", search=True) as (bar, task):
        yield lambda fraction: bar.update(
            task, description="planning", total=1.0, completed=fraction
        )


@contextmanager
def _line(what: str, kind: str, search: bool = False) -> Iterator[tuple[Any, Any]]:
    from rich.progress import Progress, ProgressColumn, SpinnerColumn, Task, TextColumn
    from rich.text import Text

    keys = command_keys(kind)
    usual, begin = usual_seconds(keys), time.monotonic()

    class Times(ProgressColumn):
        """Elapsed time, and what is left."""

        def render(self, task: Task) -> Text:
            done = task.completed / task.total if task.total else None
            return Text(times_text(task.elapsed or 0.0, done, usual, search), style="dim")

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), Times())
    with Progress(*columns, console=err, transient=True) as bar:
        yield bar, bar.add_task(what, total=None)
    remember(keys, time.monotonic() - begin)


def times_text(
    elapsed: float, done: float | None, usual: float | None, search: bool = False
) -> str:
    """Return elapsed time and time left in words.

    Parameters
    ----------
    elapsed : float
        Seconds since the begin.
    done : float, optional
        The fraction that is done.
    usual : float, optional
        Seconds that it took the last time.
    search : bool
        Whether it may end long before all of it is done.
    """
    text = f"{elapsed:.0f} s"
    if done is not None and done >= 1.0:
        return text
    left = None if usual is None else usual - elapsed
    if done and not search:
        left = elapsed * (1.0 - done) / done
    if done:
        text = f"{'at least ' if search else ''}{100 * done:.0f} %, {text}"
    if left is None:
        return text
    known = f"about {duration_text(left)} left" if left >= 1.0 else "nearly done"
    return f"{text}, {known}"
