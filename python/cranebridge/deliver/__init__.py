"""Hand the feedforward over: tables, code, FMU and SSP, with limits and provenance."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.deliver.delivery import check_order, deliver
    from cranebridge.deliver.formats import FORMATS, Format, require_format
    from cranebridge.deliver.order import CONTAINING, ONE_MOTION, DeliveryOrder
    from cranebridge.deliver.playing import played_note
    from cranebridge.deliver.provenance import is_unchanged
    from cranebridge.deliver.ssp import modelica_model
    from cranebridge.deliver.without_crane import LearnedInputs, deliver_inputs
else:
    __getattr__, __dir__ = front(__name__)
