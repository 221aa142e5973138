"""A campaign as a job: its runs, its report."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.job.campaign.campaign_report import (
        campaign_pictures,
        draw_scatter,
        factor_unit,
        unit_of,
    )
    from cranebridge.job.campaign.campaign_result import CampaignResult
    from cranebridge.job.campaign.campaigning import campaign_into, read_tls
else:
    __getattr__, __dir__ = front(__name__)
