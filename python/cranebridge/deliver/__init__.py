"""Hand the feedforward over: tables, code, FMU and SSP, with limits and provenance."""

from cranebridge.deliver.delivery import FORMATS, Format, deliver
from cranebridge.deliver.modelica_model import modelica_model
from cranebridge.deliver.provenance import verify

__all__ = [
    "FORMATS",
    "Format",
    "deliver",
    "modelica_model",
    "verify",
]
