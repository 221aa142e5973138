"""Does the load follow? The feedforward drives the plant, and the plant's path is compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cranebridge.inverse import Feedforward
from cranebridge.limits import TRACKING_OF, Limits, Motion, Verdict, judge, not_judged, worst
from cranebridge.plant import Plant
from cranebridge.plant.sandbox import Dense, PlantError, Simulation
from cranebridge.progress import Progress, ignore_progress
from cranebridge.twin.language import names
from cranebridge.verify.budget import (
    OTHER_STEP,
    PARTS,
    Budget,
    BudgetRuns,
    exact_controls,
    is_continuous,
    known_well,
    largest_rounding,
    make_budget,
    steps_verdict,
    tight_tolerance,
)
from cranebridge.verify.certificate import Certificate, model_error
from cranebridge.verify.feedback import BANDWIDTH, inertia_loops
from cranebridge.verify.mapping import PlantMap
from cranebridge.verify.settings import Feed, Settings
from cranebridge.verify.tracking.estimates import estimate_columns, estimated_disturbances
from cranebridge.verify.tracking.figures import Figures, Tracking, figures_of
from cranebridge.verify.tracking.plant_run import PlantRun
from cranebridge.verify.tracking.plant_signals import (
    applied_inputs,
    drive_speeds,
    energy_balance,
    given_speeds,
    plant_motion,
)
from cranebridge.verify.tracking.run_counter import RunCounter

if TYPE_CHECKING:
    from cranebridge.plan import Obstacle

Array = NDArray[np.float64]

# Of the nodes within the integrator's steps, every sixth is compared in the budget, and those at
# which an error is largest: interpolation within a long step can be worse than all other steps.
THINNED = 6


def track_plant(
    feedforward: Feedforward,
    plant: Plant,
    mapping: PlantMap,
    settings: Settings,
    limits: Limits,
    certificate: Certificate | None = None,
    progress: Progress = ignore_progress,
    obstacles: Sequence[Obstacle] = (),
) -> Tracking:
    """Drive a plant with a feedforward and compare the load's path with what was asked.

    Parameters
    ----------
    feedforward : Feedforward
        The controls.
    plant : Plant
        The loaded FMU.
    mapping : PlantMap
        How its names relate to the twin's.
    settings : Settings
        How it is driven.
    limits : Limits
        What is judged.
    certificate : Certificate, optional
        For the model part of the budget; where it says *same* and nothing else is meant to differ,
        the error must be explained.
    progress : callable
        Called with the part that is done.
    obstacles : sequence of Obstacle
        What the plant's load, and where asked its ropes, must not touch.
    """
    counter = RunCounter(_count(plant, settings), progress)
    own = PlantRun(feedforward, plant, mapping, settings, counter=counter)
    driven = drive_plant(own, limits, obstacles=obstacles)
    run, simulation, motion = driven.run, driven.simulation, driven.motion
    budget = driven.budget(certificate)
    verdicts = [*known_well(driven.verdicts, budget)]
    # Without exact controls (index3 on a crane that is not flat) the sampling part is not known.
    if budget.sampling is not None and meant_to_be_the_twin(settings, certificate):
        verdicts.append(budget.verdict(limits.tracking))
    verdicts += steps_verdict(budget, run.max_step, settings.tolerance, _size(run), limits.tracking)
    variants = _variants(run, limits, obstacles)
    return replace(
        tracking_of(
            run, simulation, motion, budget, (*verdicts, *(one.verdict for one in variants))
        ),
        energy_balance=energy_balance(run, simulation, motion),
        variants={one.name: one.errors for one in variants},
        failed_variants={one.name: one.failed for one in variants if one.failed},
        compared=_compared(run, motion),
        controller=_controller_lines(run, simulation),
        notes=(*_notes_on_motions(run), *(() if run.law is None else run.law.notes)),
        of_loop=() if run.law is None else run.law.verdicts,
        estimates=estimate_columns(run, simulation),
        estimated=estimated_disturbances(run, simulation),
    )


def _notes_on_motions(run: PlantRun) -> tuple[str, ...]:
    """Say that the base moves otherwise than the controls know, and by how much."""
    real, known = run.settings.path, run.feedforward.problem.path
    if real is None:
        return ()
    times = run.feedforward.time
    apart = np.abs(real(times) - known(times)).max(axis=1)
    missed = [
        f"{part.name} by up to {apart[known.outputs.index(part.name)]:.3g} {part.unit}"
        for part in run.problem.crane.motions
    ]
    return (f"the base moves as plant.motion says; the controls miss {', '.join(missed)}",)


def _size(run: PlantRun) -> float:
    """Return the largest wanted output of a motion."""
    return float(np.abs(run.problem.path(run.times)).max())


def _count(plant: Plant, settings: Settings) -> int:
    """Return how many simulations a verification takes, if the first finer one explains it."""
    budget = (2 if plant.is_stepped else 1) + (settings.feedback is None)
    compared = 0 if settings.feedback is None else 2
    return 1 + budget + len(settings.variants) + compared


def tracking_of(
    run: PlantRun,
    simulation: Simulation,
    motion: Motion,
    budget: Budget,
    verdicts: tuple[Verdict, ...],
) -> Tracking:
    """Return what a plant did in one run, with a budget and verdicts that are known already."""
    grid = MotionOnGrid(run, simulation)
    return Tracking(
        feedforward=run.feedforward,
        settings=run.settings,
        time=grid.time,
        wanted=grid.wanted,
        achieved=grid.achieved,
        q=grid.q,
        u=grid.u,
        ropes=grid.ropes,
        seen=grid.seen,
        drive_speeds=grid.drive_speeds,
        powers=grid.powers,
        motion=motion,
        budget=budget,
        verdicts=verdicts,
        speeds=grid.speeds,
        statistics={
            "method": simulation.method,
            "evaluations": simulation.evaluations,
            "seconds": simulation.seconds,
            "interpolation": simulation.interpolation,
        },
    )


@dataclass(frozen=True, eq=False)
class JudgedRun:
    """A plant that was driven once, in the twin's signals, and judged.

    Attributes
    ----------
    run : PlantRun
        How it was driven.
    simulation : Simulation
        What the plant did.
    motion : Motion
        The same in the twin's signals.
    verdicts : tuple of Verdict
        All limits, judged.
    """

    run: PlantRun
    simulation: Simulation
    motion: Motion
    verdicts: tuple[Verdict, ...]

    def budget(self, certificate: Certificate | None) -> Budget:
        """Return where the error comes from; that takes some simulations more."""
        return _budget(self.run, self.simulation, self.motion, certificate)


def drive_plant(
    run: PlantRun, limits: Limits, on_grid: bool = True, obstacles: Sequence[Obstacle] = ()
) -> JudgedRun:
    """Drive a plant and judge its motion: what every verification is made of.

    Where the steps of the integrator are known, the compared times serve tables and pictures only;
    without them (`on_grid`) verdicts and budget are the same, and a third of the time is saved.
    """
    times = run.times if on_grid or not run.plant.knows_steps else run.times[[0, -1]]
    simulation = run.simulate(run.feedforward, run.settings.tolerance, times=times, dense=True)
    run.require_start(simulation)
    motion = plant_motion(run, simulation, limits)
    return JudgedRun(run, simulation, motion, judge_plant(run, motion, limits, obstacles))


def judge_plant(
    run: PlantRun,
    motion: Motion,
    limits: Limits,
    obstacles: Sequence[Obstacle],
    parameters: Mapping[str, float] | None = None,
) -> tuple[Verdict, ...]:
    """Judge a plant's motion by limits and obstacles; with other parameters where given."""
    verdicts = judge(motion, limits)
    if obstacles:
        from cranebridge.plan.task import judge_plant_clearance  # SciPy takes long to import

        own = run.twin_parameters(run.settings.parameters if parameters is None else parameters)
        verdicts += judge_plant_clearance(motion, obstacles, own)
    return tuple(verdicts)


