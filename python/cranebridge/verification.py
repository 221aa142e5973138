"""Verify a scenario: export the plant, certify it, drive it, judge it; the whole main job."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from cranebridge.errors import InputError, StructureError
from cranebridge.inverse.check import Check
from cranebridge.limits.verdict import Verdict
from cranebridge.plant.export import cached_fmu
from cranebridge.plant.plant import Plant
from cranebridge.scenario import Scenario
from cranebridge.solve import (
    Solved,
    check_scenario,
    require_writable,
    scenario_limits,
    solve_scenario,
    versions,
    write_scenario,
)
from cranebridge.verify import (
    Certificate,
    PlantMap,
    Tracking,
    certify,
    verify,
    verify_twin,
)
from cranebridge.verify.certificate import CERTIFIED
from cranebridge.verify.settings import DriveLoop, Settings

STAGES = ("check", "solve", "export", "certify", "verify", "report")


@dataclass(frozen=True, eq=False)
class Verified:
    """A verified scenario: solution, certificate and tracking."""

    solved: Solved
    fmu: FilePath | None
    certificate: Certificate | None
    tracking: Tracking

    @property
    def verdicts(self) -> list[Verdict]:
        """All verdicts: of the solution, of the certificate, of the tracking."""
        own = [] if self.certificate is None else [_certificate_verdict(self.certificate)]
        return [*self.solved.verdicts, *own, *self.tracking.verdicts]

    @property
    def exit_code(self) -> int:
        """0 if all verdicts passed, else 1."""
        return 0 if all(verdict.passed for verdict in self.verdicts) else 1

    def summary(self) -> dict[str, Any]:
        """Return the content of ``summary.json``."""
        certificate = None if self.certificate is None else self.certificate.as_dict()
        return {
            **self.solved.summary(),
            "plant": {"twin": True} if self.fmu is None else _fmu_facts(self.fmu),
            "certificate": certificate,
            "tracking": self.tracking.as_dict(),
            "verdicts": [verdict.as_dict() for verdict in self.verdicts],
        }


def plant_file(scenario: Scenario) -> FilePath:
    """Return the FMU of a scenario: the user's, or one exported from Modelica (cached)."""
    table = scenario.tables.plant
    if table.fmu is not None:
        file = FilePath(table.fmu)
        return file if file.is_absolute() else scenario.folder / file
    if table.model is None:
        raise InputError(
            f"scenario '{scenario.name}' names no plant: add plant.model (a model of "
            "modelica/Cranes) or plant.fmu (a file)"
        )
    model = table.model
    if ".mo" in model and not FilePath(model).is_absolute():
        model = str(scenario.folder / model)
    return FilePath(cached_fmu(model, fmi=table.fmi))


@contextmanager
def open_plant(scenario: Scenario, file: FilePath) -> Iterator[tuple[Plant, PlantMap]]:
    """Load a scenario's plant into its child process and relate it to the twin."""
    table = scenario.tables.plant
    allow = table.allow or None
    with Plant(file, interface=table.interface, timeout=table.timeout, allow=allow) as plant:
        yield plant, PlantMap(scenario.crane, plant.info, table.map.model_dump())


def certify_scenario(scenario: Scenario) -> Certificate:
    """Compare a scenario's twin and plant; needs Model Exchange."""
    table = scenario.tables.plant
    file = plant_file(scenario)
    with Plant(file, interface="me", timeout=table.timeout, allow=table.allow or None) as plant:
        mapping = PlantMap(scenario.crane, plant.info, table.map.model_dump())
        return certify(scenario.problem, plant, mapping)


def verify_scenario(
    scenario: Scenario,
    tell: Callable[[str], None] = lambda stage: None,
    certificate: Certificate | None = None,
    solved: Solved | None = None,
) -> Verified:
    """Solve, export, certify and verify a scenario.

    Parameters
    ----------
    tell : callable
        Told the name of each stage as it begins.
    certificate, solved : optional
        Results that are there already.
    """
    if solved is None:
        tell("solve")
        solved = solve_scenario(scenario)
    tell("export")
    file = plant_file(scenario)
    table = scenario.tables.plant
    if certificate is None and table.certify:
        tell("certify")
        certificate = certify_scenario(scenario)
    tell("verify")
    with open_plant(scenario, file) as (plant, mapping):
        tracking = verify(
            solved.feedforward,
            plant,
            mapping,
            _settings(scenario),
            certificate,
            scenario_limits(scenario),
        )
    return Verified(solved, file, certificate, tracking)


