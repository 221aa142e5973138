"""`Plant`: an FMU behind one interface, whatever its FMI version, interface type and maker."""

from __future__ import annotations

import importlib.util
import itertools
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranebridge.errors import InputError, MissingDependencyError, unknown
from cranebridge.plant.archive import ArchiveError, check_archive
from cranebridge.plant.compiler import host_platform
from cranebridge.plant.controls import Controls, to_message
from cranebridge.plant.fmu import Interface, PlantInfo, Signal, describe
from cranebridge.plant.results import Halving, Linearization, Simulation
from cranebridge.plant.sandbox import PlantStatusError, Sandbox, require_finite

Array = NDArray[np.float64]
Method = Literal["DOP853", "LSODA", "Radau", "BDF", "RK45", "CVODE"]

METHODS = ("DOP853", "LSODA", "Radau", "BDF", "RK45", "CVODE")
GIBIBYTE = 2**30
# Python with NumPy and SciPy takes this much address space before any FMU is loaded.
SMALLEST_MEMORY = 256 * 2**20


class Plant:
    """An FMU, loaded in a child process that this object owns; a context manager.

    Parameters
    ----------
    path : Path
        The FMU; it is only read.
    interface : {"me", "cs"}
        Model Exchange or Co-Simulation.
    timeout : float
        Seconds that one call may take.
    memory : int
        Bytes of address space that the child process may use.
    allow : collection of str, optional
        SHA-256 hashes of the only files that may be used.

    Raises
    ------
    ArchiveError, DescriptionError
        If the file is not a sound FMU, not allowed, or has no binary for this platform.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        interface: Interface = "me",
        timeout: float = 60.0,
        memory: int = 2 * GIBIBYTE,
        allow: Collection[str] | None = None,
    ) -> None:
        if interface not in ("me", "cs"):
            raise unknown("interface", interface, ("me", "cs"))
        if not timeout > 0.0 or memory < SMALLEST_MEMORY:
            raise InputError("the time limit must be positive, the memory limit 256 MiB or more.")
        self.interface: Interface = interface
        self._timeout, self._memory = timeout, memory
        self._sandbox: Sandbox | None = None
        if importlib.util.find_spec("fmpy") is None:
            raise MissingDependencyError(
                "FMUs are run with FMPy; run: pip install 'cranebridge[plant]'"
            )
        archive = check_archive(path, allow)
        self.info: PlantInfo = describe(archive)
        self._check_interface(archive.names)
        # The child starts while the archive is unpacked.
        self._sandbox = Sandbox(timeout, memory)
        self._directory = tempfile.TemporaryDirectory(prefix="cranebridge-fmu-")
        try:
            archive.unpack(Path(self._directory.name), self._wanted)
            # FMI 3 passes this directory to the FMU even if there is nothing in it.
            (Path(self._directory.name) / "resources").mkdir(exist_ok=True)
        except BaseException:
            self.close()
            raise

    def _check_interface(self, names: Sequence[str]) -> None:
        info, path = self.info, self.info.path
        if self.interface not in info.identifiers:
            has, wants = ("Co-Simulation", "Model Exchange")
            if self.interface == "cs":
                has, wants = wants, has
            raise InputError(f"'{path}' has no {wants}, only {has}: use the other interface.")
        if info.binary(self.interface) not in names:
            platforms = sorted({n.split("/")[1] for n in names if n.startswith("binaries/")})
            raise ArchiveError(
                f"'{path}' has no binary for {host_platform().name} "
                f"('{info.binary(self.interface)}'); it has {', '.join(platforms) or 'none'}."
            )
        arrays = [signal.name for signal in info.inputs if signal.size != 1]
        if arrays:
            raise InputError(f"'{path}' has inputs that are arrays: {', '.join(arrays)}.")

    def _wanted(self, name: str) -> bool:
        folder = self.info.binary(self.interface).rsplit("/", 1)[0] + "/"
        if name.startswith("binaries/"):
            return name.startswith(folder)
        return not name.startswith(("sources/", "documentation/"))

    def __enter__(self) -> Plant:
        return self

    def __exit__(self, *_details: object) -> None:
        self.close()

    def close(self) -> None:
        """End the child process and remove the unpacked files."""
        if self._sandbox is not None:
            self._sandbox.close()
            self._sandbox = None
        self._directory.cleanup()

    # ------------------------------------------------------------------ simulation

    def simulate(
        self,
        *,
        times: ArrayLike,
        inputs: Controls | None = None,
        parameters: Mapping[str, float] | None = None,
        start: Mapping[str, float] | None = None,
        outputs: Sequence[str] | None = None,
        rtol: float = 1e-10,
        atol: float = 1e-12,
        method: Method = "DOP853",
        step: float | None = None,
        input_derivatives: bool = True,
    ) -> Simulation:
        """Simulate from ``times[0]`` to ``times[-1]``.

        Parameters
        ----------
        times : array_like
            Output times in s, increasing.
        inputs : Controls, optional
            Inputs over time, with drive controllers if wanted. Inputs that are not named keep
            their start values.
        parameters : mapping of str to float, optional
            Values of parameters other than the default.
        start : mapping of str to float, optional
            Start values of states or of other variables.
        outputs : sequence of str, optional
            Which variables to return; the FMU's outputs by default.
        rtol, atol : float
            Tolerances of the integrator; of the FMU's own in Co-Simulation, where it takes `rtol`.
        method : str
            Integrator for Model Exchange.
        step : float, optional
            Largest communication step in s for Co-Simulation; the median distance of `times` by
            default.
        input_derivatives : bool
            Give the FMU derivatives of the inputs in Co-Simulation, if it takes them (FMI 2 only;
            FMI 3 has no such call, and the inputs are held over each communication step).

        Returns
        -------
        Simulation
            Outputs and states at the times.

        Raises
        ------
        InputError
            If a name or value given is wrong.
        PlantError
            If the FMU crashes, hangs, returns an error or a value that is not finite.
        """
        grid = _increasing(times)
        if method not in METHODS:
            raise unknown("method", method, METHODS)
        if not (rtol > 0.0 and atol > 0.0) or (step is not None and not step > 0.0):
            raise InputError("tolerances and step must be positive.")
        names = tuple(self.info.output_names if outputs is None else outputs)
        body, arrays = self._simulation_body(inputs, parameters or {}, start or {}, names)
        body |= {
            "rtol": rtol,
            "atol": atol,
            "tolerance": rtol if self.interface == "cs" else None,
            "method": method,
            "step": step,
            "input_derivatives": input_derivatives,
        }
        reply, results, log = self._call(body, {**arrays, "times": grid})
        return self._simulation(grid, names, body, reply, results, log)

    def _simulation_body(
        self,
        inputs: Controls | None,
        parameters: Mapping[str, float],
        start: Mapping[str, float],
        names: Sequence[str],
    ) -> tuple[dict[str, Any], dict[str, Array]]:
        """Check all names and translate them to value references."""
        signals = self.info.signals()
        controls, arrays = self._controls(inputs, signals)
        before, state_values, expected = self._start_values(start, signals)
        states = self.info.states
        if self.interface == "cs":
            states = tuple(name for name in states if name in signals)
        body = {
            "command": "simulate",
            "fmu": self._fmu(),
            "controls": controls,
            "references": self._references(inputs, signals),
            "outputs": [self._real(signals, "output", name) for name in names],
            "output_names": list(names),
            "state_names": list(states),
            "state_references": [signals[n].value_reference for n in states if n in signals],
            "state_values": state_values,
            "values": [*self._values(parameters, "parameter"), *before],
            "expected": expected,
            "variable_step": self.info.variable_step,
            "max_order": self.info.max_input_derivative_order,
        }
        return body, arrays

    def _simulation(
        self,
        grid: Array,
        names: tuple[str, ...],
        body: Mapping[str, Any],
        reply: Mapping[str, Any],
        results: Mapping[str, Array],
        log: tuple[str, ...],
    ) -> Simulation:
        """Check the child's answer; foreign code ran there."""
        state_names = tuple(body["state_names"])
        y = _expect(results, "outputs", (len(grid), len(names)), log)
        x = _expect(results, "states", (len(grid), len(state_names)), log)
        require_finite(y, names, "at output time number {row}", log)
        require_finite(x, state_names, "at output time number {row}", log)
        try:
            counts = [int(reply[key]) for key in ("steps", "rejected", "evaluations", "events")]
            seconds = float(reply["seconds"])
        except (KeyError, TypeError, ValueError):
            raise PlantStatusError("the child process returned no counters.", log) from None
        return Simulation(
            time=grid,
            outputs=y,
            states=x,
            output_names=names,
            state_names=state_names,
            steps=counts[0],
            rejected=counts[1],
            evaluations=counts[2],
            events=counts[3],
            method=body["method"] if self.interface == "me" else "Co-Simulation",
            interpolation=str(reply.get("interpolation", "")),
            seconds=seconds,
            log=log,
        )

    def simulate_halving(self, *, step: float, **options: Any) -> Halving:
        """Simulate with the communication steps h, h/2 and h/4 and observe the order.

        Parameters
        ----------
        step : float
            Communication step h in s.
        **options
            As for `simulate`.
        """
        if self.interface != "cs":
            raise InputError("step halving is for Co-Simulation.")
        runs = [self.simulate(step=step / 2**k, **options) for k in range(3)]
        first, second = (
            np.abs(b.outputs - a.outputs).max(axis=0) for a, b in itertools.pairwise(runs)
        )
        level = 1e-13 * np.maximum(np.abs(runs[2].outputs).max(axis=0), 1e-3)
        seen = (second > level) & (first > level)
        order = np.full(len(first), np.nan)
        order[seen] = np.log2(first[seen] / second[seen])
        coarse, fine, finest = runs
        return Halving(coarse, fine, finest, np.stack([first, second]), order)

    # ------------------------------------------------------------------ single evaluations

    def derivatives(
        self,
        states: ArrayLike,
        inputs: ArrayLike | None = None,
        parameters: ArrayLike | None = None,
        *,
        parameter_names: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
        times: ArrayLike | None = None,
    ) -> tuple[Array, Array]:
        """Evaluate the derivatives of the states and outputs at many points in one call.

        Parameters
        ----------
        states : array_like
            A row for each point, columns as `info.states`.
        inputs : array_like, optional
            Columns as `info.inputs`; the start values if not given.
        parameters : array_like, optional
            Columns as `parameter_names`; rows with equal values should stand together, because
            each change initializes the FMU anew.
        parameter_names : sequence of str, optional
            Names of the parameters' columns; all of `info.parameters` if not given.
        outputs : sequence of str, optional
            Which outputs; the FMU's outputs by default.
        times : array_like, optional
            Time of each point; 0 by default.

        Returns
        -------
        derivatives, outputs : numpy.ndarray
            A row for each point.
        """
        self._require_me("derivatives")
        signals = self.info.signals()
        names = tuple(self.info.output_names if outputs is None else outputs)
        x = _table(states, len(self.info.states), "states")
        u = self._input_table(inputs, len(x))
        arrays = {"states": x, "inputs": u}
        body = self._point_body(names, signals)
        if parameters is not None:
            known = {signal.name: signal for signal in self.info.parameters}
            chosen = list(parameter_names if parameter_names is not None else known)
            for name in chosen:
                if name not in known:
                    raise unknown("parameter", name, known)
            body["parameter_signals"] = [
                (known[name].value_reference, known[name].type) for name in chosen
            ]
            arrays["parameters"] = _table(parameters, len(chosen), "parameters")
        arrays["times"] = np.zeros(len(x)) if times is None else np.asarray(times, dtype=float)
        if any(len(array) != len(x) for array in arrays.values()):
            raise InputError("states, inputs, parameters and times need the same number of rows.")
        _, results, log = self._call({**body, "command": "derivatives"}, arrays)
        rates = _expect(results, "derivatives", x.shape, log)
        values = _expect(results, "outputs", (len(x), len(names)), log)
        require_finite(rates, self.info.derivatives, "in row {row}", log)
        require_finite(values, names, "in row {row}", log)
        return rates, values

    def directional(
        self,
        state: ArrayLike,
        inputs: ArrayLike | None = None,
        *,
        parameters: Mapping[str, float] | None = None,
        outputs: Sequence[str] | None = None,
        time: float = 0.0,
    ) -> Linearization:
        """Linearize at a state: by the FMU's directional derivatives, else central differences.

        Parameters
        ----------
        state, inputs : array_like
            As `info.states` and `info.inputs`.
        parameters : mapping of str to float, optional
            Values of parameters other than the default.
        outputs : sequence of str, optional
            Which outputs; the FMU's outputs by default.
        time : float
            Time of the point.
        """
        self._require_me("directional")
        signals = self.info.signals()
        names = tuple(self.info.output_names if outputs is None else outputs)
        x = _table(np.atleast_1d(np.asarray(state, dtype=float))[None], len(self.info.states), "x")
        u = self._input_table(None if inputs is None else np.atleast_1d(inputs)[None], 1)
        scalar = all(n in signals for n in (*self.info.states, *self.info.derivatives))
        exact = self.info.can_get_derivatives and scalar
        body = self._point_body(names, signals) | {
            "command": "linearize",
            "values": self._values(parameters or {}, "parameter"),
            "directional": exact,
            "states": [signals[n].value_reference for n in self.info.states] if exact else [],
            "derivatives": [signals[n].value_reference for n in self.info.derivatives]
            if exact
            else [],
        }
        arrays = {"state": x[0], "input": u[0], "time": np.array([time])}
        _, results, log = self._call(body, arrays)
        nx, nu = len(self.info.states), len(self.info.inputs)
        jacobian = _expect(results, "jacobian", (nx + len(names), nx + nu), log)
        columns = (*self.info.states, *self.info.input_names)
        require_finite(jacobian, columns, "in row {row} of the Jacobian", log)
        return Linearization(
            A=jacobian[:nx, :nx],
            B=jacobian[:nx, nx:],
            C=jacobian[nx:, :nx],
            D=jacobian[nx:, nx:],
            output_names=names,
            exact=exact,
        )

    # ------------------------------------------------------------------ requests

    def _call(
        self, body: dict[str, Any], arrays: dict[str, Array]
    ) -> tuple[dict[str, Any], dict[str, Array], tuple[str, ...]]:
        if self._sandbox is None or not self._sandbox.alive:
            # The last call ended the child: this one gets a new one.
            if self._sandbox is not None:
                self._sandbox.close()
            self._sandbox = Sandbox(self._timeout, self._memory)
        return self._sandbox.call(body, arrays)

    def _fmu(self) -> dict[str, Any]:
        info = self.info
        return {
            "version": info.fmi_version,
            "interface": self.interface,
            "directory": self._directory.name,
            "identifier": info.identifiers[self.interface],
            "token": info.guid,
            "states": len(info.states),
            "event_indicators": info.event_indicators if self.interface == "me" else 0,
            "needs_completed_step": info.needs_completed_step,
            "log_categories": list(info.log_categories),
        }

    def _point_body(self, names: Sequence[str], signals: Mapping[str, Signal]) -> dict[str, Any]:
        return {
            "fmu": self._fmu(),
            "values": [],
            "inputs": [signal.value_reference for signal in self.info.inputs],
            "outputs": [self._real(signals, "output", name) for name in names],
        }

    def _require_me(self, what: str) -> None:
        if self.interface != "me":
            raise InputError(f"'{what}' needs Model Exchange; this plant runs as Co-Simulation.")

    def _input_table(self, inputs: ArrayLike | None, rows: int) -> Array:
        if inputs is None:
            row = [signal.start or 0.0 for signal in self.info.inputs]
            return np.tile(np.array(row, dtype=float), (rows, 1))
        return _table(inputs, len(self.info.inputs), "inputs")

    def _real(self, signals: Mapping[str, Signal], kind: str, name: str) -> int:
        if name not in signals:
            raise unknown(f"{kind} of '{self.info.name}'", name, signals)
        signal = signals[name]
        if signal.type != "Float64" or signal.size != 1:
            raise InputError(f"'{name}' is no real scalar, but {signal.type}.")
        return signal.value_reference

    def _controls(
        self, inputs: Controls | None, signals: Mapping[str, Signal]
    ) -> tuple[dict[str, Any], dict[str, Array]]:
        if inputs is None:
            return {}, {}
        for name in inputs.names:
            if name not in self.info.input_names:
                raise unknown(f"input of '{self.info.name}'", name, self.info.input_names)
            self._real(signals, "input", name)
        if inputs.drives is not None:
            for name in (*inputs.drives.positions, *inputs.drives.velocities):
                self._real(signals, "output", name)
                through = self.info.output_dependencies.get(name, ())
                if through:
                    raise InputError(
                        f"drive controller: '{name}' depends directly on {', '.join(through)}; "
                        "feeding it back would make an algebraic loop."
                    )
        return to_message(inputs)

    def _references(self, inputs: Controls | None, signals: Mapping[str, Signal]) -> dict[str, int]:
        if inputs is None:
            return {}
        names = list(inputs.names)
        if inputs.drives is not None:
            names += [*inputs.drives.positions, *inputs.drives.velocities]
        return {name: signals[name].value_reference for name in names}

    def _values(self, values: Mapping[str, float], kind: str) -> list[tuple[int, str, float]]:
        known = {signal.name: signal for signal in self.info.parameters}
        rows = []
        for name, value in values.items():
            if name not in known:
                raise unknown(f"{kind} of '{self.info.name}'", name, known)
            rows.append(_row(known[name], value))
        return rows

    def _start_values(
        self, start: Mapping[str, float], signals: Mapping[str, Signal]
    ) -> tuple[list[tuple[int, str, float]], list[tuple[int, float]], list[tuple[int, float, str]]]:
        """Values before initialization, states after it, and what to expect in between.

        Model Exchange sets the continuous states themselves. Co-Simulation cannot: a state with a
        start value of its own takes the value; for one that is calculated from a single parameter,
        the parameter gets the value, and the child checks that the state follows.
        """
        before: list[tuple[int, str, float]] = []
        after: list[tuple[int, float]] = []
        expected: list[tuple[int, float, str]] = []
        for name, value in start.items():
            if self.interface == "me" and name in self.info.states:
                after.append((self.info.states.index(name), _finite(name, value)))
                continue
            if name not in signals:
                raise unknown(f"variable of '{self.info.name}'", name, signals)
            signal = signals[name]
            if signal.initial == "calculated":
                sources = self.info.initial_dependencies.get(name, ())
                if len(sources) != 1:
                    raise InputError(
                        f"'{name}' is calculated at the start and cannot be set in Co-Simulation; "
                        f"set what it depends on: {', '.join(sources) or 'not told by the FMU'}."
                    )
                expected.append((signal.value_reference, float(value), name))
                signal = signals[sources[0]]
            before.append(_row(signal, value))
        return before, after, expected