def meant_to_be_the_twin(settings: Settings, certificate: Certificate | None) -> bool:
    """Return whether plant and twin are the same, so that the budget must explain the error."""
    return certificate is not None and certificate.same and not settings.differs


class MotionOnGrid:
    """The plant's motion at the compared times; see `Tracking`."""

    def __init__(self, run: PlantRun, simulation: Simulation) -> None:
        crane, times, readings = run.problem.crane, simulation.time, simulation.outputs
        self.time, self.wanted = times, run.problem.path(times).T
        self.achieved = run.outputs(simulation)
        self.speeds = given_speeds(run, times, simulation.given)
        coordinates, ropes = names(crane.coordinates), names(crane.ropes)
        self.seen = frozenset(n for n in (*coordinates, *ropes) if not run.mapping.missing([n]))
        self.q = run.feedforward.coordinates(times)
        self.ropes = np.full((times.size, len(ropes)), np.nan)
        for target, group in ((self.q, coordinates), (self.ropes, ropes)):
            for i, name in enumerate(group):
                if name in self.seen:
                    target[:, i] = run.signals((name,), readings)[:, 0]
        self.u = applied_inputs(run, times, readings, given=simulation.given)
        values = {f"q.{name}": self.q[:, i] for i, name in enumerate(coordinates)}
        for name in coordinates:
            if not run.mapping.missing([f"v.{name}"]):
                values[f"v.{name}"] = run.signals((f"v.{name}",), readings)[:, 0]
        self.drive_speeds = drive_speeds(crane, run.parameters, values)
        self.powers = {
            name: self.u[:, i] * speed for i, (name, speed) in enumerate(self.drive_speeds.items())
        }


