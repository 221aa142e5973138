"""What the server knows: the open scenario, agreements, tasks, and who listens to events."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from cranebridge.errors import CranebridgeError
from cranebridge.job.page import (
    NotPlannedError,
    Origin,
    checked_files,
    choice_words,
    live_page,
    live_scenario,
    ready_scenarios,
    scenario_words,
)
from cranebridge.workbench.file_consent import FileConsent, NoConsentError
from cranebridge.workbench.scenario_folder import ScenarioFolder
from cranebridge.workbench.session import Session
from cranebridge.workbench.tasks import Tasks, WorkbenchTask
from cranebridge.workbench.toml_edits import Change


class Bench:
    """All that the requests are about.

    Parameters
    ----------
    folder : pathlib.Path
        Whose files can be opened.
    source : str
        The scenario to open first.
    recovery_folder : pathlib.Path, optional
        Where unsaved work is kept.
    """

    def __init__(self, folder: Path, source: str, recovery_folder: Path | None = None) -> None:
        self.folder = ScenarioFolder(folder)
        self.agreements = FileConsent(self.folder.path)
        self._listeners: set[asyncio.Queue[dict[str, Any]]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._solving = threading.Lock()
        self._ended = False
        self.session = Session(self.folder, source, self._scenario_changed, recovery_folder)
        self.tasks = Tasks(self._task_changed)

    # ------------------------------------------------------------------ what is shown

    def state(self) -> dict[str, Any]:
        """Return all that a page needs to know, except for curves and scene."""
        state: dict[str, Any] = {
            **self.session.state(),
            "choices": choice_words(),
            "scenarios": ready_scenarios(),
            "files": self.folder.names(),
            "tasks": self.tasks.listed(),
            "content": None,
            "described": None,
            "error": "",
            "waiting": [],
        }
        try:
            state["content"] = content = self.session.content()
            self.agreements.require(content)
            with self._solving, checked_files(self.agreements.check):
                state["described"] = scenario_words(live_scenario(content, self._origin()))
        except NoConsentError as error:
            state["waiting"] = [file.as_dict() for file in error.files]
        except CranebridgeError as error:
            state["error"] = str(error)
        return state

    def live(self, changes: list[Change], scene: bool) -> dict[str, Any]:
        """Return curves, verdicts and scene with changes that are only tried out."""
        content = self.session.content(changes)
        self.agreements.require(content)
        with self._solving, checked_files(self.agreements.check):
            try:
                scenario = live_scenario(content, self._origin()).find_path(plan_now=False)
            except NotPlannedError as error:
                return {"unplanned": str(error)}
            return live_page(scenario, scene)

    async def start(self, verb: str, more: dict[str, Any]) -> WorkbenchTask:
        """Start a task on the scenario as it is now."""
        self.agreements.require(self.session.content())
        order = {
            "verb": verb,
            "name": self.session.opened.name,
            "text": self.session.text,
            "folder": str(self.folder.path),
            "agreed": self.agreements.listed(),
            **more,
        }
        return await self.tasks.start(order, self.session.revision)

    def _origin(self) -> Origin:
        name = self.session.opened.name
        return Origin(name, name, self.folder.path)

    # ------------------------------------------------------------------ events

    async def events(self) -> AsyncIterator[dict[str, Any]]:
        """Yield what is new from now on, until the server ends; an empty one keeps it alive."""
        self._loop = asyncio.get_running_loop()
        queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._listeners.add(queue)
        try:
            yield {"kind": "revision", "revision": self.session.revision}
            while not self._ended:
                try:
                    yield await asyncio.wait_for(queue.get(), 5.0)
                except TimeoutError:
                    yield {}
        finally:
            self._listeners.discard(queue)

    def end_events(self) -> None:
        """Notify all listeners that the server ends."""
        self._ended = True
        self._notify({})

    def _scenario_changed(self) -> None:
        self._notify({"kind": "revision", "revision": self.session.revision})

    def _task_changed(self, task: WorkbenchTask) -> None:
        self._notify({"kind": "task", "task": task.as_dict()})

    def _notify(self, event: dict[str, Any]) -> None:
        """Notify all listeners, from whatever thread."""
        if self._loop is not None:
            for queue in tuple(self._listeners):
                self._loop.call_soon_threadsafe(queue.put_nowait, event)
