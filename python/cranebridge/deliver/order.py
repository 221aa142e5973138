"""What is asked for, and what is made of it once it is checked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.code import Controller
from cranebridge.emit import Precision
from cranebridge.errors import InputError, unknown
from cranebridge.inverse import Feedforward, ServoProblem, SpeedDrive
from cranebridge.limits import DriveUnits, Limits, read_drives
from cranebridge.plant import Fmi, fmi_version
from cranebridge.verify.feedback import PlantSide

MOST_ROWS = 10_000_000
"""Rows of a table that are written at most."""


CONTAINING = ("c", "st", "generator", "fmu", "ssp")
"""Formats that contain a controller."""

ONE_MOTION = ("fmu", "ssp")
"""Formats that plan on line where that can be done, and else have one motion."""


@dataclass(frozen=True, eq=False)
class DeliveryOrder:
    """A delivery that is wanted.

    Attributes
    ----------
    to : str
        One of `FORMATS`.
    target : pathlib.Path
        File to write, or a folder in which to write ``CRANE_feedforward`` with the format's suffix.
        For ``modelica`` a file ``.mo`` is a block, any other a table, and a folder gets both.
    scenario : mapping, optional
        The complete scenario; it goes into the provenance and gives default cycle and limits.
    folder : pathlib.Path
        Of the scenario: what relative file names in it are relative to.
    cycle : float, optional
        The controller's cycle [s]; by default the scenario's ``deliver.cycle``, else its
        ``solve.step``, else the step of the solution. An SSP takes it as the interval over which
        the controls are held, and none if it is not given here or as ``deliver.cycle``.
    columns : sequence of str, optional
        Groups ``u``, ``q``, ``v``, ``a``, ``jerk``, ``rope``, ``gamma``, ``lambda``, ``power`` and
        single signals such as ``u.M_b``; ``drive_position``, ``drive_speed`` and
        ``drive_acceleration`` of the drives that the scenario has units for; ``w`` and
        ``drive_reference`` of those that take velocity references.
    units : bool
        Whether titles of columns carry units.
    precision : {"double", "single"}
        Of the formats that are code.
    fmi : {"2.0", "3.0"}, optional
        Version of the FMUs; by default the scenario's ``plant.fmi``, else 2.0.
    overwrite : bool
        Whether existing files may be replaced.
    allow_violations : bool
        Whether to deliver what violates a limit, or is not known to keep it.
    limits : Limits, optional
        By default those of the scenario; without a scenario, ropes must pull.
    controller : Controller, optional
        What is handed over beside the feedforward, in the formats of `CONTAINING`.
    side : PlantSide, optional
        How its signals relate to the plant's, for an SSP.
    mixed : pair of numpy.ndarray, optional
        M and k where the controller gives out M u + k of the crane's inputs u.
    learned : bool
        Whether the controls were learned: nothing that solves on line knows them.
    looped : frozenset of str
        Coordinates whose drives have loops of position: learned controls move their references.
    moved : mapping of str to numpy.ndarray
        By how much, at the feedforward's times.
    controlled : bool
        Whether a controller with gains over time is going to be in it, if the format contains one.
    controlled_on_line : bool
        The same with gains over position: it plans on line.
    friction : bool
        Whether the controls contain friction of the drives: nothing that solves on line knows it.
    """

    to: str
    target: Path = Path()
    scenario: Mapping[str, Any] | None = None
    folder: Path = Path()
    cycle: float | None = None
    columns: Sequence[str] | None = None
    units: bool = False
    precision: str = "double"
    fmi: str | None = None
    overwrite: bool = False
    allow_violations: bool = False
    limits: Limits | None = None
    controller: Controller | None = None
    side: PlantSide | None = None
    mixed: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
    controlled: bool = False
    controlled_on_line: bool = False
    learned: bool = False
    looped: frozenset[str] = frozenset()
    moved: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    friction: bool = False

    @property
    def has_controller(self) -> bool:
        """Whether a controller is in it, or is going to be."""
        return self.controller is not None or self.controlled or self.controlled_on_line

    @property
    def one_motion(self) -> bool:
        """Whether gains or learned controls make a format that plans on line have one motion."""
        own = self.controller
        timed = self.controlled if own is None else own.schedule is None
        return self.to in ONE_MOTION and (timed or self.learned)

    @property
    def modelica_suffixes(self) -> tuple[str, ...]:
        """What format ``modelica`` writes: a block (``.mo``), a table, or both into a folder."""
        if self.target.is_dir():
            return (".txt", ".mo")
        return (".mo",) if self.target.suffix == ".mo" else ("",)

    @property
    def is_block(self) -> bool:
        """Whether a Modelica block is all that is wanted."""
        return self.to == "modelica" and self.modelica_suffixes == (".mo",)

    def drives(self, problem: ServoProblem) -> tuple[DriveUnits, ...]:
        """Return the drives that the scenario has units for."""
        return read_drives(
            self.table("deliver").get("drives") or {}, problem.crane, problem.parameters
        )

    def unlearned(self, problem: ServoProblem) -> tuple[str, ...]:
        """Return the drives whose references have nothing of the learned controls."""
        if not self.learned:
            return ()
        return tuple(d.name for d in self.drives(problem) if d.coordinate not in self.looped)

    @property
    def speed_drives(self) -> tuple[SpeedDrive, ...]:
        """The drives of the scenario that take velocity references."""
        found = self.table("plant").get("speed") or {}
        return tuple(
            SpeedDrive(name, one["coordinate"], one["kp"], one.get("ki", 0.0))
            for name, one in found.items()
        )

    def table(self, name: str) -> Mapping[str, Any]:
        """Return a table of the scenario, empty if there is none."""
        found: Mapping[str, Any] = (self.scenario or {}).get(name) or {}
        return found

    @property
    def given_cycle(self) -> float | None:
        """The controller's cycle, if it was asked for."""
        return self.table("deliver").get("cycle") if self.cycle is None else self.cycle


