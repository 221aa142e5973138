"""The model of trials from the FMU itself: linearised along what it did in a trial.

By its directional derivatives, or central differences of its derivatives where it has none; in
Model Exchange, where states can be set. The matrices are asked for at some times and are straight
lines in between; loops of the drives are closed as in `twin_model`. Where the FMU takes velocities,
what makes them of the learned forces (`inverse.speed_drives`) is part of the model.
"""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.learn.laws import Transfer, frequencies_of, transfer_of
from cranebridge.learn.models import SampledModel, sampled
from cranebridge.learn.record import step_of
from cranebridge.learn.trials.plant_trials import PlantTrial, PlantTrials
from cranebridge.learn.trials.recorded_controls import with_inputs
from cranebridge.plant import Plant
from cranebridge.plant.sandbox import Simulation
from cranebridge.twin.language import names
from cranebridge.verify.mapping import fed, inside
from cranebridge.verify.tracking import PlantRun, applied_inputs

Array = NDArray[np.float64]

POINTS = 60
"""Times of a record at which the FMU is linearised: it moves a sixtieth of its path between."""


def model_of_fmu(trials: PlantTrials, done: PlantTrial) -> SampledModel:
    """Linearise the FMU along a trial.

    Raises
    ------
    InputError
        If the plant runs as Co-Simulation, or the trial did not come to the end.
    """
    run, simulation = _run_of(trials, done)
    return sampled_from(lambda row: _at(run, simulation, row), simulation.time)


def sampled_from(
    at: Callable[[int], tuple[Array, Array, Array, Array]], time: Array, points: int = POINTS
) -> SampledModel:
    """Return the model of a record from A, B, C, D at some of its samples, lines in between."""
    rows = np.unique(np.linspace(0, len(time) - 1, points).astype(int))
    parts = [at(int(row)) for row in rows]
    whole = [_lines(rows, np.stack(part), len(time)) for part in zip(*parts, strict=True)]
    return sampled(step_of(time), *whole)


def fmu_transfer(trials: PlantTrials, done: PlantTrial, at: float) -> Transfer:
    """Return the transfer matrix of the FMU, frozen as it was at a time of a trial."""
    run, simulation = _run_of(trials, done)
    row = int(np.abs(simulation.time - at).argmin())
    frequency = frequencies_of(len(simulation.time), step_of(simulation.time))
    return transfer_of(*_at(run, simulation, row), frequency)


def _run_of(trials: PlantTrials, done: PlantTrial) -> tuple[PlantRun, Simulation]:
    """Return what a trial was simulated with, and what was simulated."""
    record, simulation = done.outcome.record, done.simulation
    require_states(trials.plant)
    if record is None or simulation is None:
        raise InputError("the FMU is linearised along a trial, and that did not come to its end")
    controls = with_inputs(trials.base, record.inputs)
    return PlantRun(controls, trials.plant, trials.mapping, trials.settings), simulation


def require_states(plant: Plant) -> None:
    """Refuse a plant whose states cannot be set."""
    if plant.interface != "me":
        raise InputError(
            "learn.model = 'fmu' linearises the FMU at states that are set, which needs Model "
            "Exchange: use plant.interface = 'me', or another learn.model"
        )


