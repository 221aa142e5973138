"""The law that a scenario asks for, made for its plant: model, weights, and what is to be said."""

from __future__ import annotations

from collections.abc import Callable

from cranebridge.learn.designs import DesignedLaw, heard, integrates, leaks, stays_away
from cranebridge.learn.laws import (
    Frequency,
    LiftedLaw,
    Transfer,
    require_no_integrator,
    weights_for,
)
from cranebridge.learn.learning import LearningLaw
from cranebridge.learn.models import (
    amplitudes,
    cascaded,
    model_of_twin,
    noise_transfer,
    pulse_answers,
    twin_integrators,
    twin_transfer,
)
from cranebridge.learn.record import Record
from cranebridge.learn.settings import LearnSettings
from cranebridge.learn.trials import PlantTrial, PlantTrials, fmu_transfer, model_of_fmu
from cranebridge.twin.language import names


def design_plant_law(
    settings: LearnSettings, trials: PlantTrials, latest: Callable[[], PlantTrial]
) -> DesignedLaw:
    """Return the law for a plant that has a twin.

    Parameters
    ----------
    settings : LearnSettings
        What is asked for.
    trials : PlantTrials
        The plant.
    latest : callable
        Returns the latest trial: model fmu is linearised along it.
    """
    model = settings.chosen_model(True, not cascaded(trials.mapping, trials.settings.loops))
    # whatever the model: the twin knows before an experiment is made
    count = twin_integrators(trials.base, trials.mapping, trials.settings.loops)
    return _LAWS[settings.law](settings, trials, latest, model, count)


def _by_spectrum(
    settings: LearnSettings,
    trials: PlantTrials,
    _latest: Callable[[], PlantTrial],
    model: str,
    count: int,
) -> DesignedLaw:
    require_no_integrator(count)
    transfer = _transfer(settings, trials, model)
    by_spectrum = Frequency(transfer, settings.bandwidth, settings.taper, settings.coherence)
    notes = (*heard(settings, transfer), *leaks(settings, transfer))
    notes += stays_away(transfer, names(trials.base.problem.crane.outputs))
    return DesignedLaw(by_spectrum, model, notes, transfer)


def _lifted(
    settings: LearnSettings,
    trials: PlantTrials,
    latest: Callable[[], PlantTrial],
    model: str,
    count: int,
) -> DesignedLaw:
    base, notes = trials.base, integrates(count)
    if model == "fmu":
        return DesignedLaw(_along_trials(settings, trials, latest), model, notes)
    if model == "differences":
        sizes = amplitudes(settings, names(base.problem.crane.inputs), base.u)
        first = float(base.time[0])
        span = -first, base.problem.path.duration - first
        answers = pulse_answers(trials.outputs, base.u, settings, sizes, span)
        return DesignedLaw(
            LiftedLaw(answers, weights_for(answers, settings.bandwidth)), model, notes
        )
    twin = model_of_twin(base, trials.mapping, trials.settings.loops)
    sampled = twin.sampled()
    law = LiftedLaw(sampled, weights_for(sampled, settings.bandwidth))
    return DesignedLaw(law, model, notes)


_LAWS = {"lifted": _lifted, "frequency": _by_spectrum}
"""How laws are made: from the settings, the plant, its latest trial, the model's name, and how many
integrators the twin has."""


def _transfer(settings: LearnSettings, trials: PlantTrials, model: str) -> Transfer:
    base = trials.base
    if model == "twin":
        middle = 0.5 * base.problem.path.duration
        return twin_transfer(base, trials.mapping, trials.settings.loops, middle)
    if model == "fmu":
        return fmu_transfer(trials, trials.run(base.u), 0.5 * base.problem.path.duration)
    rms = amplitudes(settings, names(base.problem.crane.inputs), base.u)
    return noise_transfer(trials.outputs_at_rest, base.u[0], settings, rms)


def _along_trials(
    settings: LearnSettings, trials: PlantTrials, latest: Callable[[], PlantTrial]
) -> Callable[[Record], LearningLaw]:
    """Return a law that is made from the first trial, or anew from each."""
    made: list[LearningLaw] = []

    def law_of(_record: Record) -> LearningLaw:
        if settings.relinearise or not made:
            sampled = model_of_fmu(trials, latest())
            made[:] = [LiftedLaw(sampled, weights_for(sampled, settings.bandwidth))]
        return made[0]

    return law_of
