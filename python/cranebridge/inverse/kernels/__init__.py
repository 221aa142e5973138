"""CasADi functions compiled, and evaluated at many times in one call."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.inverse.kernels.compiled import (
        FLAGS,
        QUICK_FLAGS,
        Mode,
        compile_source,
        compiles,
    )
    from cranebridge.inverse.kernels.kernel_building import (
        best_lanes,
        compile_lanes,
        kernel_of,
        lanes_source,
    )
    from cranebridge.inverse.kernels.mapped import MappedFunctions
    from cranebridge.inverse.kernels.rotation_kernel import compiled_rotation
    from cranebridge.inverse.kernels.vector_code import vector_function
    from cranebridge.inverse.kernels.vector_kernel import (
        CompiledCurve,
        GridSolution,
        GridTask,
        Kernel,
        RowsPointer,
        rows_pointer,
    )
else:
    __getattr__, __dir__ = front(__name__)
