"""One run of a campaign: a scenario with other values, its plant driven and judged.

A worker process opens the plant once and keeps it, in a contained child process of its own; what
runs have in common (feedforward, controller) is made once, too.
"""

from __future__ import annotations

import hashlib
import io
import json
import pickle
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import casadi as ca
import tomli_w

from cranebridge.errors import CranebridgeError
from cranebridge.frontend import package_files
from cranebridge.inverse import DriveFriction, Feedforward, ServoProblem, time_grid, with_friction
from cranebridge.inverse.index1 import solve_parameter_sets
from cranebridge.job.checks import judge
from cranebridge.job.solving import solve_scenario
from cranebridge.job.verifying import plant_file, plant_map, plant_settings
from cranebridge.limits import Motion, Verdict
from cranebridge.plant import Plant
from cranebridge.scenario import Scenario, Variation, load_scenario
from cranebridge.temporary import TemporaryFolder
from cranebridge.twin import file_contents, is_modelica
from cranebridge.twin.language import Crane, names
from cranebridge.verify import Feedback, Settings, known_well
from cranebridge.verify.certificate import Certificate
from cranebridge.verify.feedback import PlantLaw, plant_law
from cranebridge.verify.tracking import (
    JudgedRun,
    PlantRun,
    compared_times,
    drive_plant,
    figures_of,
    meant_to_be_the_twin,
)
from cranebridge.version_info import program_hash, versions

DRAW = "control.observer.draw"
"""What makes the noise of a run its own, where sensors have any."""
# The scenario, as a file that a worker gets.
_SCENARIO = "scenario.toml"
# Its plant, wherever that came from.
_FMU = "plant.fmu"
# The module of a crane of the user's own, if it has one.
_CRANE = "crane.py"
# Where the files of a crane lie that is read from Modelica.
_MODELICA = "modelica"

Row = dict[str, float | str | bool]


@dataclass(frozen=True)
class ScenarioWork:
    """All that runs of a scenario need, wherever they are carried out.

    Attributes
    ----------
    name : str
        The scenario's.
    files : mapping of str to bytes
        The scenario with all its values, the FMU, and the files of the user's crane if it is one.
    budget : frozenset of int
        Runs whose error is explained as in a verification, which takes some more simulations.
    certificate : mapping or None
        That twin and plant are the same, as they are without variation.
    scales : mapping of str to float
        By verdict: what its margin is compared with, so that margins of all can be compared.
    law : bytes
        A sampled controller for the motion without variation, packed with what was asked for: it
        takes seconds to design, and runs in which only the plant varies share it. Empty if none.
    """

    name: str
    files: Mapping[str, bytes] = field(repr=False)
    budget: frozenset[int] = frozenset()
    certificate: Mapping[str, Any] | None = None
    scales: Mapping[str, float] = field(default_factory=dict)
    law: bytes = field(default=b"", repr=False)

    @property
    def key(self) -> str:
        """Hash of all that a result depends on; a law follows from the scenario."""
        hashes = {name: hashlib.sha256(content).hexdigest() for name, content in self.files.items()}
        content = [
            *(hashes, sorted(self.budget), self.certificate, dict(self.scales)),
            *(versions(), program_hash()),
        ]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    def begin(self) -> ScenarioRunner:
        """Make ready for runs, in the process that carries them out."""
        return ScenarioRunner(self)


def scenario_work(scenario: Scenario) -> ScenarioWork:
    """Return what runs of a scenario need; its plant is exported if need be."""
    tables = scenario.complete()
    tables.pop("campaign", None)
    files = {_FMU: plant_file(scenario).read_bytes()}
    plant = {key: value for key, value in tables["plant"].items() if key not in ("model", "fmi")}
    tables["plant"] = {**plant, "fmu": _FMU}
    file, _, class_name = tables["crane"]["model"].rpartition(":")
    if file.endswith(".py"):
        files[_CRANE] = file_contents(Path(file))
        tables["crane"]["model"] = f"{_CRANE}:{class_name}"
    if is_modelica(tables["crane"]["model"]):
        own, tables["crane"]["model"] = _modelica_files(tables["crane"]["model"])
        files |= own
    files[_SCENARIO] = tomli_w.dumps(tables).encode()
    return ScenarioWork(scenario.name, files)


def _modelica_files(model: str) -> tuple[dict[str, bytes], str]:
    """Return the files of a Modelica crane, all of its package, and what it is called with them.

    Libraries are not among them: they are where MODELICAPATH of the worker has them.
    """
    file, class_name = model.rsplit(":", 1) if ".mo:" in model else (model, "")
    path = Path(file)
    root, sources = package_files(path)
    files = {f"{_MODELICA}/{one.relative_to(root).as_posix()}": one.read_bytes() for one in sources}
    place = f"{_MODELICA}/{path.relative_to(root).as_posix()}"
    return files, f"{place}:{class_name}" if class_name else place


