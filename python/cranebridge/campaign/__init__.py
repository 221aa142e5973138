"""Thousands of runs of a function given to it: designs, executors, statistics.

* `read_factor`, `make_design`, `read_design`: what varies, and the values in each run.
* `Work`, `Runner`: what is carried out; `serial`, `pool`, `cluster`: who carries it out.
* `carry_out`: all runs, batch by batch, into one table; `Runs`, `read_runs`: the table;
  `evaluate`: points beside them.
* `statistics_of`: probabilities, quantiles and worst runs with confidence intervals.
* `rank_indices`, `sobol_indices`: which factor matters; `all_indices`: of several results.
* `largest_safe_box`: the largest box of parameters in which all limits hold.
"""

from typing import TYPE_CHECKING

from cranebridge.lazily import when_asked

if TYPE_CHECKING:  # a scenario needs the words only, and the rest takes long to import
    from cranebridge.campaign.carrying import Progress, carry_out
    from cranebridge.campaign.designs import Design, make_design, read_design
    from cranebridge.campaign.evaluating import evaluate
    from cranebridge.campaign.executors import cluster, pool, serial
    from cranebridge.campaign.factors import Factor, read_factor
    from cranebridge.campaign.indices import (
        RankIndex,
        SobolIndex,
        all_indices,
        rank_indices,
        sobol_indices,
    )
    from cranebridge.campaign.laws import Distribution, Law, Values
    from cranebridge.campaign.runs import Runs, read_runs
    from cranebridge.campaign.safe_box import SafeBox, largest_safe_box
    from cranebridge.campaign.statistics import Expected, Statistics, statistics_of
    from cranebridge.campaign.tls import Tls, read_tls
    from cranebridge.campaign.words import KINDS, NATURAL
    from cranebridge.campaign.work import Row, Runner, Work
    from cranebridge.campaign.workers import Workers

_PLACES = {
    "KINDS": "words",
    "NATURAL": "words",
    "Design": "designs",
    "Distribution": "laws",
    "Expected": "statistics",
    "Factor": "factors",
    "Law": "laws",
    "Progress": "carrying",
    "RankIndex": "indices",
    "Row": "work",
    "Runner": "work",
    "Runs": "runs",
    "SafeBox": "safe_box",
    "SobolIndex": "indices",
    "Statistics": "statistics",
    "Tls": "tls",
    "Values": "laws",
    "Work": "work",
    "Workers": "workers",
    "all_indices": "indices",
    "carry_out": "carrying",
    "cluster": "executors",
    "evaluate": "evaluating",
    "largest_safe_box": "safe_box",
    "make_design": "designs",
    "pool": "executors",
    "rank_indices": "indices",
    "read_design": "designs",
    "read_factor": "factors",
    "read_runs": "runs",
    "read_tls": "tls",
    "serial": "executors",
    "sobol_indices": "indices",
    "statistics_of": "statistics",
}
__getattr__ = when_asked(__name__, _PLACES)

__all__ = [
    "KINDS",
    "NATURAL",
    "Design",
    "Distribution",
    "Expected",
    "Factor",
    "Law",
    "Progress",
    "RankIndex",
    "Row",
    "Runner",
    "Runs",
    "SafeBox",
    "SobolIndex",
    "Statistics",
    "Tls",
    "Values",
    "Work",
    "Workers",
    "all_indices",
    "carry_out",
    "cluster",
    "evaluate",
    "largest_safe_box",
    "make_design",
    "pool",
    "rank_indices",
    "read_design",
    "read_factor",
    "read_runs",
    "read_tls",
    "serial",
    "sobol_indices",
    "statistics_of",
]
