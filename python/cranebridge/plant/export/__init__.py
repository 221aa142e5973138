"""From a flat model to an FMU: code, descriptions, documentation, a reference result."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.plant.export.fmu_export import (
        Fmi,
        cached_fmu,
        default_cache,
        equations_of,
        export_fmu,
        fmu_files,
        is_own_tool,
        tool_versions,
        zip_bytes,
    )
    from cranebridge.plant.export.omc import build_fmu
else:
    __getattr__, __dir__ = front(__name__)