def _budget(
    run: PlantRun, simulation: Simulation, motion: Motion, certificate: Certificate | None
) -> Budget:
    """Simulate once more in finer ways, at the times of the integrator's own steps."""
    feedforward, settings = run.feedforward, run.settings
    step = settings.step if run.plant.is_stepped else None
    own_times, own, stops = simulation.time, run.outputs(simulation), np.empty(0)
    if simulation.dense is not None:
        peaks = _peak_times(run, motion)
        own_times, first = np.unique(simulation.dense.time, return_index=True)
        every = np.arange(0, own_times.size, THINNED)
        chosen = np.union1d(every, np.searchsorted(own_times, peaks))
        own_times, first = own_times[chosen], first[chosen]
        if run.law is None:  # which is asked at its stops
            stops = _middles(simulation.dense)
        own = run.signals(names(run.problem.crane.outputs), simulation.dense.outputs[first])
    moving = own_times <= motion.end
    wanted = run.problem.path(own_times).T
    tight = tight_tolerance(settings.tolerance)

    def error(solution: Feedforward, feed: Feed | None, parts: int) -> Array:
        return whole_error(solution, feed, parts)[moving]

    def whole_error(solution: Feedforward, feed: Feed | None, parts: int) -> Array:
        again = run.simulate(
            solution,
            tight,
            feed,
            times=own_times,
            step=None if step is None else step / parts,
            stops=stops,
            part=OTHER_STEP,
        )
        return np.asarray(run.outputs(again) - wanted)

    tight_run = whole_error(feedforward, None, 2)
    runs = BudgetRuns(
        time=own_times[moving],
        own=(own - wanted)[moving],
        tight=tight_run[moving],
        tighter=None if step is None else error(feedforward, None, 4),
        ideal=None,
        rounding=largest_rounding(
            wanted, simulation.steps if step is None else 4 * np.ptp(own_times) / step
        ),
    )
    largest = max(_largest_errors(run, motion).values())
    model = None if certificate is None else model_error(feedforward, certificate)
    continuous, tighter = is_continuous(feedforward, settings.feed), tight / settings.tolerance
    for parts in PARTS:
        # a controller changes its inputs as the plant moves: no controls are exact for it
        finer = exact_controls(feedforward, parts) if run.law is None else None
        if finer is not None:
            runs = replace(runs, ideal=error(finer, "exact", 2))
        budget = make_budget(largest, runs, continuous, model, tighter, parts)
        if finer is None or budget.explains:
            break
    return replace(budget, between_steps=float(np.abs(own - wanted - tight_run).max()))


@dataclass(frozen=True)
class _Variant:
    """What the same controls do on a plant with other parameters."""

    name: str
    errors: Mapping[str, float]
    verdict: Verdict
    failed: str = ""


def _variants(run: PlantRun, limits: Limits, obstacles: Sequence[Obstacle]) -> list[_Variant]:
    """Try the same controls on plants with other parameters: what each imperfection costs.

    A loop that diverges on one of them is reported, and leaves the others as they are.
    """
    return [_variant(run, name, limits, obstacles) for name in run.settings.variants]


