"""Writing files so that nothing half-written is ever seen."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from cranebridge.errors import InputError
from cranebridge.regular_files import require_regular


def write_files(contents: Mapping[Path, bytes], overwrite: bool = False) -> list[Path]:
    """Write all files or none: temporary files beside the targets, then moved to their places.

    Parameters
    ----------
    contents : mapping of pathlib.Path to bytes
        What to write.
    overwrite : bool
        Whether existing files may be replaced.

    Raises
    ------
    InputError
        If a target exists, its folder does not, or it cannot be written.
    """
    refuse_existing(contents, overwrite)
    written: list[tuple[str, Path]] = []
    try:
        for target, content in contents.items():
            handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
            written.append((name, target))
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(name, 0o666 & ~_umask())
        for name, target in written:
            os.replace(name, target)
    except OSError as error:
        raise InputError(f"cannot write '{target}': {error.strerror or error}") from error
    finally:
        for name, _ in written:
            with contextlib.suppress(OSError):
                os.unlink(name)  # gone already where it was moved
    return list(contents)


def refuse_existing(targets: Mapping[Path, bytes] | list[Path], overwrite: bool) -> None:
    """Raise an InputError for a target that must not or cannot be written."""
    for target in targets:
        if target.is_dir():
            raise InputError(f"target '{target}' is a folder; name a file in it")
        require_regular(f"target '{target}'", target)
        if target.exists() and not overwrite:
            raise InputError(f"target '{target}' exists already; use overwrite to replace it")
        if target.exists() and not os.access(target, os.W_OK):
            raise InputError(f"cannot write '{target}': it is read-only")
        if not target.parent.is_dir():
            raise InputError(f"the folder of target '{target}' does not exist")


def _umask() -> int:
    """Return the process's mask: mkstemp gives files that only their owner can read."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
