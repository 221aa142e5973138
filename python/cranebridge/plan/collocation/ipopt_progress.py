"""How far IPOPT is: by how many decades its errors and its barrier have fallen, of all to fall."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import casadi as ca

from cranebridge.progress import Progress

# IPOPT's barrier parameter ends at this part of the tolerance.
_LAST_MU_PER_TOLERANCE = 0.1
# mu_init, where IPOPT's barrier parameter begins unless it is set.
_FIRST_MU = 0.1


class Convergence:
    """The part of IPOPT's way that is done, from what it says after each iteration.

    Errors go up and down on the way; the least ones so far count, and the barrier as much as they.

    Parameters
    ----------
    tolerance : float
        At which it ends.
    barrier : float
        Where its barrier begins.
    """

    def __init__(self, tolerance: float, barrier: float = _FIRST_MU) -> None:
        self._tolerance, self._barrier = tolerance, barrier
        self._first, self._least = 0.0, math.inf

    def part(self, barrier: float, error: float) -> float:
        """Return the part that is done after an iteration.

        Parameters
        ----------
        barrier : float
            Its barrier parameter.
        error : float
            The larger one of primal and dual infeasibility.
        """
        self._first, self._least = max(self._first, error), min(self._least, error)
        fallen = _decades(self._first, self._least, self._tolerance)
        return 0.5 * (
            _decades(self._barrier, barrier, _LAST_MU_PER_TOLERANCE * self._tolerance) + fallen
        )


def _decades(first: float, now: float, last: float) -> float:
    """Return how much of the way from a number down to another is done, in decades."""
    if not first > last:
        return 1.0
    return min(max(math.log(first / max(now, last)) / math.log(first / last), 0.0), 1.0)


class IpoptMonitor(ca.Callback):  # type: ignore[misc]
    """Called by IPOPT after each iteration.

    Parameters
    ----------
    unknowns, rows : int
        Of the programme.
    convergence : Convergence
        What is made of it.
    progress : callable
        Called with the part that is done.
    """

    def __init__(
        self, unknowns: int, rows: int, convergence: Convergence, progress: Progress
    ) -> None:
        ca.Callback.__init__(self)
        self._sizes = {"x": unknowns, "lam_x": unknowns, "g": rows, "lam_g": rows, "f": 1}
        self._convergence, self._progress = convergence, progress
        self.solver: Any = None
        self.construct("watcher", {})

    def get_n_in(self) -> int:
        """Return how many arguments there are."""
        return int(ca.nlpsol_n_out())

    def get_n_out(self) -> int:
        """Return how many results there are: whether to stop."""
        return 1

    def get_name_in(self, i: int) -> str:
        """Return the name of an argument."""
        return str(ca.nlpsol_out(i))

    def get_sparsity_in(self, i: int) -> ca.Sparsity:
        """Return the shape of an argument."""
        return ca.Sparsity.dense(self._sizes.get(ca.nlpsol_out(i), 0))

    def eval(self, _arguments: Sequence[ca.DM]) -> list[int]:
        """Return how far it is; never stop."""
        said = self.solver.stats()["iterations"]
        if said["mu"]:
            error = max(said["inf_pr"][-1], said["inf_du"][-1])
            self._progress(self._convergence.part(said["mu"][-1], error))
        return [0]
