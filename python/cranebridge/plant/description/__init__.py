"""What an FMU says of itself, read without running it."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.plant.description.archive import (
        Archive,
        ArchiveError,
        check_allowed,
        check_archive,
    )
    from cranebridge.plant.description.arrays import NOT_NUMBERS, named, refuse_array
    from cranebridge.plant.description.fmu import describe, inspect
    from cranebridge.plant.description.plain_text import plain
    from cranebridge.plant.description.plant_info import Interface, PlantInfo, PlantSignal
    from cranebridge.plant.description.unit_strings import Unit, parse_unit, usual_unit
else:
    __getattr__, __dir__ = front(__name__)
