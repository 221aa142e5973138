"""Hand the feedforward over: tables, code, FMU and SSP, with limits and provenance."""

from cranebridge.deliver.delivery import check_order, deliver
from cranebridge.deliver.formats import FORMATS, Format, require_format
from cranebridge.deliver.modelica_example import modelica_model
from cranebridge.deliver.order import Order
from cranebridge.deliver.provenance import is_unchanged

__all__ = [
    "FORMATS",
    "Format",
    "Order",
    "check_order",
    "deliver",
    "is_unchanged",
    "modelica_model",
    "require_format",
]
