"""Landlock for the child process: which files an FMU can read and write.

The kernel says which version of Landlock it has; all that this version knows is denied, then the
folders that are needed are allowed. Nothing may be executed. From version 4 on TCP is denied here
too, from version 6 on signals and abstract sockets out of the child.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable

# System calls landlock_create_ruleset, _add_rule and _restrict_self, the same on all machines.
_CREATE = 444
_ADD = 445
_RESTRICT = 446
# Kind of a rule, and rights: linux/landlock.h.
_PATH_BENEATH = 1
_WRITE_FILE = 1 << 1
_READ_FILE = 1 << 2
_READ_DIR = 1 << 3
_REMOVE_DIR = 1 << 4
_REMOVE_FILE = 1 << 5
_MAKE_DIR = 1 << 7
_MAKE_REG = 1 << 8
_TRUNCATE = 1 << 14
_READ = _READ_FILE | _READ_DIR
_WRITE = (
    _READ | _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _TRUNCATE
)  # no links, devices, pipes or sockets
_OF_FILES = _READ_FILE | _WRITE_FILE | _TRUNCATE
# By version: how many rights of files it knows.
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}


def version() -> int:
    """Return the kernel's version of Landlock; 0 if it has none."""
    ask_version = 1
    found = _call(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(ask_version))
    return max(found, 0)


def restrict(read: Iterable[str], write: Iterable[str]) -> int:
    """Leave this thread only these files and folders; returns the version used, 0 for failure.

    Privileges must have been given up (no_new_privs) before.
    """
    known = version()
    if known < 1:
        return 0
    files = (1 << _FILE_RIGHTS.get(known, 16)) - 1
    tcp = 3 if known >= 4 else 0
    scopes = 3 if known >= 6 else 0
    size = 24 if known >= 6 else 16 if known >= 4 else 8
    attributes = struct.pack("<QQQ", files, tcp, scopes)[:size]
    rules = _call(_CREATE, attributes, ctypes.c_size_t(size), ctypes.c_uint32(0))
    if rules < 0:
        return 0
    try:
        for paths, rights in ((read, _READ), (write, _WRITE)):
            for path in paths:
                _allow(rules, path, rights & files)
        done = _call(_RESTRICT, ctypes.c_int(rules), ctypes.c_uint32(0))
    finally:
        os.close(rules)
    return known if done == 0 else 0


def _allow(rules: int, path: str, rights: int) -> None:
    """Allow a file, or a folder and what is below it; one that is not there needs no rule."""
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= _OF_FILES
        rule = struct.pack("<Qi", rights, place)
        _call(_ADD, ctypes.c_int(rules), ctypes.c_int(_PATH_BENEATH), rule, ctypes.c_uint32(0))
    finally:
        os.close(place)


def _call(number: int, *arguments: object) -> int:
    library = ctypes.CDLL(None, use_errno=True)
    return int(library.syscall(ctypes.c_long(number), *arguments))
