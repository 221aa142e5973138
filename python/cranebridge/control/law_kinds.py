"""The optimal laws by name; read by scenarios before anything is designed."""

from __future__ import annotations

from collections.abc import Mapping

KINDS: Mapping[str, str] = {
    "lqr": "optimal feedback of all coordinates and velocities",
    "lqi": "the same with integrals of the outputs' errors: no error that lasts",
}
"""The optimal laws."""
