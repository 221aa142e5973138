"""Columns by name, each with unit and meaning, and the tables that other libraries take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

import cranebridge
from cranebridge.errors import unknown
from cranebridge.face.optional import library
from cranebridge.scenario import Scenario
from cranebridge.twin.language import Quantity

Values = NDArray[Any]


class Columns:
    """Columns by name: ``result["u.M_b"]``, `units`, `to_pandas`, `to_xarray`."""

    scenario: Scenario
    _index: ClassVar[str] = "time"
    """The column that the rows are counted by."""

    def _columns(self) -> Iterator[tuple[str, Values]]:
        """Yield names and values, that of the rows first."""
        raise NotImplementedError

    def _known(self) -> Mapping[str, Quantity]:
        """Return unit and meaning of columns, also of others than these."""
        raise NotImplementedError

    @cached_property
    def _values(self) -> dict[str, Values]:
        found = {}
        for name, values in self._columns():
            found[name] = values.view()
            found[name].flags.writeable = False  # it is the result's own, not a copy
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns, that of the rows first."""
        return tuple(self._values)

    @cached_property
    def quantities(self) -> dict[str, Quantity]:
        """Name, unit and meaning of all columns, by name."""
        known = self._known()
        return {name: known.get(name, Quantity(name, "1", name)) for name in self.names}

    @property
    def units(self) -> dict[str, str]:
        """SI units of all columns, by name; ``"1"`` where there is none."""
        return {name: one.unit for name, one in self.quantities.items()}

    def __getitem__(self, name: str) -> Values:
        if name not in self._values:
            of = f"{type(self).__name__} '{self.scenario.name}'"
            raise unknown(f"column of {of}:", str(name), self.names)
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __len__(self) -> int:
        return len(self.names)

    def keys(self) -> tuple[str, ...]:
        """The names, as of a mapping: ``dict(result)`` has all arrays."""
        return self.names

    def _ipython_key_completions_(self) -> tuple[str, ...]:
        return self.names

    def to_pandas(self) -> Any:
        """Return a table, with units in its `attrs`.

        Returns
        -------
        pandas.DataFrame
            Its index is the time in s, of a campaign the number of the run;
            ``table.attrs["units"]`` has the units by column.

        Raises
        ------
        MissingDependencyError
            If pandas is not installed.
        """
        pandas = library("pandas", "to_pandas()")
        columns = {name: np.array(self[name]) for name in self.names}
        index = pandas.Index(columns.pop(self._index), name=self._index)
        table = pandas.DataFrame(columns, index=index)
        table.attrs = {**self._about(), "units": self.units}
        return table

    def to_xarray(self) -> Any:
        """Return a data set over time (of a campaign over runs) with `units` and `long_name`.

        Returns
        -------
        xarray.Dataset

        Raises
        ------
        MissingDependencyError
            If xarray is not installed.
        """
        xarray = library("xarray", "to_xarray()")
        of = {
            name: (self._index, np.array(self[name]), {"units": one.unit, "long_name": one.meaning})
            for name, one in self.quantities.items()
        }
        rows = {self._index: of.pop(self._index)}
        return xarray.Dataset(of, coords=rows, attrs=self._about())

    def _about(self) -> dict[str, str]:
        return {
            "scenario": self.scenario.name,
            "crane": self.scenario.crane.name,
            "made_by": f"cranebridge {cranebridge.__version__}",
        }
