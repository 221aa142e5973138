"""Verification on the twin itself: its equations of motion, integrated forward.

It shares the twin's mechanics with the inverse, so it says nothing about the model; it does say
whether the controls do what the inverse promised, also for cranes without a Modelica plant.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.forward.twin import TwinSimulation, simulate_twin
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.limits import Limits
from cranebridge.twin.crane import names
from cranebridge.verify.judge import judge
from cranebridge.verify.settings import Settings
from cranebridge.verify.tracking import Tracking, exact_controls, settled_times, tighter

Array = NDArray[np.float64]


def verify_twin(feedforward: Feedforward, settings: Settings, limits: Limits) -> Tracking:
    """Drive the twin with a feedforward and compare the load's path with what was asked.

    Drive controllers and other plant parameters are for FMUs and are refused here.
    """
    if settings.loops or settings.parameters or settings.variants:
        raise InputError("plant.drives, plant.parameters and plant.variants need an FMU as plant")
    times = settled_times(feedforward, settings)
    simulation = _simulate(feedforward, times, settings.tolerance)
    tight = _simulate(feedforward, times, tighter(settings.tolerance))
    crane = feedforward.problem.crane
    moving = times <= feedforward.time[-1]
    integrator = np.abs(simulation.outputs - tight.outputs)[moving].max()
    sampling, finer = None, exact_controls(feedforward)
    if finer is not None:
        ideal = _simulate(finer, times, tighter(settings.tolerance))
        sampling = float(np.abs(tight.outputs - ideal.outputs)[moving].max())
    rates = dict(zip(names(crane.coordinates), simulation.v.T, strict=True))
    tracking = Tracking(
        feedforward=feedforward,
        settings=settings,
        time=times,
        wanted=feedforward.problem.path(times).T,
        achieved=simulation.outputs,
        q=simulation.q,
        u=simulation.u,
        ropes=simulation.ropes,
        velocities=rates,
        drive_speeds={},
        powers={},
        budget={"sampling": sampling, "integrator": float(integrator), "model": None},
        energy_balance=None,
        verdicts=[],
        statistics={
            "method": "twin, DOP853",
            "evaluations": simulation.evaluations,
            "seconds": simulation.seconds,
        },
    )
    tracking.verdicts.extend(judge(tracking, limits))
    return tracking


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
