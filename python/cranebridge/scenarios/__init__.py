"""Ready scenarios, one TOML file a case; the first line of each says which."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parent


def ready_scenarios() -> dict[str, str]:
    """Return the ready scenarios: name and the sentence that describes each.

    Examples
    --------
    >>> ready_scenarios()["gantry"]
    'Workshop gantry crane for 10 t in trolley, rope length and swing angle.'
    """
    texts = {file.stem: file.read_text(encoding="utf-8") for file in _FOLDER.glob("*.toml")}
    return {name: texts[name].splitlines()[0].lstrip("# ") for name in sorted(texts)}


def ready_file(name: str) -> Path | None:
    """Return the file of a ready scenario; None if there is none of this name."""
    return next((file for file in _FOLDER.glob("*.toml") if file.stem == name), None)
