"""Finished runs on disk, part by part, so that a campaign that is killed goes on where it was.

A part holds the runs of one batch. It is written beside its place and renamed, so that it is whole
or not there, and says which campaign it belongs to: by the key of the work and the hash of the
design. Its name tells its first run; no run stands in two parts.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from cranebridge.cache import write_whole
from cranebridge.campaign.design import Design
from cranebridge.campaign.workers import RunResult, Value
from cranebridge.errors import InputError

FOLDER = "parts"
OWN = ("run", "status", "reason")
"""Columns that every table has, beside factors and results."""
_LOCK = "lock"


@dataclass(frozen=True)
class Column:
    """A column of results.

    Attributes
    ----------
    place : tuple of int
        First run that has it and its place in that row: columns are sorted by this, so that their
        order does not depend on who was ready first.
    type : type
        float, str or bool.
    """

    place: tuple[int, int]
    type: type


class Parts:
    """The parts of one campaign in a folder; nobody else may use it meanwhile."""

    def __init__(self, folder: Path, work: str, design: Design) -> None:
        self._folder = folder / FOLDER
        self._head = {"work": work, "design": design.hash}
        self._taken = {*OWN, *design.keys}
        self.finished = np.zeros(len(design), dtype=bool)
        self.failed = 0
        self._columns: dict[str, Column] = {}
        self._spans: dict[Path, tuple[int, int]] = {}
        self._lock: IO[bytes] | None = None

    def __enter__(self) -> Parts:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._lock = _locked(self._folder / _LOCK)
        except OSError as error:
            raise InputError(
                f"'{self._folder}' cannot be used: {error.strerror or error}"
            ) from error
        try:
            for file in sorted(self._folder.glob("part-*.json")):
                rows = self._read(file)
                if rows is not None:
                    self._count(file, rows)
        except BaseException:
            self._lock.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            self._lock.close()

    @property
    def columns(self) -> dict[str, type]:
        """All columns with their types, in the order in which the runs have them first."""
        names = sorted(self._columns, key=lambda name: self._columns[name].place)
        return {name: self._columns[name].type for name in names}

    def unfinished(self) -> NDArray[np.int64]:
        """Return the runs that are still to be done."""
        return np.flatnonzero(~self.finished)

    def save(self, rows: Sequence[RunResult]) -> None:
        """Save finished runs."""
        rows = sorted(rows, key=lambda row: row.number)
        names = list(dict.fromkeys(name for row in rows for name in row.results))
        content = {
            **self._head,
            "columns": names,
            "rows": [[r.number, r.reason, *(r.results.get(n) for n in names)] for r in rows],
        }
        file = self._folder / f"part-{rows[0].number:08d}.json"
        self._count(file, rows)
        write_whole(file, json.dumps(content, separators=(",", ":")).encode())

    def rows(self, begin: int, end: int) -> Iterator[RunResult]:
        """Yield the rows of a range of runs, in order."""
        found = [
            row
            for file, (first, last) in self._spans.items()
            if first < end and last >= begin
            for row in self._read(file) or ()
            if begin <= row.number < end
        ]
        yield from sorted(found, key=lambda row: row.number)

    def remove(self) -> None:
        """Remove all parts; what others have put there stays."""
        for pattern in ("part-*.json", ".part-*.tmp", _LOCK):
            for file in self._folder.glob(pattern):
                file.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self._folder.rmdir()

    def _read(self, file: Path) -> list[RunResult] | None:
        """Return the rows of a part; None if it is damaged, so that its runs are done again."""
        try:
            content = json.loads(file.read_bytes())
            head = {key: content[key] for key in self._head}
            names = content["columns"]
            rows = [_row(names, *row) for row in content["rows"]]
        except (ValueError, KeyError, TypeError):
            return None
        if head != self._head:
            raise another_campaign(file, head["work"] == self._head["work"])
        return rows

    def _count(self, file: Path, rows: Sequence[RunResult]) -> None:
        for row in rows:
            for place, (name, value) in enumerate(row.results.items()):
                self._count_column(name, (row.number, place), type(value))
        numbers = [row.number for row in rows]
        self.finished[numbers] = True
        self.failed += sum(row.reason is not None for row in rows)
        self._spans[file] = numbers[0], numbers[-1]

    def _count_column(self, name: str, place: tuple[int, int], kind: type) -> None:
        known = self._columns.get(name)
        if name in self._taken:
            raise ValueError(f"a result has the name of a factor or of an own column: '{name}'")
        if known is not None and known.type is not kind:
            raise TypeError(
                f"column '{name}' is {known.type.__name__} in run {known.place[0]} and "
                f"{kind.__name__} in run {place[0]}"
            )
        if known is None or place < known.place:
            self._columns[name] = Column(place, kind)


def another_campaign(file: Path, same_work: bool) -> InputError:
    """Make the error for results that do not belong here."""
    what = "its runs have other values" if same_work else "what is carried out differs"
    return InputError(
        f"'{file}' belongs to another campaign ({what}); runs of two are never mixed: give another "
        f"folder, or remove it"
    )


def _row(names: Sequence[str], number: int, reason: str | None, *values: Value | None) -> RunResult:
    pairs = zip(names, values, strict=True)
    return RunResult(
        int(number), {name: value for name, value in pairs if value is not None}, reason
    )


def _locked(file: Path) -> IO[bytes]:
    """Open and lock a file; the lock goes with the process, however it ends."""
    stream = file.open("ab")
    if os.name == "posix":
        import fcntl

        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            stream.close()
            raise InputError(
                f"another campaign is at work in '{file.parent.parent}'; wait for it or give "
                f"another folder"
            ) from error
    return stream
