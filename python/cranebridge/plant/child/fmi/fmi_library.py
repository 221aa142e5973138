"""Binaries of FMUs that lack functions of the standard, in the child process.

Many tools leave out what their FMUs do not need. Such a function is missed when it is called.
"""

from __future__ import annotations

from typing import Any

from cranebridge.plant.child.fmi.fmi_errors import missing


class MissingFunction:
    """Stands in for a function that the binary lacks, which is not missed until it is called."""

    restype: Any = None

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *_arguments: Any) -> int:
        """Tell that it is missing."""
        raise missing(self.name)


class Library:
    """A loaded binary, in which no function is missing until it is called."""

    def __init__(self, library: Any) -> None:
        self._library = library

    def __getattr__(self, name: str) -> Any:
        try:
            return getattr(self._library, name)
        except AttributeError:
            return MissingFunction(name)


def load_functions(fmu: Any) -> None:
    """Load the functions as FMPy does, whether or not they are all there."""
    fmu.dll = Library(fmu.dll)
    super(type(fmu), fmu)._loadFunctions()
