"""How long the stages of jobs took the last time on this machine."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

_MOST = 200  # jobs that are remembered


def expected_seconds(keys: tuple[str, ...]) -> dict[str, float]:
    """Return what each stage of a job took the last time [s], in their order; empty if not known.

    Parameters
    ----------
    keys : tuple of str
        What the job is remembered by; the first that is known counts.
    """
    known = _known()
    for found in map(known.get, keys):
        if isinstance(found, dict) and all(isinstance(v, int | float) for v in found.values()):
            return {str(stage): float(seconds) for stage, seconds in found.items()}
    return {}


def remember(keys: tuple[str, ...], taken: Mapping[str, float]) -> None:
    """Keep how long the stages took; nobody misses it where that cannot be written."""
    from cranebridge.cache import write_whole

    # what was used last stands last
    stages = {stage: round(seconds, 1) for stage, seconds in taken.items()}
    known = {key: value for key, value in _known().items() if key not in keys}
    kept = dict([*known.items(), *((key, stages) for key in keys)][-_MOST:])
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
