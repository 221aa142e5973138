"""The state of a crane from what its sensors read."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.control.observer.drive_places import DRIVE
    from cranebridge.control.observer.filter import (
        Observer,
        corrected_disturbances,
        design_observer,
        distrusting,
        disturbed,
        is_relative,
        output_slopes,
        payload_disturbances,
        require_disturbances,
        state_slopes,
    )
    from cranebridge.control.observer.observability import (
        Direction,
        Observability,
        observability_along,
        observability_at,
        observability_resting,
    )
    from cranebridge.control.observer.observer_gate import GATE, PATIENCE
    from cranebridge.control.observer.sensors import Sensor, reading, readings
    from cranebridge.control.observer.stationary_filter import settled_filter
else:
    __getattr__, __dir__ = front(__name__)
