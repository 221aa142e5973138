"""What is handed over as an FMU, and the C between it and the runtime."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.deliver.fmu.builder import BEGIN, HOLD, fmu_archive
    from cranebridge.deliver.fmu.controller_fmu import controller_model
    from cranebridge.deliver.fmu.on_line_fmu import TRIGGER, feedforward_model
    from cranebridge.deliver.fmu.on_line_loop import on_line_loop_model
    from cranebridge.deliver.fmu.table_fmu import played_model, table_columns, table_model
else:
    __getattr__, __dir__ = front(__name__)
