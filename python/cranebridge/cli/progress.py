"""What is at work while a verb runs, and how long it will take, on standard error.

On a terminal a line with a spinner: what is done, since when, and how long it still takes. That
follows from the fraction done where that is known, else from how long it took the last time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from cranebridge.cli.consoles import err
from cranebridge.cli.durations import command_key, remember, usual_seconds


@contextmanager
def stages(quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show which stage is at work; without a terminal a line each."""
    if quiet:
        yield lambda stage: None
        return
    if not err.is_terminal:
        yield lambda stage: err.print(f"{stage} ...")
        return
    with _line("starting", command_key("stages")) as (bar, task):
        yield lambda stage: bar.update(task, description=stage)


@contextmanager
def working(what: str, quiet: bool) -> Iterator[Callable[[float], None]]:
    """Show that something is at work, and how far as soon as a fraction is known."""
    if quiet or not err.is_terminal:
        yield lambda fraction: None
        return
    with _line(what, command_key(what)) as (bar, task):
        yield lambda fraction: bar.update(task, total=1.0, completed=fraction)


@contextmanager
def _line(what: str, key: str) -> Iterator[tuple[Any, Any]]:
    from rich.progress import Progress, ProgressColumn, SpinnerColumn, Task, TextColumn
    from rich.text import Text

    usual, begin = usual_seconds(key), time.monotonic()

    class Times(ProgressColumn):
        """Elapsed time, and what is left."""

        def render(self, task: Task) -> Text:
            done = task.completed / task.total if task.total else None
            return Text(times_text(task.elapsed or 0.0, done, usual), style="dim")

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), Times())
    with Progress(*columns, console=err, transient=True) as bar:
        yield bar, bar.add_task(what, total=None)
    remember(key, time.monotonic() - begin)


def times_text(elapsed: float, done: float | None, usual: float | None) -> str:
    """Return elapsed time and time left in words.

    Parameters
    ----------
    elapsed : float
        Seconds since the begin.
    done : float, optional
        The fraction that is done.
    usual : float, optional
        Seconds that it took the last time.
    """
    text = f"{elapsed:.0f} s"
    if done is not None and done >= 1.0:
        return text
    left = None if usual is None else usual - elapsed
    if done:
        left = elapsed * (1.0 - done) / done
    if done is not None and done > 0.0:
        text = f"{100 * done:.0f} %, {text}"
    if left is None:
        return text
    return f"{text}, {_duration(left)}" if left >= 1.0 else f"{text}, nearly done"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"about {minutes} min {rest} s left" if minutes else f"about {rest} s left"
