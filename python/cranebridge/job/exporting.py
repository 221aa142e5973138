"""Export a plant: from the command line's words to an FMU in the cache or at a chosen place."""

from __future__ import annotations

from pathlib import Path

from cranebridge.cache import write_whole
from cranebridge.errors import InputError, unknown
from cranebridge.plant.export import cached_fmu
from cranebridge.plant.words import fmi_version


def export_plant(
    model: str,
    fmi: str,
    output: Path | None,
    platforms: tuple[str, ...] = (),
    tool: str = "rumoca",
    force: bool = False,
) -> Path:
    """Export a Modelica model as an FMU.

    Parameters
    ----------
    model : str
        A model of ``modelica/Cranes``, or ``FILE.mo:Class``.
    fmi : str
        "2" or "3".
    output : pathlib.Path, optional
        Where to put a copy; the cached file is returned if not given.
    platforms : tuple of str
        Further platforms to compile for.
    tool : {"rumoca", "omc"}
        Which Modelica compiler.
    force : bool
        Replace an existing `output`.
    """
    version = fmi_version(fmi)
    if tool not in ("rumoca", "omc"):
        raise unknown("tool", tool, ("rumoca", "omc"))
    if output is not None and output.exists() and not force:
        raise InputError(f"'{output}' exists; choose another with -o, or replace it with --force")
    if output is not None and not output.parent.is_dir():
        raise InputError(f"folder '{output.parent}' of '{output}' does not exist")
    if tool == "omc":
        from cranebridge.plant.omc import build_fmu

        if output is None:
            raise InputError("--tool omc needs -o FILE: its FMUs are not cached")
        return Path(build_fmu(model, output))
    cached = Path(cached_fmu(model, fmi=version, platforms=platforms))
    if output is None:
        return cached
    try:
        write_whole(output, cached.read_bytes())
    except OSError as error:
        raise InputError(f"'{output}' cannot be written: {error.strerror}") from error
    return output
