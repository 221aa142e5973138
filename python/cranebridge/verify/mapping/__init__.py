"""How a plant's names, units and signs relate to the twin's."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.verify.mapping.known_starts import known_signals
    from cranebridge.verify.mapping.plant_map import PlantMap
    from cranebridge.verify.mapping.plant_readings import Points, Readings, exact_rates, read_points
    from cranebridge.verify.mapping.plant_units import PlantUnits, drives_in_units, scaled
    from cranebridge.verify.mapping.speed_loops import (
        SpeedLoop,
        around,
        fed,
        fed_times,
        inside,
        master_drives,
    )
    from cranebridge.verify.mapping.start_values import unset_start
else:
    __getattr__, __dir__ = front(__name__)