def verify_on_twin(
    scenario: Scenario, tell: Callable[[str], None] = lambda stage: None
) -> Verified:
    """Solve a scenario and drive the twin's own equations of motion, integrated forward.

    A second forward simulator beside the FMU: no export, no Modelica, the same mechanics.
    """
    tell("solve")
    solved = solve_scenario(scenario)
    tell("verify")
    tracking = verify_twin(solved.feedforward, _settings(scenario), scenario_limits(scenario))
    return Verified(solved, None, None, tracking)


def run_scenario(
    scenario: Scenario,
    folder: FilePath,
    force: bool = False,
    tell: Callable[[str], None] = lambda stage: None,
) -> Verified:
    """Do the main job: check, solve, export, certify, verify, report.

    Each stage leaves its files in `folder` as it ends. A folder that an interrupted run of the same
    scenario left is gone on with; any other existing one is replaced only with `force`.

    Raises
    ------
    CranebridgeError
        If the scenario cannot be solved; the first problem is the message.
    """
    key = _key(scenario)
    finished = _resume(folder, key, force)
    tell("check")
    checked = check_scenario(scenario)
    _require_solvable(checked)
    _write(folder / "check.json", checked.as_dict())
    tell("solve")
    solved = solve_scenario(scenario)
    solved.feedforward.write_csv(folder / "feedforward.csv")
    write_scenario(folder, scenario)
    certificate = None
    if "certify" in finished:
        certificate = _read_certificate(folder / "certificate.json")
    elif scenario.tables.plant.certify:
        tell("export")
        plant_file(scenario)
        tell("certify")
        certificate = certify_scenario(scenario)
        _write(folder / "certificate.json", certificate.as_dict())
        _mark(folder, key, ["certify"])
    verified = verify_scenario(scenario, tell, certificate, solved)
    verified.tracking.write_csv(folder / "tracking.csv")
    _write(folder / "summary.json", verified.summary())
    tell("report")
    _report(folder, verified)
    (folder / ".run.json").unlink()
    return verified


def _report(folder: FilePath, verified: Verified) -> None:
    from cranebridge.report import write_report

    certificate = None if verified.certificate is None else verified.certificate.as_dict()
    write_report(
        folder / "report.html",
        scenario=verified.solved.scenario,
        solved=verified.solved,
        tracking=verified.tracking,
        certificate=certificate,
        overwrite=True,
    )


def _settings(scenario: Scenario) -> Settings:
    table = scenario.tables.plant
    loops = tuple(
        DriveLoop(
            input=name,
            coordinate=drive.coordinate,
            kp=drive.kp,
            kv=drive.kv,
            position=drive.position,
            velocity=drive.velocity,
        )
        for name, drive in table.drives.items()
    )
    if table.tolerance <= 0.0 or table.settle < 0.0 or table.step <= 0.0:
        raise InputError(
            "plant.tolerance and plant.step must be positive, plant.settle not negative"
        )
    return Settings(
        feed=table.feed,
        tolerance=table.tolerance,
        settle=table.settle,
        step=table.step,
        loops=loops,
        parameters=table.parameters,
        variants=table.variants,
    )


def _certificate_verdict(certificate: Certificate) -> Verdict:
    value = certificate.max_relative_difference
    return Verdict(
        name="certificate",
        passed=certificate.passed,
        value=value,
        limit=CERTIFIED,
        margin=CERTIFIED - value,
        unit="1",
        message=f"twin and plant agree to {value:.1e}, relative, at {certificate.samples} random "
        f"states; worst: {certificate.where}",
    )


def _require_solvable(checked: Check) -> None:
    if checked.problems:
        raise StructureError(checked.problems[0])


def _key(scenario: Scenario) -> str:
    """Return what tells whether an interrupted run was of the same scenario and versions."""
    content = json.dumps([scenario.complete(), versions()], sort_keys=True, default=str)
    return hashlib.sha256(content.encode()).hexdigest()


def _resume(folder: FilePath, key: str, force: bool) -> list[str]:
    """Prepare the output folder; returns the stages that an interrupted run finished."""
    state = folder / ".run.json"
    if state.is_file():
        content = json.loads(state.read_text())
        if content.get("key") == key:
            return list(content.get("finished", []))
        if not force:
            raise InputError(
                f"output folder '{folder}' holds an interrupted run of another scenario; choose "
                "another with -o, or replace it with --force"
            )
    else:
        require_writable(folder, force)
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    _mark(folder, key, [])
    return []


def _mark(folder: FilePath, key: str, finished: list[str]) -> None:
    _write(folder / ".run.json", {"key": key, "finished": finished})


def _read_certificate(file: FilePath) -> Certificate:
    content = json.loads(file.read_text())
    content.pop("passed")
    return Certificate(**content)


def _write(file: FilePath, content: object) -> None:
    file.write_text(json.dumps(content, indent=2) + "\n")


def _fmu_facts(file: FilePath) -> dict[str, str]:
    return {"fmu": file.name, "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
