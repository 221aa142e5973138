"""What runs on a controller: the generator that plans and solves on line."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.online.generator import SWEEPS, TOLERANCE, generator_sources
    from cranebridge.online.generator_controller import on_line_sources
    from cranebridge.online.status import STATUSES
else:
    __getattr__, __dir__ = front(__name__)
