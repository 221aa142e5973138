"""Functions of time with all their derivatives: Taylor series, for numbers and symbols alike."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.path.functions import taylor
    from cranebridge.path.functions.elementary import Value, arctan2, cos, floor, sin, sqrt, where
    from cranebridge.path.functions.taylor import Series
else:
    __getattr__, __dir__ = front(__name__)
