"""Folders of what takes long to make and is loaded as code: compiled functions and FMUs.

Whoever can write into such a folder can run code as its user. So a folder is used only if it
belongs to the user and nobody else can write to it; otherwise a private folder of this process
takes its place, and that is said once. Beside each entry stands the SHA-256 of its content: an
entry that is damaged, cut short or half written is not found, and made anew.
"""

from __future__ import annotations

import contextlib
import grp
import hashlib
import os
import pwd
import stat
import tempfile
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from cranebridge.temporary import TemporaryFolder

_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_LOCK = ".lock"


class CacheWarning(UserWarning):
    """A cache is not used, because it is not safe or cannot be written."""


def usable_folder(folder: Path) -> Path:
    """Return a folder for a cache, made if needed; a private one if it is not safe.

    Parameters
    ----------
    folder : Path
        Where the cache should be.

    Returns
    -------
    Path
        The folder without symbolic links in its name, or a folder of this process that goes when
        it ends.
    """
    folder = Path(os.path.realpath(folder))
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        reason = _distrust(folder)
    except OSError as error:
        reason = f"{error.strerror or error}: make it a folder that you can write to"
    return folder if reason is None else Path(_private_folder(folder, reason).name)


def find(folder: Path, name: str) -> Path | None:
    """Return an entry whose content is what was stored, or None."""
    with contextlib.suppress(OSError, UnicodeError):
        wanted = _read(folder / f"{name}.sha256").decode("ascii").strip()
        if hashlib.sha256(_read(folder / name)).hexdigest() == wanted:
            return folder / name
    return None


def store(folder: Path, name: str, content: bytes) -> Path:
    """Store an entry and return it; one that another process has stored meanwhile stays.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    with _locked(folder):
        found = find(folder, name)
        if found is None:
            write_whole(folder / name, content)
            digest = hashlib.sha256(content).hexdigest()
            write_whole(folder / f"{name}.sha256", f"{digest}\n".encode("ascii"))
    return folder / name


def write_whole(path: Path, content: bytes) -> None:
    """Write a file beside its place and rename it, so that nobody sees half of it."""
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}-", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


# ---------------------------------------------------------------------------- trust


def _distrust(folder: Path) -> str | None:
    """Say why a folder is not safe and what to do, or None."""
    if os.name != "posix":
        return None
    owner = folder.stat().st_uid
    if owner != os.geteuid():
        return f"it belongs to another user (number {owner}): remove it or take it over"
    for place in (folder, *folder.parents):
        status = place.stat()
        mode = status.st_mode
        # In a sticky folder, such as /tmp, others cannot rename what is not theirs.
        sticky = place != folder and mode & stat.S_ISVTX
        writers = mode & (stat.S_IWOTH if _own_group(status.st_gid) else _OTHERS)
        if writers and not sticky:
            return f"others can write to '{place}': run chmod go-w '{place}'"
    if not os.access(folder, os.W_OK | os.X_OK):
        return "it cannot be written: run chmod u+rwx, or choose another disk"
    return None


@cache
def _own_group(number: int) -> bool:
    """Return whether a group is the user's alone, as many systems make one for each user."""
    try:
        user, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(number)
    except KeyError:
        return False
    alone = set(group.gr_mem) <= {user.pw_name}
    return number == user.pw_gid and group.gr_name == user.pw_name and alone


@cache
def _private_folder(folder: Path, reason: str) -> TemporaryFolder:
    """A folder of this process in place of one that is not used; said once."""
    warnings.warn(f"the cache '{folder}' is not used: {reason}.", CacheWarning, stacklevel=3)
    # kept by this function's cache until the process ends
    return TemporaryFolder("cache")


def _read(path: Path) -> bytes:
    """Read a regular file of the user that nobody else can write; links are not followed."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with open(os.open(path, flags), "rb") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise PermissionError(f"'{path}' is no file")
        if os.name == "posix" and (status.st_uid != os.geteuid() or status.st_mode & _OTHERS):
            raise PermissionError(f"'{path}' is not the user's alone")
        return stream.read()


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep other processes from storing: entry and hash belong together."""
    if os.name != "posix":
        yield
        return
    import fcntl

    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
    with open(os.open(folder / _LOCK, flags, 0o600), "rb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield
