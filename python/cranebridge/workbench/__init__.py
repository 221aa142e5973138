"""The workbench: a page, served from this machine only, that an engineer works in."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.workbench.serving import serve
else:
    __getattr__, __dir__ = front(__name__)
