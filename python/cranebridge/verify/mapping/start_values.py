"""Start values of a plant from the twin's state: expressions of coordinates and velocities.

``plant.map.start`` gives a plant's start parameter, or a state of it, as an expression of the
twin's coordinates (``x``), velocities (``v_x``) and parameters; ``der(...)`` is the time derivative
of an expression of coordinates. Where it gives ``NAME_start`` but not ``v_NAME_start``, the latter
is its derivative.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.expressions import parse
from cranebridge.twin.language import Components, Crane, names

Array = NDArray[np.float64]


def unset_start(plant: str, what: str) -> InputError:
    """Return the error of a plant that does not start in motion as the path does."""
    return InputError(
        f"the motion starts moving, and plant '{plant}' is not started so: {what}; give its start "
        "parameters in plant.map.start, by coordinates and velocities of the twin, such as "
        'v_a_start = "der(atan2(x - s, -z))"'
    )


class StartValues:
    """Start parameters of a plant as functions of the twin's state.

    Parameters
    ----------
    crane : Crane
        The twin.
    entries : mapping of str to str
        The content of ``[plant.map.start]``.
    parameters : collection of str
        The plant's parameters, and what else the entries name.
    """

    def __init__(
        self, crane: Crane, entries: Mapping[str, str], parameters: Collection[str]
    ) -> None:
        coordinates = names(crane.coordinates)
        self._q, self._v, self._p = (
            ca.SX.sym(kind, len(group))
            for kind, group in (("q", coordinates), ("v", coordinates), ("p", crane.parameters))
        )
        self._entries = entries
        q, v, p = (ca.vertsplit(x) if x.numel() else [] for x in (self._q, self._v, self._p))
        rates = dict(zip((f"v_{name}" for name in coordinates), v, strict=True))
        position = dict(zip(coordinates, q, strict=True))
        # A coordinate hides a parameter of the same name, which hides a velocity.
        own = dict(zip(names(crane.parameters), p, strict=True))
        symbols = {**rates, **own, **position}
        self._found: dict[str, ca.SX] = {}
        for name in parameters:
            if name in entries:
                where = f"plant.map.start.{name}"
                found = parse(where, entries[name], symbols, {"der": self._rate})
                self._found[name] = ca.SX(found)
            elif name.endswith("_start"):
                stem = name.removesuffix("_start")
                if stem in {**rates, **position}:
                    self._found[name] = {**rates, **position}[stem]
        own_states = crane.model_states(
            Components(coordinates, self._q),
            Components(coordinates, self._v),
            Components(names(crane.parameters), self._p),
        )
        self._found |= {
            name: value
            for name, value in own_states.items()
            if name in parameters and not {name, f"{name}_start"} & self._found.keys()
        }
        for name in parameters:
            place = name.removeprefix("v_")
            if name not in self._found and place != name and place in entries:
                self._found[name] = self._rate(self._found[place])

    def _rate(self, value: ca.SX) -> ca.SX:
        """Return the time derivative of an expression of coordinates."""
        expression = ca.SX(value)
        if ca.depends_on(expression, self._v):
            raise InputError("plant.map.start: der() takes an expression without velocities")
        return ca.jtimes(expression, self._q, self._v)

    @cached_property
    def _function(self) -> ca.Function:
        values = ca.vertcat(ca.SX(0, 1), *self._found.values())
        return ca.Function("start", [self._q, self._v, self._p], [values])

    def __call__(self, q: Array, v: Array, p: Array) -> dict[str, float]:
        """Return the values that belong to a state.

        Raises
        ------
        InputError
            If one is not finite.
        """
        values = np.array(self._function(q, v, p))[:, 0].tolist()
        found = dict(zip(self._found, values, strict=True))
        for name, value in found.items():
            if not np.isfinite(value):
                text = self._entries.get(name, self._entries.get(name.removeprefix("v_"), name))
                raise InputError(f"plant.map.start.{name} = '{text}' has no finite real value")
        return found

    @property
    def known(self) -> Collection[str]:
        """What has a value."""
        return self._found.keys()

    @property
    def carry_velocities(self) -> bool:
        """Whether a start parameter of the plant depends on the twin's velocities."""
        return any(ca.depends_on(value, self._v) for value in self._found.values())
