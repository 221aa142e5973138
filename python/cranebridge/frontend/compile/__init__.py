"""A Modelica class, found with the libraries that it uses, and compiled by rumoca."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.frontend.compile import source_text
    from cranebridge.frontend.compile.library_cache import library_files
    from cranebridge.frontend.compile.modelica_path import (
        Requirement,
        gathered,
        libraries,
        requirements,
        resource_place,
    )
    from cranebridge.frontend.compile.rumoca import (
        RUMOCA_VERSION,
        CompiledModel,
        SourceFile,
        compile_class,
        package_root,
    )
    from cranebridge.frontend.compile.source_text import blank
else:
    __getattr__, __dir__ = front(__name__)
