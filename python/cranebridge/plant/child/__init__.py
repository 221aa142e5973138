"""The child process in which an FMU's binary runs."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.plant.child.worker import main
else:
    __getattr__, __dir__ = front(__name__)
