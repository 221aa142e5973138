"""`Plant`: an FMU behind one interface, whatever its FMI version, interface type and maker."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranebridge.errors import InputError, MissingDependencyError, unknown
from cranebridge.plant.child.integrators import METHODS
from cranebridge.plant.compiler import host_platform
from cranebridge.plant.containment import Containment
from cranebridge.plant.description import (
    Archive,
    ArchiveError,
    Interface,
    PlantInfo,
    check_allowed,
    check_archive,
    describe,
)
from cranebridge.plant.plant_choices import BACKENDS, CONTAIN, Backend, Contain
from cranebridge.plant.protocol import Controls, wire
from cranebridge.plant.sandbox import (
    MEMORY,
    Halving,
    Host,
    Linearization,
    Rates,
    Simulation,
    answers,
    loop_library,
    pyfmi_methods,
    requests,
)

Array = NDArray[np.float64]
Method = Literal[
    "DOP853",
    "LSODA",
    "Radau",
    "BDF",
    "RK45",
    "CVODE",
    # of PyFMI
    "CVode",
    "Radau5ODE",
    "RodasODE",
    "Dopri5",
]

Saved = Literal["", "begin", "resume"]

# Python with NumPy and SciPy takes this much address space before any FMU is loaded.
SMALLEST_MEMORY = 256 * 2**20
# Step in s of the differences along the plant's own trajectory. Order 4: for motions of some rad/s
# truncation and rounding are about 1e-12 of a first derivative, 1e-9 of a second one.
DIFFERENCE_STEP = 1e-3


class Plant:
    """An FMU, loaded in a child process that this object owns; a context manager.

    Parameters
    ----------
    path : Path or Archive
        The FMU, or its archive that has been checked already; it is only read.
    interface : {"me", "cs"}
        Model Exchange or Co-Simulation.
    timeout : float
        Seconds that one call may take.
    memory : int
        Bytes of address space that the child process may use.
    allow : collection of str, optional
        SHA-256 hashes of the only files that may be used.
    contain : {"auto", "require", "off"}
        What the child process is kept from: all that the kernel can enforce, the same or an error,
        or nothing.
    structure : mapping of str to float, optional
        Values of structural parameters other than their start values (FMI 3); arrays get the sizes
        that follow.
    backend : {"own", "pyfmi"}
        Who runs the FMU: our own loop, or PyFMI with Assimulo's solvers, which must be installed.
    persistent : bool
        Simulate again and again in one instance that is set back (`kept_instance`), not in a new
        one each time.

    Raises
    ------
    ArchiveError, DescriptionError
        If the file is not a sound FMU, not allowed, or has no binary for this platform.
    """

    def __init__(
        self,
        path: Path | str | Archive,
        *,
        interface: Interface = "me",
        timeout: float = 60.0,
        memory: int = MEMORY,
        allow: Collection[str] | None = None,
        contain: Contain = "auto",
        structure: Mapping[str, float] | None = None,
        backend: Backend = "own",
        persistent: bool = False,
    ) -> None:
        if interface not in ("me", "cs"):
            raise unknown("interface", interface, ("me", "cs"))
        if not timeout > 0.0 or memory < SMALLEST_MEMORY:
            raise InputError("the time limit must be positive, the memory limit 256 MiB or more.")
        if contain not in CONTAIN:
            raise unknown("containment", contain, CONTAIN)
        if backend not in BACKENDS:
            raise unknown("back end", backend, BACKENDS)
        self.interface: Interface = interface
        self.backend: Backend = backend
        if importlib.util.find_spec("fmpy") is None:
            raise MissingDependencyError("FMUs are run with FMPy; run: pip install cranebridge")
        if isinstance(path, Archive):
            archive = path
            check_allowed(archive.path, archive.sha256, allow)
        else:
            archive = check_archive(path, allow)
        self.info: PlantInfo = describe(archive, structure)
        _check_interface(self.info, interface, archive.names)
        _check_backend(self.info, interface, backend)
        self.timeout = timeout
        # a reset is compared with a second instance, which not every FMU can have: it is freed then
        self._persistent = persistent and backend == "own" and not self.info.once_per_process
        self._host = Host(archive, self.info, timeout, memory, contain, backend)
        self._owner = True

    def sibling(self, interface: Interface) -> Plant:
        """Return a plant for this or the other interface of the same FMU.

        It shares the unpacked files and the child process, which end with the plant that was opened
        first; closing a sibling does nothing.

        Raises
        ------
        InputError
            If the FMU does not have that interface.
        """
        if interface not in ("me", "cs"):
            raise unknown("interface", interface, ("me", "cs"))
        _check_interface(self.info, interface, self._host.names)
        _check_backend(self.info, interface, self.backend)
        plant = object.__new__(Plant)
        plant.interface, plant.info = interface, self.info
        plant.backend = self.backend
        plant._host, plant._owner = self._host, False
        plant.timeout, plant._persistent = self.timeout, self._persistent
        return plant

    @property
    def knows_steps(self) -> bool:
        """Whether a simulation tells what is within the integrator's steps (`dense`)."""
        return self.interface == "me" and bool(self.info.states)

    @property
    def containment(self) -> Containment:
        """What the FMU's binary is kept from, and what this system could not enforce."""
        return self._host.containment

    def __enter__(self) -> Plant:
        return self

    def __exit__(self, *_details: object) -> None:
        self.close()

    def close(self) -> None:
        """End the child process and remove the unpacked files."""
        if self._owner:
            self._host.close()

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
        method: Method | None = None,
        step: float | None = None,
        max_step: float | None = None,
        input_derivatives: bool = True,
        dense: bool = False,
        saved: Saved = "",
        progress: Callable[[float], None] | None = None,
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
            Which variables to return; the FMU's outputs by default. An array's name stands for all
            its elements.
        rtol, atol : float
            Tolerances of the integrator; of the FMU's own in Co-Simulation, where it takes `rtol`.
        method : str, optional
            Integrator for Model Exchange: DOP853 by default. With PyFMI one of its solvers
            (`pyfmi_methods.SOLVERS`; Radau5ODE by default) or our name of its counterpart.
        step : float, optional
            Largest communication step in s for Co-Simulation; the median distance of `times` by
            default.
        max_step : float, optional
            The integrator's largest step in s, in Model Exchange: what is shorter in the plant, and
            no event, may lie between two steps. Without bound by default.
        input_derivatives : bool
            Let the inputs move within a communication step, if the FMU can: FMI 2 FMUs take
            derivatives, FMI 3 FMUs ask for intermediate values. Otherwise the inputs are held.
        dense : bool
            Return nodes within each integrator step too, in Model Exchange: see `Dense`.
        saved : {"", "begin", "resume"}
            Runs from a saved state, in Co-Simulation: the first of them begins as any other; those
            that resume begin where the last one ended, or again where it began, by their times.
            Parameters and start values are those of the first.
        progress : callable, optional
            Called with the part of the time that is simulated, some times a second.

        Returns
        -------
        Simulation
            Outputs and states at the times; up to `Simulation.ended` if the FMU ends it itself.

        Raises
        ------
        InputError
            If a name or value given is wrong.
        PlantError
            If the FMU crashes, hangs, returns an error or a value that is not finite.
        """
        grid = requests.increasing(times)
        chosen = self._method(method)
        if not (rtol > 0.0 and atol > 0.0) or any(
            size is not None and not size > 0.0 for size in (step, max_step)
        ):
            raise InputError("tolerances and step must be positive.")
        if saved:
            self._require_restored()
        names = self._output_names(outputs)
        law = None if inputs is None else inputs.law
        # what a law gives is held; what acts beside it may move within a communication step
        moves = law is None or bool(inputs is not None and len(inputs.coefficients) > 1)
        if law is not None and self.backend == "pyfmi":
            raise InputError("PyFMI runs no sampled controller here: use plant.backend = 'own'.")
        body, arrays = requests.simulation_request(
            self.info, self.interface, inputs, parameters or {}, start or {}, names
        )
        requests.require_room(len(grid), len(names) + len(body["state_names"]))
        body |= {
            "rtol": rtol,
            "atol": atol,
            "tolerance": rtol if self.interface == "cs" else None,
            "method": chosen,
            "step": step,
            "max_step": math.inf if max_step is None else float(max_step),
            "input_derivatives": input_derivatives and moves,
            "law_shape": None
            if law is None
            else (law.time.size, law.first.size, law.resolution.size, law.estimates),
            "dense": dense and self.interface == "me",
            "room": wire.ANSWER_DOUBLES,
            "loop": self._loop(chosen),
            "interface": self.interface,
            "saved": saved,
            "persistent": self._persistent and not saved,
        }
        if self.info.once_per_process and saved != "resume":
            body["order"] = self._input_order(body, {**arrays, "times": grid})
        reply, results, log = self._call(body, {**arrays, "times": grid}, _part_of(grid, progress))
        with self._host.judging():
            found = answers.simulation(grid, body, reply, results, log)
        return found if self.backend == "own" else replace(found, method=f"PyFMI, {found.method}")

    def _input_order(self, body: dict[str, Any], arrays: dict[str, Array]) -> int:
        """Order of input derivatives, tried in a child that makes no other instance."""
        host = self._host
        moves = body["input_derivatives"] and bool(body["controls"])
        if self.interface != "cs" or not moves or not body["max_order"]:
            return 0
        if host.input_order is None:
            reply, _, log = self._call(body | {"command": "input_order"}, arrays)
            with host.judging():
                host.input_order = answers.input_order(reply, log)
        return host.input_order

    def _method(self, method: str | None) -> str:
        if self.backend == "pyfmi":
            return pyfmi_methods.solver_name(method)
        if method is None:
            return "DOP853"
        if method not in METHODS:
            raise unknown("method", method, METHODS)
        return method

    def _loop(self, method: str) -> str:
        """Return the compiled loop, where it can be used; it has one integrator."""
        own = self.backend == "own" and self.interface == "me"
        if not own or (method != "DOP853" and self.info.states):
            return ""
        return str(loop_library.compiled() or "")

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
        runs = [self.simulate(step=step / 2**k, **options).complete() for k in range(3)]
        return Halving.of(*runs)

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
        names, body, arrays = self._points(
            "derivatives", states, inputs, parameters, parameter_names, times, outputs
        )
        _, results, log = self._call(body, arrays)
        with self._host.judging():
            return answers.points(self.info, results, len(arrays["states"]), names, log)

    def rates(
        self,
        states: ArrayLike,
        inputs: ArrayLike | None = None,
        parameters: ArrayLike | None = None,
        *,
        parameter_names: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
        times: ArrayLike | None = None,
    ) -> Rates:
        """Evaluate derivatives, outputs and the outputs' time derivatives at many points.

        The inputs are constant: dy/dt = dy/dx f + dy/dt at fixed x. By one directional derivative
        of the FMU a point where it gives them, otherwise by central differences of order 4 along
        the plant's own trajectory (`DIFFERENCE_STEP`). An explicit dependence on time is a
        difference in both cases.

        Parameters
        ----------
        states, inputs, parameters, parameter_names, outputs, times
            As for `derivatives`.
        """
        names, body, arrays = self._points(
            "rates", states, inputs, parameters, parameter_names, times, outputs
        )
        directional = requests.differentiable(self.info, names)
        if directional:
            body["states"] = requests.state_references(self.info)[0]
        body |= {"directional": directional, "step": DIFFERENCE_STEP}
        reply, results, log = self._call(body, arrays)
        rows = len(arrays["states"])
        with self._host.judging():
            derivatives, values = answers.points(self.info, results, rows, names, log)
            rates = answers.expect(results, "output_rates", (rows, len(names)), log)
            answers.require_finite(rates, _rates_of(names), "in row {row}", log)
        exact = directional and reply.get("time_dependent") is False
        return Rates(derivatives, values, rates, names, exact)

    def second_rates(
        self,
        states: ArrayLike,
        inputs: ArrayLike | None = None,
        parameters: ArrayLike | None = None,
        *,
        parameter_names: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
        times: ArrayLike | None = None,
    ) -> Array:
        """Evaluate second time derivatives of outputs along the plant's own trajectory.

        By differences of order 4 (`DIFFERENCE_STEP`), with constant inputs: the first difference of
        exact rates where the FMU gives directional derivatives, else the second difference of
        values. A row for each point, a column for each output.

        Parameters
        ----------
        states, inputs, parameters, parameter_names, outputs, times
            As for `derivatives`.
        """
        names, body, arrays = self._points(
            "second_rates", states, inputs, parameters, parameter_names, times, outputs
        )
        directional = requests.differentiable(self.info, names)
        if directional:
            body["states"] = requests.state_references(self.info)[0]
        # One difference of exact rates bears a smaller step than two of values.
        step = (0.1 if directional else 1.0) * DIFFERENCE_STEP
        body |= {"directional": directional, "step": step}
        _, results, log = self._call(body, arrays)
        shape = (len(arrays["states"]), len(names))
        with self._host.judging():
            found = answers.expect(results, "second_rates", shape, log)
            answers.require_finite(found, _rates_of(_rates_of(names)), "in row {row}", log)
        return found

    def _points(
        self,
        command: str,
        states: ArrayLike,
        inputs: ArrayLike | None,
        parameters: ArrayLike | None,
        parameter_names: Sequence[str] | None,
        times: ArrayLike | None,
        outputs: Sequence[str] | None,
    ) -> tuple[tuple[str, ...], dict[str, Any], dict[str, Array]]:
        """Names of the outputs, and the request for many points."""
        self._require_me(command)
        names = self._output_names(outputs)
        body, arrays = requests.points_request(
            self.info, states, inputs, parameters, parameter_names, times, names
        )
        return names, body | {"command": command}, arrays

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
        info = self.info
        whole = [s.name for s in info.inputs if requests.is_discrete(s)]
        if whole:
            raise InputError(f"'directional' needs continuous inputs; {', '.join(whole)} is not.")
        names = self._output_names(outputs)
        rows = np.atleast_1d(np.asarray(state, dtype=float))[None]
        x = requests.table(rows, len(info.states), "x")
        u = requests.input_table(info, None if inputs is None else np.atleast_1d(inputs)[None], 1)
        exact = requests.differentiable(info, names)
        states, derivatives = requests.state_references(info) if exact else ([], [])
        body = requests.point_body(info, names) | {
            "command": "linearize",
            "values": requests.values(info, parameters or {}),
            "directional": exact,
            "states": states,
            "derivatives": derivatives,
        }
        arrays = {"state": x[0], "input": u[0], "time": np.array([time])}
        _, results, log = self._call(body, arrays)
        nx, nu = len(self.info.states), len(self.info.inputs)
        columns = (*self.info.states, *self.info.input_names)
        with self._host.judging():
            jacobian = answers.expect(results, "jacobian", (nx + len(names), nx + nu), log)
            answers.require_finite(jacobian, columns, "in row {row} of the Jacobian", log)
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
        self,
        body: dict[str, Any],
        arrays: dict[str, Array],
        reached: Callable[[float], None] | None = None,
    ) -> tuple[dict[str, Any], dict[str, Array], tuple[str, ...]]:
        info = self.info
        fmu = {
            "version": info.fmi_version,
            "interface": self.interface,
            "backend": self.backend,
            "directory": self._host.directory,
            "identifier": info.identifiers[self.interface],
            "token": info.guid,
            "states": len(info.states),
            "event_indicators": info.event_indicators if self.interface == "me" else 0,
            "needs_completed_step": info.needs_completed_step,
            "log_categories": list(info.log_categories),
            "structure": requests.structure_rows(info),
            "early_return": info.early_return,
            "event_mode": info.event_mode,
        }
        return self._host.call({**body, "fmu": fmu}, arrays, reached)

    def _output_names(self, outputs: Sequence[str] | None) -> tuple[str, ...]:
        """Names of outputs, arrays by their elements; the FMU's own if none are given."""
        if outputs is None:
            return self.info.output_names
        return requests.named_outputs(self.info, outputs)

    def _require_restored(self) -> None:
        if self.interface != "cs" or self.backend != "own" or not self.info.restores_state:
            raise InputError(
                f"plant '{self.info.name}' cannot save its state and set it again: that needs "
                "Co-Simulation with canGetAndSetFMUState, and plant.backend = 'own'"
            )

    def _require_me(self, what: str) -> None:
        if self.interface != "me":
            raise InputError(f"'{what}' needs Model Exchange; this plant runs as Co-Simulation.")


