"""What the kernel does to keep foreign code apart."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.plant.containment import measures
    from cranebridge.plant.containment.measures import MEASURES, Containment
else:
    __getattr__, __dir__ = front(__name__)
