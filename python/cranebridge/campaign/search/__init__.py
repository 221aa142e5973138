"""The worst case, and the largest box in which all limits hold."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.campaign.search.evaluating import evaluate
    from cranebridge.campaign.search.safe_box import SafeBox, largest_safe_box
else:
    __getattr__, __dir__ = front(__name__)
