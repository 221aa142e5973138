"""The servo problem: a crane, the path of its load, and the parameter values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError, unknown
from cranebridge.path import Path
from cranebridge.twin import Crane
from cranebridge.twin.language import names
from cranebridge.twin.validation import rest_guess

# More would not fit into memory with all signals.
MOST_POINTS = 20_000_000


@dataclass(frozen=True, eq=False)
class ServoProblem:
    """A crane and a path: M q'' = f + B^T u - G^T lambda, g(q) = 0, s(q) = gamma(t).

    Attributes
    ----------
    crane : Crane
        The crane.
    path : Path
        The wanted outputs over time, in the order of the crane's outputs.
    parameters : dict of str to float
        All parameter values.
    initial : dict of str to float
        Coordinates of the initial state that the user states; checked against the solution.
    """

    crane: Crane
    path: Path
    parameters: dict[str, float]
    initial: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if tuple(self.path.outputs) != names(self.crane.outputs):
            raise InputError(
                f"the path gives {', '.join(self.path.outputs)} but crane '{self.crane.name}' "
                f"has the outputs {', '.join(names(self.crane.outputs))}"
            )
        for name in self.initial:
            if name not in names(self.crane.coordinates):
                raise unknown("coordinate in crane.initial", name, names(self.crane.coordinates))
            if not math.isfinite(self.initial[name]):
                raise InputError(
                    f"crane.initial.{name} must be a finite number, got {self.initial[name]}"
                )

    @property
    def parameter_vector(self) -> NDArray[np.float64]:
        """The parameter values in the crane's order."""
        return np.array([self.parameters[name] for name in names(self.crane.parameters)])

    def start_coordinates(self) -> NDArray[np.float64]:
        """Return where Newton's method starts at t = 0: the crane's rest position for the path.

        Coordinates that the user states come first; a start that is stated in full needs no rest
        position, which a load that swings out of reach does not have.
        """
        coordinates = names(self.crane.coordinates)
        guess = dict(self.initial)
        if not self.initial.keys() >= set(coordinates):
            outputs = dict(zip(self.path.outputs, _first(self.path), strict=True))
            guess = {**outputs, **rest_guess(self.crane, outputs, self.parameters), **self.initial}
        return np.array([guess.get(name, 0.0) for name in coordinates])


@lru_cache(maxsize=16)
def _first(path: Path) -> tuple[float, ...]:
    """Return the outputs at t = 0."""
    return tuple(path(np.zeros(1))[:, 0].tolist())


def require_points(key: str, step: float, duration: float, most: int = MOST_POINTS) -> None:
    """Refuse a step that gives more points over a duration than memory is taken for.

    Raises
    ------
    InputError
        With the key of the scenario that the step has.
    """
    if not duration / step <= most:
        raise InputError(
            f"{key} = {step:g} s gives more than {most:,} points over {duration:g} s; use a larger "
            "one"
        )


def time_grid(duration: float, step: float) -> NDArray[np.float64]:
    """Return the times 0, step, 2 step, ... up to and including `duration`.

    Where `duration` is no multiple of `step`, the last interval is shorter.
    """
    if not np.isfinite(step) or step <= 0.0:
        raise InputError(f"solve.step must be a positive number of seconds, got {step:g}")
    require_points("solve.step", step, duration)
    if step > duration:
        raise InputError(f"solve.step is {step:g} s, longer than the path's {duration:g} s")
    count = round(duration / step)
    if abs(count * step - duration) <= 1e-9 * duration:
        return np.linspace(0.0, duration, count + 1)
    return np.append(np.arange(0.0, duration, step), duration)
