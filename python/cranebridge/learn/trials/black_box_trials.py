"""Trials on a plant that has no twin: an FMU by the names of its inputs and outputs.

Model Exchange or Co-Simulation, FMI 2 or 3. Between samples the inputs are straight lines where the
FMU takes such inputs, else they are held from one communication point to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError, unknown
from cranebridge.learn.designed_law import (
    LASTING,
    DesignedLaw,
    heard,
    integrates,
    leaks,
    stays_away,
)
from cranebridge.learn.laws import (
    Frequency,
    LiftedLaw,
    Stepwise,
    StepwiseResult,
    Transfer,
    frequencies_of,
    integrators,
    step_by_step,
    transfer_of,
    weights_for,
)
from cranebridge.learn.learning import LearningLaw, TrialOutcome
from cranebridge.learn.models import (
    PulseModel,
    amplitudes,
    noise_transfer,
    pulse_answers,
    require_kept,
)
from cranebridge.learn.record import Record
from cranebridge.learn.settings import LearnSettings
from cranebridge.learn.trials.fmu_model import require_states, sampled_from
from cranebridge.limits import Range, Verdict, judge_range
from cranebridge.plant import Plant, Saved
from cranebridge.plant.protocol import Controls
from cranebridge.plant.sandbox import PlantError, Simulation

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BlackBoxTask:
    """What a plant without a twin shall do.

    Attributes
    ----------
    time, target, first : numpy.ndarray
        The record's times, the wanted outputs, and the inputs to begin with.
    inputs, outputs : tuple of str
        Names of the FMU's variables.
    u, y : mapping of str to Range
        Limits of inputs and outputs.
    tracking, judge_from : float
        Largest error that passes, judged from that many s after the first time on.
    """

    time: Array
    target: Array
    first: Array
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    u: Mapping[str, Range] = field(default_factory=dict)
    y: Mapping[str, Range] = field(default_factory=dict)
    tracking: float = np.inf
    judge_from: float = 0.0


@dataclass(frozen=True, eq=False)
class BlackBoxTrial:
    """A trial: what it gave, and what was judged."""

    outcome: TrialOutcome
    verdicts: tuple[Verdict, ...]


class BlackBoxTrials:
    """Runs trials on a plant without a twin.

    Parameters
    ----------
    task : BlackBoxTask
        What it shall do.
    plant : Plant
        The loaded FMU.
    parameters : mapping of str to float
        Its parameters that differ from their defaults.
    tolerance, step : float
        Of the integrator; of the communication in Co-Simulation, in s.
    """

    def __init__(
        self,
        task: BlackBoxTask,
        plant: Plant,
        parameters: Mapping[str, float],
        tolerance: float,
        step: float,
    ) -> None:
        self.task, self.plant, self.count = task, plant, 0
        self._parameters, self._tolerance, self._step = parameters, tolerance, step
        known = plant.info
        for name in task.inputs:
            if name not in known.input_names:
                raise unknown(f"input of plant '{known.name}'", name, known.input_names)
        variables = [signal.name for signal in known.variables]
        for name in task.outputs:
            if name not in variables:
                raise unknown(f"variable of plant '{known.name}'", name, variables)

    def units(self, names: tuple[str, ...]) -> dict[str, str]:
        """Return the units of variables by name."""
        found = {signal.name: signal.unit for signal in self.plant.info.variables}
        return {name: found[name] or "1" for name in names}

    def run(self, inputs: Array) -> BlackBoxTrial:
        """Carry out a trial; one whose inputs break their limits is not carried out."""
        task = self.task
        given = self._judge("u", task.inputs, task.u, inputs)
        broken = tuple(verdict.message for verdict in given if verdict.status == "failed")
        if broken:
            return BlackBoxTrial(TrialOutcome(None, broken), tuple(given))
        try:
            outputs = self._simulate(task.time, inputs).outputs
        except PlantError as error:
            return BlackBoxTrial(TrialOutcome(None, failed=str(error)), ())
        record = Record(task.time, inputs, outputs, task.target, task.outputs)
        limits = [*given, *self._judge("y", task.outputs, task.y, outputs)]
        tracking = self._tracking(record)
        broken = tuple(verdict.message for verdict in limits if verdict.status == "failed")
        return BlackBoxTrial(TrialOutcome(record, broken), (*tracking, *limits))

    def outputs(self, inputs: Array) -> Array:
        """Return the outputs for inputs, for a model; limits are kept, or it is refused."""
        changed = bool((inputs != self.task.first).any())
        return self._experiment(self.task.time, inputs, changed)

    def outputs_at_rest(self, time: Array, inputs: Array) -> Array:
        """Return the outputs from the FMU's start, for inputs over time, in the same way."""
        return self._experiment(time, inputs, changed=True)

    def _experiment(self, time: Array, inputs: Array, changed: bool) -> Array:
        task = self.task
        require_kept(self._judge("u", task.inputs, task.u, inputs, time), changed, False)
        outputs = self._simulate(time, inputs).outputs
        require_kept(self._judge("y", task.outputs, task.y, outputs, time), changed, True)
        return outputs

    def step_by_step(self, settings: LearnSettings) -> StepwiseResult:
        """Find controls by the one-step method."""
        info, task = self.plant.info, self.task
        saves = self.plant.interface == "cs"
        if saves and not info.restores_state:
            raise InputError(
                f"learn.law = 'stepwise' sets the plant back to a state again and again, and plant "
                f"'{info.name}' cannot do so: its Co-Simulation has no canGetAndSetFMUState; use "
                "plant.interface = 'me' if it has Model Exchange, or another law"
            )
        sizes = amplitudes(settings, task.inputs, task.first)
        begin = self._simulate(task.time[:2], task.first[:2], saved="begin" if saves else "")

        def advance(
            state: Array, since: float, until: float, u: Array, w: Array
        ) -> tuple[Array, Array]:
            span, inputs = np.array([since, until]), np.stack([u, w])
            if saves:  # the FMU's states are within it: saved where the last run began
                done = self._simulate(span, inputs, saved="resume")
            else:
                start = dict(zip(info.states, state.tolist(), strict=True))
                done = self._simulate(span, inputs, start)
            return done.states[-1], done.outputs[-1]

        u, span = task.first[0], (float(task.time[0]), float(task.time[1]))
        moved = [advance(begin.states[0], *span, u, u + row)[1] for row in np.diag(sizes)]
        answer = np.array(moved) - advance(begin.states[0], *span, u, u)[1]
        squares = float(np.sum((answer / sizes[:, None]) ** 2)) / len(u)
        start = begin.states[0], u, begin.outputs[0]
        eps = settings.regularisation * squares
        found = step_by_step(advance, task.time, task.target, start, eps, sizes)
        self.count -= found.simulations  # of one interval each: told apart
        return found

    def _simulate(
        self,
        time: Array,
        inputs: Array,
        start: Mapping[str, float] | None = None,
        saved: Saved = "",
    ) -> Simulation:
        self.count += 1
        return self.plant.simulate(
            times=time,
            inputs=Controls.linear(time, inputs, self.task.inputs),
            parameters=self._parameters,
            start=start,
            outputs=self.task.outputs,
            rtol=self._tolerance,
            atol=1e-2 * self._tolerance,
            step=self._step if self.plant.is_stepped else None,
            saved=saved,
        ).complete()

    def _judge(
        self,
        group: str,
        names: tuple[str, ...],
        bounds: Mapping[str, Range],
        values: Array,
        time: Array | None = None,
    ) -> list[Verdict]:
        units = self.units(names)
        return [
            judge_range(
                f"plant {group}.{name}",
                self.task.time if time is None else time,
                values[:, names.index(name)],
                bound,
                units[name],
            )
            for name, bound in bounds.items()
        ]

    def linearised_at_start(self) -> Array:
        """Return A where the plant starts; only one interval is simulated for it."""
        matrices = self.linearised(self.task.first[:2])(0)
        self.count -= 1
        return matrices[0]

    def linearised(self, inputs: Array) -> Callable[[int], tuple[Array, Array, Array, Array]]:
        """Return A, B, C, D at samples of a run with inputs."""
        require_states(self.plant)
        info, task = self.plant.info, self.task
        simulation = self._simulate(task.time[: len(inputs)], inputs)
        columns = [info.input_names.index(name) for name in task.inputs]

        def at(row: int) -> tuple[Array, Array, Array, Array]:
            given = np.array([float(signal.start or 0.0) for signal in info.inputs])
            given[columns] = inputs[row]
            found = self.plant.directional(
                simulation.states[row],
                given,
                parameters=self._parameters,
                outputs=task.outputs,
                time=float(task.time[row]),
            )
            return found.A, found.B[:, columns], found.C, found.D[:, columns]

        return at

    def _tracking(self, record: Record) -> list[Verdict]:
        if not np.isfinite(self.task.tracking):
            return []
        judged, units = record.judged(self.task.judge_from), self.units(self.task.outputs)
        bound = Range(-self.task.tracking, self.task.tracking)
        error = record.outputs - record.target
        return [
            judge_range(
                f"tracking of {name}", record.time[judged], error[judged, i], bound, units[name]
            )
            for i, name in enumerate(self.task.outputs)
        ]


