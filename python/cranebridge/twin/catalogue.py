"""The built-in cranes by name, and a user's own crane from a Python file."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from pathlib import Path

from cranebridge.errors import InputError, unknown
from cranebridge.twin.cablev import Cablev
from cranebridge.twin.crane import Crane
from cranebridge.twin.navy2d import NavyCrane2D
from cranebridge.twin.navy2d_pulley import NavyCrane2DPulley
from cranebridge.twin.navy3d import NavyCrane3D
from cranebridge.twin.navy3d_pulley import NavyCrane3DPulley
from cranebridge.twin.overhead import OverheadCrane
from cranebridge.twin.rotary import RotaryCrane
from cranebridge.twin.rotary_redundant import RotaryCraneRedundant
from cranebridge.twin.rotary_rotationless import RotaryCraneRotationless

CRANES: dict[str, type[Crane]] = {
    crane.name: crane
    for crane in (
        OverheadCrane,
        RotaryCrane,
        RotaryCraneRedundant,
        RotaryCraneRotationless,
        NavyCrane2D,
        NavyCrane2DPulley,
        NavyCrane3D,
        NavyCrane3DPulley,
        Cablev,
    )
}


def find_crane(model: str, folder: Path | None = None) -> Crane:
    """Return the crane called `model`.

    Parameters
    ----------
    model : str
        A built-in name, or ``"file.py:Class"`` for a crane of the user's.
    folder : pathlib.Path, optional
        Where a relative file name starts from; the current folder by default.
    """
    if model in CRANES:
        return CRANES[model]()
    file, colon, class_name = model.rpartition(":")
    if colon and file.endswith(".py"):
        return _from_file((folder or Path.cwd()) / file, class_name)
    if model.endswith(".py"):
        raise InputError(f"crane '{model}' names a file; add the class: '{model}:MyCrane'")
    raise unknown("crane", model, CRANES)


def _from_file(file: Path, class_name: str) -> Crane:
    """Import a user's file and make the crane of the class named."""
    if not file.is_file():
        raise InputError(f"crane file '{file}' does not exist")
    module_name = f"cranebridge_user_{file.stem}"
    spec = importlib.util.spec_from_file_location(module_name, file)
    if spec is None or spec.loader is None:
        raise InputError(f"crane file '{file}' cannot be imported as Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # the user's own code can raise anything
        raise InputError(f"crane file '{file}' fails: {type(error).__name__}: {error}") from error
    classes = {
        name: value
        for name, value in inspect.getmembers(module, inspect.isclass)
        if issubclass(value, Crane) and value.__module__ == module_name
    }
    if class_name not in classes:
        raise unknown(f"crane class in {file.name}", class_name, classes)
    crane: Crane = classes[class_name]()
    missing = [
        attribute
        for attribute in ("name", "description", "coordinates", "parameters", "inputs", "outputs")
        if not hasattr(crane, attribute)
    ]
    if missing:
        raise InputError(f"crane class {class_name} in {file} declares no {', '.join(missing)}")
    return crane
