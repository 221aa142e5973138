"""The plant: Modelica front end, FMU export, FMU loading and simulation."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.plant.added_signals import add_signals
    from cranebridge.plant.export import cached_fmu
    from cranebridge.plant.library_compiler import (
        PLATFORMS,
        compile_library,
        find_compiler,
        host_platform,
    )
    from cranebridge.plant.plant import Plant
    from cranebridge.plant.plant_choices import (
        BACKENDS,
        CONTAIN,
        FEEDS,
        FMI_VERSIONS,
        INTERFACES,
        SPEED_LOOPS,
        TOOLS,
        Backend,
        Fmi,
        fmi_version,
    )
    from cranebridge.plant.protocol import Controls, Saved
else:
    __getattr__, __dir__ = front(__name__)
