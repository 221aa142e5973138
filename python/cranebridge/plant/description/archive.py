"""The archive of a foreign FMU: everything is checked before anything is unpacked.

An FMU is a zip file from somewhere else. Its directory is read and judged (names, links, number,
sizes, compression, overlap, required files); only an archive without fault is unpacked, into a
directory of ours, and no more bytes are written than were declared. The file itself is only read.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from cranebridge.errors import InputError

DESCRIPTION = "modelDescription.xml"
_CHUNK = 1 << 20
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_DRIVE = re.compile(r"[A-Za-z]:")
# What zipfile raises for damaged archives, beside its own BadZipFile: found by mutating archives.
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    ValueError,
    OverflowError,
    IndexError,
    NotImplementedError,
    RuntimeError,
)


class ArchiveError(InputError):
    """The file is not an FMU, or it is one that is not safe to unpack."""


@dataclass(frozen=True)
class ArchiveLimits:
    """What an archive may ask for.

    Attributes
    ----------
    archive : int
        Size of the file in bytes.
    entries : int
        Number of entries.
    entry, total : int
        Declared size of one entry and of all, in bytes.
    directory : int
        Size of the archive's list of entries in bytes; it is read as a whole.
    description : int
        Declared size of the model description, in bytes.
    ratio : int
        Declared size divided by compressed size, for what is larger than `ratio_from` bytes.
        Text of real model descriptions stays below 100; deflate cannot do more than 1032.
    """

    archive: int = 1 << 30
    entries: int = 10_000
    entry: int = 1 << 30
    total: int = 2 << 30
    directory: int = 4 << 20
    description: int = 32 << 20
    ratio: int = 200
    ratio_from: int = 1 << 20


DEFAULT_LIMITS = ArchiveLimits()


@dataclass(frozen=True)
class Archive:
    """A checked archive.

    Attributes
    ----------
    path : Path
        The file.
    sha256 : str
        Hash of the file, in lower-case hexadecimal digits.
    names : tuple of str
        Names of the files in it.
    description : bytes
        The model description.
    """

    path: Path
    sha256: str
    names: tuple[str, ...]
    description: bytes

    def unpack(self, directory: Path, wanted: Callable[[str], bool]) -> None:
        """Write the wanted files below an empty directory of ours.

        Raises
        ------
        ArchiveError
            If the file has changed since it was checked, or is damaged.
        """
        with _opened(self.path) as (stream, archive):
            if _sha256(stream) != self.sha256:
                raise ArchiveError(f"'{self.path}' changed while it was read.")
            for name, info in _files(archive.infolist()).items():
                if wanted(name):
                    _write(archive, info, directory, name)


def check_archive(
    path: Path | str, allow: Collection[str] | None = None, limits: ArchiveLimits = DEFAULT_LIMITS
) -> Archive:
    """Check an FMU's archive without unpacking it.

    Parameters
    ----------
    path : Path
        The FMU.
    allow : collection of str, optional
        SHA-256 hashes of the only files that may be used.
    limits : ArchiveLimits
        What the archive may ask for.

    Raises
    ------
    ArchiveError
        If anything is wrong; the message names the entry.
    """
    path = Path(path)
    with _opened(path, limits) as (stream, archive):
        sha256 = _sha256(stream)
        check_allowed(path, sha256, allow)
        infos = archive.infolist()
        try:
            _check_entries(infos, limits)
            _check_repeated(archive, infos)
        except ArchiveError as error:
            raise ArchiveError(f"'{path}' is refused: {error}") from None
        files = _files(infos)
        if DESCRIPTION not in files:
            raise ArchiveError(f"'{path}' is not an FMU: there is no {DESCRIPTION} in it.")
        info = files[DESCRIPTION]
        if info.file_size > limits.description:
            raise ArchiveError(
                f"'{path}' is refused: {DESCRIPTION} has {info.file_size} bytes, "
                f"{limits.description} are allowed."
            )
        return Archive(path, sha256, tuple(files), b"".join(_chunks(archive, info)))


def check_allowed(path: Path, sha256: str, allow: Collection[str] | None) -> None:
    """Refuse a file that is not in the list of allowed ones, if there is a list."""
    if allow is not None and sha256 not in {item.strip().lower() for item in allow}:
        raise ArchiveError(f"'{path}' is not in the list of allowed FMUs: SHA-256 is {sha256}.")


class _BoundedFile(io.BufferedIOBase):
    """A file of which no large part is read at once.

    An archive says itself how large its directory is, which `zipfile` reads as a whole.
    """

    def __init__(self, stream: BinaryIO, limit: int) -> None:
        self._stream, self._limit = stream, limit

    def seek(self, position: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place in the file."""
        return self._stream.seek(position, whence)

    def tell(self) -> int:
        """Tell the place in the file."""
        return self._stream.tell()

    def read(self, size: int | None = -1) -> bytes:
        """Read so many bytes, or up to the end."""
        wanted = -1 if size is None else size
        if wanted < 0:
            position = self.tell()
            wanted = self.seek(0, os.SEEK_END) - position
            self.seek(position)
        if wanted > self._limit:
            raise zipfile.BadZipFile(f"its directory has more than {self._limit} bytes.")
        return self._stream.read(wanted)

    def seekable(self) -> bool:
        """Whether any place in the file can be read."""
        return True


