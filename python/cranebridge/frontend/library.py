"""Where the Modelica library is: in a checkout, or in an installed package."""

from __future__ import annotations

import re
from pathlib import Path

from cranebridge.errors import InputError

_PACKAGE = Path(__file__).resolve().parents[1]
ROOT = _PACKAGE.parents[1]


def library_path() -> Path:
    """Directory of the Modelica library ``Cranes``."""
    places = (ROOT / "modelica" / "Cranes", _PACKAGE / "modelica" / "Cranes")
    for path in places:
        if (path / "package.mo").is_file():
            return path
    raise InputError(
        f"the Modelica library is not where it should be ({places[0]}): run from a checkout of "
        "cranebridge, or give a .mo file."
    )


def plant_models() -> dict[str, str]:
    """Return the plants of the library in its order: name and the sentence that describes each."""
    folder = library_path()
    found = {}
    for name in (folder / "package.order").read_text(encoding="utf-8").split():
        file = folder / f"{name}.mo"
        if file.is_file():
            text = file.read_text(encoding="utf-8")
            model = re.search(rf'^model {name}\s+"([^"]*)"', text, re.MULTILINE)
            if model is not None:
                found[name] = model.group(1)
    return found