def _part_of(
    times: Array, progress: Callable[[float], None] | None
) -> Callable[[float], None] | None:
    """Return what is called with the simulated time, and reports the part of all."""
    first, last = float(times[0]), float(times[-1])
    if progress is None or not last > first:
        return None
    return lambda t: progress(min(max((t - first) / (last - first), 0.0), 1.0))


def _check_backend(info: PlantInfo, interface: Interface, backend: Backend) -> None:
    if backend != "pyfmi":
        return
    pyfmi_methods.require(info.fmi_version, interface)
    if info.arrays:
        raise InputError(
            f"'{info.path}' has arrays, which PyFMI does not run: use plant.backend = 'own'."
        )


def _check_interface(info: PlantInfo, interface: Interface, names: Sequence[str]) -> None:
    path = info.path
    if interface not in info.identifiers:
        has, wants = ("Co-Simulation", "Model Exchange")
        if interface == "cs":
            has, wants = wants, has
        raise InputError(f"'{path}' has no {wants}, only {has}: use the other interface.")
    if info.binary(interface) not in names:
        platforms = sorted({n.split("/")[1] for n in names if n.startswith("binaries/")})
        raise ArchiveError(
            f"'{path}' has no binary for {host_platform().name} "
            f"('{info.binary(interface)}'); it has {', '.join(platforms) or 'none'}."
        )
    clocks = [signal.name for signal in info.variables if signal.type == "Clock"]
    if clocks:
        raise InputError(
            f"'{path}' has clocks ({', '.join(clocks)}), which are not supported: export the plant "
            "without them."
        )


def _rates_of(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"der({name})" for name in names)
