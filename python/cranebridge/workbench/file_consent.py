"""Files that a scenario names: which of them the user must agree to before they are used.

A crane's file is a program, and so is an FMU: each is used only after the user agreed to its very
contents (SHA-256). Any file outside the folder that the scenario was opened in needs the same, so
that a scenario from elsewhere cannot read what is none of its business.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cranebridge.errors import InputError

LARGEST = 2_000_000_000
"""Bytes of a file that can be agreed to."""
PLACES = (
    ("crane", "model"),
    ("plant", "fmu"),
    ("plant", "model"),
    ("campaign", "file"),
    ("learn", "target"),
    ("learn", "first"),
)
"""Table and key of each file that a scenario can name."""
_PROGRAM = "it is a program that will be executed"


@dataclass(frozen=True)
class NamedFile:
    """A file that a scenario names and that waits for agreement.

    Attributes
    ----------
    key : str
        Where the scenario names it, such as ``crane.model``.
    path : str
        Its full path.
    sha256 : str
        Of its contents; empty where it cannot be read.
    why : str
        Why agreement is needed.
    """

    key: str
    path: str
    sha256: str
    why: str

    def as_dict(self) -> dict[str, str]:
        """Return it for JSON."""
        return asdict(self)


class NoConsentError(InputError):
    """A scenario names files that the user has not agreed to."""

    def __init__(self, files: list[NamedFile]) -> None:
        self.files = files
        names = ", ".join(f"{file.key} = '{file.path}'" for file in files)
        super().__init__(f"not used before you agree to it: {names}")


class FileConsent:
    """What the user agreed to, by path and contents; nothing of it outlives the server.

    Parameters
    ----------
    folder : pathlib.Path
        In which the workbench was opened.
    agreed : iterable of (str, str)
        Paths and hashes that were agreed to before.
    """

    def __init__(self, folder: Path, agreed: Iterable[tuple[str, str]] = ()) -> None:
        self.folder = folder.resolve()
        self._agreed = set(agreed)

    def listed(self) -> list[tuple[str, str]]:
        """Return what was agreed to, for a process that works on it."""
        return sorted(self._agreed)

    def agree(self, path: str, sha256: str) -> None:
        """Take the user's agreement to a file as it is now.

        Raises
        ------
        InputError
            If the file is not what the user was shown.
        """
        if not sha256 or _sha256(Path(path)) != sha256:
            raise InputError(f"'{path}' has changed since it was shown; look at it again")
        self._agreed.add((path, sha256))

    def require(self, content: Mapping[str, Any]) -> None:
        """Raise a `NoConsentError` if tables name a file that waits for agreement."""
        waiting = [file for file in self._named(content) if not self._known(file)]
        if waiting:
            raise NoConsentError(waiting)

    def check(self, file: Path, content: bytes) -> None:
        """Raise a `NoConsentError` if contents that are about to be executed were not agreed to.

        The file may have changed since `require` looked at it. Where it lies does not matter:
        campaigns execute copies.
        """
        found = NamedFile("crane.model", str(file.resolve()), _hash(content), _PROGRAM)
        if found.sha256 not in {sha256 for _, sha256 in self._agreed}:
            raise NoConsentError([found])

    def _known(self, file: NamedFile) -> bool:
        return (file.path, file.sha256) in self._agreed

    def _named(self, content: Mapping[str, Any]) -> Iterator[NamedFile]:
        for key, name in _file_names(content):
            try:
                path = (self.folder / name).resolve()
                inside = path.is_relative_to(self.folder)
            except (OSError, ValueError, RuntimeError):
                raise InputError(f"{key} names no file") from None
            program = path.suffix.lower() in (".py", ".fmu")
            if inside and not program:
                continue
            why = _PROGRAM if program else ""
            why = " and ".join(filter(None, (why, "" if inside else "it is outside the folder")))
            yield NamedFile(key, str(path), _sha256(path), why)


def _file_names(content: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield key and name of each file that tables name; wrong types are refused later."""
    for table, key in PLACES:
        entries = content.get(table)
        value = entries.get(key) if isinstance(entries, Mapping) else None
        if not isinstance(value, str) or not value:
            continue
        name = value
        if key == "model":
            name = _model_file(value)
        if name:
            yield f"{table}.{key}", name
    for table in ("crane", "plant"):
        entries = content.get(table)
        motions = entries.get("motion") if isinstance(entries, Mapping) else None
        for own, motion in (motions if isinstance(motions, Mapping) else {}).items():
            file = motion.get("file") if isinstance(motion, Mapping) else None
            if isinstance(file, str) and file:
                yield f"{table}.motion.{own}.file", file


def _model_file(model: str) -> str:
    """Return the file of FILE.py:Class or FILE.mo:Class; empty for the name of a model of ours."""
    file, colon, _ = model.rpartition(":")
    name = file if colon else model
    return name if Path(name).suffix.lower() in (".py", ".mo") or "/" in name else ""


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _sha256(path: Path) -> str:
    """Return the hash of a file's contents; empty for what cannot be read, or has no end."""
    try:
        if not path.is_file() or path.stat().st_size > LARGEST:
            return ""  # a device or a pipe, which a scenario may name as well
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return ""
