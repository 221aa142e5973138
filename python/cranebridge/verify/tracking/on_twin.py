"""Verification on the twin itself: its equations of motion, integrated forward.

It shares the twin's mechanics with the inverse, so it says nothing about the model; it does say
whether the controls do what the inverse promised, also for cranes without a Modelica plant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.forward import TwinSimulation, simulate_twin
from cranebridge.inverse import Feedforward
from cranebridge.limits import Limits, Motion, Verdict, judge
from cranebridge.numerics import LazyColumns
from cranebridge.progress import Progress, ignore_progress
from cranebridge.twin.language import names
from cranebridge.verify.budget import (
    BudgetRuns,
    exact_controls,
    is_continuous,
    known_well,
    make_budget,
    tight_tolerance,
)
from cranebridge.verify.settings import Settings
from cranebridge.verify.tracking.derived_signals import add_derived
from cranebridge.verify.tracking.figures import Tracking
from cranebridge.verify.tracking.plant_run import compared_times, why_unwatched
from cranebridge.verify.tracking.plant_signals import drive_speeds
from cranebridge.verify.tracking.run_counter import RunCounter

if TYPE_CHECKING:
    from cranebridge.plan import Obstacle

Array = NDArray[np.float64]

# The twin is looked at this often: no crane swings within a two-thousandth of its manoeuvre.
FINE_TIMES = 2001


def track_twin(
    feedforward: Feedforward,
    settings: Settings,
    limits: Limits,
    progress: Progress = ignore_progress,
    obstacles: Sequence[Obstacle] = (),
) -> Tracking:
    """Drive the twin with a feedforward and compare the load's path with what was asked.

    Controllers, disturbances, other plant parameters and another start are for FMUs and are refused
    here.
    """
    if settings.differs or settings.variants or settings.speed:
        raise InputError(
            "control, disturbance, plant.drives, plant.speed, plant.parameters, plant.start, "
            "plant.motion and plant.variants need an FMU as plant"
        )
    grid = compared_times(feedforward, settings)
    knots = np.asarray(feedforward.problem.path.knots)
    times = np.union1d(grid, np.union1d(np.linspace(grid[0], grid[-1], FINE_TIMES), knots))
    counter = RunCounter(3, progress)
    counter.begin()
    simulation = _simulate(feedforward, times, settings.tolerance)
    motion = _motion(feedforward, simulation)
    tight = tight_tolerance(settings.tolerance)
    moving = times <= feedforward.time[-1]
    wanted = feedforward.problem.path(times).T
    finer = exact_controls(feedforward)

    def error(solution: Feedforward) -> Array:
        counter.begin()
        return np.asarray(_simulate(solution, times, tight).outputs - wanted)

    whole, tight_run = simulation.outputs - wanted, error(feedforward)
    own = whole[moving]
    ideal = None if finer is None else error(finer)[moving]
    runs = BudgetRuns(times[moving], own, tight_run[moving], None, ideal)
    continuous = is_continuous(feedforward, "exact")
    error_of_own = float(np.abs(own).max())
    budget = replace(
        make_budget(error_of_own, runs, continuous, None, tight / settings.tolerance),
        between_steps=float(np.abs(whole - tight_run).max()),
    )
    chosen = np.searchsorted(times, grid)
    crane = feedforward.problem.crane
    speeds = {
        name: np.interp(grid, motion.time, values)
        for name, values in drive_speeds(
            crane, feedforward.problem.parameter_vector, motion.values
        ).items()
    }
    return Tracking(
        feedforward=feedforward,
        settings=settings,
        time=grid,
        wanted=wanted[chosen],
        achieved=simulation.outputs[chosen],
        q=simulation.q[chosen],
        u=simulation.u[chosen],
        ropes=simulation.ropes[chosen],
        seen=frozenset((*names(crane.coordinates), *names(crane.ropes))),
        drive_speeds=speeds,
        powers={
            name: simulation.u[chosen, i] * speeds[name]
            for i, name in enumerate(names(crane.inputs))
        },
        motion=motion,
        budget=budget,
        verdicts=known_well(_judged(feedforward, motion, limits, obstacles), budget),
        statistics={
            "method": "twin, DOP853",
            "evaluations": simulation.evaluations,
            "seconds": simulation.seconds,
        },
    )


def _judged(
    feedforward: Feedforward, motion: Motion, limits: Limits, obstacles: Sequence[Obstacle]
) -> tuple[Verdict, ...]:
    verdicts = judge(motion, limits)
    if obstacles:
        from cranebridge.plan.task import judge_plant_clearance  # SciPy takes long to import

        verdicts += judge_plant_clearance(motion, obstacles, feedforward.problem.parameters)
    return tuple(verdicts)


def _motion(feedforward: Feedforward, simulation: TwinSimulation) -> Motion:
    """Return the twin's motion as one that can be judged."""
    problem, time = feedforward.problem, simulation.time
    crane = problem.crane
    rows, jerk = _jerks(time, simulation.a, problem.path.knots)
    groups = {
        "q": (crane.coordinates, simulation.q),
        "v": (crane.coordinates, simulation.v),
        "a": (crane.coordinates, simulation.a),
        "u": (crane.inputs, simulation.u),
        "rope": (crane.ropes, simulation.ropes),
        "tracking": (crane.outputs, simulation.outputs - problem.path(time).T),
        "y": (crane.outputs, simulation.outputs),
    }
    values = {
        f"{group}.{name}": columns[rows, i]
        for group, (quantities, columns) in groups.items()
        for i, name in enumerate(names(quantities))
    }
    values |= {f"jerk.{name}": jerk[:, i] for i, name in enumerate(names(crane.coordinates))}
    speeds = drive_speeds(crane, problem.parameter_vector, values)
    values |= {f"power.{name}": values[f"u.{name}"] * speed for name, speed in speeds.items()}
    end = float(feedforward.time[-1])
    missing = {"swing": why_unwatched(problem.path)}
    columns = LazyColumns(values)
    add_derived(crane, problem.parameter_vector, columns, missing)
    return Motion("twin", crane, time[rows], columns, missing, end=end)


def _jerks(time: Array, a: Array, knots: Sequence[float]) -> tuple[NDArray[np.intp], Array]:
    """Return rows, those of inner knots twice, and the jerks there, from differences of order 2.

    Jerks jump at the knots: no difference reaches over them.
    """
    edges = np.unique(np.searchsorted(time, [time[0], *knots, time[-1]]))
    pieces = [np.arange(begin, end + 1) for begin, end in pairwise(edges) if end - begin >= 2]
    jerk = [np.gradient(a[rows], time[rows], axis=0, edge_order=2) for rows in pieces]
    return np.concatenate(pieces), np.concatenate(jerk)


def _simulate(feedforward: Feedforward, times: Array, tolerance: float) -> TwinSimulation:
    problem = feedforward.problem
    return simulate_twin(
        problem.crane,
        problem.parameters,
        feedforward.q[0],
        feedforward.v[0],
        lambda t: feedforward.controls(t),
        times,
        rtol=tolerance,
        breaks=problem.path.knots,
    )
