"""Are two plants the same machine? Rates and outputs at equal states, or motions.

Variables are compared by their names. Where the states of both have the same names, both are asked
for their rates and outputs at the same states, inputs and parameters: along a motion that the first
makes under pulses of its inputs, around its start, and at random in the box that the motion spans.
Where they have not, or one offers Co-Simulation only, both move from their own starts under the
same pulses, and what both show is compared over time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.plant import Plant
from cranebridge.plant.description import PlantInfo, PlantSignal, parse_unit
from cranebridge.plant.protocol import Controls
from cranebridge.verify.certificate.outcome import THRESHOLDS, Certificate, Comparison, Omission
from cranebridge.verify.certificate.states import (
    ALONG,
    AROUND,
    AT_RANDOM,
    CHANGE,
    PARAMETER_SETS,
    TOLERANCE,
    box_around,
    reach_of,
)

Array = NDArray[np.float64]

DURATION = 2.0
"""Of the motion [s]: long enough to swing, short enough that what is unstable does not run away."""

RATE = 1.0
"""How much a pulse of an input changes the fastest rate of a state at the start, in its SI unit."""

FINE = 1e-10
"""Tolerance of motions that are compared with each other."""

SMALL = 1e-3
"""A signal that is always small is compared with this part of the largest of its kind."""

WRITTEN = 1e-12
"""Relative difference of a parameter's value that comes from writing it with some digits."""

NO_NUMBER = 1e300
"""Instead of a difference that is not a number: JSON has none."""

_PULSE = np.array([1.0, -1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0])
"""What an input does in each eighth of the motion; each input begins one later."""


@dataclass(frozen=True)
class SharedNames:
    """Variables that both plants have, by name; arrays of numbers by their elements."""

    inputs: tuple[str, ...]
    parameters: tuple[str, ...]
    shown: tuple[str, ...]
    states: bool

    @classmethod
    def of(cls, first: PlantInfo, second: PlantInfo) -> SharedNames:
        """Find them.

        Raises
        ------
        InputError
            If both have inputs and share none.
        """
        inputs = _shared(first.inputs, second.inputs)
        if not inputs and (first.inputs or second.inputs):
            raise InputError(
                f"'{first.name}' and '{second.name}' have no input in common, so they cannot be "
                f"moved alike: the inputs are {_listed(first.input_names)}, and "
                f"{_listed(second.input_names)}"
            )
        outputs = {signal.name for signal in (*first.outputs, *second.outputs)}
        variables = (
            tuple(x for x in info.variables if x.causality in ("output", "local"))
            for info in (first, second)
        )
        # at equal states, states are equal
        equal = has_equal_states(first, second)
        seen = [name for name in _shared(*variables) if not (equal and name in first.states)]
        return cls(
            inputs=inputs,
            parameters=_shared(first.parameters, second.parameters),
            shown=tuple(name for name in seen if name in outputs),
            states=equal,
        )


def has_equal_states(first: PlantInfo, second: PlantInfo) -> bool:
    """Return whether both can be asked at the same states."""
    if not first.states or set(first.states) != set(second.states):
        return False
    mine, theirs = first.signals(), second.signals()
    alike = all(same_unit(mine[name].unit, theirs[name].unit) for name in first.states)
    return alike and first.has_me and second.has_me


def compare_plants(first: Plant, second: Plant, seed: int = 1) -> Certificate:
    """Compare two plants, with the first one's values of the parameters that both have.

    Parameters
    ----------
    first, second : Plant
        The plants; by Model Exchange where both have it.
    seed : int
        Of the random states.
    """
    shared = SharedNames.of(first.info, second.info)
    has_me = first.info.has_me and second.info.has_me
    if has_me:
        first, second = (_by_model_exchange(plant) for plant in (first, second))
    if shared.states:
        compared, samples = _at_states(first, second, shared, np.random.default_rng(seed))
    else:
        compared, samples = _by_motion(first, second, shared), 1
    missing = () if compared else (Omission("everything", _nothing(first.info, second.info)),)
    return Certificate(
        compared=compared,
        not_compared=missing,
        fmu_sha256=second.info.sha256,
        samples=samples,
        notes=_notes(first.info, second.info, shared, has_me),
    )


def _by_model_exchange(plant: Plant) -> Plant:
    return plant if plant.interface == "me" else plant.sibling("me")


def pulses(plant: Plant, inputs: Sequence[str]) -> tuple[Array, Array]:
    """Return times and values of inputs that move a plant a little from where it starts.

    Parameters
    ----------
    plant : Plant
        By Model Exchange, to find how far its inputs may go; else they go by a tenth.
    inputs : sequence of str
        Those that move; the others keep their start values.
    """
    signals = plant.info.signals()
    start = np.array([signals[name].start or 0.0 for name in inputs])
    size = np.maximum(np.abs(start), 1.0) * 0.1
    if plant.interface == "me" and plant.info.states:
        size = _amplitudes(plant, inputs, size)
    count = len(_PULSE)
    shape = np.stack([np.roll(_PULSE, k) for k in range(len(inputs))], axis=1)
    return np.arange(count) * DURATION / count, start + size * shape


