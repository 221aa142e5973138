"""Report files: refused before the work begins, and there completely or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from cranebridge.errors import InputError
from cranebridge.regular_files import require_regular


def require_target(target: Path, overwrite: bool) -> None:
    """Raise an InputError if the file must not be written."""
    if target.is_dir():
        raise InputError(f"report '{target}' is a folder; give a file name")
    require_regular(f"report '{target}'", target)
    if target.exists() and not overwrite:
        raise InputError(f"report '{target}' exists; choose another name or replace it")


def put(target: Path, content: bytes) -> None:
    """Write a file so that it is there completely or not at all."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".", delete=False) as file:
            file.write(content)
        os.chmod(file.name, 0o644)  # a temporary file is its owner's alone
        os.replace(file.name, target)
    except OSError as error:
        raise InputError(f"report '{target}' cannot be written: {error.strerror}") from error
