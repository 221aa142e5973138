"""Thousands of runs of a function given to it: designs, executors, statistics.

* `read_factor`, `make_design`, `read_design`: what varies, and the values in each run.
* `Work`, `Runner`: what is carried out; `serial`, `pool`, `cluster`: who carries it out.
* `carry_out`: all runs, batch by batch, into one table; `CampaignRuns`, `read_runs`: the table;
  `evaluate`: points beside them.
* `statistics_of`: probabilities, quantiles and worst runs with confidence intervals.
* `rank_indices`, `sobol_indices`: which factor matters; `all_indices`: of several results.
* `largest_safe_box`: the largest box of parameters in which all limits hold.
"""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.campaign.carrying import RunCounts, carry_out
    from cranebridge.campaign.design import (
        Design,
        Distribution,
        Factor,
        Law,
        Values,
        make_design,
        read_design,
        read_factor,
    )
    from cranebridge.campaign.results import (
        CampaignRuns,
        ExpectedColumns,
        RankIndex,
        SobolIndex,
        Statistics,
        all_indices,
        rank_indices,
        read_runs,
        sobol_indices,
        statistics_of,
    )
    from cranebridge.campaign.search import SafeBox, evaluate, largest_safe_box
    from cranebridge.campaign.words import BEYOND, KINDS, NATURAL
    from cranebridge.campaign.workers import (
        Runner,
        RunResult,
        Tls,
        Work,
        Workers,
        cluster,
        pool,
        read_tls,
        serial,
    )
else:
    __getattr__, __dir__ = front(__name__)