def _amplitudes(plant: Plant, inputs: Sequence[str], step: Array) -> Array:
    """Return how far each input goes: the fastest rate of a state changes by `RATE`."""
    order = plant.info.input_names
    rows = np.tile([signal.start or 0.0 for signal in plant.info.inputs], (1 + len(inputs), 1))
    for i, name in enumerate(inputs):
        rows[i + 1, order.index(name)] += step[i]
    state = plant.simulate(times=[0.0, 1e-3], outputs=[]).states[0]
    rates, _ = plant.derivatives(np.tile(state, (len(rows), 1)), rows, outputs=[])
    change = np.abs(rates[1:] - rates[0]).max(axis=1)
    return np.where(change > 1e-9, RATE * step / np.maximum(change, 1e-9), step)


def _at_states(
    first: Plant, second: Plant, shared: SharedNames, rng: np.random.Generator
) -> tuple[tuple[Comparison, ...], int]:
    """Compare rates of states and outputs at equal states."""
    times, given = pulses(first, shared.inputs)
    run = first.simulate(
        times=np.linspace(0.0, DURATION, ALONG),
        inputs=Controls.hold(times, given, shared.inputs) if shared.inputs else None,
        outputs=[],
        rtol=TOLERANCE,
        atol=1e-2 * TOLERANCE,
    ).complete()
    index = np.minimum((run.time / (DURATION / len(times))).astype(int), len(times) - 1)
    states, inputs = [run.states], [given[index]]
    where = [f"on the way at t = {t:.3f} s" for t in run.time]
    values = _defaults(first.info, shared.parameters)
    parameters = [np.tile(values, (ALONG, 1))]
    span, used = box_around(run.states), box_around(given)
    for k in range(PARAMETER_SETS):
        near = run.states[0] + reach_of(run.states[0]) * rng.uniform(-1, 1, (AROUND, span[0].size))
        states += [near, rng.uniform(*span, (AT_RANDOM, span[0].size))]
        inputs.append(rng.uniform(*used, (AROUND + AT_RANDOM, used[0].size)))
        changed = values * rng.uniform(1.0 - CHANGE, 1.0 + CHANGE, values.size) if k else values
        parameters.append(np.tile(changed, (AROUND + AT_RANDOM, 1)))
        suffix = f", parameter set {k}" if k else ""
        where += [f"near the start{suffix}"] * AROUND + [f"at random{suffix}"] * AT_RANDOM
    x, u, p = (np.concatenate(parts) for parts in (states, inputs, parameters))
    mine, theirs = (_evaluated(plant, first.info, x, u, p, shared) for plant in (first, second))
    signals = first.info.signals()
    found: list[Comparison] = []
    for kind, names, a, b in zip(
        ("rate of ", ""), (first.info.states, shared.shown), mine, theirs, strict=True
    ):
        least = _least_scales(a, [signals[name].unit for name in names])
        found += [
            _at_worst(f"{kind}{name}", a[:, i], b[:, i], where, least[i])
            for i, name in enumerate(names)
        ]
    return tuple(found), len(x)


def _evaluated(
    plant: Plant, known: PlantInfo, x: Array, u: Array, p: Array, shared: SharedNames
) -> tuple[Array, Array]:
    """Return a plant's rates and outputs at states in the order of `known`, and in its order."""
    info = plant.info
    own = [known.states.index(name) for name in info.states]
    inputs = np.tile([signal.start or 0.0 for signal in info.inputs], (len(u), 1))
    for column, name in enumerate(shared.inputs):
        inputs[:, info.input_names.index(name)] = u[:, column]
    rates, shown = plant.derivatives(
        x[:, own], inputs, p, parameter_names=shared.parameters, outputs=shared.shown
    )
    return rates[:, [info.states.index(name) for name in known.states]], shown


def _least_scales(values: Array, units: Sequence[str]) -> list[float]:
    """Return what each signal is compared with at least: a part of the largest of its unit."""
    largest = np.abs(values).max(axis=0, initial=0.0)
    alike = [[column for column, other in enumerate(units) if other == unit] for unit in units]
    return [max(SMALL * float(largest[columns].max()), 1e-6) for columns in alike]


def _at_worst(
    name: str, first: Array, second: Array, where: Sequence[str], least: float
) -> Comparison:
    difference = np.abs(first - second)
    difference[~np.isfinite(difference)] = NO_NUMBER
    row = int(np.argmax(difference))
    size = max(float(np.abs(first).max()), least)
    return Comparison(name, "exact derivatives", float(difference[row]) / size, size, where[row])


