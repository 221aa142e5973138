"""The command line: every verb is one call into `job`, and a way to show its result."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.cli.application import app
    from cranebridge.cli.entry_point import main
else:
    __getattr__, __dir__ = front(__name__)
