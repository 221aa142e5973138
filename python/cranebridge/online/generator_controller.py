"""The controller of motions that are planned on line: beside the generator, from the same parts.

Reference and feedforward are the generator's, gains those over position; all else is the module
that the verification runs (:mod:`cranebridge.control.code.controller_c`).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.code import PLANNED, Controller, controller_values, row, table
from cranebridge.control.model import with_integral
from cranebridge.emit import Precision, Value, filled, identifier, literal
from cranebridge.errors import InputError
from cranebridge.twin import Crane
from cranebridge.twin.language import names

Array = NDArray[np.float64]

_TEMPLATES = Path(__file__).with_name("templates")

_SPEED_INTRO = """

   Drives with a speed loop are given velocities. The forces of the rest at the first sample are
   taken for those that the drives hold by themselves: begin at rest, as the drives do."""


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
    given = _given(controller, crane)
    own: dict[str, Value] = {
        "GENERATOR_NAME": generator,
        "GENERATOR_HEADER": f'"{generator}.h"',
        "AHEAD": literal((0.5 + whole) * controller.cycle + rest, precision),
        "FILL": "\n".join(_filling(controller, crane)),
        "MIXED": inputs is not None,
        "GIVEN": ", ".join(given),
        "HOLD_CODE": "\n".join(f"    hold[{i}] = {one};" for i, one in enumerate(given)),
        "SPEED": bool(controller.speed),
        "SPEED_INTRO": _SPEED_INTRO if controller.speed else "",
        "SPEED_INIT": "\n".join(
            f"    s->ahead[{i}] = {literal(0.0, precision)};" for i in range(len(controller.speed))
        ),
        "BEGIN_PLACES": "\n".join(_places(controller, crane, precision)),
        **_speeds(controller, crane, precision),
    }
    if inputs is not None:
        own |= {"MATRIX": table(inputs[0], precision), "OFFSET": row(inputs[1], precision)}
    values = controller_values(controller, stem, precision, PLANNED) | own
    prefixes = {"controller": identifier(stem), "generator": identifier(generator)}
    header, source = (
        filled(_TEMPLATES / name, values, prefixes) for name in ("controller.h", "controller.c")
    )
    return header, source


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
    """Return the numbers that make velocity references; empty ones without speed drives."""
    drives, cycle = controller.speed, controller.cycle
    own = with_integral(drives)
    inputs, coordinates = names(crane.inputs), names(crane.coordinates)
    kept = np.exp([-cycle * drive.pole for drive in drives])
    added = [
        -np.expm1(-cycle * drive.pole) / drive.ki if drive in own else cycle / drive.kp
        for drive in drives
    ]
    return {
        "DRIVES": str(len(drives)),
        "DRIVEN": ", ".join(str(inputs.index(drive.input)) for drive in drives),
        "MOVED": ", ".join(str(coordinates.index(drive.coordinate)) for drive in drives),
        "KEPT": row(kept, precision),
        "ADDED": row(np.array(added), precision),
    }


def _places(controller: Controller, crane: Crane, precision: Precision) -> Iterator[str]:
    """Yield the lines that begin the places of an observer: with the forces that hold a rest."""
    observer, drives = controller.observer, with_integral(controller.speed)
    if observer is None or not drives:
        return
    inputs, coordinates = names(crane.inputs), names(crane.coordinates)
    hold = dict(zip(observer.motion.drives, observer.motion.hold, strict=True))
    first = len(observer.constants) - len(drives)
    for i, drive in enumerate(drives):
        force = f"now.u[{inputs.index(drive.input)}] - ({literal(hold[drive], precision)})"
        place = f"now.q[{coordinates.index(drive.coordinate)}]"
        yield f"        s->d[{first + i}] = {place} + ({force}) / {literal(drive.ki, precision)};"


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
