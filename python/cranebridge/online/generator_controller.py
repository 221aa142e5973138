"""The controller of motions that are planned on line: beside the generator, from the same parts.

Reference and feedforward are the generator's, gains those over position; all else is the module
that the verification runs (:mod:`cranebridge.control.code.controller_c`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from string import Template
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.code import Controller, controller_sources, row, table
from cranebridge.control.model import with_integral
from cranebridge.emit import Precision, identifier, literal
from cranebridge.errors import InputError
from cranebridge.inverse import SpeedDrive
from cranebridge.online.generator_controller_c import (
    BEGIN_OBSERVER,
    INPUT_TABLES,
    MIXED,
    ON_LINE,
    REFER,
    SPEED,
    SPEED_INTRO,
    SPEED_STATE,
)
from cranebridge.twin import Crane
from cranebridge.twin.language import names

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
        "SPEED_INTRO": SPEED_INTRO if controller.speed else "",
        "INPUT_TABLES": "",
    }
    if inputs is not None:
        own |= {"MATRIX": table(inputs[0], precision), "OFFSET": row(inputs[1], precision)}
        own["INPUT_TABLES"] = Template(INPUT_TABLES).substitute(own)
    speeds = _speeds(controller, crane, precision)
    own |= {name: Template(text).safe_substitute(own) for name, text in speeds.items()}
    given = _given(controller, crane)
    own["GIVEN"] = ", ".join(given)
    own["BEGIN"] = Template(own["BEGIN"]).safe_substitute(own)
    hold = [f"    hold[{i}] = {one};" for i, one in enumerate(given)]
    own["HOLD_CODE"] = Template(MIXED).substitute(own) if inputs is not None else "\n".join(hold)
    # the names that a controller's module fills in itself stay
    texts: dict[str, Any] = {
        name: tuple(Template(line).safe_substitute(own) for line in text)
        if isinstance(text, tuple)
        else Template(text).safe_substitute(own)
        for name, text in vars(ON_LINE).items()
    }
    return controller_sources(controller, stem, precision, replace(ON_LINE, **texts))


def _given(controller: Controller, crane: Crane) -> list[str]:
    """Return what the crane's inputs are in an output: forces, and velocities of speed drives."""
    moved = {
        drive.input: names(crane.coordinates).index(drive.coordinate) for drive in controller.speed
    }
    return [
        f"output->v[{moved[name]}]" if name in moved else f"output->u[{i}]"
        for i, name in enumerate(names(crane.inputs))
    ]


def _speeds(controller: Controller, crane: Crane, precision: Precision) -> dict[str, str]:
    """Return the parts of the text that make velocity references; empty without speed drives."""
    drives, cycle = controller.speed, controller.cycle
    own = with_integral(drives)
    if not drives:
        return dict.fromkeys(("SPEED_STATE", "SPEED", "SPEED_INIT", "REFER", "BEGIN_PLACES"), "")
    inputs, coordinates = names(crane.inputs), names(crane.coordinates)
    kept = np.exp([-cycle * drive.pole for drive in drives])
    added = [
        -np.expm1(-cycle * drive.pole) / drive.ki if drive in own else cycle / drive.kp
        for drive in drives
    ]
    fill = {
        "DRIVES": str(len(drives)),
        "DRIVEN": ", ".join(str(inputs.index(drive.input)) for drive in drives),
        "MOVED": ", ".join(str(coordinates.index(drive.coordinate)) for drive in drives),
        "KEPT": row(kept, precision),
        "ADDED": row(np.array(added), precision),
    }
    return {
        "SPEED_STATE": Template(SPEED_STATE).safe_substitute(fill),
        "SPEED": Template(SPEED).safe_substitute(fill),
        "SPEED_INIT": "".join(f"\n    s->ahead[{i}] = $ZERO;" for i in range(len(drives))),
        "REFER": REFER,
        "BEGIN_PLACES": "".join(_places(controller, crane, own, precision)),
    }


def _places(
    controller: Controller, crane: Crane, drives: Sequence[SpeedDrive], precision: Precision
) -> Iterator[str]:
    """Yield the lines that begin the places of an observer: with the forces that hold a rest."""
    observer = controller.observer
    if observer is None:
        return
    inputs, coordinates = names(crane.inputs), names(crane.coordinates)
    hold = dict(zip(observer.motion.drives, observer.motion.hold, strict=True))
    first = len(observer.constants) - len(drives)
    for i, drive in enumerate(drives):
        force = f"now.u[{inputs.index(drive.input)}] - ({literal(hold[drive], precision)})"
        place = f"now.q[{coordinates.index(drive.coordinate)}]"
        yield f"\n        s->d[{first + i}] = {place} + ({force}) / {literal(drive.ki, precision)};"


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
