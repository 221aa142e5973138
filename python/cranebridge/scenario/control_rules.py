"""What a scenario asks of the controller, checked before anything is solved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranebridge.errors import InputError
from cranebridge.scenario.schema import ControlTable, ScenarioTables
from cranebridge.twin import Crane

if TYPE_CHECKING:
    from cranebridge.control.sensors import Sensor

CYCLE = 0.005
"""Cycle [s] of a sampled law where none is given: that of many controllers of cranes."""


def control_cycle(table: ControlTable) -> float:
    """Return the cycle of a controller in s; 0 where it is continuous."""
    if table.cycle is not None:
        return table.cycle
    return 0.0 if table.kind == "drives" else CYCLE


def require_control(tables: ScenarioTables, crane: Crane) -> None:
    """Refuse what cannot be meant: keys without a kind, values and names that do not fit.

    What belongs to other kinds waits: a scenario can be run with several.

    Raises
    ------
    InputError
        If one does, or does not fit another.
    """
    table, plant = tables.control, tables.plant
    kind, sampled = table.kind, control_cycle(table) > 0.0
    if plant.start.q or plant.start.v:
        from cranebridge.verify.other_start import require_start_names

        require_start_names(crane, plant.start.model_dump())
    if table.model_fields_set and "kind" not in table.model_fields_set:
        key = min(table.model_fields_set)
        raise InputError(f"control.{key} needs control.kind; add it, such as kind = 'lqr'")
    if kind == "drives":
        _require_drives(tables, sampled)
    elif kind != "none":
        if not sampled:
            raise InputError(f"control.cycle must be positive with control.kind = '{kind}', got 0")
        from cranebridge.control.weights import require_weights

        require_weights(crane, table.weights, integrals=kind == "lqi")
        _require_sensors(table, crane)
    if kind != "none" and sampled and plant.feed != "exact":
        raise InputError(
            f"control.kind = '{kind}' holds its inputs over control.cycle; leave plant.feed = "
            f"'{plant.feed}' out"
        )


def sensors_of(table: ControlTable) -> tuple[Sensor, ...]:
    """Return the sensors of a controller."""
    from cranebridge.control.sensors import Sensor

    return tuple(
        Sensor(one.signal, one.noise, one.cycle, one.name, one.resolution) for one in table.sensor
    )


def _require_sensors(table: ControlTable, crane: Crane) -> None:
    """Refuse sensors that read nothing, and an observer without any."""
    given = table.observer.model_fields_set
    if not table.sensor and given:
        raise InputError(
            f"control.observer.{min(given)} needs sensors: add tables [[control.sensor]], such as "
            "signal = 'q.NAME' with noise"
        )
    if not table.sensor:
        return
    from cranebridge.control.observer import require_disturbances
    from cranebridge.control.sensors import readings

    sensors = sensors_of(table)
    for sensor in sensors:
        sensor.samples(control_cycle(table))
    readings(crane, sensors)
    require_disturbances(crane, table.observer.disturbances)
    if table.kind == "lqi" and table.observer.disturbances:
        raise InputError(
            "control.observer.disturbances does not go with control.kind = 'lqi': both remove the "
            "same error; use 'lqr'"
        )
    for key in ("variance", "growth"):
        for name, value in getattr(table.observer, key).items():
            if value < 0.0:
                raise InputError(
                    f"control.observer.{key}.{name} must not be negative, got {value:g}"
                )


def _require_drives(tables: ScenarioTables, sampled: bool) -> None:
    table, plant = tables.control, tables.plant
    both = [name for name in table.drives if name in plant.drives]
    if both:
        raise InputError(
            f"control.drives.{both[0]} and plant.drives.{both[0]} are the same thing; leave one out"
        )
    if not table.drives and not plant.drives:
        raise InputError(
            "control.kind = 'drives' needs loops: add control.drives, by plant input, such as "
            "[control.drives.F_t] with coordinate, kp and kv"
        )
    integral = [name for name, drive in table.drives.items() if drive.ki]
    if not sampled and (integral or table.delay > 0.0):
        key = f"drives.{integral[0]}.ki" if integral else "delay"
        raise InputError(f"control.{key} needs a sampled loop; give control.cycle, such as 0.005")
