"""C99 of a motion: a table with cubic Hermite interpolation, no allocation, no library."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cranebridge.emit import Precision, Status, enumerators, filled, identifier, literal
from cranebridge.inverse import Samples, Signal

_TEMPLATES = Path(__file__).with_name("templates")

TABLE_STATUSES = (
    Status("MOVING", 0, "moving"),
    Status("DONE", 1, "the motion has ended, its last values are held"),
    Status("EARLY", 2, "the motion has not begun, its first values are held"),
    Status("BAD_TIME", -1, "the time is not a number: the array is left as it is"),
)
"""What a table answers."""


def c_sources(
    samples: Samples, signals: Sequence[Signal], stem: str, cycle: float, precision: Precision
) -> tuple[str, str]:
    """Return header and source of a table with its rates.

    Parameters
    ----------
    samples : Samples
        The motion, with both sides of the knots.
    signals : sequence of Signal
        What the table has.
    stem : str
        File name without suffix; all names in C begin with it.
    cycle : float
        The controller's cycle [s].
    precision : {"double", "single"}
        Floating-point type.
    """
    prefix = identifier(stem)
    times = samples.time
    values = np.column_stack([samples.value(signal) for signal in signals])
    rates = np.column_stack([samples.rate(signal) for signal in signals])
    indices = (
        f"    {prefix}_{identifier(s.title)} = {i}, /* {s.title} [{s.unit}]: {s.meaning} */"
        for i, s in enumerate(signals)
    )
    fill = {
        "GUARD": f"{prefix.upper()}_H",
        "TYPE": "double" if precision == "double" else "float",
        "INDICES": "\n".join(indices),
        "COUNT": str(len(signals)),
        "STATUSES": enumerators(prefix, TABLE_STATUSES),
        "INCLUDE": f'"{stem}.h"',
        "NODES": str(times.size),
        "BEGIN": literal(times[0], precision),
        "DURATION": literal(times[-1], precision),
        "CYCLE": literal(cycle, precision),
        "ONE": literal(1.0, precision),
        "TIMES": _rows(times[:, None], precision, braces=False),
        "VALUES": _rows(values, precision),
        "RATES": _rows(rates, precision),
    }
    header, source = (
        filled(_TEMPLATES / name, fill, {"table": prefix}) for name in ("table.h", "table.c")
    )
    return header, source


def _rows(values: np.ndarray, precision: Precision, braces: bool = True) -> str:
    rows = (", ".join(literal(x, precision) for x in row) for row in values.tolist())
    return ",\n".join(f"    {{{row}}}" if braces else f"    {row}" for row in rows)
