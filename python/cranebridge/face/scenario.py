"""A scenario that carries itself out: `load`, `Scenario`, and the verbs of the command line."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cranebridge.errors import InputError
from cranebridge.progress import Progress, StageReport, ignore_progress, ignore_stage
from cranebridge.scenario import Folder, Settings
from cranebridge.scenario import Scenario as Description

if TYPE_CHECKING:  # imported where they are needed: they need much
    from cranebridge.campaign import Tls
    from cranebridge.face.campaigns import Campaign
    from cranebridge.face.checks import Check, Delivered
    from cranebridge.face.cross_checks import SecondOpinion
    from cranebridge.face.learned import Learned
    from cranebridge.face.motions import Planned, Solution, Verification


class Scenario(Description):
    """A scenario, and what can be done with it.

    It never changes: `with_` returns another one. Where its path is to be found
    (``path.kind = "optimal"``), that is done when it is first needed.

    Examples
    --------
    >>> import cranebridge as cb
    >>> scenario = cb.load("overhead")
    >>> scenario
    Scenario(overhead: crane overhead, line path of 3 s)
    >>> scenario.with_({"path.duration": 4.0, "crane.m": 120}).solve()["u.F_t"].max() > 100
    np.True_
    """

    def check(self) -> Check:
        """Look at structure, smoothness, initial state and limits, before any solving.

        Examples
        --------
        >>> import cranebridge as cb
        >>> found = cb.load("overhead").check()
        >>> found.status, found.structure.index, found.structure.flat
        ('sound', 5, True)
        """
        from cranebridge.face.checks import Check
        from cranebridge.job import check_scenario

        return Check(self, check_scenario(self))

    def plan(
        self,
        *,
        stop_at: float | None = None,
        goal: Sequence[float] | None = None,
        at: float | None = None,
        folder: Folder | None = None,
        force: bool = False,
        tell: Progress | None = None,
    ) -> Planned | SecondOpinion:
        """Find the path: fastest or least effort within the limits; or stop or redirect a motion.

        Parameters
        ----------
        stop_at : float, optional
            Stop the scenario's motion from this time on [s].
        goal, at : sequence of float and float, optional
            Send it to other outputs from this time on [s].
        folder, force
            As of `solve`.
        tell : callable, optional
            Called with the fraction that is done.

        Returns
        -------
        Planned
            Its `scenario` has the path; it begins at the time given where a motion is stopped. A
            `SecondOpinion` where ``path.method`` asks for another method than flatness.

        Examples
        --------
        >>> import cranebridge as cb
        >>> goal = {"kind": "optimal", "start": [0.0, -5.0], "goal": [4.0, -4.0], "accuracy": 0.1}
        >>> limits = {"u": {"F_t": 300.0, "M_w": [-150.0, -50.0]}, "rope": 98.1}
        >>> planned = cb.Scenario.of("overhead", goal, limits=limits).plan()
        >>> planned.passed, 2.3 < planned.duration < 2.6
        (True, True)
        >>> stop = planned.scenario.plan(stop_at=1.0)
        >>> stop.duration < planned.duration
        True
        """
        from cranebridge.face.motions import Planned
        from cranebridge.job import solve_into

        if (goal is None) != (at is None) or (stop_at is not None and goal is not None):
            raise InputError("give either stop_at, or goal with at, or none of them")
        time = stop_at if at is None else at
        opinion = self._second_opinion(_path(folder), force) if time is None else None
        if opinion is not None:
            return opinion
        progress = tell or ignore_progress
        scenario = (
            self.find_path(progress) if time is None else self._replanned(time, goal, progress)
        )
        if scenario.planned is None:
            raise InputError(
                f"scenario '{self.name}' has a path of its own: path.kind = 'optimal' asks for one "
                "to be found; plan(stop_at=...) and plan(goal=..., at=...) plan from a time of its "
                "motion"
            )
        return Planned(scenario, solve_into(scenario, _path(folder), force), _path(folder))

    def _second_opinion(self, folder: Path | None, force: bool) -> SecondOpinion | None:
        from cranebridge.scenario import read_cross_check

        request = read_cross_check(self)
        if request is None:
            return None
        from cranebridge.face.cross_checks import SecondOpinion
        from cranebridge.job import cross_check_into

        return SecondOpinion(self, cross_check_into(request, folder, force))

    def _replanned(
        self,
        time: float,
        goal: Sequence[float] | None,
        progress: Progress,
    ) -> Scenario:
        from cranebridge.job import replan

        wanted = None if goal is None else tuple(goal)
        found = replan(self, time, wanted, progress)
        # written into the tables, so that `with_` goes on with this path
        whole = found.complete()
        crane = self.tables.crane.model_copy(update={"initial": whole["crane"]["initial"]})
        tables = self.tables.model_copy(update={"path": whole["path"], "crane": crane})
        return replace(self, tables=tables).with_problem(found.problem, found.planned)

    def solve(
        self,
        folder: Folder | None = None,
        force: bool = False,
        progress: Progress | None = None,
    ) -> Solution:
        """Compute the feedforward: controls, coordinates and rope forces along the path.

        Parameters
        ----------
        folder : path, optional
            Gets ``feedforward.csv``, ``summary.json`` and ``scenario.toml``; nothing is written if
            not given.
        force : bool
            Replace an earlier result there.
        progress : callable, optional
            Called with the fraction that is done.

        Examples
        --------
        >>> import cranebridge as cb
        >>> cb.load("overhead", {"solve.step": 0.1}).solve(folder="solved")
        Solution(overhead: index1, 31 times until 3 s, 1 verdict passed)
        """
        from cranebridge.face.motions import Solution
        from cranebridge.job import solve_into

        return Solution(
            self, solve_into(self, _path(folder), force, progress or ignore_progress), _path(folder)
        )

    def verify(
        self,
        folder: Folder | None = None,
        force: bool = False,
        plant: str = "fmu",
        tell: StageReport = ignore_stage,
    ) -> Verification:
        """Feed the controls into the FMU and measure how the load follows.

        Parameters
        ----------
        folder, force
            As of `solve`; ``tracking.csv`` is written, too.
        plant : {"fmu", "twin"}
            The scenario's FMU, or the twin's own equations, integrated forward.
        tell : callable
            Called with the name of each stage as it begins; try `print`.

        Examples
        --------
        >>> import cranebridge as cb
        >>> verification = cb.load("overhead").verify(plant="twin", tell=print)
        solve
        verify
        >>> verification.passed
        True
        """
        from cranebridge.face.motions import Verification
        from cranebridge.job import verify_into

        if plant not in ("fmu", "twin"):
            raise InputError(f"plant is 'fmu' or 'twin', got '{plant}'")
        verified = verify_into(self, _path(folder), force, plant, tell)
        return Verification(self, verified, _path(folder))

    def run(
        self, folder: Folder | None = None, force: bool = False, tell: StageReport = ignore_stage
    ) -> Verification:
        """Do it all: check, solve, export, certify, verify and report.

        Parameters
        ----------
        folder : path, optional
            Gets all files; the scenario's name if not given.
        force, tell
            As of `verify`.

        Examples
        --------
        >>> import cranebridge as cb
        >>> cb.load("overhead").run("everything").passed
        True
        >>> (Path("everything") / "report.html").exists()
        True
        """
        from cranebridge.face.motions import Verification
        from cranebridge.job import run_scenario

        target = Path(self.name if folder is None else folder)
        return Verification(self, run_scenario(self, target, force, tell), target)

    def learn(
        self, folder: Folder | None = None, force: bool = False, tell: StageReport = ignore_stage
    ) -> Learned:
        """Improve the controls on the FMU trial by trial, as ``[learn]`` says; see `verify`.

        Examples
        --------
        >>> import cranebridge as cb
        >>> learned = cb.load("overhead-real", {"learn.trials": 1}).learn()
        >>> first, best = learned.rms_error["x"]
        >>> bool(best < 0.2 * first)
        True
        """
        from cranebridge.face.learned import Learned
        from cranebridge.job.learning import learn_into

        verified, learning = learn_into(self, _path(folder), force, tell)
        return Learned(self, verified, learning, _path(folder))

    def campaign(
        self,
        folder: Folder | None = None,
        force: bool = False,
        workers: int | None = None,
        cluster: str | None = None,
        tell: StageReport = ignore_stage,
        tls: Tls | None = None,
    ) -> Campaign:
        """Verify many times with varied parameters, starts, disturbances and noise.

        Parameters
        ----------
        folder : path, optional
            Gets the table of runs, summary, worst runs and report; if not given, a folder that is
            there as long as the result is.
        force, tell
            As of `verify`.
        workers : int, optional
            Processes on this machine; as many as it has processors if not given.
        cluster : str, optional
            Address of a Dask scheduler, or its file, in place of processes on this machine. A
            connection that is not authenticated is warned of (`UserWarning`).
        tls : cranebridge.campaign.Tls, optional
            Certificates for the connection to it.

        Examples
        --------
        >>> import cranebridge as cb
        >>> vary = {"plant.parameters.m": {"uniform": [99.0, 101.0]}}
        >>> scenario = cb.load("overhead", {"campaign.runs": 4, "campaign.vary": vary})
        >>> campaign = scenario.with_({"limits.tracking": 1.0}).campaign(workers=1)
        >>> campaign.statistics.total, campaign.statistics.failed
        (4, 0)
        """
        if self.in_memory:
            raise InputError(
                f"runs of a campaign are carried out by other processes, which cannot see the "
                f"class {type(self.crane).__name__}: save it to a file and take "
                f'"FILE.py:{type(self.crane).__name__}" as the crane'
            )
        from cranebridge.face.campaigns import Campaign
        from cranebridge.job.campaign import campaign_into
        from cranebridge.temporary import TemporaryFolder

        own = TemporaryFolder("campaign") if folder is None else None
        target = Path(own.name if own is not None else str(folder))
        found = campaign_into(self, target, force, workers, cluster, tell, tls=tls)
        return Campaign(self, found, target, own)

    def deliver(
        self,
        to: str,
        target: Folder,
        *,
        cycle: float | None = None,
        columns: Sequence[str] | None = None,
        units: bool | None = None,
        precision: str | None = None,
        duration: float | None = None,
        fmi: str | None = None,
        force: bool = False,
        allow_violations: bool = False,
        learned: Folder | None = None,
    ) -> Delivered:
        """Hand the feedforward over as a table, code or FMU.

        Parameters
        ----------
        to : str
            The format, such as ``"csv"``, ``"c"``, ``"st"``, ``"fmu"``.
        target : path
            The file or folder.
        cycle : float, optional
            The controller's cycle [s].
        columns : sequence of str, optional
            Groups or signals, such as ``["u", "q.s"]``.
        units : bool, optional
            Whether titles carry units.
        precision : str, optional
            ``"double"`` or ``"single"``, for code.
        duration : float, optional
            Scale the path to this duration [s] first.
        fmi : str, optional
            FMI version of ``fmu`` and ``ssp``.
        force : bool
            Replace existing files.
        allow_violations : bool
            Hand over what violates a limit.
        learned : path, optional
            A folder of `learn`: its controls are handed over.

        Examples
        --------
        >>> import cranebridge as cb
        >>> cb.load("overhead").deliver("csv", "overhead.csv", cycle=0.01)
        Delivered(overhead.csv; overhead.csv.json)
        """
        from cranebridge.face.checks import Delivered
        from cranebridge.job import Wishes, hand_over, left_out

        chosen = None if columns is None else tuple(columns)
        wishes = Wishes(
            to,
            Path(target),
            cycle,
            chosen,
            units,
            precision,
            duration,
            fmi,
            force,
            allow_violations,
            _path(learned),
        )
        files = hand_over(self, wishes)
        return Delivered(tuple(files), tuple(left_out(self, to)))

    def save(self, target: Folder, overwrite: bool = False) -> Path:
        """Write the scenario as TOML, with every default filled in; returns the file.

        The command line repeats from it what was done here.
        """
        import tomli_w

        from cranebridge.report import put, require_target

        if self.in_memory:
            raise InputError(
                f"crane class {type(self.crane).__name__} is in no file that a scenario could "
                "name: save it to one first"
            )
        file = Path(target)
        require_target(file, overwrite)
        put(file, tomli_w.dumps(self.complete()).encode())
        return file

    def _repr_html_(self) -> str:
        from cranebridge.report import ResultCard

        content = self.tables.model_dump(exclude_unset=True, exclude_none=True)
        rows = [
            (f"{table}.{key}", str(value))
            for table, keys in content.items()
            if isinstance(keys, dict)
            for key, value in keys.items()
        ]
        facts = [("Crane", self.crane.description), ("Path", self._path_words)]
        return ResultCard(
            "Scenario", self.name, "", "", facts, [(("Key", "Value"), rows)] if rows else ()
        ).render()


def load(source: Folder, settings: Settings = (), tell: Progress | None = None) -> Scenario:
    """Load a scenario by name or from a file.

    Parameters
    ----------
    source : path
        A ready scenario's name, or a TOML file.
    settings : mapping of str to object, or sequence of str
        Overrides such as ``{"solve.step": 0.005}`` or ``["crane.m=120"]``; see `Scenario.with_`.
    tell : callable, optional
        Called with the fraction of planning that is done; a path that is asked for is found at
        once then.

    Examples
    --------
    >>> import cranebridge as cb
    >>> cb.load("rotary", {"path.duration": 15.0}).problem.path.duration
    15.0
    """
    scenario = Scenario.read(os.fspath(source), settings).require_values()
    return scenario if tell is None else scenario.find_path(tell)


def _path(folder: Folder | None) -> Path | None:
    return None if folder is None else Path(folder)
