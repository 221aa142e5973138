"""IEC 61131-3 Structured Text: literals and declarations.

Only what all dialects share is used: one-dimensional arrays with initial values, IF, WHILE and
arithmetic; no pointers, no methods, no conversions. AND is not assumed to stop early.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from cranebridge.emit.c_code import Precision, digits


def number(value: float, precision: Precision) -> str:
    """Write a real literal: IEC 61131-3 wants a decimal point, also before an exponent."""
    mantissa, _, exponent = digits(value, precision).partition("e")
    if "." not in mantissa:
        mantissa += ".0"
    return f"{mantissa}E{int(exponent)}" if exponent else mantissa


def numbers(values: Sequence[float] | np.ndarray, precision: Precision) -> str:
    """Write the elements of an array, some in a line."""
    words = [number(value, precision) for value in values]
    lines = (", ".join(words[i : i + 8]) for i in range(0, len(words), 8))
    return re.sub(r"^", "        ", ",\n".join(lines), flags=re.MULTILINE)


def listed(names: Sequence[str], kind: str) -> list[str]:
    """Return declarations of variables of one type, some in a line."""
    rows = (", ".join(names[i : i + 8]) for i in range(0, len(names), 8))
    return [f"{row} : {kind};" for row in rows]
