"""A function in Python that CasADi calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class PythonFunction(ca.Callback):
    """A function of columns.

    Parameters
    ----------
    name : str
        Its name.
    inputs : sequence of (str, int)
        Names and lengths of its arguments.
    outputs : sequence of (str, casadi.Sparsity)
        Names and patterns of its results.
    evaluate : callable
        Returns the results for arguments: the entries of each pattern, column by column.
    """

    def __init__(
        self,
        name: str,
        inputs: Sequence[tuple[str, int]],
        outputs: Sequence[tuple[str, ca.Sparsity]],
        evaluate: Callable[[list[Array]], list[Array | float]],
    ) -> None:
        ca.Callback.__init__(self)
        self._inputs, self._outputs, self._evaluate = inputs, outputs, evaluate
        self.construct(name, {})

    def get_n_in(self) -> int:
        """Return the number of arguments."""
        return len(self._inputs)

    def get_n_out(self) -> int:
        """Return the number of results."""
        return len(self._outputs)

    def get_name_in(self, i: int) -> str:
        """Return the name of an argument."""
        return self._inputs[i][0]

    def get_name_out(self, i: int) -> str:
        """Return the name of a result."""
        return self._outputs[i][0]

    def get_sparsity_in(self, i: int) -> ca.Sparsity:
        """Return the pattern of an argument."""
        return ca.Sparsity.dense(self._inputs[i][1], 1)

    def get_sparsity_out(self, i: int) -> ca.Sparsity:
        """Return the pattern of a result."""
        return self._outputs[i][1]

    def has_eval_buffer(self) -> bool:
        """Tell CasADi that results are written where it wants them."""
        return True

    def eval_buffer(
        self, arguments: Sequence[memoryview | None], results: Sequence[memoryview | None]
    ) -> int:
        """Evaluate it for CasADi."""
        # an argument without entries is None
        given = [np.empty(0) if part is None else np.frombuffer(part) for part in arguments]
        try:
            found = self._evaluate(given)
        except np.linalg.LinAlgError:  # where the crane cannot go
            return 1
        for place, values in zip(results, found, strict=True):
            if place is not None and len(place):  # CasADi does not always ask for all
                np.frombuffer(place)[:] = values
        return 0
