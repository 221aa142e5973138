"""C99 of a controller: one module with tables, law and observer; no heap, bounded time.

The same text is compiled for the verification and handed over, so that what is delivered is what
was verified. Whatever is measured, what comes out is finite and within the limits.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from cranebridge.control.code.controller import Channel, Controller, Schedule
from cranebridge.control.code.estimates import estimates_of
from cranebridge.control.code.observer_c import observer_values
from cranebridge.control.code.status import TABLED, known_statuses
from cranebridge.control.design import COUNTED
from cranebridge.emit import (
    SINGLE_LARGEST,
    Precision,
    Status,
    Value,
    enumerators,
    filled,
    identifier,
    literal,
)

DOUBLE_LARGEST = float(np.finfo(np.float64).max)

_TEMPLATES = Path(__file__).with_name("templates")


def controller_sources(
    controller: Controller, stem: str, precision: Precision = "double"
) -> tuple[str, str]:
    """Return header and source of a controller whose motion stands in tables over time.

    Parameters
    ----------
    controller : Controller
        What it does.
    stem : str
        File name without suffix; all names in C begin with it.
    precision : {"double", "single"}
        Floating-point type.

    Raises
    ------
    InputError
        If single precision cannot hold a number of it.
    """
    values = controller_values(controller, stem, precision, TABLED)
    prefixes = {"controller": identifier(stem)}
    header, source = (
        filled(_TEMPLATES / name, values, prefixes) for name in ("controller.h", "controller.c")
    )
    return header, source


def controller_values(
    controller: Controller, stem: str, precision: Precision, statuses: tuple[Status, ...]
) -> dict[str, Value]:
    """Return what is filled into the templates of a controller, wherever its motion comes from.

    ``PART_NAME`` is the file of a part that they include.
    """
    prefix, observer = identifier(stem), controller.observer
    values: dict[str, Value] = {
        **_numbers(controller, precision),
        **_words(controller, stem),
        **{f"PART_{file.stem.upper()}": file for file in _TEMPLATES.glob("*.[ch]")},
        "TYPE": "double" if precision == "double" else "float",
        "MATH": "#include <math.h>\n" if observer or controller.schedule else "",
        "CONTROLLER_STATUSES": enumerators(prefix, known_statuses(statuses, observer is not None)),
        "OBSERVED": observer is not None,
        "OVER_POSITION": controller.schedule is not None,
        "GAIN_INTRO": _gain_intro(controller),
        "MEASURED_INDICES": indices(prefix, "in", controller.measured),
        "INPUT_INDICES": indices(prefix, "out", controller.inputs),
    }
    if observer is not None:
        known = estimates_of(controller)
        values |= observer_values(controller, precision)
        values["ESTIMATES"] = str(len(known))
        values["ESTIMATE_INDICES"] = indices(prefix, "estimate", known)
    return values


def _gain_intro(controller: Controller) -> str:
    """Say what gains there are, as a part of the comment at the begin of a header."""
    over = controller.schedule
    if over is None:
        return (
            f"   Gains stand in {len(controller.gains)} rows with straight lines between them: "
            f"wrong by at most {controller.error:g} of the\n   largest part of an input."
        )
    reach = [
        f"{axis.name} all round"
        if axis.turning
        else f"{axis.name} from {axis.points[0]:.4g} to {axis.points[-1]:.4g}"
        for axis in over.axes
    ]
    axes = f" ({', '.join(reach)})" if reach else ""
    return (
        f"   Gains are those of a crane at rest where the reference is{axes}.\n"
        f"   They stand in {len(over.gains)} rows, wrong by at most {over.error:.2g} of the "
        "largest part of an input\n   between them; beyond these positions those of the edge hold. "
        "The motion must be slow against\n   the loop."
    )


def _scheduled(schedule: Schedule, cycle: float, precision: Precision) -> dict[str, str]:
    """Return sizes and tables of gains over position."""
    axes, size = schedule.axes, max(len(schedule.axes), 1)
    counts = [axis.points.size for axis in axes]
    points = np.concatenate([axis.points for axis in axes]) if axes else np.zeros(1)
    places = schedule.places if axes else np.zeros((len(schedule.places), 1))

    def whole(numbers: list[int]) -> str:
        return ", ".join(map(str, numbers or [0]))

    return {
        "AXES": str(len(axes)),
        "SIZE_AXES": str(size),
        "ROWS": str(len(schedule.gains)),
        "PARTS": str(max((axis.used for axis in axes), default=1)),
        "CORNERS": str(math.prod(axis.used for axis in axes)),
        "COUNTS": whole(counts),
        "FIRSTS": whole([sum(counts[:i]) for i in range(len(counts))]),
        "STRIDES": whole([math.prod(counts[i + 1 :]) for i in range(len(counts))]),
        "TURNING": whole([int(axis.turning) for axis in axes]),
        "POINTS": row(points, precision),
        "PLACE": table(places, precision),
        "GRID": table(schedule.gains.reshape(len(schedule.gains), -1), precision),
        "COS": "cos" if precision == "double" else "cosf",
        "FADE_START": literal(0.0 if schedule.fade else 1.0, precision),
        "FADE_STEP": literal(cycle / schedule.fade if schedule.fade else 1.0, precision),
    }


def _numbers(controller: Controller, precision: Precision) -> dict[str, str]:
    """Return sizes and tables."""
    c = controller
    largest = DOUBLE_LARGEST if precision == "double" else SINGLE_LARGEST
    nodes, inputs, columns = c.gains.shape
    counted = COUNTED * c.far[list(c.integrals)] if c.integrals else np.zeros(1)
    over = {} if c.schedule is None else _scheduled(c.schedule, c.cycle, precision)
    return over | {
        "SAMPLES": str(len(c.hold)),
        "NODES": str(nodes),
        "SIGNALS": str(c.reference.shape[1]),
        "INTEGRALS": str(len(c.integrals)),
        "PAST": str(c.past),
        "DISTURBANCES": str(c.disturbances),
        "MEASURED": str(len(c.measured)),
        "INPUTS": str(inputs),
        "COLUMNS": str(columns),
        "SIZE_INTEGRAL": str(max(len(c.integrals), 1)),
        "SIZE_PAST": str(max(c.past, 1)),
        "CYCLE": literal(c.cycle, precision),
        "ZERO": literal(0.0, precision),
        "ONE": literal(1.0, precision),
        "HOLD": table(c.hold, precision),
        "REFERENCE": table(c.reference, precision),
        "NODE": rows_of([f"{node}" for node in c.nodes.tolist()]),
        "GAINS": table(c.gains.reshape(nodes, -1), precision),
        "LEAST": row(np.maximum(c.least, -largest), precision),
        "MOST": row(np.minimum(c.most, largest), precision),
        "INTEGRATED": ", ".join(map(str, c.integrals or (0,))),
        "FAR": row(np.minimum(c.far, largest), precision),
        "COUNTED": row(np.minimum(counted, largest), precision),
    }


def _words(controller: Controller, stem: str) -> dict[str, str]:
    c = controller
    whole, rest = c.delay
    delay = whole * c.cycle + rest
    return {
        "CONTROLLER_GUARD": f"{identifier(stem).upper()}_H",
        "CONTROLLER_HEADER": f'"{stem}.h"',
        "KIND": c.kind,
        "CYCLE_TEXT": f"{c.cycle:g}",
        "BEGIN_TEXT": f"{c.start:g}",
        "DELAY_TEXT": f"{delay:g}",
    }


def indices(prefix: str, side: str, channels: tuple[Channel, ...]) -> str:
    """Return the lines of an enumeration: positions in an array, with unit and meaning."""
    lines = []
    for i, channel in enumerate(channels):
        text = f"{channel.name} [{channel.unit}]" if channel.unit else channel.name
        text += f": {channel.meaning}" if channel.meaning else ""
        name = identifier(channel.name)[:60].strip("_")
        text = text.replace("*/", "* /").replace("/*", "/ *")
        lines.append(f"    {prefix}_{side}_{i}_{name} = {i}, /* {text} */")
    return "\n".join(lines)


def row(values: np.ndarray, precision: Precision) -> str:
    """Return the numbers of a row as C constants."""
    return ", ".join(literal(value, precision) for value in values.tolist())


def table(values: np.ndarray, precision: Precision) -> str:
    """Return the rows of a table, a line each."""
    return ",\n".join(f"    {{{row(line, precision)}}}" for line in values)


def rows_of(words: list[str], count: int = 12) -> str:
    """Return words in lines."""
    lines = (", ".join(words[i : i + count]) for i in range(0, len(words), count))
    return ",\n".join(f"    {line}" for line in lines)