def design_black_box_law(settings: LearnSettings, trials: BlackBoxTrials) -> DesignedLaw:
    """Return the law for a plant without a twin: by pulses, or by noise."""
    model = settings.chosen_model(twin=False)
    if settings.law not in _LAWS:
        raise InputError(f"learn.law = '{settings.law}' needs a plant with a crane")
    return _LAWS[settings.law](settings, trials, model)


def _stepwise(settings: LearnSettings, trials: BlackBoxTrials, model: str) -> DesignedLaw:
    steps = trials.step_by_step(settings)
    runs = f"{steps.simulations} runs over one interval of {settings.step:g} s"
    return DesignedLaw(Stepwise(steps), model, (runs,))


def _by_spectrum(settings: LearnSettings, trials: BlackBoxTrials, model: str) -> DesignedLaw:
    transfer = _transfer(settings, trials, model)
    by_spectrum = Frequency(transfer, settings.bandwidth, settings.taper, settings.coherence)
    notes = (*heard(settings, transfer), *leaks(settings, transfer))
    notes += stays_away(transfer, trials.task.outputs)
    return DesignedLaw(by_spectrum, model, notes, transfer)


def _lifted(settings: LearnSettings, trials: BlackBoxTrials, model: str) -> DesignedLaw:
    task = trials.task
    if model == "fmu":
        notes = integrates(integrators(trials.linearised_at_start()))
        return DesignedLaw(_along_trials(settings, trials), model, notes)
    sizes = amplitudes(settings, task.inputs, task.first)
    span = 0.0, float(task.time[-1] - task.time[0])
    answers = pulse_answers(trials.outputs, task.first, settings, sizes, span)
    if not (answers.gains() > 0.0).all():
        still = [name for name, g in zip(task.inputs, answers.gains(), strict=True) if g == 0.0]
        raise InputError(f"no output answers to a pulse of input {', '.join(still)}")
    law = LiftedLaw(answers, weights_for(answers, settings.bandwidth))
    return DesignedLaw(law, model, _lasting(answers, task))


