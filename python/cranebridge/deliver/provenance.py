"""Where a delivered file comes from: scenario, versions, method, accuracy and a content hash.

A text file carries it as a comment at its beginning. The hash there is the SHA-256 of the file with
64 zeros in the hash's place, so that the file can be checked by itself. An archive (FMU, SSP) has
the record as a file in it, with the hash of all its other files. A binary file, and CSV, which has
no comments, have it in a JSON file beside them, with the hash of the whole file.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
import zipfile
import zlib
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PureWindowsPath
from typing import Any

import numpy as np

import cranebridge
from cranebridge.deliver.order import DeliveryOrder
from cranebridge.errors import InputError
from cranebridge.inverse import Feedforward
from cranebridge.regular_files import require_regular

_ZEROS = "0" * 64
ARCHIVED = "extra/org.cranebridge/provenance.json"
"""Name of the record in an archive."""
# Where the FMI standard lets any tool add files to an FMU.
_EXTRA = "extra/"
# Our folder in it, named after a domain as the standard advises.
_OWN = "extra/org.cranebridge/"

_ZIP = b"PK\x03\x04"
_HASH = re.compile(r'"sha256": "([0-9a-f]{64})"')


def record(
    feedforward: Feedforward, order: DeliveryOrder, details: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the provenance of a delivery as an object for JSON, its hash still to be filled in.

    Parameters
    ----------
    feedforward : Feedforward
        What is delivered.
    order : DeliveryOrder
        With the complete scenario that made it; file names in it become relative to its folder.
    details : mapping
        Of the format: columns, cycle, accuracy, ...
    """
    problem = feedforward.problem
    return {
        "tool": "cranebridge",
        "crane": problem.crane.name,
        "parameters": dict(problem.parameters),
        "duration": problem.path.duration,
        **_begins(feedforward),
        **_in_motion(feedforward),
        "method": feedforward.method,
        **details,
        **_made_from(order),
    }


