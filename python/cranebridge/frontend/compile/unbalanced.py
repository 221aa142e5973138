"""What to say of a model with too few equations: the wind on a crane of ours that was forgotten."""

from __future__ import annotations

import re
from collections.abc import Callable

from cranebridge.frontend.compile.source_text import blank

_COMPONENT = re.compile(r"\bCranes\s*\.\s*([A-Za-z]\w*)\s+([A-Za-z_]\w*)")


def forgotten_wind(
    message: str, text: str, has_wind: Callable[[str], bool]
) -> tuple[int, str] | None:
    """Find a crane whose wind a model with too few equations may have left out.

    Parameters
    ----------
    message : str
        What the compiler says.
    text : str
        The model's file.
    has_wind : callable
        Whether a model of ``modelica/Cranes``, by its name, has the parameter ``useWind``.

    Returns
    -------
    tuple of int and str, or None
        Line (from 1) of the crane, and what to write there.
    """
    if not re.search(r"unbalanced model.*balance = -\d", message):
        return None
    code = blank(text)
    for found in _COMPONENT.finditer(code):
        name = found.group(2)
        declaration = code[found.end() : code.find(";", found.end())]
        given = re.search(rf"\b{re.escape(name)}\s*\.\s*F_wind_", code[found.end() :])
        if "useWind" in declaration or given or not has_wind(found.group(1)):
            continue
        line = code.count("\n", 0, found.start()) + 1
        return line, f"write {name}(useWind=false) if no wind acts on it"
    return None
