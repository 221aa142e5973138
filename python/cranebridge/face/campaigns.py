"""What came of a campaign: the table of runs and what it says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cranebridge.campaign import Statistics
from cranebridge.errors import InputError, unknown
from cranebridge.face.columns import Columns, Values
from cranebridge.face.optional import library
from cranebridge.job.campaign import CampaignResult as Carried
from cranebridge.job.campaign import draw_scatter, factor_unit, unit_of
from cranebridge.report import Card
from cranebridge.report.rows import pretty_unit
from cranebridge.scenario import Scenario
from cranebridge.temporary import TemporaryFolder
from cranebridge.twin.language import Quantity

_OWN = {"run": "number of the run", "status": "done or failed", "reason": "why it failed"}


@dataclass(frozen=True, eq=False, repr=False)
class Campaign(Columns):
    """Many verifications: a row for each run, with what was varied and what came of it.

    Attributes
    ----------
    scenario : Scenario
        What was varied.
    carried : campaign_result.Campaign
        What was found, as the packages below have it.
    folder : pathlib.Path
        Where table, summary, worst runs and report are.
    """

    scenario: Scenario
    carried: Carried
    folder: Path
    _own: TemporaryFolder | None = field(default=None, repr=False)
    _index: ClassVar[str] = "run"

    @property
    def statistics(self) -> Statistics:
        """Probabilities of keeping each limit, quantiles and worst runs."""
        return self.carried.statistics

    @property
    def passed(self) -> bool:
        """Whether every run was carried out and kept all limits."""
        return self.carried.exit_code == 0

    def summary(self) -> dict[str, Any]:
        """Return the content of ``summary.json``."""
        return self.carried.as_dict()

    def plot(self, *names: str, axes: Any = None) -> NDArray[Any]:
        """Plot how columns are distributed; without names the least margin over what was varied.

        Parameters
        ----------
        *names : str
            Columns of numbers, such as ``"max_error.x"``.
        axes : sequence of matplotlib.axes.Axes, optional
            To draw histograms in; a figure is made if not given.

        Returns
        -------
        numpy.ndarray
            The axes.
        """
        pyplot = library("matplotlib.pyplot", "plot()")
        if not names:
            figure = pyplot.figure(layout="constrained")
            if not draw_scatter(figure, self.carried):
                raise InputError("no run has a margin; name a column, such as plot('status')")
            return np.array([one for one in figure.axes if one.get_visible()], dtype=object)
        numbers = [name for name in self.names if self[name].dtype.kind in "fi"]
        for name in names:
            if name not in numbers:
                raise unknown("column of numbers:", name, numbers)
        if axes is None:
            _, axes = pyplot.subplots(len(names), squeeze=False, layout="constrained")
        found = np.atleast_1d(np.asarray(axes, dtype=object)).ravel()
        for one, name in zip(found, names, strict=True):
            values = self[name].astype(float)
            one.hist(values[np.isfinite(values)], bins=40)
            one.set(xlabel=f"{name} [{pretty_unit(self.units[name])}]", ylabel="runs")
        return found

    def _columns(self) -> Iterator[tuple[str, Values]]:
        table = self.carried.runs.table()
        for name in table.column_names:
            yield name, np.array(table.column(name).to_numpy())

    def _known(self) -> Mapping[str, Quantity]:
        runs, found = self.carried.runs, {}
        for name, meaning in _OWN.items():
            found[name] = Quantity(name, "1", meaning)
        for key in runs.keys:
            found[key] = Quantity(key, factor_unit(self.carried, key) or "1", f"{key}, varied")
        for name in runs.results:
            found[name] = Quantity(name, unit_of(self.carried, name), name)
        return found

    def __repr__(self) -> str:
        runs = self.carried.runs
        failed = f", {runs.failed} could not be carried out" if runs.failed else ""
        return (
            f"Campaign({self.scenario.name}: {self.carried.passed} of {runs.total} runs kept all "
            f"limits{failed})"
        )

    def _repr_html_(self) -> str:
        statistics, runs = self.statistics, self.carried.runs
        rows = [
            (
                "all limits" if name == "passed" else name.removeprefix("passed."),
                f"{100 * one.value:.4g} %",
                f"{100 * one.low:.4g} % to {100 * one.high:.4g} %",
            )
            for name, one in statistics.probabilities.items()
        ]
        titles = ("Limit", "Kept in", f"Interval of {100 * statistics.level:g} %")
        facts = [
            ("Runs", f"{runs.total}, of which {runs.failed} could not be carried out"),
            ("Varied", ", ".join(runs.keys)),
            ("Files", str(self.folder)),
        ]
        status = "passed" if self.passed else "failed"
        return Card("Campaign", self.scenario.name, status, "", facts, [(titles, rows)]).render()