def scales_of(verdicts: Iterable[Verdict]) -> dict[str, float]:
    """Return what margins are compared with: the limit, or where that is zero the value."""
    return {
        verdict.name: abs(verdict.limit or 0.0) or abs(verdict.value or 0.0) or 1.0
        for verdict in verdicts
    }


class ScenarioRunner:
    """Carries out runs, one after the other, on a plant that stays loaded."""

    def __init__(self, work: ScenarioWork) -> None:
        self._work = work
        self._folder = TemporaryFolder("campaign")
        try:
            for name, content in work.files.items():
                place = Path(self._folder.name) / name
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content)
            base = load_scenario(str(Path(self._folder.name) / _SCENARIO))
            self._base = replace(base, name=work.name)
            self._vary = Variation(self._base)
            table = self._base.tables.plant
            self._plant = Plant(
                Path(self._folder.name) / _FMU,
                interface=table.interface,
                timeout=table.timeout,
                allow=table.allow or None,
                contain=table.contain,
                backend=table.backend,
                persistent=table.reset,
            )
        except BaseException:
            self._folder.remove()
            raise
        self._map = plant_map(self._base, self._plant.info)
        known = work.certificate
        self._certificate = None if known is None else Certificate.from_dict(dict(known))
        self._solved: (
            tuple[ServoProblem, tuple[DriveFriction, ...], Feedforward, tuple[Verdict, ...]] | None
        ) = None
        self._scenarios: dict[int, tuple[Mapping[str, float], Scenario]] = {}
        self._prepared: dict[int, Feedforward] = {}
        self._law: tuple[Feedforward, Feedback, PlantLaw] | None = None

    def close(self) -> None:
        """End the plant's process and remove the files."""
        self._plant.close()
        self._folder.remove()

    def scenario(self, number: int, values: Mapping[str, float]) -> Scenario:
        """Return the scenario of a run."""
        known = self._scenarios.get(number)
        if known is not None and known[0] == values:
            return known[1]
        return self._vary({**values, **self.own_values(number, values)})

    def own_values(self, number: int, values: Mapping[str, float]) -> dict[str, float]:
        """Return what makes the noise of a run its own, unless that is varied, too."""
        noisy = bool(self._base.tables.control.sensor)
        return {DRAW: number + 1} if noisy and DRAW not in values else {}

    def prepare(self, numbers: Sequence[int], points: Sequence[Mapping[str, float]]) -> None:
        """Solve the feedforwards of several runs at once, where only parameters differ."""
        base, settings = self._base, self._base.tables.solve
        self._scenarios, self._prepared = {}, {}
        for number, point in zip(numbers, points, strict=True):
            with suppress(CranebridgeError):  # the run itself says what is wrong
                self._scenarios[number] = (point, self.scenario(number, point))
        alike = {
            number: one.problem
            for number, (_, one) in self._scenarios.items()
            if one.problem is not base.problem
            and (one.problem.path, one.problem.initial) == (base.problem.path, {})
        }
        if settings.method == "index1" and alike:
            times = time_grid(base.problem.path.duration, settings.step)
            sets = [one.parameters for one in alike.values()]
            found = solve_parameter_sets(base.problem, sets, times, settings.compile)
            for number, one in zip(alike, found, strict=True):
                if one.solution is not None:
                    friction = self._scenarios[number][1].friction
                    with suppress(CranebridgeError):
                        self._prepared[number] = with_friction(one.solution, friction)

    def __call__(self, number: int, values: Mapping[str, float]) -> Row:
        """Carry out a run and return its row."""
        scenario = self.scenario(number, values)
        driven, verdicts = self.drive(scenario, self._prepared.get(number), on_grid=False)
        row: Row = {}
        if number in self._work.budget:
            budget = driven.budget(self._certificate)
            verdicts = known_well(verdicts, budget)
            parts = {**budget.as_dict(), "unexplained": budget.unexplained}
            row = {f"budget.{name}": part for name, part in parts.items() if part is not None}
            if budget.sampling is not None and meant_to_be_the_twin(
                driven.run.settings, self._certificate
            ):
                verdicts += (budget.verdict(scenario.limits.tracking),)
        return _row(verdicts, driven, self._work.scales) | row

    def drive(
        self, scenario: Scenario, prepared: Feedforward | None = None, on_grid: bool = True
    ) -> tuple[JudgedRun, tuple[Verdict, ...]]:
        """Solve and drive a scenario; returns what the plant did and all verdicts.

        A feedforward that was prepared is taken if it is one of the same problem. What the plant
        does at the compared times is for tables, and not needed for verdicts (`drive_plant`).
        """
        feedforward, verdicts = self._solution(scenario, prepared)
        settings = plant_settings(scenario)
        law = self._controller(feedforward, settings)
        driven = drive_plant(
            PlantRun(feedforward, self._plant, self._map, settings, law),
            scenario.limits,
            on_grid,
            scenario.obstacles,
        )
        return driven, (*verdicts, *driven.verdicts)

    def _solution(
        self, scenario: Scenario, prepared: Feedforward | None
    ) -> tuple[Feedforward, tuple[Verdict, ...]]:
        """Return the feedforward with its verdicts; that of the last run where nothing differs."""
        known, problem, friction = self._solved, scenario.problem, scenario.friction
        if known is None or not (_same(known[0], problem) and known[1] == friction):
            if prepared is None or not _same(prepared.problem, problem):
                solved = solve_scenario(scenario)
                known = (problem, friction, solved.feedforward, solved.verdicts)
            else:
                known = (problem, friction, prepared, judge(prepared, scenario))
            self._solved = known
        return known[2], known[3]

    def _controller(self, feedforward: Feedforward, settings: Settings) -> PlantLaw | None:
        """Return the sampled controller, designed once for one motion, with this run's noise."""
        feedback = settings.feedback
        if feedback is None:
            return None
        design = replace(feedback, sensing=replace(feedback.sensing, draw=0))
        if self._law is None or self._law[0] is not feedforward or self._law[1] != design:
            self._law = (feedforward, design, self._designed(feedforward, settings, design))
        return self._law[2].redrawn(feedback.sensing.draw)

    def _designed(self, feedforward: Feedforward, settings: Settings, design: Feedback) -> PlantLaw:
        assert self._solved is not None
        alike = self._solved[1] == self._base.friction
        if self._work.law and alike and _same(feedforward.problem, self._base.problem):
            with ca.global_unpickle_context():
                asked, law = _LawReader(self._work.law, self._base.crane).load()
            if asked == design:
                found: PlantLaw = law.compiled_here()
                return found
        assert settings.feedback is not None
        times = compared_times(feedforward, settings)
        return plant_law(feedforward, self._map, settings.feedback, times)

    def packed_law(self) -> bytes:
        """Return the sampled controller of the last run for other processes; empty if none."""
        if self._law is None:
            return b""
        packed = io.BytesIO()
        with ca.global_pickle_context():  # an observer has expressions
            _LawWriter(packed).dump(self._law[1:])
        return packed.getvalue()


