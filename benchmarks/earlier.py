"""Earlier versions for the benchmarks that compare with one: each as it was, with its libraries."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]


class Version(NamedTuple):
    """A version: the root of its tree, and the Python that has the libraries it asks for."""

    tree: Path
    python: str


NOW = Version(ROOT, sys.executable)


@contextmanager
def earlier_version(revision: str, folder: Path) -> Iterator[Version]:
    """Give a revision in a worktree in a folder, installed by its own `scripts/setup`.

    What it takes from the package index, in a minute or two, is what its `requirements.lock` says.
    """
    tree = folder / f"earlier-{revision}"
    git = ["git", "-C", str(ROOT), "worktree"]
    subprocess.run([*git, "add", "--detach", str(tree), revision], check=True, capture_output=True)
    try:
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        setup = [str(tree / "scripts" / "setup")]
        subprocess.run(setup, env={**environment, "PYTHON": sys.executable}, check=True)
        yield Version(tree, str(tree / ".venv" / "bin" / "python"))
    finally:
        subprocess.run([*git, "remove", "--force", str(tree)], check=True)
