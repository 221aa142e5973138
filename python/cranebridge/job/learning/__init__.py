"""Learning as a job: trials saved as they end, resumed, reported, handed over."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.job.learning.black_box_delivering import hand_over_learned
    from cranebridge.job.learning.learned_controls import learned_feedforward
    from cranebridge.job.learning.learning_job import learn_into, learned_summary
    from cranebridge.job.learning.learning_source import LearnedSource, learn_source
else:
    __getattr__, __dir__ = front(__name__)
