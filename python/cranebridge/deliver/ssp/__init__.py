"""FMUs connected: SSP, and Modelica's block diagram of the same."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.deliver.ssp.controller_ssp import CONTROLLER, closed_loop_archive
    from cranebridge.deliver.ssp.feedforward_ssp import ssp_archive
    from cranebridge.deliver.ssp.modelica_example import modelica_model
    from cranebridge.deliver.ssp.modelica_wiring import Wiring, wiring
    from cranebridge.deliver.ssp.system import FEEDFORWARD
else:
    __getattr__, __dir__ = front(__name__)
