"""Hand the feedforward over: tables, code, FMU and SSP, with limits and provenance."""

from cranebridge.deliver.delivery import FORMATS, Format, deliver
from cranebridge.deliver.limits import Limits, check_limits
from cranebridge.deliver.modelica_model import modelica_model
from cranebridge.deliver.provenance import verify
from cranebridge.deliver.sampling import GROUPS, Samples, Signal, sample, signals
from cranebridge.deliver.timing import (
    Timing,
    scale_problem,
    scale_scenario,
    shortest_duration,
)
from cranebridge.path import ScaledPath

__all__ = [
    "FORMATS",
    "GROUPS",
    "Format",
    "Limits",
    "Samples",
    "ScaledPath",
    "Signal",
    "Timing",
    "check_limits",
    "deliver",
    "modelica_model",
    "sample",
    "scale_problem",
    "scale_scenario",
    "shortest_duration",
    "signals",
    "verify",
]
