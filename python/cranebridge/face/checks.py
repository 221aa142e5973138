"""What can be said of a scenario before it is solved, and what was handed over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cranebridge.face.words import counted
from cranebridge.inverse import Structure
from cranebridge.job import ScenarioCheck
from cranebridge.limits import Verdict
from cranebridge.report import Card
from cranebridge.scenario import Scenario


@dataclass(frozen=True, eq=False, repr=False)
class Check:
    """A scenario looked at: structure, smoothness, initial state, margins to its limits.

    Attributes
    ----------
    scenario : Scenario
        What was looked at.
    checked : ScenarioCheck
        What was found, as the packages below have it.

    Examples
    --------
    >>> import cranebridge as cb
    >>> cb.load("overhead").check()
    Check(overhead: sound, index 5, flat, 1 verdict passed)
    """

    scenario: Scenario
    checked: ScenarioCheck

    @property
    def structure(self) -> Structure:
        """Index, derivatives of the path that are needed, freedom."""
        return self.checked.check.structure

    @property
    def problems(self) -> tuple[str, ...]:
        """What makes it unsolvable, a sentence each."""
        found = tuple(self.checked.check.problems)
        return (*found, self.checked.no_loop) if self.checked.no_loop else found

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Its limits, judged on the exact solution, where there is one."""
        return self.checked.verdicts

    @property
    def passed(self) -> bool:
        """Whether it can be solved and keeps all limits."""
        return self.checked.exit_code == 0

    @property
    def status(self) -> str:
        """In a word: "sound", "failed" (a limit is not kept) or "not solvable"."""
        return ("sound", "failed", "not solvable")[self.checked.exit_code]

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON, as ``cranebridge check --json`` prints it."""
        return self.checked.as_dict()

    @property
    def _kind(self) -> str:
        inner = self.structure.internal_dynamics
        kind = "flat" if self.structure.flat else f"internal dynamics of dimension {inner}"
        return f"index {self.structure.index}, {kind}"

    def __repr__(self) -> str:
        found = self.problems[0] if self.problems else counted(self.verdicts)
        return f"Check({self.scenario.name}: {self.status}, {self._kind}, {found})"

    def _repr_html_(self) -> str:
        needed = self.structure.path_derivatives.items()
        facts = [
            ("Crane", f"{self.scenario.crane.name}: {self.scenario.crane.description}"),
            ("Structure", self._kind),
            ("Derivatives", ", ".join(f"{count} of {name}" for name, count in needed)),
            *(("Problem", text) for text in self.problems),
        ]
        return Card("Check", self.scenario.name, self.status, "", facts, (), self.verdicts).render()


@dataclass(frozen=True, repr=False)
class Delivered:
    """Files that were handed over.

    Attributes
    ----------
    files : tuple of pathlib.Path
        What was written.
    notes : tuple of str
        What of the scenario is not in them.
    """

    files: tuple[Path, ...]
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Path]:
        return iter(self.files)

    def __repr__(self) -> str:
        lines = [*map(str, self.files), *(f"note: {note}" for note in self.notes)]
        return f"Delivered({'; '.join(lines)})"

    def _repr_html_(self) -> str:
        notes = [("Note", note) for note in self.notes]
        files = [("File", str(file)) for file in self.files]
        return Card("Delivered", "", facts=[*files, *notes]).render()
