"""The crane as the animation shows it: points that move, and the bodies at them."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.report.animation.bodies import Array, RopeBody, Scene
    from cranebridge.report.animation.obstacle_bodies import outlines, with_closest
    from cranebridge.report.animation.picture import scene
    from cranebridge.report.animation.shape_values import parameter_vector
else:
    __getattr__, __dir__ = front(__name__)
