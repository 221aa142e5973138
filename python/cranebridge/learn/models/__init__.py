"""What a law knows of the plant: linear models of a trial."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.learn.models.experiment import (
        amplitudes,
        noise_transfer,
        pulse_answers,
        require_kept,
    )
    from cranebridge.learn.models.identification import band_noise, estimate_transfer
    from cranebridge.learn.models.pulse_model import PulseModel, answers_of
    from cranebridge.learn.models.sampled_model import SampledModel, sampled, with_lines_between
    from cranebridge.learn.models.twin_model import (
        cascaded,
        model_of_twin,
        twin_integrators,
        twin_transfer,
    )
else:
    __getattr__, __dir__ = front(__name__)
