"""Find out whether a plant comes from the Modelica source that its twin was read from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from cranebridge.errors import CranebridgeError
from cranebridge.frontend import load_model, locate
from cranebridge.plant.description import PlantInfo, check_archive, describe
from cranebridge.plant.export import equations_of, is_own_tool, tool_versions
from cranebridge.temporary import TemporaryFolder
from cranebridge.verify.certificate.common_source import CommonSource

_EQUATIONS = "sources/equations.c"


def source_of_both(twin: str, model: str | None, fmu: Path | None) -> CommonSource | None:
    """Return the source that a twin read from Modelica has in common with a plant, if it has.

    Parameters
    ----------
    twin : str
        ``FILE.mo:Class`` of the twin.
    model : str, optional
        The plant's Modelica, where it is exported from that.
    fmu : Path, optional
        The plant's FMU, where it is there.
    """
    mine = locate(twin)
    name = f"{mine[0].name}:{mine[1].rsplit('.', 1)[-1]}"
    if model is not None and _same_class(mine, locate(model)):
        return CommonSource(name, "the same class of the same file")
    reason = "" if fmu is None else _reason_of_fmu(twin, fmu)
    return CommonSource(name, reason) if reason else None


def source_notes(twin: str, info: PlantInfo) -> tuple[str, ...]:
    """Return what two sources may still have in common.

    Parameters
    ----------
    twin : str
        ``FILE.mo:Class`` of the twin.
    info : PlantInfo
        The plant, which is not of that source as far as is known.
    """
    if is_own_tool(info.generation_tool):
        return (
            "twin and plant are two Modelica models that cranebridge translated: a mistake of the "
            "compiler (rumoca), of reading or of index reduction can be in both",
        )
    _, name = locate(twin)
    if info.name.rsplit(".", 1)[-1] == name.rsplit(".", 1)[-1]:
        return (
            f"the FMU's model has the name of the twin's ({info.name}): if it was exported from "
            "the same file, this checks the compiler and not the modelling",
        )
    return ()


def _same_class(one: tuple[Path, str], other: tuple[Path, str]) -> bool:
    """Whether two are the same class of the same file, by whatever path, or of a copy of it."""
    if one[1] != other[1]:
        return False
    return one[0].resolve() == other[0].resolve() or one[0].read_bytes() == other[0].read_bytes()


def _reason_of_fmu(twin: str, fmu: Path) -> str:
    """Say why an FMU is of the twin's source; empty where nothing says so.

    Our FMUs carry their equations as code, and the same model gives the same code. Default values
    of parameters and names of variables are not in it: a copy with other values is the same source.
    """
    archive = check_archive(fmu)
    info = describe(archive)
    if not is_own_tool(info.generation_tool) or _EQUATIONS not in archive.names:
        return ""
    with TemporaryFolder("source") as folder:
        archive.unpack(folder, lambda name: name == _EQUATIONS)
        found = (folder / _EQUATIONS).read_bytes()
    try:
        model = replace(load_model(twin), name=info.name)
        if found == equations_of(model, "2.0" if info.fmi_version == "2.0" else "3.0"):
            return "the FMU has the same equations, operation by operation"
    except CranebridgeError:  # no FMU could be made of the twin's source, so this one was not
        return ""
    _, name = locate(twin)
    same_name = info.name.rsplit(".", 1)[-1] == name.rsplit(".", 1)[-1]
    if same_name and info.generation_tool != tool_versions():
        return (
            f"the FMU was exported by {info.generation_tool} from a class of this name; whether "
            "the file is the same can only be told of FMUs of this version"
        )
    return ""
