"""CasADi functions of one time point, evaluated at many times in one call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse.kernels.compiled import FLAGS, Mode, compile_function

Array = NDArray[np.float64]

# Times evaluated in one mapped call: more makes CasADi's map slow to build, fewer costs calls.
CHUNK = 1024


class MappedFunctions:
    """Compiled functions whose last argument is the same for all times."""

    def __init__(
        self,
        functions: Iterable[ca.Function],
        mode: Mode = "auto",
        flags: tuple[str, ...] = FLAGS,
    ) -> None:
        self._functions = {f.name(): compile_function(f, mode, flags) for f in functions}
        self._maps: dict[tuple[str, int], ca.Function] = {}

    def __call__(self, name: str, *arguments: Array) -> list[Array]:
        """Evaluate a function: arguments and results have a row for each time, the last has none.

        A matrix is a row of its columns.
        """
        count = len(arguments[0])
        if count == 0:
            function = self._functions[name]
            return [np.zeros((0, function.numel_out(i))) for i in range(function.n_out())]
        # Few sizes, as building a map takes longer than evaluating it some dozen times.
        size = min(1 << (count - 1).bit_length(), CHUNK)
        rows = max(count, size)
        mapped = self._mapped(name, size)
        # CasADi writes nothing where a result is zero whatever the arguments are.
        results = [np.zeros((rows, mapped.numel_out(i) // size)) for i in range(mapped.n_out())]
        varying = [_filled(argument, rows) for argument in arguments[:-1]]
        shared = np.ascontiguousarray(arguments[-1], dtype=float)
        # CasADi's stubs know the pointer form of set_arg and set_res only.
        buffer: Any
        buffer, evaluate = mapped.buffer()
        buffer.set_arg(len(varying), shared.data)
        for begin in range(0, rows, size):
            begin = min(begin, rows - size)  # the last chunk overlaps the one before
            for i, argument in enumerate(varying):
                buffer.set_arg(i, argument[begin : begin + size].reshape(-1).data)
            for i, result in enumerate(results):
                buffer.set_res(i, result[begin : begin + size].reshape(-1).data)
            evaluate()
        return [result[:count] for result in results]

    def function(self, name: str) -> ca.Function:
        """Return a function of one time."""
        return self._functions[name]

    def _mapped(self, name: str, count: int) -> ca.Function:
        if (name, count) not in self._maps:
            function = self._functions[name]
            shared = [function.n_in() - 1]
            mapped = function.map(name, "serial", count, shared, [])
            # results are written as rows of full matrices
            assert all(mapped.nnz_out(i) in (0, mapped.numel_out(i)) for i in range(mapped.n_out()))
            self._maps[name, count] = mapped
        return self._maps[name, count]


def _filled(argument: Array, rows: int) -> Array:
    """Return an argument with its last row repeated until there are enough."""
    values = np.ascontiguousarray(argument, dtype=float)
    missing = rows - len(values)
    if not missing:
        return values
    return np.concatenate([values, np.repeat(values[-1:], missing, axis=0)])
