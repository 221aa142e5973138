"""What came of solving and verifying a scenario: motions with verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike, NDArray

from cranebridge.face.animation import Animation
from cranebridge.face.card_parts import counted, extremes_table
from cranebridge.face.column_meanings import column_quantities
from cranebridge.face.plotting import Axes, draw
from cranebridge.face.signals import Array, Signals
from cranebridge.inverse import Feedforward, Structure
from cranebridge.job import solution_columns, summary
from cranebridge.limits import Range, Verdict
from cranebridge.plan import Plan
from cranebridge.report import (
    ResultCard,
    Rows,
    ShownMotion,
    render_animation,
    shown_result,
    write_report,
    write_static,
)
from cranebridge.report.plots import Panel, all_panels
from cranebridge.report.rows import error_rows, headline, quantity, ranges_in_force
from cranebridge.scenario import Scenario
from cranebridge.twin.language import Quantity
from cranebridge.verify import Certificate, Tracking, Verified

_FIRST = ("path", "error", "controls", "ropes", "clearance")
"""Plots that are drawn where none is named."""


@dataclass(frozen=True, eq=False, repr=False)
class MotionResult(Signals):
    """A motion of a scenario's crane, with what was judged of it.

    Attributes
    ----------
    scenario : Scenario
        What was asked for.
    verified : Verified
        What was found out, as the packages below have it.
    folder : pathlib.Path or None
        Where the files are, if any were written.
    """

    scenario: Scenario
    verified: Verified
    folder: Path | None = None

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """All that was judged, as in report, summary and exit code."""
        return self.verified.verdicts

    @property
    def passed(self) -> bool:
        """Whether every verdict passed; what could not be judged has not."""
        return self.verified.exit_code == 0

    @property
    def status(self) -> str:
        """In a word: "passed", "failed", or "solved" where no plant was driven."""
        return self.verified.status

    @property
    def feedforward(self) -> Feedforward:
        """The solution: controls and motion on its grid, `controls(t)` at any time."""
        return self.verified.feedforward

    @property
    def structure(self) -> Structure:
        """Index, derivatives of the path that are needed, freedom."""
        return self.verified.structure

    def controls(self, t: ArrayLike) -> Array:
        """Return the controls u(t), a row for each time; see `Feedforward.controls`."""
        return self.feedforward.controls(t)

    def summary(self) -> dict[str, Any]:
        """Return the content of ``summary.json``, which ``--json`` prints, too."""
        return summary(self.scenario, self.verified)

    def report(self, target: str | Path, overwrite: bool = False) -> Path:
        """Write the report: ``.html`` with plots and animation, or ``.pdf`` or ``.png``."""
        file = Path(target)
        write = write_static if file.suffix.lower() in (".pdf", ".png") else write_report
        return write(file, self.scenario, self.verified, overwrite)

    def animate(self, height: int = 420) -> Animation:
        """Return the crane in motion; a notebook shows it below its cell.

        Parameters
        ----------
        height : int
            Of the frame in the notebook, in pixels.
        """
        page = render_animation(self.scenario, self.verified)
        return Animation(self.scenario.name, page, height)

    def plot(self, *names: str, axes: Axes | None = None) -> NDArray[Any]:
        """Plot the motion: signals by name, or plots of the report.

        Parameters
        ----------
        *names : str
            Signals (``"u.M_b"``), groups (``"u"``), or plots of the report: ``"path"``,
            ``"error"``, ``"controls"``, ``"ropes"``, ``"drives"``, ``"speeds"``, ``"powers"``, as
            far as there are such. Without any: path, error, controls, ropes.
        axes : sequence of matplotlib.axes.Axes, optional
            To draw in, as many as there are plots; a figure is made if not given.

        Returns
        -------
        numpy.ndarray
            The axes, with units on all of them; limits are bands.
        """
        chosen = names or tuple(name for name in _FIRST if name in self._plots)
        return draw(self._panels(chosen), self.time, self._path, axes)

    @cached_property
    def _shown(self) -> ShownMotion:
        return shown_result(self.scenario, self.verified)

    @cached_property
    def _of_report(self) -> list[Panel]:
        return all_panels(self._shown)

    @property
    def _plots(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(panel.key for panel in self._of_report))

    def _panels(self, names: tuple[str, ...]) -> list[Panel]:
        panels: list[Panel] = []
        signals = tuple(name for name in names if name not in self._plots)
        for name in names:
            panels += [panel for panel in self._of_report if panel.key == name]
        return panels + (super()._panels(signals) if signals else [])

    def _ranges(self) -> Mapping[str, Range]:
        return ranges_in_force(self.verified.limits, self.scenario.crane)

    def _known(self) -> Mapping[str, Quantity]:
        return column_quantities(self.scenario.crane)

    def _facts(self) -> Rows:
        """Return label and text of what is shown first."""
        solution = self.feedforward
        residual = f"largest relative residual {solution.max_residual:.1e}"
        return [
            ("Crane", f"{self.scenario.crane.name}: {self.scenario.crane.description}"),
            ("Method", f"{solution.method}, index {self.structure.index}, {residual}"),
            ("Times", f"{len(self.time)}, from {self.time[0]:g} s to {self.time[-1]:g} s"),
        ]

    def _repr_html_(self) -> str:
        solution = self.feedforward
        return ResultCard(
            type(self).__name__,
            self.scenario.name,
            self.status,
            headline(self._shown),
            self._facts(),
            [extremes_table(solution.problem.crane.inputs, solution.u)],
            self.verdicts,
        ).render()


class Solution(MotionResult):
    """The feedforward of a scenario: controls, coordinates and rope forces along the path.

    Examples
    --------
    >>> import cranebridge as cb
    >>> solution = cb.load("overhead").solve()
    >>> solution
    Solution(overhead: index1, 301 times until 3 s, 1 verdict passed)
    >>> solution["u.F_t"].shape, solution.units["u.F_t"]
    ((301,), 'N')
    """

    def _columns(self) -> Iterator[tuple[str, Array]]:
        return solution_columns(self.scenario, self.verified)

    def __repr__(self) -> str:
        method, time = self.feedforward.method, self.time
        return (
            f"{type(self).__name__}({self.scenario.name}: {method}, {len(time)} times "
            f"until {time[-1]:g} s, {counted(self.verdicts)})"
        )


class Verification(MotionResult):
    """What a plant did with the feedforward, beside what was asked.

    Its signals are those of ``tracking.csv``: the plant's outputs ``y``, their errors ``e``, its
    motion, the controls that it was given. `solution` has those of the feedforward.

    Examples
    --------
    >>> import cranebridge as cb
    >>> verification = cb.load("overhead").verify()
    >>> verification.passed, max(verification.max_error.values()) < 1e-6
    (True, True)
    """

    @property
    def tracking(self) -> Tracking:
        """What the plant did."""
        assert self.verified.tracking is not None
        return self.verified.tracking

    @property
    def certificate(self) -> Certificate | None:
        """Whether twin and plant are the same machine, if that was looked at."""
        return self.verified.certificate

    @property
    def max_error(self) -> dict[str, float]:
        """Largest error of each output during the manoeuvre, in its unit."""
        return self.tracking.max_error

    @property
    def rms_error(self) -> dict[str, float]:
        """Root mean square error of each output during the manoeuvre."""
        return self.tracking.rms_error

    @property
    def solution(self) -> Solution:
        """The feedforward that the plant was given."""
        of_solution = replace(self.verified, plant=None, certificate=None, tracking=None)
        return Solution(self.scenario, of_solution)

    def _columns(self) -> Iterator[tuple[str, Array]]:
        return self.tracking.columns()

    def _known(self) -> Mapping[str, Quantity]:
        further = [
            Quantity(f"estimate.{one.name}", one.unit, f"{one.name}, estimated")
            for one in self.tracking.estimated
        ]
        return column_quantities(self.scenario.crane, further)

    def _facts(self) -> Rows:
        plant, certificate = self.verified.plant, self.certificate
        assert plant is not None
        errors = [f"{row['name']} {row['largest']}" for row in error_rows(self.verified)]
        found = [*super()._facts(), ("Plant", plant.name), ("Largest error", ", ".join(errors))]
        if self.tracking.residual_swing is not None:
            swing = quantity(self.tracking.residual_swing, "m")
            found.append(("Residual swing", swing))
        offsets = self.tracking.lasting_offset
        if offsets is not None:
            largest = max(map(abs, offsets.values()))
            found.append(("Lasting offset", quantity(largest, "m")))
        if certificate is not None:
            found.append(("Certificate", certificate.status))
        return found

    def __repr__(self) -> str:
        assert self.verified.plant is not None
        parts = {one.name: one.unit for one in self.scenario.crane.outputs}
        errors = [f"{name} {quantity(x, parts[name])}" for name, x in self.max_error.items()]
        largest = f"largest error {', '.join(errors)}".replace("\u00a0", " ")
        return (
            f"{type(self).__name__}({self.scenario.name} on {self.verified.plant.name}: {largest}, "
            f"{counted(self.verdicts)})"
        )


class Planned(Solution):
    """A path that was found, with its solution.

    Attributes
    ----------
    scenario : Scenario
        With the path; verify it, or plan on from it.
    """

    scenario: Scenario

    @property
    def plan(self) -> Plan:
        """How the path was found: objective, duration, active limits, other ways."""
        assert self.scenario.planned is not None
        return self.scenario.planned

    @property
    def duration(self) -> float:
        """Of the motion [s]."""
        return self.plan.duration

    def _facts(self) -> Rows:
        plan = self.plan
        active = ", ".join(one.name for one in plan.active) or "none"
        found = f"least {plan.objective}, {plan.way}, in {plan.duration:.4g} s"
        return [*super()._facts(), ("Plan", found), ("Limits reached", active)]

    def __repr__(self) -> str:
        plan = self.plan
        return (
            f"Planned({self.scenario.name}: least {plan.objective}, {plan.duration:.4g} s, "
            f"{len(plan.active)} limits reached, {counted(self.verdicts)})"
        )
