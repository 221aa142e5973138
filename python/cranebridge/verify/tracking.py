"""Does the load follow? The feedforward drives the plant, and the plant's path is compared.

The error budget says where the error comes from:

- *integrator*: the same run with a tolerance a hundred times smaller, and with half the
  communication step in Co-Simulation;
- *sampling*: that finer run with the controls in the form that is fed in (held, linear, or the
  continuous Hermite form) against one with exact continuous controls of half the step; for a
  time-stepping method this contains the method's own error;
- *model*: what a relative difference eps of the accelerations does to a load that moves freely,
  eps a T^2 / 2, with eps from the certificate and a the largest acceleration of the path.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath

import casadi as ca
import numpy as np
from numpy.typing import NDArray
from scipy.integrate import simpson

from cranebridge.errors import InputError
from cranebridge.inverse.feedforward import Feedforward
from cranebridge.inverse.index1 import solve_index1, structure_of
from cranebridge.inverse.problem import time_grid
from cranebridge.limits import Limits
from cranebridge.limits.verdict import Verdict
from cranebridge.plant.controls import Controls, Drives
from cranebridge.plant.plant import Plant
from cranebridge.plant.results import Simulation
from cranebridge.twin import equations_of_motion
from cranebridge.twin.crane import names
from cranebridge.verify.certificate import Certificate
from cranebridge.verify.judge import judge
from cranebridge.verify.mapping import PlantMap
from cranebridge.verify.settings import Feed, Settings

Array = NDArray[np.float64]

# Tolerance of the comparison run of the budget, relative to that of the run itself.
TIGHTER = 1e-2
TIGHTEST = 1e-13


@dataclass(frozen=True, eq=False)
class Tracking:
    """What the plant did with the feedforward.

    Arrays have a row for each time and a column for each signal, in the twin's order.

    Attributes
    ----------
    time : numpy.ndarray
        Times in s; after the path's end the settling window.
    wanted, achieved, error : numpy.ndarray
        Asked and achieved outputs, and their difference.
    q, u, ropes : numpy.ndarray
        The plant's motion in the twin's coordinates (those of the feedforward where the plant does
        not give them), applied inputs, rope forces in N.
    velocities : dict of str to numpy.ndarray
        Rates of the coordinates, as far as the plant gives them.
    drive_speeds, powers : dict of str to numpy.ndarray
        Speed of each input's drive and its power in W.
    max_error, rms_error : dict of str to float
        For each output, over the manoeuvre (without the settling window).
    residual_swing : float
        Largest distance of the outputs from the goal in the settling window.
    budget : dict of str to float or None
        Sampling, integrator and model part of the error, in the outputs' units; None where it is
        not known (the model without a certificate, sampling for a crane that is not flat).
    variants : dict of str to dict
        Largest error of each output with each further set of plant parameters.
    energy_balance : float or None
        Change of the plant's energy less the drives' work, relative to the energy moved.
    """

    feedforward: Feedforward
    settings: Settings
    time: Array
    wanted: Array
    achieved: Array
    q: Array
    u: Array
    ropes: Array
    velocities: dict[str, Array]
    drive_speeds: dict[str, Array]
    powers: dict[str, Array]
    budget: dict[str, float | None]
    energy_balance: float | None
    verdicts: list[Verdict]
    variants: dict[str, dict[str, float]] = field(default_factory=dict)
    statistics: dict[str, object] = field(default_factory=dict)

    @property
    def error(self) -> Array:
        """Achieved less wanted outputs."""
        return self.achieved - self.wanted

    @property
    def moving(self) -> NDArray[np.bool_]:
        """Which times belong to the manoeuvre, not to the settling window."""
        return np.asarray(self.time <= self.feedforward.time[-1] * (1.0 + 1e-12))

    @property
    def max_error(self) -> dict[str, float]:
        """Largest error of each output during the manoeuvre."""
        return self._by_output(np.abs(self.error[self.moving]).max(axis=0))

    @property
    def rms_error(self) -> dict[str, float]:
        """Root mean square error of each output during the manoeuvre."""
        return self._by_output(np.sqrt((self.error[self.moving] ** 2).mean(axis=0)))

    @property
    def residual_swing(self) -> float:
        """Largest error of an output after the end."""
        return float(np.abs(self.error[~self.moving]).max(initial=0.0))

    def _by_output(self, values: Array) -> dict[str, float]:
        outputs = names(self.feedforward.problem.crane.outputs)
        return dict(zip(outputs, values.tolist(), strict=True))

    def as_dict(self) -> dict[str, object]:
        """Return the entry of ``summary.json``."""
        return {
            "max_error": self.max_error,
            "rms_error": self.rms_error,
            "residual_swing": self.residual_swing,
            "budget": dict(self.budget),
            "energy_balance": self.energy_balance,
            "variants": dict(self.variants),
            "feed": self.settings.feed,
            "tolerance": self.settings.tolerance,
            "driven_by": "drive references" if self.settings.loops else "forces and torques",
            **self.statistics,
        }

    def columns(self) -> Iterator[tuple[str, Array]]:
        """Yield the columns of ``tracking.csv``."""
        crane = self.feedforward.problem.crane
        yield "time", self.time
        groups = (
            ("gamma", crane.outputs, self.wanted),
            ("y", crane.outputs, self.achieved),
            ("e", crane.outputs, self.error),
            ("q", crane.coordinates, self.q),
            ("u", crane.inputs, self.u),
            ("rope", crane.ropes, self.ropes),
        )
        for prefix, quantities, values in groups:
            for column, name in enumerate(names(quantities)):
                yield f"{prefix}.{name}", values[:, column]

    def write_csv(self, target: FilePath) -> None:
        """Write ``tracking.csv``: wanted and achieved outputs, errors, motion, controls, ropes."""
        titles, values = zip(*self.columns(), strict=True)
        with target.open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerow(titles)
            np.savetxt(file, np.column_stack(values), fmt="%.17g", delimiter=",")


def verify(
    feedforward: Feedforward,
    plant: Plant,
    mapping: PlantMap,
    settings: Settings,
    certificate: Certificate | None = None,
    limits: Limits | None = None,
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
    certificate : Certificate, optional
        For the model part of the budget.
    limits : Limits, optional
        On tracking, ropes, forces and torques, speeds and powers.
    """
    crane = feedforward.problem.crane
    mapping.require(names(crane.outputs), "verification")
    run = _Run(feedforward, plant, mapping, settings)
    simulation = run.simulate(feedforward, settings.tolerance)
    achieved = run.outputs(simulation)
    budget = _budget(run, achieved, certificate)
    q, seen = run.coordinates(simulation)
    u = run.inputs(simulation)
    rope_names = names(crane.ropes)
    missing = mapping.missing(rope_names)
    forces = np.full((run.times.size, len(rope_names)), np.nan)
    if not missing:
        forces = mapping.signals(rope_names, simulation.outputs, run.parameters)
    speeds = run.drive_speeds(simulation) if seen else {}
    powers = {name: u[:, i] * speeds[name] for i, name in enumerate(speeds)}
    tracking = Tracking(
        feedforward=feedforward,
        settings=settings,
        time=run.times,
        wanted=feedforward.problem.path(run.times).T,
        achieved=achieved,
        q=q,
        u=u,
        ropes=forces,
        velocities=run.velocities(simulation),
        drive_speeds=speeds,
        powers=powers,
        budget=budget,
        energy_balance=_energy_balance(simulation, run.times, powers),
        verdicts=[],
        variants=_variants(run),
        statistics={
            "method": simulation.method,
            "evaluations": simulation.evaluations,
            "seconds": simulation.seconds,
            "interpolation": simulation.interpolation,
        },
    )
    tracking.verdicts.extend(judge(tracking, limits or Limits()))
    return tracking


