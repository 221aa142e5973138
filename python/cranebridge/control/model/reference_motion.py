"""The wanted motion on the cycle of a controller: states to be held, and the inputs that are held.

A sampled controller holds its inputs over a cycle. Holding u(t_k) from t_k on delays the
feedforward by half a cycle; u(t_k + cycle / 2), the value at the middle of what it is held for,
does not. Where the controller needs a computing time, the middle lies that much later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.control.model.cycle_and_delay import require_timing
from cranebridge.inverse import Feedforward, sample, solved_at
from cranebridge.twin import Crane

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ReferenceMotion:
    """A motion at the times of a cycle; rows are times, columns in the crane's order.

    After the last time the last row holds: the motion ends there.

    Attributes
    ----------
    crane : Crane
        What moves.
    parameters : mapping of str to float
        Its parameters.
    cycle, lead : float
        Cycle in s, and how much later than its sample an input acts.
    time : numpy.ndarray
        Multiples of the cycle, counted from the start of the path, over the whole motion.
    q, v, a, u, outputs : numpy.ndarray
        Coordinates, velocities, accelerations, inputs and outputs at these times; before and after
        the motion as at its ends. Inputs are those of the twin, without friction.
    hold : numpy.ndarray
        The feedforward that a controller gives out at these times.
    friction : numpy.ndarray or None
        What of the feedforward's inputs is friction of the drives, at these times; None without.
    """

    crane: Crane
    parameters: Mapping[str, float]
    cycle: float
    lead: float
    time: Array
    q: Array
    v: Array
    a: Array
    u: Array
    outputs: Array
    hold: Array
    friction: Array | None = None

    @property
    def forces(self) -> Array:
        """The feedforward's inputs at these times, with the friction of the drives."""
        return self.u if self.friction is None else self.u + self.friction

    def rows(self, samples: int) -> NDArray[np.intp]:
        """Return the rows of the first `samples` samples, the last one for those after the end."""
        return np.minimum(np.arange(samples), self.time.size - 1)


def reference_of(solution: Feedforward, cycle: float, lead: float = 0.0) -> ReferenceMotion:
    """Return the motion of a feedforward on a cycle.

    Parameters
    ----------
    solution : Feedforward
        The motion. One with exact derivatives is solved again at the times of the cycle.
    cycle : float
        Cycle in s.
    lead : float
        Computing time in s.

    Raises
    ------
    InputError
        If cycle or lead do not fit the motion.
    """
    first, last = float(solution.time[0]), float(solution.time[-1])
    require_timing(cycle, lead, last - first)
    begin, end = (round(edge / cycle, 6) for edge in (first, last))
    time = cycle * np.arange(np.floor(begin), np.ceil(end) + 1.0)
    inside = np.clip(time, first, last)
    fine = solution if solution.nodes is None else solved_at(solution, np.unique(inside))
    rows = np.searchsorted(fine.time, inside) if solution.nodes is not None else None
    return ReferenceMotion(
        crane=solution.problem.crane,
        parameters=solution.problem.parameters,
        cycle=float(cycle),
        lead=float(lead),
        time=time,
        hold=fine.controls(np.where(time < last, time + 0.5 * cycle + lead, last)),
        # the law is designed on the twin, which has no friction
        friction=_friction(fine, inside, rows),
        **_values(fine.frictionless, inside, rows),
    )


def _friction(fine: Feedforward, times: Array, rows: NDArray[np.intp] | None) -> Array | None:
    """Return the friction in the inputs at the times."""
    bare = fine.frictionless
    if bare is fine:
        return None
    if rows is None:
        return fine.controls(times) - bare.controls(times)
    return np.asarray((fine.u - bare.u)[rows])


def _values(fine: Feedforward, times: Array, rows: NDArray[np.intp] | None) -> dict[str, Array]:
    """Return the signals at the times: rows of an exact solution, or interpolated."""
    if rows is None:
        found = sample(fine, times).values
    else:
        signals = {"q": fine.q, "v": fine.v, "a": fine.a, "u": fine.u, "gamma": fine.gamma}
        found = {name: values[rows] for name, values in signals.items()}
    return {**{name: found[name] for name in "qvau"}, "outputs": found["gamma"]}