@dataclass(frozen=True, eq=False)
class Request:
    """A delivery whose order was found good: what a writer needs."""

    feedforward: Feedforward
    order: DeliveryOrder
    target: Path
    cycle: float
    precision: Precision
    limits: Limits
    fmi: Fmi

    @property
    def hold(self) -> float:
        """The interval over which controls are held: the cycle if it was asked for, else zero."""
        return self.order.given_cycle or 0.0


def require_precision(order: DeliveryOrder, single: bool) -> Precision:
    """Return the precision, if the format has it."""
    if order.precision not in ("double", "single"):
        raise unknown("precision", order.precision, ("double", "single"))
    if order.precision == "single" and not single:
        raise InputError(f"format '{order.to}' is always in double precision")
    return cast(Precision, order.precision)


def require_fmi(order: DeliveryOrder) -> Fmi:
    """Return the version of FMI: asked for, of the scenario's plant, or 2.0."""
    wanted = order.fmi if order.fmi is not None else order.table("plant").get("fmi", "2.0")
    return fmi_version(wanted)


def require_cycle(order: DeliveryOrder, duration: float, step: float | None = None) -> float:
    """Return the controller's cycle [s] for a motion of some duration.

    Parameters
    ----------
    order : DeliveryOrder
        Asks for it, or its scenario does.
    duration : float
        Of the motion [s].
    step : float, optional
        Of the solution [s], where neither does; the duration if there is none yet.
    """
    cycle = order.given_cycle
    if cycle is None:
        cycle = order.table("solve").get("step", step or duration)
    if isinstance(cycle, bool) or not isinstance(cycle, int | float):
        raise InputError(f"the cycle must be a number of seconds, got {cycle!r}")
    if not math.isfinite(cycle) or cycle <= 0.0:
        raise InputError(f"the cycle must be a positive number of seconds, got {cycle:g}")
    if cycle > duration:
        raise InputError(f"the cycle of {cycle:g} s is longer than the motion of {duration:g} s")
    if duration / cycle > MOST_ROWS:
        raise InputError(
            f"a cycle of {cycle:g} s makes {duration / cycle:.0f} rows of a motion of "
            f"{duration:g} s; at most ten million are written"
        )
    return float(cycle)
