"""How long commands took the last time, on this machine: what is left of one that runs again."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from pathlib import Path

_MOST = 200  # commands that are remembered


def command_keys(what: str) -> tuple[str, ...]:
    """Return what a duration belongs to: the work with the whole command, and with its first words.

    The first words serve for a command that was not given exactly so before. Where it writes to
    does not matter.
    """
    words, said = iter(sys.argv[1:]), list[str]()
    for word in words:
        if word in ("-o", "--output"):
            next(words, None)
        elif word != "--force":
            said.append(word)
    return tuple(dict.fromkeys(" ".join([what, *part]) for part in (said, said[:2])))


def usual_seconds(keys: tuple[str, ...]) -> float | None:
    """Return how long this took the last time, or None; the first key that is known counts."""
    known = _known()
    for value in map(known.get, keys):
        if isinstance(value, int | float) and value > 0.0:
            return float(value)
    return None


def remember(keys: tuple[str, ...], seconds: float) -> None:
    """Keep how long this took; nobody misses it where that cannot be written."""
    from cranebridge.cache import write_whole

    # what was used last stands last
    known = {key: value for key, value in _known().items() if key not in keys}
    kept = dict([*known.items(), *((key, round(seconds, 1)) for key in keys)][-_MOST:])
    with suppress(OSError):
        _file().parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(_file(), json.dumps(kept, indent=0).encode())


def _file() -> Path:
    import platformdirs

    return Path(platformdirs.user_cache_dir("cranebridge")) / "durations.json"


def _known() -> dict[str, object]:
    with suppress(OSError, ValueError):
        found = json.loads(_file().read_text(encoding="utf-8"))
        if isinstance(found, dict):
            return found
    return {}
