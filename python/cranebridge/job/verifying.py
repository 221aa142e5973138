"""Certify and verify a scenario: export the plant, compare it with the twin, drive it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path as FilePath

from cranebridge.errors import InputError
from cranebridge.job.checks import common_source
from cranebridge.job.plant_drives import drive_loops, speed_loops
from cranebridge.job.solving import solve_scenario
from cranebridge.limits import Verdict
from cranebridge.plant import Plant
from cranebridge.plant.description import PlantInfo
from cranebridge.plant.export import cached_fmu
from cranebridge.progress import Progress, StageReport, ignore_progress, ignore_stage
from cranebridge.scenario import Scenario, control_cycle, sensors_of
from cranebridge.scenario.tables import PlantTable
from cranebridge.twin import is_modelica
from cranebridge.verify import (
    Certificate,
    CommonSource,
    Feedback,
    PlantFacts,
    PlantMap,
    Sensing,
    Settings,
    Verified,
    certify,
    changed_notice,
    source_notes,
    track_plant,
    track_twin,
)

WITHOUT_FRICTION = (
    "the friction of crane.friction is in the controls and no part of the twin: twin and plant "
    "were compared without it, and the tracking alone shows whether the plant's is the same"
)


def plant_file(scenario: Scenario) -> FilePath:
    """Return the FMU of a scenario: the user's, or one exported from Modelica (cached)."""
    table = scenario.tables.plant
    if table.fmu is not None:
        return FilePath(table.fmu)
    if table.model is None:
        raise InputError(
            f"scenario '{scenario.name}' names no plant: add plant.model (a model of "
            "modelica/Cranes) or plant.fmu (a file)"
        )
    shown = scenario.crane.variables_in(table.model)
    return FilePath(cached_fmu(table.model, fmi=table.fmi, shown=shown))


@contextmanager
def open_plant(scenario: Scenario, file: FilePath) -> Iterator[tuple[Plant, PlantMap]]:
    """Load a scenario's plant into its child process and relate it to the twin."""
    table = scenario.tables.plant
    with Plant(
        file,
        interface=table.interface,
        timeout=table.timeout,
        allow=table.allow or None,
        contain=table.contain,
        backend=table.backend,
    ) as plant:
        yield plant, plant_map(scenario, plant.info)


def plant_map(scenario: Scenario, info: PlantInfo) -> PlantMap:
    """Relate a scenario's plant to its twin."""
    map_table = scenario.tables.plant.map.model_dump()
    return PlantMap(scenario.crane, info, map_table, speed_loops(scenario))


def _certified(
    scenario: Scenario,
    solved: Verified,
    plant: Plant,
    mapping: PlantMap,
    common: CommonSource | None,
) -> Certificate:
    """Compare twin and plant, and say whether they have two sources."""
    certificate = certify(solved.feedforward.frictionless, plant, mapping)
    notes = [changed_notice(scenario.tables.plant.parameters)]
    notes += [WITHOUT_FRICTION] if scenario.friction else []
    certificate = replace(certificate, notes=(*certificate.notes, *filter(None, notes)))
    if common is not None:
        return replace(certificate, common_source=common)
    twin = scenario.tables.crane.model
    if not is_modelica(twin):
        return certificate
    return replace(certificate, notes=(*certificate.notes, *source_notes(twin, plant.info)))


def certify_scenario(
    scenario: Scenario, report_stage: StageReport = ignore_stage
) -> tuple[Certificate, Verdict]:
    """Compare a scenario's twin and plant; returns the certificate and what it is worth."""
    report_stage("solve")
    solved = solve_scenario(scenario)
    report_stage("export")
    file = plant_file(scenario)
    report_stage("certify")
    with open_plant(scenario, file) as (plant, mapping):
        common = common_source(scenario, file)
        certificate = _certified(scenario, solved, plant, mapping, common)
    return certificate, certificate.verdict(scenario.tables.plant.certify == "partial")


