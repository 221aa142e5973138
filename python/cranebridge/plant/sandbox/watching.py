"""What the parent watches while an FMU runs, because no limit of the kernel covers it.

The kernel limits the size of one file, not of all; and threads only by user, for root not at all.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator

DISK = 1 << 30
"""Bytes that an FMU's files may take in all, its log among them."""

FILES = 10_000
"""Number of files that an FMU may make."""

THREADS = 512
"""Number of threads that an FMU may have."""


def excess(pid: int, scratch: str) -> str | None:
    """Return what an FMU has too much of, in words; None if nothing."""
    try:
        count, size = _files(scratch)
    except _TooDeepError:
        return "its folders are too deep in each other to look into"
    size += _open_files(pid)
    if count > FILES:
        return f"it made more than {FILES} files"
    if size > DISK:
        return f"its files are larger than {DISK / 2**20:.0f} MiB in all"
    with contextlib.suppress(OSError):
        if len(os.listdir(f"/proc/{pid}/task")) > THREADS:
            return f"it started more than {THREADS} threads"
    return None


class _TooDeepError(Exception):
    """A folder's path is longer than the system allows: nobody can count what is in it."""


def _files(folder: str) -> tuple[int, int]:
    """Number and size of the files below a folder, counted until there are too many."""
    count = size = 0
    waiting = [folder]
    while waiting and count <= FILES:
        with _passing_over_what_vanishes(), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                count += 1
                if count > FILES:
                    break
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    size += 512 * entry.stat(follow_symlinks=False).st_blocks
    return count, size


@contextlib.contextmanager
def _passing_over_what_vanishes() -> Iterator[None]:
    """Ignore what the file system says, unless it is that a path is too long."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise _TooDeepError from None


def _open_files(pid: int) -> int:
    """Size of open files that have no name any more, the log among them."""
    found: dict[tuple[int, int], int] = {}
    with contextlib.suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/fd"):
            with contextlib.suppress(OSError):
                status = os.stat(f"/proc/{pid}/fd/{name}")
                if stat.S_ISREG(status.st_mode) and status.st_nlink == 0:
                    found[status.st_dev, status.st_ino] = 512 * status.st_blocks
    return sum(found.values())