def _by_motion(first: Plant, second: Plant, shared: SharedNames) -> tuple[Comparison, ...]:
    """Compare what both show while they move under the same inputs from their own starts."""
    times, given = pulses(first, shared.inputs)
    grid = np.linspace(0.0, DURATION, 201)
    values = dict(zip(shared.parameters, _defaults(first.info, shared.parameters), strict=True))
    own = _defaults(second.info, shared.parameters)
    changed = {n: v for (n, v), d in zip(values.items(), own, strict=True) if v != d}
    runs = [
        plant.simulate(
            times=grid,
            inputs=Controls.hold(times, given, shared.inputs) if shared.inputs else None,
            parameters=parameters,
            outputs=shared.shown,
            rtol=FINE,
            atol=1e-2 * FINE,
            step=grid[1],
        ).complete()
        for plant, parameters in ((first, {}), (second, changed))
    ]
    return compared_motions(grid, shared.shown, runs[0].outputs, runs[1].outputs)


def compared_motions(
    times: Array, names: Sequence[str], first: Array, second: Array
) -> tuple[Comparison, ...]:
    """Compare signals over time, relative to their range; a column for each name.

    `Comparison.where` says from when on they are apart.
    """
    found = []
    for name, a, b in zip(names, first.T, second.T, strict=True):
        size = max(float(np.ptp(a)), 1e-6)
        difference = np.abs(a - b) / size
        apart = np.flatnonzero(~(difference <= THRESHOLDS["motions"]))
        where = f"from t = {times[apart[0]]:.3f} s on" if apart.size else ""
        found.append(
            Comparison(f"motion of {name}", "motions", float(difference.max()), size, where)
        )
    return tuple(found)


def other_values(first: PlantInfo, second: PlantInfo) -> dict[str, tuple[float, float]]:
    """Return the parameters of both whose own values differ."""
    shared = _shared(first.parameters, second.parameters)
    pairs = zip(_defaults(first, shared), _defaults(second, shared), strict=True)
    return differing(
        {name: (float(a), float(b)) for name, (a, b) in zip(shared, pairs, strict=True)}
    )


def differing(pairs: Mapping[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    """Return the pairs that differ by more than what is lost where a number is written down."""
    return {
        name: (one, other)
        for name, (one, other) in pairs.items()
        if not math.isclose(one, other, rel_tol=WRITTEN)
    }


def _defaults(info: PlantInfo, names: Sequence[str]) -> Array:
    signals = info.signals()
    return np.array([signals[name].start or 0.0 for name in names])


def _shared(first: Sequence[PlantSignal], second: Sequence[PlantSignal]) -> tuple[str, ...]:
    """Return the names of numbers that both have, in the same unit."""
    others = {signal.name: signal for signal in second if signal.type.startswith("Float")}
    return tuple(
        signal.name
        for signal in first
        if signal.type.startswith("Float")
        and signal.name in others
        and same_unit(signal.unit, others[signal.name].unit)
    )


def same_unit(first: str, second: str) -> bool:
    """Return whether two units are the same; one that is not stated may be any."""
    if not first or not second or first == second:
        return True
    one, other = parse_unit(first), parse_unit(second)
    return one is not None and one == other


def _notes(
    first: PlantInfo, second: PlantInfo, shared: SharedNames, has_me: bool
) -> tuple[str, ...]:
    """Return what was left out, and why motions were taken."""
    notes = []
    if not shared.states:
        why = "the states have other names or units" if has_me else "one offers Co-Simulation only"
        notes.append(f"compared by one motion of {DURATION:g} s from the starts of both: {why}")
    groups: Mapping[str, tuple[Sequence[PlantSignal], Sequence[PlantSignal], tuple[str, ...]]] = {
        "inputs": (first.inputs, second.inputs, shared.inputs),
        "outputs": (first.outputs, second.outputs, shared.shown),
        "parameters": (first.parameters, second.parameters, shared.parameters),
    }
    equal = first.states if shared.states else ()
    for what, (mine, theirs, both) in groups.items():
        for info, signals in ((first, mine), (second, theirs)):
            left = [
                x.name
                for x in signals
                if x.name not in (*both, *equal) and x.type.startswith("Float")
            ]
            if left:
                kept = ", which kept their values" if what != "outputs" else ""
                notes.append(f"{what} not compared{kept}: {_listed(left)} of {info.name}")
    return tuple(notes)


def _nothing(first: PlantInfo, second: PlantInfo) -> str:
    return (
        f"no state and no output has the same name and unit in both: the outputs are "
        f"{_listed(first.output_names)}, and {_listed(second.output_names)}"
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
