"""The scenario that is open: its text, every earlier one, and who may change it.

The text is the truth; tables are read from it. Every change names the revision that it was made
on: if that is not the latest, somebody else (another window) was faster, and the change is refused
with the newer state instead of destroying it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cranebridge.errors import InputError
from cranebridge.job.page import parse_text, ready_text
from cranebridge.workbench.recovery import Recovery
from cranebridge.workbench.scenario_folder import LONGEST, ScenarioFolder
from cranebridge.workbench.toml_edits import Change, changed_tables, changed_text

MOST_UNDONE = 500
"""Steps that can be undone."""


class ConflictError(InputError):
    """A change was made on a revision that is not the latest."""

    def __init__(self) -> None:
        super().__init__(
            "the scenario was changed in another window; its newer state is shown, and this change "
            "was not made"
        )


@dataclass(frozen=True)
class OpenScenario:
    """Where the open scenario comes from.

    Attributes
    ----------
    name : str
        The scenario's name.
    file : str or None
        Its file in the folder; None for a ready scenario, which cannot be written.
    """

    name: str
    file: str | None


class Session:
    """One open scenario with its history.

    Parameters
    ----------
    folder : ScenarioFolder
        Whose files can be opened and saved.
    source : str
        A ready scenario's name, or a file of the folder.
    changed : callable
        Called after each change.
    recovery_folder : pathlib.Path, optional
        Where unsaved work is kept.
    """

    opened: OpenScenario
    _texts: list[str]
    _labels: list[str]
    _now: int
    _on_disk: str
    _tables_of: str
    _tables: dict[str, Any]
    _recovery: Recovery
    _earlier: str | None

    def __init__(
        self,
        folder: ScenarioFolder,
        source: str,
        changed: Callable[[], None],
        recovery_folder: Path | None = None,
    ) -> None:
        self._folder, self._changed, self._kept_in = folder, changed, recovery_folder
        self._lock = threading.RLock()
        self.revision = 0
        self._open(source)

    # ------------------------------------------------------------------ what there is

    @property
    def text(self) -> str:
        """The text as it is now."""
        return self._texts[self._now]

    @property
    def unsaved(self) -> bool:
        """Whether it differs from the file, or from the ready scenario."""
        return self.text != self._on_disk

    def content(self, changes: Sequence[Change] = ()) -> dict[str, Any]:
        """Return the tables, with changes that are only tried out."""
        if self._tables_of != self.text:
            self._tables, self._tables_of = parse_text(self.opened.name, self.text), self.text
        return changed_tables(self._tables, changes)

    def state(self) -> dict[str, Any]:
        """Return what a page shows of it."""
        with self._lock:
            return {
                "revision": self.revision,
                "name": self.opened.name,
                "file": self.opened.file,
                "folder": str(self._folder.path),
                "text": self.text,
                "unsaved": self.unsaved,
                "undo": self._labels[self._now] if self._now else None,
                "redo": self._labels[self._now + 1] if self._now + 1 < len(self._texts) else None,
                "recovery": self._earlier not in (None, self.text),
            }

    # ------------------------------------------------------------------ changes

    def require(self, revision: Any) -> None:
        """Raise a `ConflictError` if a revision is not the latest."""
        if revision != self.revision:
            raise ConflictError

    def edit(self, revision: Any, changes: Sequence[Change], label: str) -> None:
        """Make changes as one step that can be undone."""
        with self._lock:
            self.require(revision)
            self._push(changed_text(self.text, changes), label)

    def replace_text(self, revision: Any, text: str) -> None:
        """Take another text as a whole."""
        with self._lock:
            self.require(revision)
            if len(text.encode()) > LONGEST:
                raise InputError("the text is too long for a scenario")
            parse_text(self.opened.name, text)
            self._push(text, "edit text")

    def move(self, revision: Any, steps: int) -> None:
        """Undo (-1) or redo (1) a step."""
        with self._lock:
            self.require(revision)
            if not 0 <= self._now + steps < len(self._texts):
                raise InputError("there is nothing to undo" if steps < 0 else "nothing to redo")
            self._now += steps
            self._notify()

    def restore(self, revision: Any) -> None:
        """Take the unsaved work of an earlier server."""
        with self._lock:
            self.require(revision)
            if self._earlier is None:
                raise InputError("there is no unsaved work to restore")
            text, self._earlier = self._earlier, None
            self._push(text, "restore unsaved work")

    def discard(self) -> None:
        """Throw the unsaved work of an earlier server away."""
        self._earlier = None
        if not self.unsaved:
            self._recovery.forget()
        self._changed()

    # ------------------------------------------------------------------ files

    def open(self, source: str) -> None:
        """Open another scenario; what was not saved is kept for the next time."""
        with self._lock:
            self._open(source)
            self._notify(keep=False)

    def save(self, revision: Any, name: str | None) -> None:
        """Save to the file, or to a new one."""
        with self._lock:
            self.require(revision)
            target = self.opened.file if name is None else name
            if target is None:
                raise InputError("a ready scenario cannot be changed: save it under a new name")
            same = target == self.opened.file
            self._folder.write(target, self.text, self._on_disk if same else None)
            self._recovery.forget()
            if not same:
                self.opened = OpenScenario(Path(target).stem, target)
                self._recovery = self._recovery_of(target)
                self._recovery.forget()
            self._on_disk = self.text
            self._notify(keep=False)

    def _open(self, source: str) -> None:
        ready = ready_text(source)
        text = self._folder.read(source) if ready is None else ready
        parse_text(source, text)
        self.opened = OpenScenario(Path(source).stem, source if ready is None else None)
        self._texts, self._labels, self._now = [text], [""], 0
        self._on_disk, self._tables_of, self._tables = text, "", {}
        self._recovery = self._recovery_of(source)
        self._earlier = self._recovery.found()

    def _recovery_of(self, source: str) -> Recovery:
        return Recovery(f"{self._folder.path}/{source}", self._kept_in)

    def _push(self, text: str, label: str) -> None:
        if text == self.text:
            return
        del self._texts[self._now + 1 :], self._labels[self._now + 1 :]
        self._texts.append(text)
        self._labels.append(label)
        del self._texts[:-MOST_UNDONE], self._labels[:-MOST_UNDONE]
        self._now = len(self._texts) - 1
        self._notify()

    def _notify(self, keep: bool = True) -> None:
        self.revision += 1
        if keep:
            self._recovery.keep(self.text) if self.unsaved else self._recovery.forget()
        self._changed()
