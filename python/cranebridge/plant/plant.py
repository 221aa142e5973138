"""`Plant`: an FMU behind one interface, whatever its FMI version, interface type and maker."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranebridge.errors import InputError
from cranebridge.plant import opening
from cranebridge.plant.containment import Containment
from cranebridge.plant.description import Archive, Interface, PlantInfo, describe
from cranebridge.plant.plant_choices import Backend, Contain
from cranebridge.plant.protocol import Controls, Instantiation, Saved, SimulationRequest
from cranebridge.plant.sandbox import (
    MEMORY,
    Halving,
    Host,
    Linearization,
    Rates,
    Simulation,
    answers,
    linearization_request,
    points_request,
    simulation_request,
    structure_values,
)

Array = NDArray[np.float64]
Method = Literal[
    "DOP853",
    "LSODA",
    "Radau",
    "BDF",
    "RK45",
    "CVODE",
    # of PyFMI; CVode is FMPy's, too
    "CVode",
    "Radau5ODE",
    "RodasODE",
    "Dopri5",
]


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
    backend : {"own", "pyfmi", "fmpy"}
        Who runs the FMU: our own loop; PyFMI with Assimulo's solvers, which must be installed; or
        FMPy's own simulation, which holds inputs over each `step` (`child/fmpy_simulation.py`).
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
        opening.check_options(interface, timeout, memory, contain, backend)
        archive = opening.checked_archive(path, allow)
        self.interface: Interface = interface
        self.backend: Backend = backend
        self.info: PlantInfo = describe(archive, structure)
        opening.check_usable(self.info, interface, backend, archive.names)
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
        opening.check_interface_name(interface)
        opening.check_usable(self.info, interface, self.backend, self._host.names)
        plant = object.__new__(Plant)
        plant.interface, plant.info = interface, self.info
        plant.backend = self.backend
        plant._host, plant._owner = self._host, False
        plant.timeout, plant._persistent = self.timeout, self._persistent
        return plant

    @property
    def knows_steps(self) -> bool:
        """Whether a simulation returns what is within the integrator's steps (`dense`)."""
        return self.interface == "me" and self.backend != "fmpy" and bool(self.info.states)

    @property
    def is_stepped(self) -> bool:
        """Whether inputs and results are exchanged at steps, on whose length the error depends.

        In Co-Simulation, and with FMPy in Model Exchange, too.
        """
        return self.interface == "cs" or self.backend == "fmpy"

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
            Largest communication step in s for Co-Simulation, and largest interval over which
            FMPy holds the inputs; the median distance of `times` by default (with FMPy at most a
            thousandth of the time).
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
        request = simulation_request(
            self.info,
            self._instantiation,
            times=times,
            inputs=inputs,
            parameters=parameters or {},
            start=start or {},
            outputs=outputs,
            rtol=rtol,
            atol=atol,
            method=method,
            step=step,
            max_step=max_step,
            input_derivatives=input_derivatives,
            dense=dense,
            saved=saved,
            persistent=self._persistent,
        )
        if self.info.once_per_process and saved != "resume":
            request = replace(request, order=self._input_order(request))
        return self._host.ask(request, answers.simulation, _part_of(request, progress))

    @property
    def _instantiation(self) -> Instantiation:
        """What the child process makes an instance of this plant from."""
        info = self.info
        return Instantiation(
            version=info.fmi_version,
            interface=self.interface,
            backend=self.backend,
            directory=self._host.directory,
            identifier=info.identifiers[self.interface],
            token=info.guid,
            states=len(info.states),
            event_indicators=info.event_indicators if self.interface == "me" else 0,
            needs_completed_step=info.needs_completed_step,
            log_categories=tuple(info.log_categories),
            structure=structure_values(info),
            early_return=info.early_return,
            event_mode=info.event_mode,
        )

    def _input_order(self, request: SimulationRequest) -> int:
        """Order of input derivatives, tried in a child that makes no other instance."""
        host = self._host
        moves = request.input_derivatives and request.controls is not None
        if self.interface != "cs" or not moves or not request.max_order or self.backend == "fmpy":
            return 0
        if host.input_order is None:
            host.input_order = host.ask(
                replace(request, command="input_order"), answers.input_order
            )
        return host.input_order

    def simulate_halving(self, *, step: float, **options: Any) -> Halving:
        """Simulate with the steps h, h/2 and h/4 and observe the order.

        In Co-Simulation, or with FMPy.

        Parameters
        ----------
        step : float
            Step h in s.
        **options
            As for `simulate`.
        """
        if not self.is_stepped:
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
        points = (states, inputs, parameters, parameter_names, outputs, times)
        request = points_request("derivatives", self.info, self._instantiation, *points)
        return self._host.ask(request, partial(answers.points, self.info))

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
        the plant's own trajectory (`point_requests.py` has their step). An explicit dependence on
        time is a difference in both cases.

        Parameters
        ----------
        states, inputs, parameters, parameter_names, outputs, times
            As for `derivatives`.
        """
        points = (states, inputs, parameters, parameter_names, outputs, times)
        request = points_request("rates", self.info, self._instantiation, *points)
        return self._host.ask(request, partial(answers.rates, self.info))

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

        By differences of order 4, with constant inputs: the first difference of exact rates where
        the FMU gives directional derivatives, else the second difference of values. A row for each
        point, a column for each output.

        Parameters
        ----------
        states, inputs, parameters, parameter_names, outputs, times
            As for `derivatives`.
        """
        points = (states, inputs, parameters, parameter_names, outputs, times)
        request = points_request("second_rates", self.info, self._instantiation, *points)
        return self._host.ask(request, answers.second_rates)

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
        request = linearization_request(
            self.info, self._instantiation, state, inputs, parameters or {}, outputs, time
        )
        return self._host.ask(request, partial(answers.linearization, self.info))


def _part_of(
    request: SimulationRequest, progress: Callable[[float], None] | None
) -> Callable[[float], None] | None:
    """Return what is called with the simulated time, and reports the part of all."""
    first, last = request.start, request.end
    if progress is None or not last > first:
        return None
    return lambda t: progress(min(max((t - first) / (last - first), 0.0), 1.0))
