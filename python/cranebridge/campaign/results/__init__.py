"""What the runs gave: one table, and what it says together."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.campaign.results.indices import (
        RankIndex,
        SobolIndex,
        all_indices,
        rank_indices,
        sobol_indices,
    )
    from cranebridge.campaign.results.parts import Parts
    from cranebridge.campaign.results.runs import (
        CampaignRuns,
        arrow,
        finished_runs,
        read_runs,
        write_runs,
    )
    from cranebridge.campaign.results.statistics import (
        ExpectedColumns,
        Quantile,
        Statistics,
        statistics_of,
    )
else:
    __getattr__, __dir__ = front(__name__)