@contextmanager
def _opened(
    path: Path, limits: ArchiveLimits = DEFAULT_LIMITS
) -> Iterator[tuple[BinaryIO, zipfile.ZipFile]]:
    """Open the archive for reading; damage becomes an ArchiveError."""
    try:
        # A named pipe or device would block or never end.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as stream:
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise ArchiveError(f"'{path}' is not a regular file.")
            if status.st_size > limits.archive:
                raise ArchiveError(f"'{path}' is refused: it has {status.st_size} bytes.")
            with zipfile.ZipFile(_BoundedFile(stream, limits.directory)) as archive:
                yield stream, archive
    except OSError as error:
        raise ArchiveError(f"'{path}' cannot be read: {error.strerror or error}.") from error
    except _DAMAGED as error:
        raise ArchiveError(f"'{path}' is not a zip archive, or damaged: {error}") from error


def _sha256(stream: BinaryIO) -> str:
    position = stream.tell()
    stream.seek(0)
    digest = hashlib.sha256()
    while chunk := stream.read(_CHUNK):
        digest.update(chunk)
    stream.seek(position)
    return digest.hexdigest()


# ---------------------------------------------------------------------------- entries


def _check_entries(infos: list[zipfile.ZipInfo], limits: ArchiveLimits) -> None:
    if len(infos) > limits.entries:
        raise ArchiveError(f"it has {len(infos)} entries, {limits.entries} are allowed.")
    for info in infos:
        _check_name(info)
        _check_kind(info)
        _check_size(info, limits)
    _check_tree([_plain(info.filename) for info in infos])
    total = sum(info.file_size for info in infos)
    packed = sum(info.compress_size for info in infos)
    if total > limits.total:
        raise ArchiveError(f"it unpacks to {total} bytes, {limits.total} are allowed.")
    _check_ratio("it", total, packed, limits)
    _check_overlap(infos)


def _plain(name: str) -> str:
    """Return a name in the archive without the leading "./" that some tools write."""
    while name.startswith("./") and not name.startswith(".//"):
        name = name[2:]
    return name


def _check_name(info: zipfile.ZipInfo) -> None:
    # The original name still has what zipfile cuts off after a NUL byte.
    name = _plain(info.orig_filename)
    if not name and info.orig_filename == "./":
        return  # the archive's root itself
    parts = name.removesuffix("/").split("/")
    shown = ascii(name[:200])
    if not name or name == "/":
        raise ArchiveError("an entry has no name.")
    if "\\" in name:
        raise ArchiveError(f"the entry {shown} has a backslash in its name.")
    if name.startswith("/") or _DRIVE.match(name):
        raise ArchiveError(f"the entry {shown} has an absolute name.")
    if ".." in parts:
        raise ArchiveError(f"the entry {shown} leads out of the archive.")
    if "" in parts or "." in parts or _CONTROL.search(name):
        raise ArchiveError(f"the entry {shown} has a malformed name.")
    encoded = name.encode("utf-8", "surrogatepass")
    if len(encoded) > 1000 or any(len(part.encode("utf-8", "replace")) > 255 for part in parts):
        raise ArchiveError(f"the entry {shown} has a name that is too long.")
    try:
        os.fsencode(name)
    except UnicodeError:
        raise ArchiveError(f"the entry {shown} has a name this system cannot write.") from None