def _variant(run: PlantRun, name: str, limits: Limits, obstacles: Sequence[Obstacle]) -> _Variant:
    title, changed = f"variant {name}", run.settings.variants[name]
    values = {**run.values, **run.mapping.units.own_values(changed)}
    try:
        simulation = run.simulate(
            run.feedforward, run.settings.tolerance, parameters=values, dense=True
        )
    except PlantError as error:
        reason = f"its run could not be finished: {error}"
        return _Variant(name, {}, not_judged(title, reason), failed=str(error))
    motion = plant_motion(run, simulation, limits, values)
    parameters = {**run.settings.parameters, **changed}
    verdicts = judge_plant(run, motion, limits, obstacles, parameters)
    return _Variant(name, _largest_errors(run, motion), _together(title, verdicts))


def _together(name: str, verdicts: Sequence[Verdict]) -> Verdict:
    """Return one verdict for all of a variant: the worst, or that on the tracking error."""
    broken = [verdict for verdict in verdicts if not verdict.passed]
    chosen = worst(broken or [v for v in verdicts if v.name.startswith(TRACKING_OF)])
    more = f" (and {len(broken) - 1} more)" if len(broken) > 1 else ""
    return replace(chosen, name=name, message=f"{name}: {chosen.message}{more}")


def _compared(run: PlantRun, motion: Motion) -> dict[str, Figures]:
    """Run the plant without the sampled controller, too: what it does for which inputs."""
    feedback, bare = run.settings.feedback, replace(run.settings, feedback=None)
    if feedback is None:
        return {}
    found = {"open loop": _figures(run, replace(bare, loops=()))}
    if run.drives is not None:
        found["drives, continuous"] = _figures(run, bare)
    elif feedback.kind != "drives":
        found |= _default_drives(run, bare)
    return {**found, feedback.kind: figures_of(motion)}


def _default_drives(run: PlantRun, bare: Settings) -> dict[str, Figures]:
    """Run the plant with loops of its drives that nobody gave, or say why there are none."""
    none = "no loops in plant.drives or control.drives"
    if bare.speed:
        return {"drives": _no_figures("their speed loops are closed in all of these")}
    loops = inertia_loops(run.feedforward, run.mapping)
    if isinstance(loops, str):
        return {"drives": _no_figures(f"{none}, and no default ones: {loops}")}
    return {f"drives, default {BANDWIDTH:g} Hz": _figures(run, replace(bare, loops=loops))}


def _no_figures(why: str) -> Figures:
    return Figures({}, None, {}, failed=why)


def _figures(run: PlantRun, settings: Settings) -> Figures:
    """Return what the plant does when it is driven otherwise."""
    other = PlantRun(run.feedforward, run.plant, run.mapping, settings, counter=run.counter)
    try:
        simulation = other.simulate(run.feedforward, settings.tolerance, dense=True)
        return figures_of(plant_motion(other, simulation))
    except PlantError as error:
        return _no_figures(str(error))


def _peak_times(run: PlantRun, motion: Motion) -> list[float]:
    """Return when the error of each output is largest during the manoeuvre."""
    moving = motion.time <= motion.end
    errors = [motion.values[f"tracking.{name}"] for name in names(run.problem.crane.outputs)]
    return [float(motion.time[moving][np.argmax(np.abs(e[moving]))]) for e in errors]


def _middles(dense: Dense) -> Array:
    """Return the middles of all steps.

    A step between two knots is the same with every tolerance, and so is what is wrong with it: a
    run that must stop in its middle tells. What a step passes over in the controls of a plan, whose
    ramps are short, acts on all that follows, so that looking where the error is largest is not
    enough.
    """
    begins = dense.time[dense.starts]
    return np.asarray(0.5 * (begins + np.append(begins[1:], dense.time[-1])))


def _controller_lines(run: PlantRun, simulation: Simulation) -> tuple[str, ...]:
    """Return what was designed, and whether the controller always knew where the plant is."""
    if run.law is None:
        return ()
    status = simulation.controller_status
    blind = 0 if status is None else int((status < 0.0).sum())
    chosen = (
        f"at {blind} samples a measured value was no number, or refused: held safely, or estimated "
        "without it"
        if blind
        else ""
    )
    return (*run.law.lines, chosen) if chosen else run.law.lines


def _largest_errors(run: PlantRun, motion: Motion) -> dict[str, float]:
    """Return the largest error of each output during the manoeuvre."""
    moving = motion.time <= motion.end
    return {
        output: float(np.abs(motion.values[f"tracking.{output}"][moving]).max())
        for output in names(run.problem.crane.outputs)
    }
