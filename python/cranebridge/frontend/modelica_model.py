"""Modelica front end: a model of ``modelica/Cranes`` or of a user's file becomes a ``PlantModel``.

rumoca flattens the model (``compile``), and ``reduce`` makes the explicit form
der(x) = f(t, x, u, p), y = g(t, x, u, p), x(0) = x0(p) of it, with its events.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from cranebridge.errors import InputError, unknown
from cranebridge.frontend.compile import (
    CompiledModel,
    compile_class,
    gathered,
    libraries,
    package_root,
    source_text,
)
from cranebridge.frontend.flat_model import PlantModel
from cranebridge.frontend.library import library_path
from cranebridge.frontend.reduce import Builder
from cranebridge.regular_files import require_regular

Tool = Literal["rumoca", "omc"]


def crane_names() -> list[str]:
    """Names of the crane models of the library."""
    library = library_path()
    order = (library / "package.order").read_text(encoding="utf-8").split()
    return [name for name in order if _is_model(library / f"{name}.mo")]


def load_model(
    source: str | Path,
    class_name: str | None = None,
    tool: Tool = "rumoca",
    *,
    roots: Sequence[Path] = (),
    shown: Sequence[str] = (),
    keeps_blocks: bool = False,
) -> PlantModel:
    """Read a Modelica model.

    Parameters
    ----------
    source : str or Path
        Name of a crane of ``modelica/Cranes`` such as ``"RotaryCrane"``, a file ``FILE.mo``, or
        ``FILE.mo:Class``.
    class_name : str, optional
        Class in the file; the file's first class if it is not given.
    tool : {"rumoca", "omc"}
        ``"omc"`` is refused here with a hint, because OpenModelica gives an FMU and no expressions:
        see :func:`cranebridge.plant.export.omc.build_fmu`.
    roots : sequence of Path
        Directories of packages that a user's file needs besides ``Cranes``.
    shown : sequence of str
        Further variables that become outputs.
    keeps_blocks : bool
        Whether linear equations that have to be solved together are left in `PlantModel.loops`, as
        nonlinear ones are.

    Raises
    ------
    InputError
        If the model is not found or the compiler does not accept it.
    StructureError
        If the model is singular, has no consistent start, or has what the explicit form lacks.
    MissingDependencyError
        If rumoca is missing or of another version.
    """
    if tool == "omc":
        raise InputError(
            "OpenModelica exports FMUs itself: use cranebridge.plant.export.omc.build_fmu, or "
            "'cranebridge export --tool omc'."
        )
    if tool != "rumoca":
        raise unknown("Modelica tool", tool, ("rumoca", "omc"))
    path, name = locate(source, class_name)
    needed, libs = _roots(path, roots)
    with gathered(libs) as more:
        compiled = compile_class(path, name, [*needed, *more])
    return plant_model(compiled, shown, keeps_blocks)


def locate(source: str | Path, class_name: str | None = None) -> tuple[Path, str]:
    """Find the file and the full class name that a user means."""
    text = str(source)
    if ".mo:" in text and class_name is None:
        text, class_name = text.rsplit(":", 1)
    if not text.endswith(".mo"):
        return _library_class(text if class_name is None else f"{text}.{class_name}")
    path = Path(text).absolute()
    require_regular(f"Modelica file '{text}'", path)
    if not path.is_file():
        raise InputError(f"Modelica file '{text}' does not exist.")
    return path, _class_in_file(path, class_name)


def plant_model(
    compiled: CompiledModel, shown: Sequence[str] = (), keeps_blocks: bool = False
) -> PlantModel:
    """Make the explicit form of a compiled model."""
    return Builder(compiled, shown, keeps_blocks).build()


def _library_class(name: str) -> tuple[Path, str]:
    library = library_path()
    parts = name.removeprefix("Cranes.").split(".")
    path = library.joinpath(*parts).with_suffix(".mo")
    if not path.is_file():
        raise unknown("crane model", name, crane_names())
    return path, ".".join(["Cranes", *parts])


def _is_model(path: Path) -> bool:
    top = source_text.top_class(path.read_text(encoding="utf-8")) if path.is_file() else None
    return top is not None and top[0] == "model"


def _class_in_file(path: Path, class_name: str | None) -> str:
    text = path.read_text(encoding="utf-8", errors="replace")
    top = source_text.top_class(text)
    if top is None:
        raise InputError(f"no Modelica class in '{path}'.")
    kind, first = top
    package = source_text.within(text)
    if class_name is not None and package and class_name.startswith(f"{package}."):
        return class_name
    if class_name is None:
        if kind == "package":
            known = ", ".join(source_text.class_names(text)) or "none"
            raise InputError(
                f"'{path}' holds a package: name a class, as in {path.name}:{first}.Model. "
                f"Models in it: {known}."
            )
        class_name = first
    elif kind == "package" and not class_name.startswith(f"{first}."):
        class_name = f"{first}.{class_name}"
    return f"{package}.{class_name}" if package else class_name


def _roots(path: Path, extra: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Our library, so that a user's model can use our cranes, and what MODELICAPATH has."""
    roots = [Path(root).absolute() for root in extra]
    library, own = library_path(), package_root(path)
    if own == library:
        return roots, []  # our cranes need nothing else
    roots.append(library)
    known = [root.name.split()[0].removesuffix(".mo") for root in (*roots, own)]
    return roots, libraries(path.read_text(encoding="utf-8", errors="replace"), known)
