"""Results on disk: one folder, one writer at a time, and nothing in it that is not whole.

What a job writes goes to ``.unfinished/`` in the folder first, each file under a temporary name
that is renamed when it is complete; when the job ends, all of them are moved to their places, and
``manifest.json`` says which they are, with their hashes. An interrupted job leaves
``.unfinished/``, with ``job.json`` that says what it was made from: the same job goes on from
there; the same task with other contents of its files, or other versions, is restarted; another task
is refused. A job that ends by a mistake in what was given leaves only what took long to make.
Only files that a manifest names are ever replaced.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

from cranebridge.errors import CranebridgeError, InputError
from cranebridge.regular_files import other_kind

MANIFEST = "manifest.json"
UNFINISHED = ".unfinished"
LOCK = ".lock"
JOB = "job.json"
_SOON_MADE = {JOB, "check.json", "feedforward.csv", "scenario.toml", "certificate.json"}


@dataclass(frozen=True)
class JobKey:
    """What a job is made from.

    Attributes
    ----------
    task : str
        Hash of what is asked for.
    made_from : str
        Hash of all that the result depends on: the task, contents of files, versions.
    """

    task: str
    made_from: str


class ResultFolder:
    """The folder of a job's results while the job is at work; see `open_folder`.

    Attributes
    ----------
    path : pathlib.Path
        The folder.
    resumed : bool
        Whether an interrupted job with the same key left files.
    """

    def __init__(self, path: Path, key: JobKey) -> None:
        self.path = path
        self._work = path / UNFINISHED
        self.resumed = _interrupted(path) == key
        if not self.resumed:
            _remove(self._work)
        self._work.mkdir(exist_ok=True)
        self.write_json(JOB, asdict(key))

    @property
    def workplace(self) -> Path:
        """The folder that files are in until the job ends, for those who write them themselves."""
        return self._work

    def read_json(self, name: str) -> Any:
        """Return a file of the interrupted job, or None if it is not there or damaged."""
        try:
            return json.loads((self._work / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def read(self, name: str) -> str | None:
        """Return the text of a file of the interrupted job, or None if it is not there."""
        try:
            return (self._work / name).read_text(encoding="utf-8")
        except (OSError, ValueError):
            return None

    def write_json(self, name: str, content: object) -> None:
        """Write an object as a JSON file."""
        text = json.dumps(content, indent=2, allow_nan=False)
        self.write(name, lambda file: file.write(text + "\n"))

    def write(self, name: str, writer: Callable[[TextIO], object]) -> None:
        """Write a text file; it appears when it is complete."""
        with _sentences(self.path):
            handle, temporary = tempfile.mkstemp(prefix=f".{name}-", dir=self._work)
            try:
                with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                    writer(file)
                    file.flush()
                    os.fsync(file.fileno())
                os.chmod(temporary, 0o666 & ~_umask())
                os.replace(temporary, self._work / name)
            except BaseException:
                with suppress(OSError):
                    os.unlink(temporary)
                raise

    def write_bytes(self, name: str, content: bytes) -> None:
        """Write a binary file; it appears when it is complete."""
        self.write(name, lambda file: file.buffer.write(content))  # type: ignore[attr-defined]

    def finish(self) -> None:
        """Move all files to their places and write the manifest."""
        with _sentences(self.path):
            files = sorted(
                file.name for file in self._work.iterdir() if not file.name.startswith(".")
            )
            files = [name for name in files if name not in (JOB, MANIFEST)]
            hashes = {name: _sha256(self._work / name) for name in files}
            self._write_manifest({**_named(self.path), **dict.fromkeys(files)})
            for name in _named(self.path):
                if name not in files:
                    (self.path / name).unlink(missing_ok=True)
            for name in files:
                os.replace(self._work / name, self.path / name)
            self._write_manifest(hashes)
            _remove(self._work)
            _sync(self.path)

    def _write_manifest(self, files: Mapping[str, str | None]) -> None:
        """Replace the manifest; before files are moved it names old and new ones."""
        self.write_json(MANIFEST, {"files": dict(files)})
        os.replace(self._work / MANIFEST, self.path / MANIFEST)


@contextmanager
def open_folder(path: Path, key: JobKey, force: bool = False) -> Iterator[ResultFolder]:
    """Open a folder for a job's results, alone.

    Parameters
    ----------
    path : pathlib.Path
        The folder; it is made if needed.
    key : JobKey
        What the job is made from; an interrupted job with the same key is resumed.
    force : bool
        Replace an earlier result.

    Raises
    ------
    InputError
        Before anything is changed, if the folder holds an earlier result and `force` is not given,
        or any other file, or is being written by another job, or cannot be written.
    """
    require_usable(path, force, key)
    with _sentences(path):
        path.mkdir(parents=True, exist_ok=True)
    with _locked(path):
        # Again: another job may have ended in the meantime.
        require_usable(path, force, key)
        with _sentences(path):
            folder = ResultFolder(path, key)
        try:
            yield folder
        except CranebridgeError:
            # the mended scenario is another task, which must not be kept from this folder
            _clear(path)
            raise


def require_usable(path: Path, force: bool, key: JobKey) -> None:
    """Raise an InputError if results cannot or must not be written to a folder."""
    if path.is_symlink():
        raise InputError(f"output '{path}' is a symbolic link; name the folder itself with -o")
    if path.exists() and not path.is_dir():
        raise InputError(f"output '{path}' exists and is not a folder")
    if not path.exists():
        _require_writable(path)
        return
    with _sentences(path):
        present = {file.name for file in path.iterdir()} - {LOCK}
    if not present:
        return
    ours = {name for name in (*_named(path), MANIFEST) if not other_kind(path / name)}
    if _is_folder(path / UNFINISHED):
        ours.add(UNFINISHED)
        if _nothing_kept(path / UNFINISHED):
            present.remove(UNFINISHED)
    foreign = sorted(present - ours)
    if foreign:
        raise InputError(
            f"output folder '{path}' holds other files ({', '.join(foreign[:3])}"
            f"{', ...' if len(foreign) > 3 else ''}); choose another with -o. --force replaces "
            "only what an earlier result wrote"
        )
    if force or not present:
        return
    if UNFINISHED not in present:
        raise InputError(
            f"output folder '{path}' exists; choose another with -o, or replace it with --force"
        )
    earlier = _interrupted(path)
    if earlier is None or earlier.task != key.task:
        raise InputError(
            f"output folder '{path}' holds an interrupted run of another scenario; choose another "
            "with -o, or replace it with --force"
        )


def _clear(path: Path) -> None:
    """Remove what a job left, if all of it is soon made again, and the folder if it is empty then.

    Its lock is held.
    """
    with suppress(OSError):
        if {file.name for file in (path / UNFINISHED).iterdir()} <= _SOON_MADE:
            _remove(path / UNFINISHED)
        if {file.name for file in path.iterdir()} <= {LOCK}:
            (path / LOCK).unlink(missing_ok=True)
            path.rmdir()


def _remove(work: Path) -> None:
    """Remove the folder of an unfinished job, what says whose it is last.

    Killed in the middle of this, it still says so, or there is nothing left to be kept.
    """
    if _is_folder(work):
        for file in work.iterdir():
            if file.name != JOB:
                shutil.rmtree(file) if _is_folder(file) else file.unlink()
        shutil.rmtree(work)


def _nothing_kept(work: Path) -> bool:
    """Return whether a job was killed before it began to write here, or after it had ended."""
    return all(file.name.startswith(".") for file in work.iterdir())


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _interrupted(path: Path) -> JobKey | None:
    """Return the key of the job that was interrupted here; None if it is not known."""
    if other_kind(path / UNFINISHED / JOB):
        return None
    try:
        content = json.loads((path / UNFINISHED / JOB).read_text(encoding="utf-8"))
        return JobKey(str(content["task"]), str(content["made_from"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _named(path: Path) -> dict[str, str | None]:
    """Return the files that the folder's manifest names; none if there is no sound one."""
    if other_kind(path / MANIFEST):
        return {}
    try:
        files = json.loads((path / MANIFEST).read_text(encoding="utf-8"))["files"]
        # A name with a path in it is none of ours.
        return {name: hash_ for name, hash_ in files.items() if Path(name).name == name}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def require_unchanged(path: Path, names: Iterable[str], verb: str) -> None:
    """Raise an InputError unless files of a finished result are those that its manifest names.

    Parameters
    ----------
    path : pathlib.Path
        The folder.
    names : iterable of str
        The files.
    verb : str
        Which command writes such a folder.
    """
    named = _named(path)
    if not named:
        raise InputError(
            f"'{path}' is no finished result of `cranebridge {verb}`: it has no {MANIFEST} that "
            "says what was written"
        )
    for name in names:
        try:
            same = named.get(name) == _sha256(path / name)
        except OSError:
            same = False
        if not same:
            raise InputError(
                f"'{path / name}' is not what `cranebridge {verb}` wrote: {MANIFEST} has another "
                f"hash for it, or none; {verb} it again"
            )


def _require_writable(path: Path) -> None:
    """Raise an InputError if a folder that does not exist cannot be made."""
    parent = next((folder for folder in path.absolute().parents if folder.exists()), Path("/"))
    if not parent.is_dir() or not os.access(parent, os.W_OK | os.X_OK):
        raise InputError(f"output folder '{path}' cannot be written: '{parent}' is read-only")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the folder's lock; it ends with this process, however that ends."""
    with _sentences(path):
        descriptor = os.open(path / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                f"output folder '{path}' is being written by another run; wait for it, or choose "
                "another with -o"
            ) from None
        yield
        # Only its holder removes it, and while it is held.
        with suppress(OSError):
            os.unlink(path / LOCK)
    finally:
        os.close(descriptor)


@contextmanager
def _sentences(path: Path) -> Iterator[None]:
    """Turn what the file system says into a sentence."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"output folder '{path}' cannot be written: {error.strerror or error}"
        ) from error


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
