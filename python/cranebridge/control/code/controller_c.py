"""C99 of a controller: one module with tables, law and observer; no heap, bounded time.

The same text is compiled for the verification and handed over, so that what is delivered is what
was verified. Whatever is measured, what comes out is finite and within the limits.
"""

from __future__ import annotations

import math
from string import Template

import numpy as np

from cranebridge.control.code.controller import Channel, Controller, Schedule
from cranebridge.control.code.controller_template_c import (
    ESTIMATES,
    FULL_STATE,
    HEADER,
    OBSERVED_STATE,
    SOURCE,
)
from cranebridge.control.code.estimates import estimates_of
from cranebridge.control.code.motion_template_c import (
    GAINS_OVER_POSITION,
    GAINS_OVER_TIME,
    OVER_TIME,
    PLACES,
    MotionText,
)
from cranebridge.control.code.observer_c import observer_code, observer_sizes
from cranebridge.control.design import COUNTED
from cranebridge.emit import SINGLE_LARGEST, Precision, identifier, literal

DOUBLE_LARGEST = float(np.finfo(np.float64).max)


def controller_sources(
    controller: Controller,
    stem: str,
    precision: Precision = "double",
    motion: MotionText = OVER_TIME,
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
    motion : MotionText
        Where the motion comes from: its tables over time by default.

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
        known = estimates_of(controller)
        fill["ESTIMATES"] = str(len(known))
        fill["ESTIMATE_INDICES"] = indices(fill["P"], "estimate", known)
    fill["ESTIMATES_ENUM"] = Template(ESTIMATES if observed else "").substitute(fill)
    fill["STATE"] = Template(OBSERVED_STATE if observed else "").substitute(fill)
    look = observer_code(controller, precision) if observed else FULL_STATE
    fill["LOOK"] = Template(look).substitute(fill)
    fill["START_OBSERVER"] = "\n    start_observer(s);" if observed else ""
    fill["PREDICT"] = "\n    predict(s, u);" if observed else ""
    fill["MATH"] = "#include <math.h>\n\n" if observed or controller.schedule else ""
    fill |= _texts(controller, motion, fill)
    return Template(HEADER).substitute(fill), Template(SOURCE).substitute(fill)


def _texts(controller: Controller, motion: MotionText, fill: dict[str, str]) -> dict[str, str]:
    """Return what differs with where motion and gains come from."""
    over = controller.schedule is not None
    gain = GAINS_OVER_POSITION if over else GAINS_OVER_TIME
    own = {
        "AT": "place_of[k]" if over else "k",
        "PLACE_TABLE": Template(PLACES).substitute(fill) if over else "",
        "GAIN_INTRO": Template(gain.intro).substitute(fill),
    }
    texts = {
        "INCLUDES": motion.includes,
        "INTRO": motion.intro,
        "DONE_TEXT": motion.done,
        "MOTION_STATE": motion.state,
        "GAIN_STATE": gain.state,
        "CONTRACT": motion.contract,
        "SIZES": f"{motion.sizes}\n{gain.sizes}" if motion.sizes else gain.sizes,
        "WHERE": gain.where,
        "TABLES": f"{motion.tables}\n{gain.tables}" if motion.tables else gain.tables,
        "INIT": f"{motion.init}\n{gain.init}",
        "FEEDBACK": gain.feedback,
        "STEP": motion.step,
        "MORE_STATUS": "".join(f"\n    {line}" for line in motion.statuses),
        "LOST_COMMA": ", " if motion.statuses else " ",
    }
    known = fill | own
    return {name: Template(text).substitute(known) for name, text in texts.items()}


def _scheduled(schedule: Schedule, cycle: float, precision: Precision) -> dict[str, str]:
    """Return sizes and tables of gains over position."""
    axes, size = schedule.axes, max(len(schedule.axes), 1)
    counts = [axis.points.size for axis in axes]
    points = np.concatenate([axis.points for axis in axes]) if axes else np.zeros(1)
    places = schedule.places if axes else np.zeros((len(schedule.places), 1))
    reach = [
        f"{axis.name} all round"
        if axis.turning
        else f"{axis.name} from {axis.points[0]:.4g} to {axis.points[-1]:.4g}"
        for axis in axes
    ]

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
        "GRID_ERROR_TEXT": f"{schedule.error:.2g}",
        "AXES_TEXT": f" ({', '.join(reach)})" if axes else "",
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
