"""Temporary folders that do not outlive their owner: the next run removes those of killed ones.

A folder's name carries the process id of its owner, who holds a lock on it. The kernel frees the
lock when the owner ends, however it ends. A folder is removed only if no such process is seen and
nobody holds the lock: a process in another container has another number, but the same lock.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import stat
import tempfile
import weakref
from functools import cache

_NAME = re.compile(r"cranebridge-(?:run|fmu)-([1-9][0-9]{0,9})-[A-Za-z0-9_]+\Z")


class Folder:
    """A temporary folder of this process.

    Parameters
    ----------
    kind : {"run", "fmu"}
        What it is for, a part of its name.
    """

    def __init__(self, kind: str) -> None:
        _sweep_once(tempfile.gettempdir())
        self.name = tempfile.mkdtemp(prefix=f"cranebridge-{kind}-{os.getpid()}-")
        lock = os.open(self.name, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        with contextlib.suppress(OSError):  # some file systems have no locks
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._finalizer = weakref.finalize(self, _end, self.name, lock, os.getpid())

    def remove(self) -> None:
        """Remove the folder and all that is in it."""
        self._finalizer()


def sweep(parent: str) -> list[str]:
    """Remove folders whose owners have ended without doing so; returns their names."""
    removed = []
    with contextlib.suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            found = _NAME.match(entry.name)
            if found and not _alive(int(found[1])) and _abandoned(entry.path):
                remove_tree(entry.path)
                removed.append(entry.name)
    return removed


def remove_tree(path: str) -> None:
    """Remove a folder, also what an FMU has made without rights for us; links are not followed."""
    with contextlib.suppress(OSError):
        for folder, names, _ in os.walk(path):
            for name in names:
                inner = os.path.join(folder, name)
                if stat.S_ISDIR(os.lstat(inner).st_mode):
                    os.chmod(inner, 0o700)
    shutil.rmtree(path, ignore_errors=True)


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
        lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
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
