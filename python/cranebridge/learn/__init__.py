"""Controls improved on a black box, trial by trial: the laws, and how learning goes on and ends.

* `Record`: inputs, outputs and target of a trial.
* `SampledModel`, `sampled`, `PulseModel`, `answers_of`: how outputs change with inputs.
* `LiftedLaw`, `Frequency`: laws; `weights_for`, `transfer_of`, `estimate_transfer`
  give what they need.
* `learn`: trials judged, undone, stopped; `TrialSeries` is what came of it.
"""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.learn.designed_law import DesignedLaw
    from cranebridge.learn.floors import Floor
    from cranebridge.learn.laws import (
        ChangeWeights,
        Frequency,
        LiftedLaw,
        Transfer,
        transfer_of,
        weights_for,
    )
    from cranebridge.learn.learn_choices import LAWS, MODELS, TAPERS
    from cranebridge.learn.learning import (
        NOT_FINITE,
        LearningLaw,
        Rules,
        Trial,
        TrialOutcome,
        TrialSeries,
        learn,
    )
    from cranebridge.learn.learning_result import Learning, repeats_exactly
    from cranebridge.learn.models import (
        PulseModel,
        SampledModel,
        answers_of,
        band_noise,
        estimate_transfer,
        sampled,
        with_lines_between,
    )
    from cranebridge.learn.plant_law_design import design_plant_law
    from cranebridge.learn.record import Record
    from cranebridge.learn.settings import LearnSettings
else:
    __getattr__, __dir__ = front(__name__)