def _at(run: PlantRun, simulation: Simulation, row: int) -> tuple[Array, Array, Array, Array]:
    """Return A, B, C, D at a time: loops closed, inputs and outputs the twin's."""
    plant, mapping = run.plant, run.mapping
    K, k = mapping.input_matrix(run.problem.parameters)
    own, inputs = simulation.outputs[row : row + 1], plant.info.input_names
    times = simulation.time[row : row + 1]
    columns = [inputs.index(name) for name in mapping.input_names]
    given = np.array([_number(signal.start) for signal in plant.info.inputs])
    given[columns] = _given(run, times, own)[0] @ K.T + k
    found = plant.directional(
        simulation.states[row],
        given,
        parameters=run.values,
        outputs=run.readings,
        time=float(times[0]),
    )
    A, B, C = found.A.copy(), found.B[:, columns] @ K, found.C.copy()
    if run.drives is not None:
        drives = run.drives
        for i, name in enumerate(drives.inputs):
            position, velocity = (
                found.C[run.readings.index(part[i])]
                for part in (drives.positions, drives.velocities)
            )
            fed_back = drives.kp[i] * position + drives.kv[i] * velocity
            A -= np.outer(found.B[:, inputs.index(name)], fed_back)
            C -= np.outer(found.D[:, inputs.index(name)], fed_back)
    Y = _output_matrix(run, own[0])
    return _from_forces(run, A, B, Y @ C, Y @ found.D[:, columns] @ K)


def _given(run: PlantRun, times: Array, readings: Array) -> Array:
    """Return what the plant was given, in the order of the twin's inputs.

    Velocities where it has a speed loop; what it shows there is the force.
    """
    speeds = inside(run.speed)
    u = applied_inputs(run, times, readings)
    if not speeds:
        return u
    given = fed(run.feedforward, run.speed)
    wanted = given(np.clip(times, given.x[0], given.x[-1]))
    inputs = names(run.problem.crane.inputs)
    for loop in speeds:
        column = inputs.index(loop.input)
        u[:, column] = wanted[:, column] + _above(run, loop.reference_name, times, readings)
    return u


def _above(run: PlantRun, name: str, times: Array, readings: Array) -> Array:
    """Return what the loop of a drive adds to an input of the plant; zero without one."""
    drives = run.drives
    if drives is None or name not in drives.inputs:
        return np.zeros(len(times))
    i = drives.inputs.index(name)
    position, velocity = (
        readings[:, run.readings.index(part[i])] for part in (drives.positions, drives.velocities)
    )
    ahead, faster = drives.reference(times)[:, i], drives.velocity(times)[:, i]
    added = drives.kp[i] * (ahead - position) + drives.kv[i] * (faster - velocity)
    return run.mapping.units.factor(name) * added


def _from_forces(
    run: PlantRun, A: Array, B: Array, C: Array, D: Array
) -> tuple[Array, Array, Array, Array]:
    """Return the model with learned forces as inputs where the plant takes velocities.

    A change of the force by du changes the reference by dw = e', kp e' + ki e = du, with a state e
    more for each such drive.
    """
    inputs = names(run.problem.crane.inputs)
    for loop in inside(run.speed):
        j = inputs.index(loop.input)
        B[:, j] /= loop.kp
        D[:, j] /= loop.kp
        if loop.ki == 0.0:
            continue
        count = len(A)
        A = np.block([[A, -loop.ki * B[:, [j]]], [np.zeros((1, count)), -loop.pole]])
        C = np.hstack([C, -loop.ki * D[:, [j]]])
        B = np.vstack([B, np.eye(1, B.shape[1], j) / loop.kp])
    return A, B, C, D


def _output_matrix(run: PlantRun, readings: Array) -> Array:
    """Return how the twin's outputs change with the plant's readings."""
    mapping = run.mapping
    expressions = [mapping.expression(name) for name in names(run.problem.crane.outputs)]
    read, function = mapping.reader(expressions, run.parameters)
    y = ca.SX.sym("y", len(read))
    jacobian = ca.Function("Y", [y], [ca.densify(ca.jacobian(function(y), y))])
    columns = [run.readings.index(name) for name in read]
    matrix = np.zeros((len(expressions), len(run.readings)))
    matrix[:, columns] = np.array(jacobian(readings[columns]))
    return matrix


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _lines(rows: NDArray[np.intp], values: Array, count: int) -> Array:
    """Return matrices at all samples, by straight lines between those at some."""
    flat = values.reshape(len(rows), -1)
    columns = [np.interp(np.arange(count), rows, column) for column in flat.T]
    return np.stack(columns, axis=-1).reshape(count, *values.shape[1:])
