"""One FMU at work: its unpacked files and the child process, shared by the plants that use it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from cranebridge.errors import InputError
from cranebridge.plant.containment import Containment
from cranebridge.plant.description import Archive, PlantInfo
from cranebridge.plant.plant_choices import Backend, Contain
from cranebridge.plant.protocol import PlantRequest, SimulationRequest
from cranebridge.plant.sandbox import spare
from cranebridge.plant.sandbox.child_process import PlantError, Sandbox
from cranebridge.temporary import TemporaryFolder

Reply = Mapping[str, Any]
Results = Mapping[str, NDArray[np.float64]]
Log = tuple[str, ...]
AnyRequest = TypeVar("AnyRequest", bound=PlantRequest)
Answer = TypeVar("Answer")


class Host:
    """Files and child process of an FMU; a child that has ended is replaced at the next call.

    Parameters
    ----------
    archive : Archive
        The checked archive.
    info : PlantInfo
        Its description.
    timeout : float
        Seconds that one call may take.
    memory : int
        Bytes of address space that the child process may use.
    contain : {"auto", "require", "off"}
        What the child process is kept from.
    backend : {"own", "pyfmi", "fmpy"}
        Who runs the FMU there.

    Attributes
    ----------
    input_order : int or None
        Order of input derivatives that the FMU takes, once it has been tried in a child of its own.
    """

    def __init__(
        self,
        archive: Archive,
        info: PlantInfo,
        timeout: float,
        memory: int,
        contain: Contain = "auto",
        backend: Backend = "own",
    ) -> None:
        self.names = archive.names
        self._path, self._timeout, self._memory = archive.path, timeout, memory
        self._contain, self._backend = contain, backend
        self._once, self._used = info.once_per_process, False
        self.input_order: int | None = None
        # The child starts while the archive is unpacked. One that waits has a clean environment.
        waiting = None if contain == "off" else spare.take(timeout, memory)
        self._sandbox: Sandbox | None = waiting or self._start()
        self._directory = TemporaryFolder("fmu")
        self._closed = False
        try:
            archive.unpack(Path(self.directory), lambda name: _wanted(name, info.binary_folder))
            # FMI 3 passes this directory to the FMU even if there is nothing in it.
            (Path(self.directory) / "resources").mkdir(exist_ok=True)
        except BaseException:
            self.close()
            raise

    @property
    def directory(self) -> str:
        """Where the files are."""
        return self._directory.name

    def ask(
        self,
        request: AnyRequest,
        judge: Callable[[AnyRequest, Reply, Results, Log], Answer],
        reached: Callable[[float], None] | None = None,
    ) -> Answer:
        """Send a request to the child process, and look at its answer.

        The child is a new one if the last call ended it, and whoever gave an answer that is wrong
        is not asked again. An FMU that a process may instantiate once only gets a new child for
        each request, but for those that go on with the instance of the last: no request makes two
        instances then.

        Parameters
        ----------
        request : PlantRequest
            What is asked.
        judge : callable
            (request, reply, results, log) -> the answer; raises a `PlantError` if it is wrong.
        reached : callable, optional
            Gets the simulated time while it is waited for.
        """
        resumes = isinstance(request, SimulationRequest) and request.saved == "resume"
        if self._once and self._used and not resumes and self._sandbox:
            self._sandbox.end()
        child = self._contained()
        self._used = True
        answer = child.call(*request.message(), reached)
        try:
            return judge(request, *answer)
        except PlantError:
            if self._sandbox is not None:
                self._sandbox.end()
            raise

    @property
    def containment(self) -> Containment:
        """What the child process is kept from."""
        found = self._contained().containment
        assert found is not None
        return found

    def _contained(self) -> Sandbox:
        """Return a living child process that may load the FMU."""
        if self._closed:
            raise InputError(f"the plant '{self._path}' has been closed; open it again.")
        if self._sandbox is None or not self._sandbox.alive:
            if self._sandbox is not None:
                self._sandbox.close()
            self._sandbox = self._start()
        if self._sandbox.containment is None:
            self._sandbox.contain(self.directory, self._contain, self._backend)
        return self._sandbox

    def _start(self) -> Sandbox:
        if self._contain == "off":
            return Sandbox(self._timeout, self._memory, environment=os.environ)
        return Sandbox(self._timeout, self._memory)

    def close(self) -> None:
        """End the child process and remove the files."""
        self._closed = True
        if self._sandbox is not None:
            self._sandbox.close()
            self._sandbox = None
        self._directory.remove()


def _wanted(name: str, folder: str) -> bool:
    if name.startswith("binaries/"):
        return name.startswith(folder)
    return not name.startswith(("sources/", "documentation/"))
