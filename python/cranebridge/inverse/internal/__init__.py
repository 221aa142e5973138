"""Internal dynamics: what a crane does that its path does not tell, and its stable inversion."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.inverse.internal.classification import Classification
    from cranebridge.inverse.internal.dynamics import internal_dynamics
    from cranebridge.inverse.internal.inversion import classified, solve_inversion
else:
    __getattr__, __dir__ = front(__name__)
