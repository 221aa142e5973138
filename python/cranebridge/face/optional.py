"""Libraries that results can be turned over to, imported when they are asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from cranebridge.errors import MissingDependencyError

_INSTALL = {
    "pandas": ("pandas", "'cranebridge[notebook]'"),
    "xarray": ("xarray", "'cranebridge[notebook]'"),
    "matplotlib.pyplot": ("Matplotlib", "cranebridge"),
}


def library(name: str, use: str) -> Any:
    """Import an optional library, or say how to get it.

    Parameters
    ----------
    name : str
        The module.
    use : str
        What needs it, such as ``"to_pandas()"``.

    Raises
    ------
    MissingDependencyError
        With the command that installs it.
    """
    try:
        return import_module(name)
    except ImportError as error:
        title, package = _INSTALL[name]
        raise MissingDependencyError(
            f"{use} needs {title}, which is not installed: pip install {package}"
        ) from error