_LAWS = {"lifted": _lifted, "frequency": _by_spectrum, "stepwise": _stepwise}
"""How laws are made, from the settings, the plant and the model's name."""


def _transfer(settings: LearnSettings, trials: BlackBoxTrials, model: str) -> Transfer:
    task = trials.task
    if model == "fmu":
        frequency = frequencies_of(len(task.time), settings.step)
        return transfer_of(*trials.linearised(task.first)(0), frequency)
    rms = amplitudes(settings, task.inputs, task.first)
    return noise_transfer(trials.outputs_at_rest, task.first[0], settings, rms)


def _along_trials(
    settings: LearnSettings, trials: BlackBoxTrials
) -> Callable[[Record], LearningLaw]:
    """Return a law that is made along the first trial, or anew along each; a run more for it."""
    made: list[LearningLaw] = []

    def law_of(record: Record) -> LearningLaw:
        if settings.relinearise or not made:
            model = sampled_from(trials.linearised(record.inputs), record.time)
            made[:] = [LiftedLaw(model, weights_for(model, settings.bandwidth))]
        return made[0]

    return law_of


def _lasting(answers: PulseModel, task: BlackBoxTask) -> tuple[str, ...]:
    """Say which answers do not die out: of integrators, and of swinging without damping."""
    first = np.abs(answers.answers[0])
    count = len(first) - int(answers.rows[0])
    late = first[int(0.9 * count) : count].max(axis=0)
    stays = late > LASTING * first.max(axis=0)
    found = [
        f"{task.outputs[i]} to {task.inputs[j]}" for i, j in zip(*np.nonzero(stays), strict=True)
    ]
    if not found:
        return ()
    return (
        f"the answer of {', '.join(found)} does not die out within the record: the plant has poles "
        "on the axis, and inner loops are needed for the frequency law, or a longer record",
    )
