"""How long commands took the last time, on this machine: what is left of one that runs again."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from pathlib import Path

_MOST = 200  # commands that are remembered


def command_key(what: str) -> str:
    """Return what a duration belongs to: the work, and the verb with its first argument."""
    return " ".join([what, *sys.argv[1:3]])


def usual_seconds(key: str) -> float | None:
    """Return how long this took the last time, or None."""
    value = _known().get(key)
    return float(value) if isinstance(value, int | float) and value > 0.0 else None


def remember(key: str, seconds: float) -> None:
    """Keep how long this took; nobody misses it where that cannot be written."""
    from cranebridge.cache import write_whole

    known = _known()
    known.pop(key, None)  # what was used last stands last
    kept = dict([*known.items(), (key, round(seconds, 1))][-_MOST:])
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
