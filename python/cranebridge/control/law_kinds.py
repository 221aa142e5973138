"""The optimal laws by name; read by scenarios before anything is designed."""

from __future__ import annotations

from collections.abc import Mapping

KINDS: Mapping[str, str] = {
    "lqr": "optimal feedback of all coordinates and velocities",
    "lqi": "the same with integrals of the outputs' errors: no error that lasts",
}
"""The optimal laws."""

SCHEDULES: Mapping[str, str] = {
    "time": "gains along the motion: optimal for it, and of no use for another",
    "position": "gains of a crane at rest where the motion is: for motions planned on line, too",
}
"""What the gains of a law follow."""
