"""Controls improved on a black box, trial by trial: the laws, and how learning goes on and ends.

* `Record`: inputs, outputs and target of a trial.
* `SampledModel`, `sampled`, `PulseModel`, `answers_of`: how outputs change with inputs.
* `Lifted`, `Frequency`: laws; `weights_for`, `transfer_of`, `estimate_transfer`
  give what they need.
* `learn`: trials judged, undone, stopped; `Learned` is what came of it.
"""

from typing import TYPE_CHECKING

from cranebridge.lazily import when_asked

if TYPE_CHECKING:  # a scenario needs the words only, and the rest takes long to import
    from cranebridge.learn.floors import Floor
    from cranebridge.learn.frequency import Frequency, Transfer, transfer_of
    from cranebridge.learn.identification import band_noise, estimate_transfer
    from cranebridge.learn.learning import Law, Learned, Outcome, Rules, Trial, learn
    from cranebridge.learn.lifted import Lifted
    from cranebridge.learn.pulse_model import PulseModel, answers_of
    from cranebridge.learn.record import Record
    from cranebridge.learn.sampled_model import SampledModel, sampled, with_lines_between
    from cranebridge.learn.weights import Weights, weights_for

_PLACES = {
    "Floor": "floors",
    "Frequency": "frequency",
    "Law": "learning",
    "Learned": "learning",
    "Lifted": "lifted",
    "Outcome": "learning",
    "PulseModel": "pulse_model",
    "Record": "record",
    "Rules": "learning",
    "SampledModel": "sampled_model",
    "Transfer": "frequency",
    "Trial": "learning",
    "Weights": "weights",
    "answers_of": "pulse_model",
    "band_noise": "identification",
    "estimate_transfer": "identification",
    "learn": "learning",
    "sampled": "sampled_model",
    "transfer_of": "frequency",
    "weights_for": "weights",
    "with_lines_between": "sampled_model",
}
__getattr__ = when_asked(__name__, _PLACES)

__all__ = [
    "Floor",
    "Frequency",
    "Law",
    "Learned",
    "Lifted",
    "Outcome",
    "PulseModel",
    "Record",
    "Rules",
    "SampledModel",
    "Transfer",
    "Trial",
    "Weights",
    "answers_of",
    "band_noise",
    "estimate_transfer",
    "learn",
    "sampled",
    "transfer_of",
    "weights_for",
    "with_lines_between",
]
