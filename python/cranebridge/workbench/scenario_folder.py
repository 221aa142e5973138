"""Scenario files of the folder that the workbench was opened in, and nothing outside it.

A file is replaced only as long as it is what was read, whole or not at all.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from cranebridge.errors import InputError

LONGEST = 1_000_000
"""Bytes of a scenario; ours have some thousand."""


class ChangedOnDiskError(InputError):
    """A file is not what was read: somebody else wrote it."""


class ScenarioFolder:
    """The scenario files of a folder.

    Parameters
    ----------
    path : pathlib.Path
        The folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()

    def names(self) -> list[str]:
        """Return the names of all TOML files in it."""
        with suppress(OSError):
            return sorted(
                file.name
                for file in self.path.iterdir()
                if file.suffix == ".toml" and file.is_file() and not file.name.startswith(".")
            )
        return []

    def read(self, name: str) -> str:
        """Return the text of a file."""
        file = self._file(name)
        if file.exists() and not file.is_file():
            raise InputError(f"'{name}' is no file")  # a pipe would never end
        try:
            if file.stat().st_size > LONGEST:
                raise InputError(f"'{name}' is too large for a scenario")
            return file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise InputError(f"'{name}' is not a text file in UTF-8") from None
        except OSError as error:
            raise InputError(f"'{name}' cannot be read: {error.strerror}") from error

    def write(self, name: str, text: str, before: str | None) -> None:
        """Write a file.

        Parameters
        ----------
        name : str
            Its name in the folder.
        text : str
            Its new text.
        before : str or None
            The text that it had when it was read; None for a file that must not exist yet.

        Raises
        ------
        ChangedOnDiskError
            If it exists and is not what was read.
        """
        file = self._file(name)
        if before is None and file.exists():
            raise ChangedOnDiskError(f"'{name}' exists already; choose another name")
        if before is not None and (not file.is_file() or file.read_text("utf-8") != before):
            raise ChangedOnDiskError(
                f"'{name}' was changed by somebody else since it was read; save under another "
                "name, or open it again"
            )
        put_text(file, text)

    def _file(self, name: str) -> Path:
        """Return a file of the folder; refuse whatever leads elsewhere."""
        plain = name and Path(name).name == name and "\\" not in name and name.isprintable()
        if not plain or not name.endswith(".toml") or name.startswith("."):
            raise InputError("a scenario's file has a name that ends with .toml, without a folder")
        file = self.path / name
        if file.is_symlink() or (file.exists() and file.resolve().parent != self.path):
            raise InputError(f"'{name}' leads out of the folder")
        return file


def put_text(file: Path, text: str) -> None:
    """Write a text file; it appears when it is complete."""
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{file.name}-", dir=file.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            mode = file.stat().st_mode & 0o777 if file.exists() else 0o644
            os.chmod(temporary, mode)
            os.replace(temporary, file)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise InputError(f"'{file.name}' cannot be written: {error.strerror}") from error


def text_hash(text: str) -> str:
    """Return a hash of a text, for names of files that belong to it."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]
