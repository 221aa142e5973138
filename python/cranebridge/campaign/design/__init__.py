"""Which values the factors of a campaign have in each run."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.campaign.design.designs import Design, make_design, read_design
    from cranebridge.campaign.design.factors import Factor, read_factor
    from cranebridge.campaign.design.laws import Distribution, Law, Values
else:
    __getattr__, __dir__ = front(__name__)
