"""What came of a campaign: the table of runs and what it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cranebridge.campaign import CampaignRuns, Design, RankIndex, SafeBox, SobolIndex, Statistics
from cranebridge.limits import Verdict
from cranebridge.scenario import Scenario
from cranebridge.verify.certificate import Certificate, certificate_notice
from cranebridge.version_info import versions


@dataclass(frozen=True, eq=False)
class CampaignResult:
    """What came of a campaign.

    Attributes
    ----------
    scenario : Scenario
        What was varied.
    design : Design
        The values of all runs.
    runs : CampaignRuns
        The table.
    statistics : Statistics
        Probabilities, quantiles and worst runs.
    indices : dict of str to tuple
        By column of results: which factor matters.
    worst : tuple of int
        The runs with the smallest margins, failed ones first.
    nominal : tuple of Verdict
        What was judged without variation.
    certificate : Certificate or None
        Of twin and plant, without variation.
    box : SafeBox or None
        In which no broken limit was found, where it was asked for.
    no_box : str
        Why there is none.
    seconds : float
        All together.
    notes : tuple of str
        What the user must know of how it was carried out.
    """

    scenario: Scenario
    design: Design
    runs: CampaignRuns
    statistics: Statistics
    indices: dict[str, tuple[RankIndex | SobolIndex, ...]]
    worst: tuple[int, ...]
    nominal: tuple[Verdict, ...]
    certificate: Certificate | None
    box: SafeBox | None
    no_box: str
    seconds: float
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> int:
        """Runs in which every verdict passed."""
        found = self.statistics.probabilities.get("passed")
        return 0 if found is None else int(self.runs.column("passed")[1].sum())

    @property
    def exit_code(self) -> int:
        """0 if every run was carried out and kept all limits, else 1."""
        return 0 if self.passed == self.runs.total else 1

    @property
    def notice(self) -> str:
        """What must be said of a certificate that is off or partial, or of one source."""
        partial = self.scenario.tables.plant.certify == "partial"
        common = None if self.certificate is None else self.certificate.common_source
        shared = "" if common is None else common.sentence()
        return " ".join(filter(None, (shared, certificate_notice(self.certificate, partial))))

    def as_dict(self) -> dict[str, Any]:
        """Return the content of ``summary.json``."""
        certificate = (
            {} if self.certificate is None else {"certificate": self.certificate.as_dict()}
        )
        found: dict[str, Any] = {
            "runs": self.runs.total,
            "failed": self.runs.failed,
            "passed": self.passed,
            "design": self.design.kind,
            "random_seed": self.design.seed,
            "keys": list(self.design.keys),
            "statistics": self.statistics.as_dict(),
            "indices": {
                name: [one.as_dict() for one in all_] for name, all_ in self.indices.items()
            },
            "worst": [
                {"run": number, "values": self.design.point(number)} for number in self.worst
            ],
            "seconds": self.seconds,
            **({"notes": list(self.notes)} if self.notes else {}),
        }
        if self.box is not None:
            found["box"] = self.box.as_dict()
        elif self.no_box:
            found["box"] = {"failed": self.no_box}
        return {
            "scenario": self.scenario.name,
            "crane": self.scenario.crane.name,
            "status": "passed" if self.exit_code == 0 else "failed",
            **certificate,
            **({"certificate_notice": self.notice} if self.notice else {}),
            "campaign": found,
            "verdicts": [verdict.as_dict() for verdict in self.nominal],
            "versions": versions(),
        }
