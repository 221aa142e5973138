"""Are twin and plant the same machine, and what was not compared?"""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.verify.certificate.common_source import CommonSource
    from cranebridge.verify.certificate.comparison import certify
    from cranebridge.verify.certificate.model_part import model_error
    from cranebridge.verify.certificate.outcome import (
        Certificate,
        Comparison,
        certificate_notice,
        changed_notice,
    )
    from cranebridge.verify.certificate.plant_comparison import (
        compare_plants,
        differing,
        other_values,
    )
    from cranebridge.verify.certificate.source_search import source_notes, source_of_both
    from cranebridge.verify.certificate.twin_comparison import compare_twins
else:
    __getattr__, __dir__ = front(__name__)