# The crane of a packed law is not packed with it: a class of a user's file has another module in
# each process, and in each folder. Who unpacks the law has made the same crane of its own copy.
_OWN_CRANE = "the crane of the scenario"


class _LawWriter(pickle.Pickler):
    """Packs a law without its crane."""

    def persistent_id(self, obj: object) -> str | None:
        """Name the crane in place of it."""
        return _OWN_CRANE if isinstance(obj, Crane) else None


class _LawReader(pickle.Unpickler):
    """Unpacks a law for a crane."""

    def __init__(self, packed: bytes, crane: Crane) -> None:
        super().__init__(io.BytesIO(packed))
        self._crane = crane

    def persistent_load(self, pid: object) -> Crane:
        """Return the crane in whose place the name stands."""
        if pid != _OWN_CRANE:
            raise pickle.UnpicklingError(f"a law has no {pid!r}")
        return self._crane


def _same(one: ServoProblem, other: ServoProblem) -> bool:
    return one is other or (one.path, one.parameters, one.initial) == (
        other.path,
        other.parameters,
        other.initial,
    )


def _row(verdicts: tuple[Verdict, ...], driven: JudgedRun, scales: Mapping[str, float]) -> Row:
    """Return what is kept of a run; what could not be judged has not passed."""
    row: Row = {"passed": all(verdict.passed for verdict in verdicts)}
    margins = [relative_margin(verdict, scales) for verdict in verdicts if verdict.name in scales]
    if None not in margins:
        row["margin"] = min((margin for margin in margins if margin is not None), default=1.0)
    for verdict in verdicts:
        row[f"passed.{verdict.name}"] = verdict.passed
        if verdict.margin is not None:
            row[f"margin.{verdict.name}"] = verdict.margin
    figures = figures_of(driven.motion)
    row |= {f"max_error.{name}": value for name, value in figures.max_error.items()}
    if figures.residual_swing is not None:
        row["residual_swing"] = figures.residual_swing
    if figures.lasting_offset is not None:
        row["lasting_offset"] = figures.lasting_offset
    row |= {f"peak.{name}": value for name, value in figures.peak.items()}
    return row | _ropes(driven.motion)


def relative_margin(verdict: Verdict, scales: Mapping[str, float]) -> float | None:
    """Return the margin as a part of what it is compared with; None if it was not judged."""
    return None if verdict.margin is None else verdict.margin / scales[verdict.name]


def _ropes(motion: Motion) -> Row:
    """Return least and largest force of each rope that the plant shows."""
    row: Row = {}
    for name in names(motion.crane.ropes):
        if f"rope.{name}" in motion.values:
            low, high = motion.extremes(f"rope.{name}")
            row |= {f"least.{name}": low.value, f"most.{name}": high.value}
    return row