def settled_times(feedforward: Feedforward, settings: Settings) -> Array:
    """Return the compared times: the manoeuvre, and the settling window after it."""
    end = feedforward.time[-1]
    grid = time_grid(end, settings.step)
    after = np.arange(1, round(settings.settle / settings.step) + 1) * settings.step
    return np.concatenate([grid, end + after])


class _Run:
    """A plant, a feedforward and the settings: what several simulations share."""

    def __init__(
        self, feedforward: Feedforward, plant: Plant, mapping: PlantMap, settings: Settings
    ) -> None:
        self.problem = feedforward.problem
        if np.abs(feedforward.v[0]).max() > 1e-9:
            raise InputError("verification starts the plant at rest, but the path starts moving")
        self.plant, self.mapping, self.settings = plant, mapping, settings
        self.parameters = self.problem.parameter_vector
        self.values = {
            **mapping.parameters(self.problem, feedforward.q[0], feedforward.v[0]),
            **settings.parameters,
        }
        self.times = settled_times(feedforward, settings)
        self.feedforward = feedforward

    def controls(self, feedforward: Feedforward, feed: Feed) -> Controls:
        """Return the controls in the form that is fed in."""
        if feed == "exact":
            controls = self.mapping.controls(feedforward.control_polynomial, self.problem)
        else:
            K, k = self.mapping.input_matrix(self.problem.parameters)
            make = Controls.linear if feed == "linear" else Controls.hold
            controls = make(feedforward.time, feedforward.u @ K.T + k, self.mapping.input_names)
        if self.settings.loops:
            controls = controls.with_drives(self._drives(feedforward))
        return controls

    def _drives(self, feedforward: Feedforward) -> Drives:
        loops = self.settings.loops
        coordinates = names(self.problem.crane.coordinates)
        columns = [coordinates.index(loop.coordinate) for loop in loops]
        reference = Controls.cubic(
            feedforward.time,
            feedforward.q[:, columns],
            feedforward.v[:, columns],
            [loop.coordinate for loop in loops],
        )
        return Drives(
            inputs=tuple(loop.input for loop in loops),
            positions=tuple(loop.position or loop.coordinate for loop in loops),
            velocities=tuple(loop.velocity or f"v_{loop.coordinate}" for loop in loops),
            kp=tuple(loop.kp for loop in loops),
            kv=tuple(loop.kv for loop in loops),
            reference=reference,
        )

    def simulate(
        self,
        feedforward: Feedforward,
        tolerance: float,
        feed: Feed | None = None,
        step: float | None = None,
        parameters: Mapping[str, float] | None = None,
    ) -> Simulation:
        """Simulate manoeuvre and settling window."""
        return self.plant.simulate(
            times=self.times,
            inputs=self.controls(feedforward, feed or self.settings.feed),
            parameters=parameters or self.values,
            outputs=self.plant.info.output_names,
            rtol=tolerance,
            atol=1e-2 * tolerance,
            step=step or (self.settings.step if self.plant.interface == "cs" else None),
        )

    def outputs(self, simulation: Simulation) -> Array:
        """Return the twin's outputs from the plant's."""
        wanted = names(self.problem.crane.outputs)
        return self.mapping.signals(wanted, simulation.outputs, self.parameters)

    def coordinates(self, simulation: Simulation) -> tuple[Array, bool]:
        """Return the twin's coordinates, and whether they are the plant's."""
        wanted = names(self.problem.crane.coordinates)
        if self.mapping.missing(wanted):
            return self.feedforward.coordinates(self.times), False
        return self.mapping.signals(wanted, simulation.outputs, self.parameters), True

    def inputs(self, simulation: Simulation) -> Array:
        """Return the applied inputs: the feedforward's, and what drive controllers add."""
        crane_inputs = names(self.problem.crane.inputs)
        u = self.feedforward.controls(self.times)
        if self.settings.feed == "hold":
            held = np.searchsorted(self.feedforward.time, self.times, side="right") - 1
            u = self.feedforward.u[np.clip(held, 0, None)]
        if not self.settings.loops:
            return u
        drives = self._drives(self.feedforward)
        wanted, rate = drives.reference(self.times), drives.velocity(self.times)
        for i, loop in enumerate(self.settings.loops):
            if loop.input in crane_inputs:
                position = simulation.column(drives.positions[i])
                velocity = simulation.column(drives.velocities[i])
                correction = loop.kp * (wanted[:, i] - position) + loop.kv * (rate[:, i] - velocity)
                u[:, crane_inputs.index(loop.input)] += correction
        return u

    def velocities(self, simulation: Simulation) -> dict[str, Array]:
        """Return the rates of the coordinates that the plant gives."""
        return {
            name: simulation.column(f"v_{name}")
            for name in names(self.problem.crane.coordinates)
            if f"v_{name}" in simulation.output_names
        }

    def drive_speeds(self, simulation: Simulation) -> dict[str, Array]:
        """Return the speed that belongs to each input: its power per unit."""
        crane = self.problem.crane
        coordinates = names(crane.coordinates)
        rates = self.velocities(simulation)
        model = equations_of_motion(crane)
        function = ca.Function("B", [model.q, model.p], [ca.densify(model.input_matrix.T)])
        used = {
            coordinates[j]
            for i, j in zip(*model.input_matrix.T.sparsity().get_triplet(), strict=True)
        }
        if not used <= set(rates):
            return {}
        q, _ = self.coordinates(simulation)
        v = np.zeros_like(q)
        for name, values in rates.items():
            v[:, coordinates.index(name)] = values
        count = len(q)
        matrices = np.array(function.map(count)(q.T, np.tile(self.parameters, (count, 1)).T))
        shaped = matrices.reshape(len(crane.inputs), count, len(coordinates))
        speeds = np.einsum("ikj,kj->ik", shaped, v)
        return dict(zip(names(crane.inputs), speeds, strict=True))


