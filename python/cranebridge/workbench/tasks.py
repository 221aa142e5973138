"""Tasks in child processes: started, watched, cancelled; what they wrote can be fetched."""

from __future__ import annotations

import asyncio
import io
import json
import os
import secrets
import shutil
import signal
import sys
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cranebridge.errors import InputError, unknown
from cranebridge.progress import (
    JobProgress,
    expected_seconds,
    remember,
    stage_of,
    without_times,
)
from cranebridge.temporary import TemporaryFolder

VERBS = ("check", "plan", "solve", "verify", "campaign", "deliver")
MOST_RUNNING = 2
MOST_KEPT = 12
_PATIENCE = 3.0  # s, that a cancelled task has to end by itself
_TICK = 1.0  # s, between two messages about the time left
_LINE = 1 << 20  # longest line of a child


@dataclass(eq=False)
class WorkbenchTask:
    """A verb at work, or what came of it.

    Attributes
    ----------
    number : int
        Counts from 1.
    key : str
        Random: the name of its results.
    verb : str
        What is done.
    revision : int
        Of the scenario that it was started with.
    progress : JobProgress
        How long it still takes.
    status : {"running", "done", "failed", "cancelled"}
        How it is.
    """

    number: int
    key: str
    verb: str
    revision: int
    folder: Path
    progress: JobProgress
    begun: float = field(default_factory=time.monotonic)
    status: str = "running"
    stage: str = "loading"
    seconds: float = 0.0
    found: dict[str, Any] = field(default_factory=dict)
    error: str = ""
    process: asyncio.subprocess.Process | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        running = self.status == "running"
        seconds = time.monotonic() - self.begun if running else self.seconds
        left = self.progress.left() if running else None
        return {
            "number": self.number,
            "key": self.key,
            "verb": self.verb,
            "revision": self.revision,
            "status": self.status,
            "stage": self.stage,
            "fraction": self.progress.done() if running else None,
            "seconds": round(seconds, 1),
            "left": None if left is None else round(left, 1),
            "error": self.error,
            "files": self.files(),
            **self.found,
        }

    def files(self) -> list[str]:
        """Return the names of what it wrote, once it is done."""
        if self.status != "done" or not self.folder.is_dir():
            return []
        return sorted(f.name for f in self.folder.iterdir() if not f.name.startswith("."))

    def file(self, name: str) -> Path:
        """Return a file that it wrote."""
        if name not in self.files():
            raise unknown("file of this result", name, self.files())
        return self.folder / name

    def archive(self) -> bytes:
        """Return all files as a ZIP archive."""
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in self.files():
                for file in sorted((self.folder / name).rglob("*")) or [self.folder / name]:
                    if file.is_file():
                        archive.write(file, file.relative_to(self.folder))
        return stream.getvalue()


class Tasks:
    """All tasks of a server.

    Parameters
    ----------
    changed : callable
        Called with a task whenever something is new about it.
    """

    def __init__(self, changed: Callable[[WorkbenchTask], None]) -> None:
        self._changed = changed
        self._place = TemporaryFolder("tasks")
        self._tasks: list[WorkbenchTask] = []
        self._watching: set[asyncio.Task[None]] = set()
        self._count = 0

    def listed(self) -> list[dict[str, Any]]:
        """Return all tasks for JSON, the latest first."""
        return [task.as_dict() for task in reversed(self._tasks)]

    def find(self, key: str) -> WorkbenchTask:
        """Return the task with a key."""
        for task in self._tasks:
            if secrets.compare_digest(task.key, key):
                return task
        raise InputError("there is no such result any more")

    async def start(self, order: dict[str, Any], revision: int) -> WorkbenchTask:
        """Start a task; `order` has verb, name, text and folder."""
        if order["verb"] not in VERBS:
            raise unknown("task", str(order["verb"]), VERBS)
        if sum(task.status == "running" for task in self._tasks) >= MOST_RUNNING:
            raise InputError(f"{MOST_RUNNING} tasks are at work; wait for one, or cancel it")
        self._count += 1
        key = secrets.token_urlsafe(18)
        progress = JobProgress(expected_seconds(_keys(order)))
        progress.begin("loading")
        task = WorkbenchTask(
            self._count, key, order["verb"], revision, Path(self._place.name) / key, progress
        )
        process = await asyncio.create_subprocess_exec(
            # -P: a numpy.py in the folder is not the one that is meant
            *(sys.executable, "-P", "-m", "cranebridge.workbench.child"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=_LINE,
            start_new_session=True,  # so that it ends with all that it started
        )
        task.process = process
        assert process.stdin is not None
        process.stdin.write(json.dumps({**order, "out": str(task.folder)}).encode())
        process.stdin.close()
        self._tasks.append(task)
        self._forget_old()
        for work in (self._watch(task, process, _keys(order)), self._tick(task)):
            watching = asyncio.create_task(work)
            self._watching.add(watching)
            watching.add_done_callback(self._watching.discard)
        self._changed(task)
        return task

    async def cancel(self, task: WorkbenchTask) -> None:
        """End a task and all that it started."""
        if task.status != "running" or task.process is None:
            return
        task.status = "cancelled"
        _signal(task.process, signal.SIGTERM)
        with suppress(TimeoutError):
            await asyncio.wait_for(task.process.wait(), _PATIENCE)
        _signal(task.process, signal.SIGKILL)

    async def close(self) -> None:
        """End all tasks and remove their files."""
        for task in self._tasks:
            await self.cancel(task)
        self._place.remove()

    async def _tick(self, task: WorkbenchTask) -> None:
        """Send the time left of a running task now and then, whatever it reports."""
        while task.status == "running":
            await asyncio.sleep(_TICK)
            if task.status == "running":
                self._changed(task)

    async def _watch(
        self, task: WorkbenchTask, process: asyncio.subprocess.Process, keys: tuple[str, ...]
    ) -> None:
        assert process.stdout is not None
        async for line in process.stdout:
            with suppress(ValueError):
                self._take_report(task, json.loads(line))
        await process.wait()
        task.seconds = time.monotonic() - task.begun
        if task.status == "running":
            task.status = "done" if task.found else "failed"
            if task.status == "failed" and not task.error:
                task.error = f"the process ended unexpectedly (exit code {process.returncode})"
        if task.status != "done":
            shutil.rmtree(task.folder, ignore_errors=True)
        else:
            task.progress.end()
            remember(keys, task.progress.taken)
        self._changed(task)

    def _take_report(self, task: WorkbenchTask, report: dict[str, Any]) -> None:
        if "stage" in report:
            task.stage = without_times(report["stage"])
            task.progress.begin(stage_of(report["stage"], task.progress.stage))
        if "fraction" in report:
            task.progress.progress(float(report["fraction"]))
        task.error = report.get("error", task.error)
        task.found = report.get("done", task.found)
        if "done" not in report:
            self._changed(task)

    def _forget_old(self) -> None:
        over = [task for task in self._tasks if task.status != "running"][: -MOST_KEPT or None]
        for task in over if len(self._tasks) > MOST_KEPT else []:
            shutil.rmtree(task.folder, ignore_errors=True)
            self._tasks.remove(task)


def _keys(order: dict[str, Any]) -> tuple[str, ...]:
    """Return what the durations of a task are remembered by."""
    words = "workbench", str(order["verb"]), str(order.get("format", "")), str(order["name"])
    return (" ".join(filter(None, words)),)


def _signal(process: asyncio.subprocess.Process, which: signal.Signals) -> None:
    """Send a signal to a child and all that it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, which)
