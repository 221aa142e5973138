"""The kinds of paths by the way that they take."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.path.shapes.bryant import NEEDED, bryant_angles, bryant_matrix, rotation_series
    from cranebridge.path.shapes.bspline import BSplinePath
    from cranebridge.path.shapes.combined import Combined, replaced
    from cranebridge.path.shapes.curved import Curve, Cylindrical, FigureEight, cylinder_outputs
    from cranebridge.path.shapes.cut import Tail, tail
    from cranebridge.path.shapes.harmonic import Harmonic
    from cranebridge.path.shapes.length import cylindrical_length, way_length
    from cranebridge.path.shapes.pieces import Pieces
    from cranebridge.path.shapes.recorded import Recorded, fitted
    from cranebridge.path.shapes.rotation import Rotation, rotation_between
    from cranebridge.path.shapes.scaled import ScaledPath
    from cranebridge.path.shapes.spline import Spline
    from cranebridge.path.shapes.straight import Hold, Line, Stops, line_series
else:
    __getattr__, __dir__ = front(__name__)
