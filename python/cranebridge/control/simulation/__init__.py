"""A controlled crane simulated sample by sample, with the twin as the plant."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.control.simulation.loop_motion import (
        Deviations,
        LoopMotion,
        draw_noise,
        open_loop,
        simulate_loop,
    )
else:
    __getattr__, __dir__ = front(__name__)