def verify_scenario(
    scenario: Scenario,
    report_stage: StageReport = ignore_stage,
    solved: Verified | None = None,
    progress: Progress = ignore_progress,
    known: Certificate | None = None,
    certified: Callable[[Certificate], None] | None = None,
) -> Verified:
    """Solve, export, certify and verify a scenario.

    Parameters
    ----------
    scenario : Scenario
        What to verify.
    report_stage : callable
        Called with the name of each stage as it begins.
    solved : Verified, optional
        The solution, if it is there already.
    progress : callable
        Called with the part that is done of the stage "verify".
    known : Certificate, optional
        A certificate of an earlier run; taken only if it is of the very same FMU.
    certified : callable, optional
        Given a new certificate as soon as it is there.
    """
    if solved is None:
        report_stage("solve")
        solved = solve_scenario(scenario)
    table, settings = scenario.tables.plant, plant_settings(scenario)
    report_stage("export")
    file = plant_file(scenario)
    with open_plant(scenario, file) as (plant, mapping):
        common = common_source(scenario, file)
        certificate = known if known and known.fmu_sha256 == plant.info.sha256 else None
        if certificate is None and table.certify:
            report_stage("certify")
            certificate = _certified(scenario, solved, plant, mapping, common)
            if certified is not None:
                certified(certificate)
        report_stage("verify")
        tracking = track_plant(
            solved.feedforward,
            plant,
            mapping,
            settings,
            scenario.limits,
            certificate,
            progress,
            scenario.obstacles,
        )
        facts = PlantFacts(
            file.name,
            plant.info.sha256,
            plant.interface,
            plant.containment,
            plant.backend,
            mapping.unit_notes,
            common,
        )
    # a check has judged the loop already
    loop = tracking.of_loop if solved.loop is None else ()
    return replace(
        solved,
        of_solution=(*solved.of_solution, *loop),
        plant=facts,
        certificate=certificate,
        partial=table.certify == "partial",
        tracking=tracking,
    )


def verify_on_twin(
    scenario: Scenario,
    report_stage: StageReport = ignore_stage,
    progress: Progress = ignore_progress,
) -> Verified:
    """Solve a scenario and drive the twin's own equations of motion, integrated forward.

    A second forward simulator beside the FMU: no export, no Modelica, the same mechanics.
    """
    report_stage("solve")
    solved = solve_scenario(scenario)
    report_stage("verify")
    tracking = track_twin(
        solved.feedforward.frictionless,
        plant_settings(scenario),
        scenario.limits,
        progress,
        scenario.obstacles,
    )
    return replace(solved, plant=PlantFacts("twin", "", "twin"), tracking=tracking)


def _max_step(table: PlantTable) -> float | None:
    if table.max_step is not None and (table.interface == "cs" or table.backend == "fmpy"):
        raise InputError(
            "plant.max_step is for Model Exchange, where the integrator is ours; with "
            "plant.interface = 'cs', or plant.backend = 'fmpy', give plant.step"
        )
    return table.max_step


def plant_settings(scenario: Scenario) -> Settings:
    """Return how a scenario's plant is driven and simulated."""
    table, control = scenario.tables.plant, scenario.tables.control
    loops = drive_loops(scenario)
    feedback, cycle = None, control_cycle(control)
    if control.kind != "none" and cycle:
        feedback = Feedback(
            kind=control.kind,
            cycle=cycle,
            delay=control.delay,
            weights=control.weights,
            limits=scenario.limits,
            loops=loops if control.kind == "drives" else (),
            sensing=Sensing(sensors_of(control), **control.observer.model_dump()),
            fade=control.fade,
            gains=control.gains,
            speed=speed_loops(scenario),
        )
    return Settings(
        feed=table.feed,
        tolerance=table.tolerance,
        settle=table.settle,
        step=table.step,
        max_step=_max_step(table),
        # sampled loops of the drives stand beside no others, to be compared with open loop
        loops=() if feedback is not None and feedback.loops else loops,
        feedback=feedback,
        start={group: values for group, values in table.start.model_dump().items() if values},
        parameters=table.parameters,
        variants=table.variants,
        disturbances=scenario.disturbances,
        speed=speed_loops(scenario),
        path=scenario.real_path,
    )
