"""Where the two roads meet: certificate, tracking and error budget."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.verify.budget import Budget, known_well
    from cranebridge.verify.certificate import (
        Certificate,
        CommonSource,
        Comparison,
        certify,
        changed_notice,
        compare_plants,
        compare_twins,
        differing,
        other_values,
        source_notes,
        source_of_both,
    )
    from cranebridge.verify.disturbances import KEYS, KINDS, MEANINGS, Disturbance
    from cranebridge.verify.mapping import PlantMap
    from cranebridge.verify.other_start import require_start_names
    from cranebridge.verify.settings import DriveController, Feedback, Sensing, Settings
    from cranebridge.verify.tracking import Tracking, track_plant, track_twin
    from cranebridge.verify.verified import PlantFacts, Verified
else:
    __getattr__, __dir__ = front(__name__)