def _check_kind(info: zipfile.ZipInfo) -> None:
    shown = ascii(info.filename[:200])
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        raise ArchiveError(f"the entry {shown} is a symbolic link.")
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise ArchiveError(f"the entry {shown} is neither a file nor a directory.")
    if (kind == stat.S_IFDIR) != info.is_dir() and kind != 0:
        raise ArchiveError(f"the entry {shown} is marked as file and as directory.")
    if info.flag_bits & 0x1:
        raise ArchiveError(f"the entry {shown} is encrypted.")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ArchiveError(f"the entry {shown} is neither stored nor deflated.")


def _check_size(info: zipfile.ZipInfo, limits: ArchiveLimits) -> None:
    shown = ascii(info.filename[:200])
    if info.file_size > limits.entry:
        raise ArchiveError(
            f"the entry {shown} unpacks to {info.file_size} bytes, {limits.entry} are allowed."
        )
    _check_ratio(f"the entry {shown}", info.file_size, info.compress_size, limits)
    if info.is_dir() and info.file_size:
        raise ArchiveError(f"the entry {shown} is a directory with content.")


def _check_ratio(what: str, size: int, packed: int, limits: ArchiveLimits) -> None:
    if size > limits.ratio_from and size > limits.ratio * max(packed, 1):
        raise ArchiveError(
            f"{what} unpacks from {packed} to {size} bytes, more than {limits.ratio} times as much."
        )


def _check_tree(names: list[str]) -> None:
    """No two names that are one on other systems, and no file that is also a directory."""
    seen: set[str] = set()
    # The same name twice is of no consequence for a directory; `_check_repeated` sees to files.
    for name in dict.fromkeys(names):
        plain = name.removesuffix("/")
        # Windows and macOS do not tell upper from lower case: two names would be one file.
        if plain.casefold() in seen:
            raise ArchiveError(f"the name {plain[:200]!a} occurs twice.")
        seen.add(plain.casefold())
    files = {name.casefold() for name in names if not name.endswith("/")}
    for name in names:
        parts = name.removesuffix("/").casefold().split("/")
        for end in range(1, len(parts)):
            if "/".join(parts[:end]) in files:
                raise ArchiveError(f"{name[:200]!a} lies below a file.")


def _check_repeated(archive: zipfile.ZipFile, infos: list[zipfile.ZipInfo]) -> None:
    """Some tools write a file twice: that is sound as long as both have the same contents."""
    files = _files(infos)
    for info in infos:
        first = files.get(_plain(info.filename))
        if first is None or first is info:
            continue
        same = (info.file_size, info.CRC) == (first.file_size, first.CRC)
        if not same or _content_hash(archive, info) != _content_hash(archive, first):
            name = _plain(info.filename)[:200]
            raise ArchiveError(f"the name {name!a} occurs twice, with different contents.")


def _files(infos: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    """Return the files by name; the first of those that have the same one."""
    found: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        if not info.is_dir():
            found.setdefault(_plain(info.filename), info)
    return found


def _content_hash(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    digest = hashlib.sha256()
    for chunk in _chunks(archive, info):
        digest.update(chunk)
    return digest.digest()


def _check_overlap(infos: list[zipfile.ZipInfo]) -> None:
    """Entries that share their data make small archives of any size (the bomb without nesting)."""
    ordered = sorted(infos, key=lambda info: info.header_offset)
    for before, after in itertools.pairwise(ordered):
        # 30 bytes and the name: the smallest header that stands before the data
        if before.header_offset + 30 + before.compress_size > after.header_offset:
            raise ArchiveError(f"the entry {after.filename[:200]!a} overlaps another one.")


# ---------------------------------------------------------------------------- reading


def _chunks(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield the content, never more than was declared."""
    left = info.file_size
    with archive.open(info) as source:
        while chunk := source.read(_CHUNK):
            left -= len(chunk)
            if left < 0:
                raise ArchiveError(f"the entry {info.filename!a} is larger than declared.")
            yield chunk
    if left:
        raise ArchiveError(f"the entry {info.filename!a} is shorter than declared.")


def _write(archive: zipfile.ZipFile, info: zipfile.ZipInfo, directory: Path, name: str) -> None:
    target = directory / name
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # "x": a file that is there already was put there by someone else.
    with target.open("xb") as stream:
        for chunk in _chunks(archive, info):
            stream.write(chunk)
    target.chmod(0o500 if name.startswith("binaries/") else 0o600)
