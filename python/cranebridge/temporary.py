"""Temporary folders that do not outlive their owner: the next run removes those of killed ones.

A folder's name carries the process id of its owner, who holds a lock on it. The kernel frees the
lock when the owner ends, however it ends. A folder is removed only if no such process is seen and
nobody holds the lock: a process in another container has another number, but the same lock.

An FMU may have written into such a folder what it liked. So folders are removed without recursion
and without long paths, a bounded number of files at a time, and what cannot be removed stays.
"""

from __future__ import annotations

import contextlib
import fcntl
import math
import os
import re
import tempfile
import weakref
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from time import monotonic

MOST = 200_000
"""Number of files that are removed from a folder at a time; more are left to the next run."""

PATIENCE = 3.0
"""How long a command removes folders of killed ones [s]; others are left to the next run."""

_NAME = re.compile(r"cranebridge-[a-z]+-([1-9][0-9]{0,9})-[A-Za-z0-9_]+\Z")
_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class TemporaryFolder:
    """A temporary folder of this process; a context manager that gives its path.

    Parameters
    ----------
    kind : str
        What it is for, a part of its name: lower case letters.
    """

    def __init__(self, kind: str) -> None:
        _sweep_once(tempfile.gettempdir())
        self.name = tempfile.mkdtemp(prefix=f"cranebridge-{kind}-{os.getpid()}-")
        lock = os.open(self.name, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        with contextlib.suppress(OSError):  # some file systems have no locks
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._finalizer = weakref.finalize(self, _end, self.name, lock, os.getpid())

    def __enter__(self) -> Path:
        return Path(self.name)

    def __exit__(self, *_details: object) -> None:
        self.remove()

    def remove(self) -> None:
        """Remove the folder and all that is in it."""
        self._finalizer()


def sweep(parent: str) -> list[str]:
    """Remove folders whose owners have ended without doing so; returns their names."""
    removed, until = [], monotonic() + PATIENCE
    with contextlib.suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            found = _NAME.match(entry.name)
            if found and not _alive(int(found[1])) and _abandoned(entry.path):
                remove_tree(entry.path, until)
                removed.append(entry.name)
            if monotonic() > until:
                break
    return removed


def remove_tree(path: str, until: float = math.inf) -> None:
    """Remove a folder, also what an FMU has made without rights for us; links are not followed.

    What is not removed until a time of `time.monotonic` stays.

    One folder is open at a time, and is gone into and out of by its name alone: depth costs neither
    recursion nor open files, and no path gets longer than the system allows.
    """
    with contextlib.suppress(OSError):
        _empty(path, until)
    with contextlib.suppress(OSError):
        os.rmdir(path)


@dataclass
class _Level:
    """A folder on the way down: its name, what it is on the disk, its folders that are left."""

    name: str
    identity: tuple[int, int]
    folders: list[str]


def _empty(path: str, until: float) -> None:
    """Remove what is in a folder; at most `MOST` files and folders, until some time."""
    place, left = os.open(path, _OPEN), MOST
    try:
        folders, count = _remove_files(place, left)
        levels, left = [_Level("", _identity(place), folders)], left - count
        while left > 0 and monotonic() <= until:
            if levels[-1].folders:
                name = levels[-1].folders.pop()
                try:
                    os.chmod(name, 0o700, dir_fd=place)
                    place = _step(place, name)
                except OSError:
                    continue
                folders, count = _remove_files(place, left)
                levels.append(_Level(name, _identity(place), folders))
                left -= count
                continue
            name = levels.pop().name
            if not levels:
                return
            place = _step(place, "..")
            if _identity(place) != levels[-1].identity:
                return  # somebody moves folders while they are removed
            with contextlib.suppress(OSError):
                os.rmdir(name, dir_fd=place)
    finally:
        os.close(place)


def _remove_files(place: int, most: int) -> tuple[list[str], int]:
    """Remove files of a folder; returns its folders, and how many names were looked at."""
    with os.scandir(place) as entries:
        found = [
            (entry.name, entry.is_dir(follow_symlinks=False)) for entry in islice(entries, most)
        ]
    for name, is_folder in found:
        if not is_folder:
            with contextlib.suppress(OSError):
                os.unlink(name, dir_fd=place)
    return [name for name, is_folder in found if is_folder], len(found)


def _step(place: int, name: str) -> int:
    """Open a folder in, or above, the one that is open, and close that."""
    other = os.open(name, _OPEN, dir_fd=place)
    os.close(place)
    return other


def _identity(place: int) -> tuple[int, int]:
    status = os.fstat(place)
    return status.st_dev, status.st_ino


@cache
def _sweep_once(parent: str) -> None:
    sweep(parent)


def _end(name: str, lock: int, owner: int) -> None:
    if os.getpid() == owner:  # not in a process that was forked off
        remove_tree(name)
    os.close(lock)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _abandoned(path: str) -> bool:
    """Whether a folder is ours, a real one, and nobody holds its lock."""
    try:
        lock = os.open(path, _OPEN)
    except OSError:
        return False
    try:
        if os.fstat(lock).st_uid != os.geteuid():
            return False
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(lock)
    return True
