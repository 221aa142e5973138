"""The C text of a crane's kernel over lanes, compiled for the processor at hand."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np

from cranebridge.errors import InputError
from cranebridge.inverse.extension import Stages
from cranebridge.inverse.kernels.compiled import Mode, compile_source, compiles
from cranebridge.inverse.kernels.vector_code import libm_functions, vector_function
from cranebridge.inverse.kernels.vector_kernel import Kernel, kernel_sizes

_TEXTS = Path(__file__).with_name("c")

# Contraction to fused operations would make results depend on the processor.
FLAGS = ("-fPIC", "-shared", "-fno-math-errno", "-ffp-contract=off", "-Wno-psabi")
# What the processor must have for a number of lanes, and the compiler's flag for it.
_LANES = ((8, "AVX512F", "-mavx512f"), (4, "AVX2", "-mavx2"), (2, "SSE2", ""), (2, "NEON", ""))


def kernel_of(stages: Stages, mode: Mode = "auto", lanes: int | None = None) -> Kernel | None:
    """Return the compiled kernel of a crane's stages.

    Parameters
    ----------
    stages : Stages
        What to compile.
    mode : {"auto", "always", "never"}
        With "auto", None where nothing can be compiled; with "never", None.
    lanes : int, optional
        1, 2, 4 or 8; as many as the processor has by default.
    """
    if not compiles(mode):
        return None
    try:
        source = kernel_source(stages)
    except InputError:
        return None  # an operation that only CasADi knows
    lanes = best_lanes()[0] if lanes is None else lanes
    library = compile_lanes("kernel", source, mode, lanes)
    return None if library is None else Kernel(stages, str(library), lanes)


def compile_lanes(
    name: str, source: str, mode: Mode, lanes: int | None = None, level: str = "-O2"
) -> Path | None:
    """Return the shared library of a C text over lanes, as many as the processor has by default."""
    best, flag = best_lanes()
    own = (level, *FLAGS, f"-DLANES={lanes or best}", *((flag,) if flag else ()))
    return compile_source(name, source, mode, own)


def kernel_source(stages: Stages) -> str:
    """Return the C text of the kernel of a crane's stages, for any number of lanes."""
    sizes = "".join(f"#define {name} {size}\n" for name, size in kernel_sizes(stages).items())
    functions = "\n".join(
        vector_function(getattr(stages, name), name) for name in ("sweep", "finish", "residual")
    )
    return lanes_source(sizes, functions, kernel_text("path"), kernel_text("solve"))


def lanes_source(sizes: str, functions: str, *calling: str) -> str:
    """Return the C text of generated functions over lanes, with the texts that call them."""
    lanes, trigonometry, rows = (kernel_text(name) for name in ("lanes", "trigonometry", "rows"))
    own = (sizes, lanes, libm_functions(functions), trigonometry, functions, rows, *calling)
    return "\n".join(own)


@cache
def best_lanes() -> tuple[int, str]:
    """Return how many doubles the processor computes at once, and the compiler's flag for it."""
    # NumPy looks at the processor when it is imported, and dispatches its own loops by this.
    core = "numpy._core" if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else "numpy.core"
    features = import_module(f"{core}._multiarray_umath").__cpu_features__
    found = ((lanes, flag) for lanes, feature, flag in _LANES if features.get(feature))
    return next(found, (1, ""))


@cache
def kernel_text(name: str) -> str:
    """Return one of the C texts of the folder `c`."""
    return (_TEXTS / f"{name}.h").read_text(encoding="utf-8")