def _row(signal: Signal, value: float) -> tuple[int, str, float]:
    if signal.size != 1 or signal.type in ("String", "Binary", "Clock"):
        raise InputError(f"'{signal.name}' is no numerical scalar.")
    return signal.value_reference, signal.type, _finite(signal.name, value)


def _finite(name: str, value: float) -> float:
    if not np.isfinite(value):
        raise InputError(f"the value {value} for '{name}' is not finite.")
    return float(value)


def _increasing(times: ArrayLike) -> Array:
    grid = np.array(times, dtype=float)
    if grid.ndim != 1 or len(grid) < 2 or not (np.diff(grid) > 0.0).all():
        raise InputError("output times: two or more increasing times are needed.")
    if not np.isfinite(grid).all():
        raise InputError("output times: not finite.")
    return grid


def _table(values: ArrayLike, columns: int, what: str) -> Array:
    table = np.array(values, dtype=float, order="C")
    if table.ndim != 2 or table.shape[1] != columns:
        raise InputError(f"{what}: {columns} columns are needed, the shape is {table.shape}.")
    if not np.isfinite(table).all():
        raise InputError(f"{what}: a value is not finite.")
    return table


def _expect(
    results: Mapping[str, Array], name: str, shape: tuple[int, ...], log: tuple[str, ...]
) -> Array:
    """Take an array from the child's answer; foreign code may have changed it."""
    array = results.get(name)
    if array is None or array.shape != shape:
        raise PlantStatusError(f"the child process returned no '{name}' of shape {shape}.", log)
    return array
