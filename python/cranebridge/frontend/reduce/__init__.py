"""From equations to an explicit model: which gives which unknown, at events, too."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.frontend.reduce.algebraic_loops import implicit
    from cranebridge.frontend.reduce.model_builder import Builder
else:
    __getattr__, __dir__ = front(__name__)
