"""Tasks of the workbench show their stages, and the next time how long they still take."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from cranebridge.job.page.sources import ready_text
from cranebridge.workbench.tasks import Tasks, WorkbenchTask


def carried_out(verb: str, folder: Path, **more: Any) -> tuple[list[dict[str, Any]], WorkbenchTask]:
    """Carry out a task on a ready scenario; returns all that was told of it."""
    reported: list[dict[str, Any]] = []
    name, ended = "overhead", asyncio.Event()

    def changed(task: WorkbenchTask) -> None:
        reported.append(task.as_dict())
        if task.status != "running":
            ended.set()

    async def work() -> WorkbenchTask:
        tasks = Tasks(changed)
        order = {"verb": verb, "name": name, "text": ready_text(name), "folder": str(folder)}
        task = await tasks.start({**order, "agreed": [], **more}, 1)
        await ended.wait()
        await tasks.close()
        return task

    return reported, asyncio.run(work())


@pytest.mark.parametrize(
    ("verb", "more"), [("check", {}), ("solve", {}), ("verify", {}), ("deliver", {"format": "c"})]
)
def test_task_shows_its_stages_and_the_next_one_its_time_left(
    verb, more, tmp_path, monkeypatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "empty"))
    reported, task = carried_out(verb, tmp_path, **more)
    assert task.status == "done", task.error
    stages = [one["stage"] for one in reported if one["status"] == "running"]
    assert stages[0] == "loading"
    assert len(set(stages)) > 1
    assert "workbench" in (tmp_path / "empty" / "cranebridge" / "durations.json").read_text()
    reported, task = carried_out(verb, tmp_path, **more)
    running = [one for one in reported if one["status"] == "running"]
    parts = [one["fraction"] for one in running]
    assert all(one["left"] >= 0.0 for one in running)
    assert parts == sorted(parts)
    assert reported[-1]["left"] is None
