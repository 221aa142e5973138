"""What a scenario asks of the controller, checked before anything is solved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranebridge.errors import InputError
from cranebridge.scenario.tables import ControlTable, ScenarioTables
from cranebridge.twin import Crane
from cranebridge.twin.language import require_no_motions

if TYPE_CHECKING:
    from cranebridge.control.observer import Sensor
    from cranebridge.inverse import SpeedDrive

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
    require_speed(tables, crane)
    if plant.start.q or plant.start.v:
        from cranebridge.verify import require_start_names

        require_start_names(crane, plant.start.model_dump())
    if table.model_fields_set and "kind" not in table.model_fields_set:
        key = min(table.model_fields_set)
        raise InputError(f"control.{key} needs control.kind; add it, such as kind = 'lqr'")
    if kind == "drives":
        require_no_motions(crane, "a controller", "run it with control.kind = 'none'")
        _require_drives(tables, sampled)
    elif kind != "none":
        require_no_motions(crane, "a controller", "run it with control.kind = 'none'")
        if not sampled:
            raise InputError(f"control.cycle must be positive with control.kind = '{kind}', got 0")
        from cranebridge.control import OPTIMAL_LAWS, require_weights

        weights = _without_speeds(tables)
        require_weights(crane, weights, integrals=OPTIMAL_LAWS[kind].integrals)
        _require_sensors(table, crane)
        if table.sensor and tables.crane.friction:
            raise InputError(
                "control.sensor with crane.friction: the observer moves the twin, which has no "
                "friction, and would take it for a disturbance; leave the sensors out, or the "
                "friction"
            )
    if kind != "none" and sampled and plant.feed != "exact":
        raise InputError(
            f"control.kind = '{kind}' holds its inputs over control.cycle; leave plant.feed = "
            f"'{plant.feed}' out"
        )


def require_sampling(tables: ScenarioTables, duration: float) -> None:
    """Refuse a cycle or a delay that does not fit the motion, before it is solved.

    Raises
    ------
    InputError
        If one does not.
    """
    table = tables.control
    cycle = control_cycle(table)
    if table.kind == "none" or not cycle:
        return
    from cranebridge.control.model import require_delay, require_timing

    require_timing(cycle, table.delay, duration)
    if table.kind != "drives":
        require_delay(cycle, table.delay)


def speed_drives(tables: ScenarioTables) -> tuple[SpeedDrive, ...]:
    """Return the drives of a scenario that take velocity references."""
    if not tables.plant.speed:
        return ()
    from cranebridge.inverse import SpeedDrive

    return tuple(
        SpeedDrive(name, one.coordinate, one.kp, one.ki) for name, one in tables.plant.speed.items()
    )


def require_speed(tables: ScenarioTables, crane: Crane) -> None:
    """Refuse speed drives with wrong names or gains, and what does not go with them.

    Raises
    ------
    InputError
        If there is one.
    """
    if not tables.plant.speed:
        return
    from cranebridge.inverse import require_speed_drives

    require_speed_drives(crane, speed_drives(tables), "plant.speed")
    outside = [name for name, one in tables.plant.speed.items() if one.where == "master"]
    if outside and (tables.control.kind != "none" or tables.plant.drives):
        raise InputError(
            f"plant.speed.{outside[0]} with where = 'master' closes the loop around the plant by "
            "itself; for a controller above it take a plant with speed drives inside, such as "
            "OverheadCraneSpeed, and leave control.kind and plant.drives out here"
        )


def _without_speeds(tables: ScenarioTables) -> dict[str, float]:
    """Return the weights without those of velocity references, which are checked here."""
    given = tables.control.weights
    for drive in speed_drives(tables):
        if f"u.{drive.input}" in given:
            raise InputError(
                f"control.weights: {drive.input} is given by a drive that takes a velocity "
                f"reference; weigh that, 'w.{drive.coordinate}'"
            )
        value = given.get(f"w.{drive.coordinate}", 1.0)
        if not value > 0.0:
            raise InputError(f"the weight of w.{drive.coordinate} must be positive, got {value:g}")
    own = {f"w.{drive.coordinate}" for drive in speed_drives(tables)}
    return {name: value for name, value in given.items() if name not in own}


def sensors_of(table: ControlTable) -> tuple[Sensor, ...]:
    """Return the sensors of a controller."""
    from cranebridge.control.observer import Sensor

    return tuple(
        Sensor(one.signal, one.noise, one.cycle, one.name, one.resolution) for one in table.sensor
    )


def _require_sensors(table: ControlTable, crane: Crane) -> None:
    """Refuse sensors that read nothing, and an observer without any."""
    usual = type(table.observer)()
    # a default that is written out, as in the scenario.toml of a result, asks for nothing
    given = {
        key
        for key in table.observer.model_fields_set
        if getattr(table.observer, key) != getattr(usual, key)
    }
    if not table.sensor and given:
        raise InputError(
            f"control.observer.{min(given)} needs sensors: add tables [[control.sensor]], such as "
            "signal = 'q.NAME' with noise"
        )
    if not table.sensor:
        return
    from cranebridge.control.observer import readings, require_disturbances

    sensors = sensors_of(table)
    for sensor in sensors:
        sensor.samples(control_cycle(table))
    readings(crane, sensors)
    require_disturbances(crane, table.observer.disturbances or {})
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
