"""A motion that was found without flatness, beside the flat plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cranebridge.face.card_parts import extremes_table
from cranebridge.face.column_meanings import column_quantities
from cranebridge.face.signals import Array, Signals
from cranebridge.job import CrossCheckResult
from cranebridge.limits import Range
from cranebridge.report import ResultCard
from cranebridge.report.rows import ranges_in_force
from cranebridge.scenario import Scenario
from cranebridge.twin.language import Quantity


@dataclass(frozen=True, eq=False, repr=False)
class SecondOpinion(Signals):
    """What another method than flatness says of a plan: its motion, and the flat plan's figures.

    Attributes
    ----------
    scenario : Scenario
        What was asked for.
    opinions : CrossCheckResult
        What was found, as the packages below have it.
    """

    scenario: Scenario
    opinions: CrossCheckResult

    @property
    def duration(self) -> float:
        """Of the motion [s]."""
        return self.opinions.opinion.duration

    @property
    def passed(self) -> bool:
        """Whether all limits are kept."""
        return self.opinions.exit_code == 0

    def summary(self) -> dict[str, Any]:
        """Return the content of ``summary.json``."""
        return self.opinions.as_dict()

    def _columns(self) -> Iterator[tuple[str, Array]]:
        return self.opinions.opinion.columns()

    def _known(self) -> Mapping[str, Quantity]:
        return column_quantities(self.scenario.crane)

    def _ranges(self) -> Mapping[str, Range]:
        return ranges_in_force(self.scenario.limits, self.scenario.crane)

    @property
    def _path(self) -> None:
        return None  # it is not known before the motion

    @property
    def _summary(self) -> str:
        found, flat = self.opinions.opinion, self.opinions.flat
        beside = self.opinions.without if flat is None else f"the flat plan {flat.duration:.4g} s"
        return f"least {found.objective} by {found.method}, {found.duration:.4g} s; {beside}"

    def __repr__(self) -> str:
        return f"SecondOpinion({self.scenario.name}: {self._summary})"

    def _repr_html_(self) -> str:
        found = self.opinions.opinion
        broken = [
            ("Limit not kept", f"{one.name} is {one.value:.6g} at {one.time:.3f} s")
            for one in found.broken
        ]
        table = extremes_table(self.scenario.crane.inputs, found.u)
        status = "passed" if self.passed else "failed"
        return ResultCard(
            "SecondOpinion", self.scenario.name, status, self._summary, broken, [table]
        ).render()
