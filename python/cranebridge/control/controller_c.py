"""C99 of a controller: one module with tables, law and observer; no heap, bounded time.

The same text is compiled for the verification and handed over, so that what is delivered is what
was verified. Whatever is measured, what comes out is finite and within the limits.
"""

from __future__ import annotations

from string import Template

import numpy as np

from cranebridge.control.controller import Channel, Controller
from cranebridge.control.controller_template_c import (
    FULL_STATE,
    HEADER,
    OBSERVED_STATE,
    SOURCE,
)
from cranebridge.control.observer_c import observer_code, observer_sizes
from cranebridge.emit.c_code import SINGLE_LARGEST, Precision, identifier, literal

DOUBLE_LARGEST = float(np.finfo(np.float64).max)


def controller_sources(
    controller: Controller, stem: str, precision: Precision = "double"
) -> tuple[str, str]:
    """Return header and source of a controller.

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
    fill = _numbers(controller, precision) | _words(controller, stem, precision)
    observed = controller.observer is not None
    if controller.observer is not None:
        sizes = observer_sizes(controller.observer, controller)
        fill |= {name: str(size) for name, size in sizes.items()}
    fill["STATE"] = Template(OBSERVED_STATE if observed else "").substitute(fill)
    look = observer_code(controller, precision) if observed else FULL_STATE
    fill["LOOK"] = Template(look).substitute(fill)
    fill["START_OBSERVER"] = "\n    start_observer(s);" if observed else ""
    fill["PREDICT"] = "\n    predict(s, u);" if observed else ""
    fill["MATH"] = "#include <math.h>\n\n" if observed else ""
    return Template(HEADER).substitute(fill), Template(SOURCE).substitute(fill)


def _numbers(controller: Controller, precision: Precision) -> dict[str, str]:
    """Return sizes and tables."""
    c = controller
    largest = DOUBLE_LARGEST if precision == "double" else SINGLE_LARGEST
    nodes, inputs, columns = c.gains.shape
    return {
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
    }


def _words(controller: Controller, stem: str, precision: Precision) -> dict[str, str]:
    c, prefix = controller, identifier(stem)
    whole, rest = c.delay
    delay = whole * c.cycle + rest
    return {
        "P": prefix,
        "GUARD": prefix.upper(),
        "INCLUDE": f"{stem}.h",
        "TYPE": "double" if precision == "double" else "float",
        "KIND": c.kind,
        "CYCLE_TEXT": f"{c.cycle:g}",
        "BEGIN_TEXT": f"{c.start:g}",
        "DELAY_TEXT": f"{delay:g}",
        "ERROR_TEXT": f"{c.error:g}",
        "MEASURED_INDICES": indices(prefix, "in", c.measured),
        "INPUT_INDICES": indices(prefix, "out", c.inputs),
        "LOST": (
            "the others and the model go on"
            if c.observer is not None
            else "does not happen without an observer"
        ),
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