def learned_record(
    name: str, plant: str, order: DeliveryOrder, details: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the provenance of inputs that were learned on a plant without a twin.

    Parameters
    ----------
    name, plant : str
        Of the scenario, and of the FMU's file.
    order : DeliveryOrder
        With the complete scenario.
    details : mapping
        Of the format.
    """
    own = {"tool": "cranebridge", "learned": name, "plant": plant, "method": "learned"}
    return {**own, **details, **_made_from(order)}


def _made_from(order: DeliveryOrder) -> dict[str, Any]:
    """Return the end of each record: scenario, versions, and the hash that is filled in later."""
    return {
        "scenario": without_folders(plain(order.scenario), order.folder),
        "versions": versions(),
        "sha256": _ZEROS,
    }


def _begins(feedforward: Feedforward) -> dict[str, float]:
    """Return when the motion begins and ends, where that is not the path's own begin and end."""
    begin, end = float(feedforward.time[0]), float(feedforward.time[-1])
    if (begin, end) == (0.0, float(feedforward.problem.path.duration)):
        return {}
    return {"begins": begin, "ends": end}


def _in_motion(feedforward: Feedforward) -> dict[str, Any]:
    """Return the states that the motion starts and ends with where it moves, and what that means.

    Controls that start in motion are for a machine in that very state.
    """
    states = feedforward.moving_states()
    notes = {
        "start_state": "starts moving: the controls are for a crane that is in start_state (SI "
        "units) when they begin",
        "end_state": "ends moving, in end_state: the last values do not hold the crane",
    }
    found = [notes[key] for key in states]
    return {**states, **({"caution": f"the motion {'; it '.join(found)}"} if found else {})}


def versions() -> dict[str, str]:
    """Return the versions of what a solution depends on."""
    found = {"cranebridge": cranebridge.__version__, "python": platform.python_version()}
    for package in ("casadi", "numpy", "scipy"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # pragma: no cover - only in odd installations
            found[package] = "unknown"
    return found


def plain(value: Any) -> Any:
    """Return a scenario as plain JSON values."""
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(entry) for entry in value]
    if isinstance(value, np.generic):
        return value.item()
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def without_folders(value: Any, folder: Path) -> Any:
    """Return a scenario whose file names tell nothing about the machine that it was on.

    A name with an absolute folder becomes relative to `folder`, or loses its folder if it lies
    elsewhere; what follows a colon (``crane.py:Class``) stays.
    """
    if isinstance(value, dict):
        return {key: without_folders(entry, folder) for key, entry in value.items()}
    if isinstance(value, list):
        return [without_folders(entry, folder) for entry in value]
    if not isinstance(value, str):
        return value
    if PureWindowsPath(value).drive and PureWindowsPath(value).root:
        return PureWindowsPath(value).name
    if not value.startswith(("/", "~")):
        return value
    file = Path(value)
    try:
        return file.expanduser().resolve().relative_to(folder.resolve()).as_posix()
    except (ValueError, OSError, RuntimeError):
        return file.name


def comment(entries: Mapping[str, Any], begin: str, line: str, end: str) -> str:
    """Write the record as a comment block of a language.

    Parameters
    ----------
    entries : mapping
        The record.
    begin, line, end : str
        What stands before the first line, before each line, and after the last.
    """
    lines = json.dumps(entries, indent=1, ensure_ascii=True).splitlines()
    # A string in the scenario must not end the comment or open another one: in JSON the star can
    # be escaped. Trigraphs and line splices are out of reach the same way.
    safe = [re.sub(r"\*(?=[/)])|(?<=[/(])\*", r"\\u002a", text) for text in lines]
    safe = [text.replace("??", "?\\u003f") for text in safe]
    body = "\n".join(f"{line}{text}" for text in safe)
    return f"{begin}{body}\n{end}"


def sign(text: str) -> str:
    """Fill in the hash of a text that carries its record."""
    if text.count(_ZEROS) != 1:
        raise ValueError("the text must hold exactly one record with an empty hash")
    return text.replace(_ZEROS, hashlib.sha256(text.encode()).hexdigest())


def archived(entries: Mapping[str, Any], files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of an archive with the record among them."""
    complete = {**entries, "sha256": _hash_of_files(files)}
    return {**files, ARCHIVED: (json.dumps(complete, indent=1) + "\n").encode()}


def _hash_of_files(files: Mapping[str, bytes]) -> str:
    """Hash the hashes of all files but the record, with their names, in order.

    What other tools keep in ``extra/`` is theirs: the FMI standard lets them add it to any FMU.
    """
    ours = [name for name in files if name.startswith(_OWN) or not name.startswith(_EXTRA)]
    lines = [
        f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n"
        for name in sorted(ours)
        if name != ARCHIVED
    ]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def sidecar(entries: Mapping[str, Any], target: Path, content: bytes) -> tuple[Path, bytes]:
    """Return name and content of the JSON file beside a target."""
    complete = {**entries, "file": target.name, "sha256": hashlib.sha256(content).hexdigest()}
    return sidecar_path(target), (json.dumps(complete, indent=1) + "\n").encode()


def sidecar_path(target: Path) -> Path:
    """Return where the record of a file without comments is."""
    return target.with_name(f"{target.name}.json")


def is_unchanged(target: Path) -> bool:
    """Return whether a delivered file is unchanged since it was delivered.

    Raises
    ------
    InputError
        If it carries no hash.
    """
    require_regular(f"'{target}'", target)
    content = target.read_bytes()
    beside = sidecar_path(target)
    if beside.is_file():
        stated = json.loads(beside.read_text())["sha256"]
        return bool(hashlib.sha256(content).hexdigest() == stated)
    if content.startswith(_ZIP):
        # An archive of ours ends with the length of a comment that it does not have.
        return content.endswith(bytes(2)) and _archive_is_unchanged(target)
    text = content.decode(errors="replace")
    found = _HASH.search(text)
    if found is None:
        raise InputError(f"'{target}' carries no hash, and there is no '{beside.name}'")
    zeroed = text[: found.start(1)] + _ZEROS + text[found.end(1) :]
    return bool(hashlib.sha256(zeroed.encode()).hexdigest() == found[1])


def _archive_is_unchanged(target: Path) -> bool:
    try:
        with zipfile.ZipFile(target) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
    except (zipfile.BadZipFile, zlib.error, EOFError):
        return False
    if ARCHIVED not in files:
        raise InputError(f"'{target}' carries no hash: it has no '{ARCHIVED}'")
    return bool(json.loads(files[ARCHIVED])["sha256"] == _hash_of_files(files))
