"""Files that a user names must be regular ones: reading ends, and replacing takes nothing away.

A named pipe without a writer keeps its reader for ever, a device may never end, and a file that is
put in the place of a device is no device any more.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from cranebridge.errors import InputError

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


def other_kind(path: Path | str) -> str:
    """Return what a path leads to, if that is no regular file; empty if it is, or is not there."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):  # nothing there, a name too long, or with a null byte
        return ""
    return "" if stat.S_ISREG(mode) else _KINDS.get(stat.S_IFMT(mode), "of another kind")


def require_regular(what: str, path: Path | str) -> None:
    """Refuse a path to something else than a regular file; one that leads nowhere passes.

    Parameters
    ----------
    what : str
        The file in a message, such as ``"scenario 'a.toml'"``.
    path : Path or str
        Where it is.

    Raises
    ------
    InputError
        With what it is.
    """
    kind = other_kind(path)
    if kind:
        raise InputError(f"{what} is {kind}; give a regular file")
