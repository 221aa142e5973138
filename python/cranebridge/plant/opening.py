"""What can be opened as a plant, and how: all that is checked before a child process is started."""

from __future__ import annotations

import importlib.util
from collections.abc import Collection, Sequence
from pathlib import Path

from cranebridge.errors import InputError, MissingDependencyError, unknown
from cranebridge.plant.description import (
    Archive,
    ArchiveError,
    Interface,
    PlantInfo,
    check_allowed,
    check_archive,
)
from cranebridge.plant.library_compiler import host_platform
from cranebridge.plant.plant_choices import BACKENDS, CONTAIN, INTERFACES, Backend, Contain
from cranebridge.plant.sandbox import fmpy_methods, pyfmi_methods

# Python with NumPy and SciPy takes this much address space before any FMU is loaded.
SMALLEST_MEMORY = 256 * 2**20


def check_options(
    interface: Interface, timeout: float, memory: int, contain: Contain, backend: Backend
) -> None:
    """Refuse what no plant can be opened with."""
    check_interface_name(interface)
    if not timeout > 0.0 or memory < SMALLEST_MEMORY:
        raise InputError("the time limit must be positive, the memory limit 256 MiB or more.")
    if contain not in CONTAIN:
        raise unknown("containment", contain, CONTAIN)
    if backend not in BACKENDS:
        raise unknown("back end", backend, BACKENDS)
    if importlib.util.find_spec("fmpy") is None:
        raise MissingDependencyError("FMUs are run with FMPy; run: pip install cranebridge")


def check_interface_name(interface: Interface) -> None:
    """Refuse a name of no interface."""
    if interface not in INTERFACES:
        raise unknown("interface", interface, INTERFACES)


def checked_archive(path: Path | str | Archive, allow: Collection[str] | None) -> Archive:
    """Return an archive that is sound and allowed; one that was checked before is not read anew."""
    if isinstance(path, Archive):
        check_allowed(path.path, path.sha256, allow)
        return path
    return check_archive(path, allow)


def check_usable(
    info: PlantInfo, interface: Interface, backend: Backend, names: Sequence[str]
) -> None:
    """Refuse an FMU that cannot be run so.

    Parameters
    ----------
    info : PlantInfo
        Its description.
    interface, backend : str
        How it is to be run.
    names : sequence of str
        Files of its archive.
    """
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
    if backend == "fmpy":
        fmpy_methods.require(info)
    if backend == "pyfmi":
        pyfmi_methods.require(info.fmi_version, interface)
        if info.arrays:
            raise InputError(
                f"'{path}' has arrays, which PyFMI does not run: use plant.backend = 'own'."
            )
