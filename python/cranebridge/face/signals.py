"""Values over time by name, as arrays, tables and plots; what most results are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import unknown
from cranebridge.face.columns import Columns
from cranebridge.face.plotting import Axes, draw, signal_panels
from cranebridge.limits import Range
from cranebridge.path import Path
from cranebridge.report.plots import Panel

Array = NDArray[np.float64]


class Signals(Columns):
    """Signals over time: ``result["u.M_b"]``, `to_pandas`, `to_xarray`, `plot`.

    Names are those of the CSV files: ``time``; ``gamma.NAME`` (wanted outputs); ``q``, ``v`` and
    ``a`` (coordinates, velocities, accelerations); ``u`` (controls); ``lambda`` (multipliers);
    ``rope`` (rope forces); of a plant also ``y`` (outputs) and ``e`` (error). SI units.
    """

    def _ranges(self) -> Mapping[str, Range]:
        """Return the limits in force, by signal."""
        return {}

    @property
    def time(self) -> Array:
        """Times in s."""
        return self["time"]

    def plot(self, *names: str, axes: Axes | None = None) -> NDArray[Any]:
        """Plot signals over time, those of one unit together.

        Parameters
        ----------
        *names : str
            Signals, such as ``"u.M_b"``, or groups, such as ``"u"``.
        axes : sequence of matplotlib.axes.Axes, optional
            To draw in, as many as there are units; a figure is made if not given.

        Returns
        -------
        numpy.ndarray
            The axes, with units on all of them; limits are bands.
        """
        return draw(self._panels(names or ("u",)), self.time, self._path, axes)

    @property
    def _path(self) -> Path | None:
        return self.scenario.problem.path

    def _panels(self, names: tuple[str, ...]) -> list[Panel]:
        chosen = list(dict.fromkeys(one for name in names for one in self._members(name)))
        values = {name: (self.quantities[name], self[name]) for name in chosen}
        return signal_panels(values, self._ranges())

    def _members(self, name: str) -> list[str]:
        """Return a signal, or all of a group."""
        if name in self._values:
            return [name]
        members = [one for one in self.names if one.rpartition(".")[0] == name]
        if not members:
            groups = {one.rpartition(".")[0] for one in self.names} - {""}
            raise unknown("signal or group to plot:", name, (*self.names, *groups, *self._plots))
        return members

    @property
    def _plots(self) -> tuple[str, ...]:
        """Names of further plots that can be asked for."""
        return ()
