"""The versions that a result depends on."""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import cranebridge

PACKAGES = ("casadi", "numpy", "scipy")


def versions() -> dict[str, str]:
    """Return the versions of this package, of Python and of the numerical libraries."""
    return dict(_versions())


@cache
def _versions() -> dict[str, str]:
    found = {"cranebridge": cranebridge.__version__, "python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # pragma: no cover - only in odd installations
            found[package] = "unknown"
    return found


@cache
def program_hash() -> str:
    """Return a hash of this package's own sources: they can change without a new version."""
    digest = hashlib.sha256()
    root = Path(__file__).parent
    for file in sorted((*root.rglob("*.py"), *root.rglob("*.[ch]"), *root.rglob("*.st"))):
        digest.update(file.relative_to(root).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()
