"""The controller of motions that are planned on line: beside the generator, from the same parts.

Reference and feedforward are the generator's, gains those over position; all else is the module
that the verification runs (:mod:`cranebridge.control.controller_c`).
"""

from __future__ import annotations

from dataclasses import replace
from string import Template
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.controller import Controller
from cranebridge.control.controller_c import controller_sources, row, table
from cranebridge.deliver.generator_controller_c import (
    BEGIN_OBSERVER,
    INPUT_TABLES,
    MIXED,
    ON_LINE,
)
from cranebridge.emit.c_code import Precision, identifier, literal
from cranebridge.errors import InputError
from cranebridge.twin import Crane
from cranebridge.twin.crane import names

Array = NDArray[np.float64]


def on_line_sources(
    controller: Controller,
    crane: Crane,
    stem: str,
    generator: str,
    precision: Precision,
    inputs: tuple[Array, Array] | None = None,
) -> tuple[str, str]:
    """Return header and source of a controller that follows the on-line generator.

    Parameters
    ----------
    controller : Controller
        With gains over position.
    crane : Crane
        Whose motions are planned.
    stem, generator : str
        File names without suffix, of the controller and of the generator.
    precision : {"double", "single"}
        Floating-point type of both.
    inputs : pair of numpy.ndarray, optional
        M and k where the controller gives out M u + k of the crane's inputs u.

    Raises
    ------
    InputError
        If the controller has gains over time only.
    """
    if controller.schedule is None:
        raise InputError("a motion that is planned on line needs gains over position")
    whole, rest = controller.delay
    own = {
        "G": identifier(generator),
        "GENERATOR_HEADER": f"{generator}.h",
        "AHEAD": literal((0.5 + whole) * controller.cycle + rest, precision),
        "FILL": "\n".join(_filling(controller, crane)),
        "BEGIN": BEGIN_OBSERVER if controller.observer is not None else "",
        "INPUT_TABLES": "",
    }
    if inputs is not None:
        own |= {"MATRIX": table(inputs[0], precision), "OFFSET": row(inputs[1], precision)}
        own["INPUT_TABLES"] = Template(INPUT_TABLES).substitute(own)
    hold = [f"    hold[{i}] = output->u[{i}];" for i in range(len(controller.inputs))]
    own["HOLD_CODE"] = Template(MIXED).substitute(own) if inputs is not None else "\n".join(hold)
    # the names that a controller's module fills in itself stay
    texts: dict[str, Any] = {
        name: tuple(Template(line).safe_substitute(own) for line in text)
        if isinstance(text, tuple)
        else Template(text).safe_substitute(own)
        for name, text in vars(ON_LINE).items()
    }
    return controller_sources(controller, stem, precision, replace(ON_LINE, **texts))


def _filling(controller: Controller, crane: Crane) -> list[str]:
    """Return the lines that take what is wanted from the generator's outputs."""
    assert controller.schedule is not None
    known = {f"q.{name}": f"now.q[{i}]" for i, name in enumerate(names(crane.coordinates))}
    known |= {f"v.{name}": f"now.v[{i}]" for i, name in enumerate(names(crane.coordinates))}
    known |= {f"y.{name}": f"now.gamma[{i}]" for i, name in enumerate(names(crane.outputs))}
    places = [
        axis.name if axis.name in known else f"q.{axis.name}" for axis in controller.schedule.axes
    ]
    lines = [f"    signal[{i}] = {known[title]};" for i, title in enumerate(controller.titles)]
    lines += [f"    place[{i}] = {known[title]};" for i, title in enumerate(places)]
    if not places:
        lines.append("    place[0] = (real)0;")
    return lines
