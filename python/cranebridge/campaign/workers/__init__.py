"""Who carries out runs: processes of this machine, or of a cluster."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.campaign.workers.executors import cluster, pool, serial
    from cranebridge.campaign.workers.protocol import Workers, workers_lost
    from cranebridge.campaign.workers.tls import Tls, read_tls
    from cranebridge.campaign.workers.work import (
        RunBatch,
        Runner,
        RunResult,
        Value,
        Work,
        run_batch,
    )
else:
    __getattr__, __dir__ = front(__name__)
