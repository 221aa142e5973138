"""From a ``[path]`` table to a path, every value checked."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.path.reading.entries import (
        EntryTable,
        is_list,
        read_number,
        read_numbers,
        shown,
    )
    from cranebridge.path.reading.motion_tables import make_motions
    from cranebridge.path.reading.table import build, make_path
else:
    __getattr__, __dir__ = front(__name__)
