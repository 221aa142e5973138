"""What a user asks to be simulated becomes a request to the child process.

Names are checked and become value references.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from cranebridge.errors import InputError, unknown
from cranebridge.plant.child.integrators import METHODS
from cranebridge.plant.description import PlantInfo, PlantSignal
from cranebridge.plant.protocol import (
    Controls,
    Instantiation,
    Saved,
    SimulationRequest,
    VariableReference,
    wire,
)
from cranebridge.plant.sandbox import fmpy_methods, loop_library, pyfmi_methods
from cranebridge.plant.sandbox.point_requests import differentiable, state_references
from cranebridge.plant.sandbox.variable_references import (
    Value,
    checked_value,
    finite,
    is_discrete,
    number_reference,
    output_names,
    parameter_values,
    reference_of,
    refuse_whole_array,
    rows_of,
    unknown_variable,
)


def simulation_request(
    info: PlantInfo,
    fmu: Instantiation,
    *,
    times: ArrayLike,
    inputs: Controls | None,
    parameters: Mapping[str, float],
    start: Mapping[str, float],
    outputs: Sequence[str] | None,
    rtol: float,
    atol: float,
    method: str | None,
    step: float | None,
    max_step: float | None,
    input_derivatives: bool,
    dense: bool,
    saved: Saved,
    persistent: bool,
) -> SimulationRequest:
    """Check all names of a simulation and translate them to value references.

    The keywords are those of `Plant.simulate`.
    """
    if saved:
        _require_restored(info, fmu)
    times = np.array(times, dtype=float)
    is_fmpy = fmu.backend == "fmpy"
    if is_fmpy:
        fmpy_methods.require_simulation(inputs, max_step)
        step = fmpy_methods.interval(step, times)
    names = output_names(info, outputs)
    signals = info.signals()
    inputs = _stopped(inputs, signals)
    _check_controls(info, fmu, inputs, signals)
    before, state_values, expected = _start_values(info, fmu, start, signals)
    states = info.states
    if not fmu.is_model_exchange:
        states = tuple(name for name in states if name in signals)
    moves = input_derivatives and _is_moved(inputs)
    integrator = _integrator(fmu, method)
    return SimulationRequest(
        fmu=fmu,
        times=times,
        controls=inputs,
        references=_references(inputs, signals),
        discrete=tuple(
            name for name in (inputs.names if inputs else ()) if is_discrete(signals[name])
        ),
        intermediate=_intermediate(info, inputs, signals) if moves else (),
        input_derivatives=moves,
        max_order=info.max_input_derivative_order,
        outputs=tuple(number_reference(info, signals, "output", name) for name in names),
        output_names=names,
        state_names=states,
        state_references=tuple(reference_of(signals[name]) for name in states if name in signals),
        values=rows_of(info, [*parameter_values(info, parameters), *before]),
        state_values=state_values,
        expected=expected,
        jacobian=_jacobian_references(info, fmu),
        rtol=rtol,
        atol=atol,
        method=integrator,
        max_step=math.inf if max_step is None else float(max_step),
        loop=_loop(info, fmu, integrator),
        dense=dense and fmu.is_model_exchange and not is_fmpy,
        room=wire.ANSWER_DOUBLES,
        step=step,
        variable_step=info.variable_step,
        saved=saved,
        persistent=persistent and not saved,
    )


def _require_restored(info: PlantInfo, fmu: Instantiation) -> None:
    if fmu.is_model_exchange or fmu.backend != "own" or not info.restores_state:
        raise InputError(
            f"plant '{info.name}' cannot save its state and set it again: that needs "
            "Co-Simulation with canGetAndSetFMUState, and plant.backend = 'own'"
        )


def _integrator(fmu: Instantiation, method: str | None) -> str:
    """Name of the integrator, as the back end knows it."""
    if fmu.backend == "fmpy":
        return fmpy_methods.solver_name(method)
    if fmu.backend == "pyfmi":
        return pyfmi_methods.solver_name(method)
    if method is None:
        return "DOP853"
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    return method


def _loop(info: PlantInfo, fmu: Instantiation, method: str) -> str:
    """Return the compiled loop, where it can be used; it has one integrator."""
    own = fmu.backend == "own" and fmu.is_model_exchange
    if not own or (method != "DOP853" and info.states):
        return ""
    return str(loop_library.compiled() or "")


# ---------------------------------------------------------------------------- inputs


def _is_moved(inputs: Controls | None) -> bool:
    """Whether inputs may move within a communication step: what a law gives is held."""
    return inputs is None or inputs.law is None or len(inputs.coefficients) > 1


def _check_controls(
    info: PlantInfo, fmu: Instantiation, inputs: Controls | None, signals: Mapping[str, PlantSignal]
) -> None:
    if inputs is None:
        return
    if inputs.law is not None and fmu.backend == "pyfmi":
        raise InputError("PyFMI runs no sampled controller here: use plant.backend = 'own'.")
    for name in inputs.names:
        refuse_whole_array(info, "input", name)
        if name not in info.input_names and name not in _tunable(info):
            raise unknown_variable(info, "input", name, info.input_names)
        number_reference(info, signals, "input", name)
    _check_held(inputs, signals)
    if inputs.drives is not None:
        for name in inputs.drives.inputs:
            if is_discrete(signals[name]):
                raise InputError(f"drive controller: the input '{name}' is discrete.")
        for name in (*inputs.drives.positions, *inputs.drives.velocities):
            number_reference(info, signals, "output", name)
            through = info.output_dependencies.get(name, ())
            if through:
                raise InputError(
                    f"drive controller: '{name}' depends directly on {', '.join(through)}; "
                    "feeding it back would make an algebraic loop."
                )
    if inputs.law is not None:
        for name in inputs.names:
            if is_discrete(signals[name]):
                raise InputError(f"controller: the input '{name}' is discrete.")
        for name in inputs.law.readings:
            number_reference(info, signals, "output", name)


def _tunable(info: PlantInfo) -> set[str]:
    """Parameters that may change during a run, as a held input does."""
    return {signal.name for signal in info.parameters if signal.variability == "tunable"}


def _stopped(inputs: Controls | None, signals: Mapping[str, PlantSignal]) -> Controls | None:
    """Add a stop at each change of a discrete input: it is an event."""
    if inputs is None:
        return None
    columns = [i for i, n in enumerate(inputs.names) if n in signals and is_discrete(signals[n])]
    if not columns:
        return inputs
    values = inputs.coefficients[-1][:, columns]
    changes = inputs.breakpoints[1:-1][(np.diff(values, axis=0) != 0.0).any(axis=1)]
    return replace(inputs, stops=np.union1d(inputs.stops, changes))


def _check_held(inputs: Controls, signals: Mapping[str, PlantSignal]) -> None:
    """Discrete inputs are held, those that are whole take whole numbers."""
    for i, name in enumerate(inputs.names):
        signal = signals[name]
        if not is_discrete(signal):
            continue
        if inputs.coefficients[:-1, :, i].any():
            raise InputError(
                f"the input '{name}' is discrete: its values are to be held (Controls.hold)."
            )
        for value in np.unique(inputs.coefficients[-1, :, i]):
            signal.check(float(value))


def _references(
    inputs: Controls | None, signals: Mapping[str, PlantSignal]
) -> dict[str, VariableReference]:
    if inputs is None:
        return {}
    names = list(inputs.names)
    if inputs.drives is not None:
        names += [*inputs.drives.positions, *inputs.drives.velocities]
    if inputs.law is not None:
        names += inputs.law.readings
    return {name: reference_of(signals[name]) for name in names}


def _intermediate(
    info: PlantInfo, inputs: Controls | None, signals: Mapping[str, PlantSignal]
) -> tuple[str, ...]:
    """Inputs and measured outputs that can be set and read within a communication step."""
    if not info.intermediate_update:
        return ()
    return tuple(name for name in _references(inputs, signals) if signals[name].intermediate)


# ---------------------------------------------------------------------------- states


def _start_values(
    info: PlantInfo,
    fmu: Instantiation,
    start: Mapping[str, float],
    signals: Mapping[str, PlantSignal],
) -> tuple[
    list[Value], tuple[tuple[int, float], ...], tuple[tuple[VariableReference, float, str], ...]
]:
    """Values before initialization, states after it, and what to expect in between.

    Model Exchange sets the continuous states themselves. Co-Simulation cannot: a state with a start
    value of its own takes the value; for one that is calculated from a single parameter, the
    parameter gets the value, and the child checks that the state follows.
    """
    before: list[Value] = []
    after: list[tuple[int, float]] = []
    expected: list[tuple[VariableReference, float, str]] = []
    for name, value in start.items():
        if fmu.is_model_exchange and name in info.states:
            after.append((info.states.index(name), finite(name, value)))
            continue
        refuse_whole_array(info, "variable", name)
        if name not in signals:
            raise unknown(f"variable of '{info.name}'", name, signals)
        signal = signals[name]
        if signal.initial == "calculated":
            sources = info.initial_dependencies.get(name, ())
            if len(sources) != 1 or sources[0] not in signals:
                raise InputError(
                    f"'{name}' is calculated at the start and cannot be set in Co-Simulation; "
                    f"set what it depends on: {', '.join(sources) or 'not told by the FMU'}."
                )
            expected.append((reference_of(signal), float(value), name))
            signal = signals[sources[0]]
        before.append((signal, checked_value(info, signal, value)))
    return before, tuple(after), tuple(expected)


def _jacobian_references(
    info: PlantInfo, fmu: Instantiation
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Value references for df/dx, where the FMU gives directional derivatives."""
    if not fmu.is_model_exchange or not differentiable(info, ()):
        return (), ()
    return state_references(info)
