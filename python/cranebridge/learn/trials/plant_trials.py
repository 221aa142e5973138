"""Trials on a plant that has a twin: controls fed in, limits judged, outputs on the record's times.

A trial is a verification without its budget: the same run, the same signals, the same `judge`. A
failed limit other than that of the tracking error, which is what is learned, ends the learning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.inverse import Feedforward
from cranebridge.learn.learning import TrialOutcome
from cranebridge.learn.models import require_kept
from cranebridge.learn.record import Record
from cranebridge.learn.trials.recorded_controls import with_inputs
from cranebridge.limits import TRACKING_OF, Limits, Motion, Verdict, judge, judge_range
from cranebridge.plant import Plant
from cranebridge.plant.sandbox import PlantError, Simulation
from cranebridge.twin.language import names
from cranebridge.verify import Budget, Settings
from cranebridge.verify.mapping import PlantMap
from cranebridge.verify.tracking import PlantRun, Tracking, judge_plant, plant_motion, tracking_of

if TYPE_CHECKING:
    from cranebridge.plan import Obstacle

Array = NDArray[np.float64]

ENDS_WITH_RECORD = "a trial ends with its record; learn.rest_after is part of it"
"""Why the residual swing of a trial is not known."""


@dataclass(frozen=True, eq=False)
class PlantTrial:
    """A trial on a plant: the outcome, what was simulated and all verdicts."""

    outcome: TrialOutcome
    simulation: Simulation | None
    verdicts: tuple[Verdict, ...]


class PlantTrials:
    """Runs trials on a plant.

    Parameters
    ----------
    base : Feedforward
        The motion on the record's times; see `on_record`.
    plant, mapping : Plant, PlantMap
        The loaded FMU, and how its names relate to the twin's.
    settings : Settings
        How it is driven; controls are fed in as straight lines, whatever these say.
    limits : Limits
        What is judged in every trial.
    judge_from : float
        Time in s since the record's begin from which the tracking error is judged.
    obstacles : sequence of Obstacle
        What load and ropes must not touch in any trial.
    """

    def __init__(
        self,
        base: Feedforward,
        plant: Plant,
        mapping: PlantMap,
        settings: Settings,
        limits: Limits,
        judge_from: float = 0.0,
        obstacles: Sequence[Obstacle] = (),
    ) -> None:
        if settings.feedback is not None:
            raise InputError(
                f"learning has the loops of the drives beside it, and control.kind = "
                f"'{settings.feedback.kind}' with a cycle is a sampled controller: use "
                "control.kind = 'drives' with cycle = 0, or 'none'"
            )
        self.base, self.plant, self.mapping, self.limits = base, plant, mapping, limits
        self.settings = replace(settings, feed="linear", settle=0.0, variants={})
        self.judge_from, self.obstacles = judge_from, tuple(obstacles)
        self.count = 0

    def run(self, inputs: Array) -> PlantTrial:
        """Carry out a trial."""
        controls = with_inputs(self.base, inputs)
        run = PlantRun(controls, self.plant, self.mapping, self.settings)
        self.count += 1
        try:
            simulation = run.simulate(
                controls, self.settings.tolerance, times=self.base.time, dense=True
            )
        except PlantError as error:
            return PlantTrial(TrialOutcome(None, failed=str(error)), None, ())
        run.require_start(simulation)
        verdicts = self._judge(run, self._motion(run, simulation))
        broken = tuple(
            verdict.message
            for verdict in verdicts
            if verdict.status == "failed" and not verdict.name.startswith(TRACKING_OF)
        )
        return PlantTrial(
            TrialOutcome(self._record(inputs, run, simulation), broken), simulation, verdicts
        )

    def tracking(self, done: PlantTrial) -> Tracking | None:
        """Return what the plant did in a trial, for pictures; None where it was not kept.

        What was judged is reported with the trial, and nothing was simulated to explain the error.
        """
        record, simulation = done.outcome.record, done.simulation
        if record is None or simulation is None:
            return None
        controls = with_inputs(self.base, record.inputs)
        run = PlantRun(controls, self.plant, self.mapping, self.settings)
        motion = plant_motion(run, simulation, self.limits)
        largest = float(np.abs(record.error).max())
        return tracking_of(run, simulation, motion, Budget(largest, None, None, None), ())

    def _motion(self, run: PlantRun, simulation: Simulation) -> Motion:
        found = plant_motion(run, simulation, self.limits)
        return replace(found, missing={**found.missing, "swing": ENDS_WITH_RECORD})

    def _judge(self, run: PlantRun, motion: Motion) -> tuple[Verdict, ...]:
        """Judge all limits over the whole record, the tracking error from `judge_from` on."""
        begin = float(self.base.time[0]) + self.judge_from
        rows = motion.time >= begin
        later = replace(
            motion,
            time=motion.time[rows],
            values={name: values[rows] for name, values in motion.values.items()},
        )
        only = Limits(ropes="ignore", tracking=self.limits.tracking)
        all_ = judge_plant(run, motion, self.limits, self.obstacles)
        return (*judge(later, only), *(v for v in all_ if not v.name.startswith(TRACKING_OF)))

    def outputs(self, inputs: Array) -> Array:
        """Return the outputs for inputs, for models by differences and by noise.

        Raises
        ------
        PlantError
            If the plant does not come to the end.
        InputError
            If a limit would be broken, or was.
        """
        changed = bool((inputs != self.base.u).any())
        return self._outputs(with_inputs(self.base, inputs), changed)

    def outputs_at_rest(self, time: Array, inputs: Array) -> Array:
        """Return the outputs of the plant where the motion starts, for inputs over time."""
        base = self.base
        gamma, q, v, a, lam, ropes = (
            np.repeat(part[:1], len(time), axis=0)
            for part in (base.gamma, base.q, base.v, base.a, base.lam, base.ropes)
        )
        rest = replace(base, time=time, gamma=gamma, q=q, v=v, a=a, lam=lam, ropes=ropes)
        return self._outputs(with_inputs(rest, inputs), changed=True)

    def _outputs(self, controls: Feedforward, changed: bool) -> Array:
        require_kept(self._given(controls), changed, carried_out=False)
        run = PlantRun(controls, self.plant, self.mapping, self.settings)
        self.count += 1
        simulation = run.simulate(
            controls, self.settings.tolerance, times=controls.time, dense=True
        )
        motion = self._motion(run, simulation)
        found = judge_plant(run, motion, self.limits, self.obstacles)
        require_kept(found, changed, carried_out=True, except_for=TRACKING_OF)
        return run.outputs(simulation)

    def _given(self, controls: Feedforward) -> list[Verdict]:
        """Judge controls before they are given; what loops of drives add is known after it."""
        crane = self.base.problem.crane
        return [
            judge_range(
                f"u.{signal.name}",
                controls.time,
                controls.u[:, i],
                self.limits.u[signal.name],
                signal.unit,
            )
            for i, signal in enumerate(crane.inputs)
            if signal.name in self.limits.u
        ]

    def _record(self, inputs: Array, run: PlantRun, simulation: Simulation) -> Record:
        return Record(
            time=self.base.time,
            inputs=inputs,
            outputs=run.outputs(simulation),
            target=self.base.gamma,
            output_names=names(self.base.problem.crane.outputs),
        )