def tighter(tolerance: float) -> float:
    """Return the tolerance of the comparison run of the budget."""
    return max(TIGHTEST, TIGHTER * tolerance)


def exact_controls(feedforward: Feedforward) -> Feedforward | None:
    """Return the exact solution at half the step, or None for a crane that is not flat."""
    if not structure_of(feedforward.problem.crane).flat:
        return None
    middle = 0.5 * (feedforward.time[1:] + feedforward.time[:-1])
    return solve_index1(feedforward.problem, np.union1d(feedforward.time, middle))


def _budget(run: _Run, achieved: Array, certificate: Certificate | None) -> dict[str, float | None]:
    """Return the parts of the error over the manoeuvre."""
    feedforward, settings = run.feedforward, run.settings
    moving = run.times <= feedforward.time[-1]
    tight = tighter(settings.tolerance)
    finer = exact_controls(feedforward)
    # Both compared runs have the same fine tolerance (or step), so that only one thing differs.
    half = 0.5 * settings.step if run.plant.interface == "cs" else None
    again = run.outputs(run.simulate(feedforward, tight, step=half))
    integrator = np.abs(achieved - again)[moving].max()
    sampling = None
    if finer is not None:
        ideal = run.outputs(run.simulate(finer, tight, "exact", step=half))
        sampling = float(np.abs(again - ideal)[moving].max())
    model = None
    if certificate is not None:
        acceleration = np.abs(feedforward.problem.path.derivatives(run.times, 2)[2]).max()
        duration = feedforward.time[-1]
        model = float(certificate.max_relative_difference * acceleration * duration**2 / 2)
    return {"sampling": sampling, "integrator": float(integrator), "model": model}


def _variants(run: _Run) -> dict[str, dict[str, float]]:
    """Try the same controls on plants with other parameters: what each imperfection costs."""
    moving = run.times <= run.feedforward.time[-1]
    wanted = run.problem.path(run.times).T
    outputs = names(run.problem.crane.outputs)
    result = {}
    for name, parameters in run.settings.variants.items():
        simulation = run.simulate(
            run.feedforward, run.settings.tolerance, parameters={**run.values, **parameters}
        )
        error = np.abs(run.outputs(simulation) - wanted)[moving].max(axis=0)
        result[name] = dict(zip(outputs, error.tolist(), strict=True))
    return result


def _energy_balance(simulation: Simulation, times: Array, powers: dict[str, Array]) -> float | None:
    """Return (change of energy - work) / energy moved, or None where the plant does not tell."""
    if "energy" not in simulation.output_names or not powers:
        return None
    energy = simulation.column("energy")
    work = sum(float(simpson(power, x=times)) for power in powers.values())
    moved = max(float(np.ptp(energy)), 1e-9)
    return (float(energy[-1] - energy[0]) - work) / moved
