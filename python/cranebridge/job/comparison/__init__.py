"""Two models of a crane compared: twins, Modelica and FMUs, any with any."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.job.comparison.comparing import compare_models
    from cranebridge.job.comparison.comparison_result import ModelComparison
else:
    __getattr__, __dir__ = front(__name__)
