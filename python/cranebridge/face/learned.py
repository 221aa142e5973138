"""What came of learning: trials, and the controls of the best one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.face.card_parts import counted, status
from cranebridge.face.column_meanings import column_quantities
from cranebridge.face.optional import library
from cranebridge.face.plotting import Axes
from cranebridge.face.signals import Array, Signals
from cranebridge.job.learning import learned_summary
from cranebridge.learn import Learning
from cranebridge.limits import Range, Verdict
from cranebridge.report import ResultCard
from cranebridge.report.rows import pretty_unit, quantity, ranges_in_force
from cranebridge.scenario import Scenario
from cranebridge.twin.language import Quantity
from cranebridge.verify import Verified


@dataclass(frozen=True, eq=False, repr=False)
class Learned(Signals):
    """Controls improved on a plant; its signals are those of the best trial (``learned.csv``).

    Attributes
    ----------
    scenario : Scenario
        What was asked for.
    verified : Verified
        With the learned controls as its feedforward.
    learning : Learning
        The trials, as the packages below have them.
    folder : pathlib.Path or None
        Where the files are, if any were written.
    """

    scenario: Scenario
    verified: Verified
    learning: Learning
    folder: Path | None = None

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """What was judged on the solution, on learning, and on the plant in the best trial."""
        return (*self.verified.verdicts, *self.learning.verdicts)

    @property
    def passed(self) -> bool:
        """Whether every verdict passed."""
        return all(verdict.passed for verdict in self.verdicts)

    @property
    def rms_error(self) -> dict[str, Array]:
        """Root mean square error of each output, by trial; nan where a trial was not run."""
        trials = self.learning.learned.trials
        return {
            name: np.array([(trial.rms_error or {}).get(name, np.nan) for trial in trials])
            for name in self.learning.outputs
        }

    def summary(self) -> dict[str, Any]:
        """Return the content of ``summary.json``."""
        return learned_summary(self.scenario, self.verified, self.learning)

    def plot(self, *names: str, axes: Axes | None = None) -> NDArray[Any]:
        """Plot signals of the best trial; without names the error over the trials.

        Parameters and return value are those of `Signals.plot`; there is a plot for each unit.
        """
        if names:
            return super().plot(*names, axes=axes)
        pyplot = library("matplotlib.pyplot", "plot()")
        units = dict.fromkeys(self.learning.outputs.values())
        if axes is None:
            _, axes = pyplot.subplots(len(units), squeeze=False, layout="constrained")
        found = np.atleast_1d(np.asarray(axes, dtype=object)).ravel()
        for one, unit in zip(found, units, strict=True):
            for name, errors in self.rms_error.items():
                if self.learning.outputs[name] == unit:
                    one.semilogy(range(len(errors)), errors, "o-", label=name)
            one.set(xlabel="trial", ylabel=f"rms error [{pretty_unit(unit)}]")
            one.legend()
            one.grid(lw=0.4, alpha=0.5)
        return found

    def _columns(self) -> Iterator[tuple[str, Array]]:
        return self.learning.controls()

    def _known(self) -> Mapping[str, Quantity]:
        return column_quantities(self.scenario.crane)

    def _ranges(self) -> Mapping[str, Range]:
        return ranges_in_force(self.verified.limits, self.scenario.crane)

    def __repr__(self) -> str:
        return f"Learned({self.scenario.name}: {self.learning.sentence}, {counted(self.verdicts)})"

    def _repr_html_(self) -> str:
        units = self.learning.outputs
        rows = [
            (
                name,
                quantity(float(errors[0]), units[name]),
                quantity(float(np.nanmin(errors)), units[name]),
            )
            for name, errors in self.rms_error.items()
        ]
        table = (("Output", "Rms error at first", "Least"), rows)
        facts = [("Law", self.learning.settings.law), ("Ended", self.learning.learned.ended)]
        return ResultCard(
            "Learned",
            self.scenario.name,
            status(self.verdicts),
            self.learning.sentence,
            facts,
            [table],
            self.verdicts,
        ).render()
