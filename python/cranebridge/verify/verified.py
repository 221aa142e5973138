"""What is known of a scenario: the solution, the certificate, the tracking, and all verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cranebridge.inverse import Feedforward
from cranebridge.inverse.extension import Structure
from cranebridge.limits import Limits, Verdict, exit_code
from cranebridge.plant.containment import Containment
from cranebridge.verify.certificate import (
    Certificate,
    CommonSource,
    certificate_notice,
    changed_notice,
)
from cranebridge.verify.tracking import Tracking

if TYPE_CHECKING:
    from cranebridge.control.analysis import LoopCheck


ONE_SOURCE = (
    "The plant is the twin itself: this tests the controls, and says nothing about the model."
)


@dataclass(frozen=True)
class PlantFacts:
    """Which plant was driven.

    Attributes
    ----------
    name : str
        File name of the FMU, or "twin".
    sha256 : str
        Hash of the FMU; empty for the twin.
    interface : str
        "me", "cs", or "twin".
    containment : Containment or None
        What the FMU's binary was kept from; None for the twin.
    backend : str
        Who ran the FMU; empty for the twin.
    units : tuple of str
        What a user should know of the units of its variables.
    common_source : CommonSource or None
        The Modelica source that it has in common with the twin.
    """

    name: str
    sha256: str
    interface: str
    containment: Containment | None = None
    backend: str = ""
    units: tuple[str, ...] = ()
    common_source: CommonSource | None = None


@dataclass(frozen=True, eq=False)
class Verified:
    """What was found out; report, summary, table and exit code are all made from this.

    Attributes
    ----------
    feedforward : Feedforward
        The solution.
    structure : Structure
        Index, derivatives, freedom.
    limits : Limits
        What is allowed.
    of_solution : tuple of Verdict
        What was judged on the solution.
    plant : PlantFacts or None
        Which plant was driven; None if none was.
    certificate : Certificate or None
        Whether twin and plant are the same machine, if that was asked for.
    partial : bool
        Whether a certificate that is incomplete was asked to be accepted.
    tracking : Tracking or None
        What the plant did; None if none was driven.
    loop : LoopCheck or None
        Poles and margins of the controller, where they were looked at.
    """

    feedforward: Feedforward
    structure: Structure
    limits: Limits
    of_solution: tuple[Verdict, ...]
    plant: PlantFacts | None = None
    certificate: Certificate | None = None
    partial: bool = False
    tracking: Tracking | None = None
    loop: LoopCheck | None = None

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """All verdicts: of the solution, of the certificate, of the plant."""
        own = () if self.certificate is None else (self.certificate.verdict(self.partial),)
        later = () if self.tracking is None else self.tracking.verdicts
        return (*self.of_solution, *own, *later)

    @property
    def notice(self) -> str:
        """What must be said of the certificate beside the verdicts that did not pass.

        Terminal, summary, report and page all show this sentence.
        """
        if self.plant is None:
            return ""
        if self.plant.interface == "twin":
            return ONE_SOURCE
        source = self.plant.common_source
        shared = "" if source is None else source.sentence()
        notice = certificate_notice(self.certificate, self.partial)
        changed = ""
        if self.certificate is not None and self.tracking is not None:
            changed = changed_notice(self.tracking.settings.parameters)
        return " ".join(filter(None, (shared, notice, changed, self._beyond())))

    def _beyond(self) -> str:
        """Say where the plant went beyond the states that were compared."""
        if self.certificate is None or self.tracking is None:
            return ""
        values, reached = self.tracking.motion.values, {}
        for one in self.certificate.looked:
            if one.signal in values:
                signal = values[one.signal]
                reached[one.signal] = float(signal.min()), float(signal.max())
        return self.certificate.beyond(reached)

    @property
    def status(self) -> str:
        """In a word: passed, failed, or solved where no plant was driven and nothing failed."""
        if self.exit_code:
            return "failed"
        return "solved" if self.tracking is None else "passed"

    @property
    def exit_code(self) -> int:
        """0 if all verdicts passed, else 1."""
        return exit_code(self.verdicts)
