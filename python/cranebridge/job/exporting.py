"""Export a plant: from the command line's words to an FMU in the cache or at a chosen place."""

from __future__ import annotations

from pathlib import Path

from cranebridge.cache import write_whole
from cranebridge.errors import InputError, unknown
from cranebridge.frontend import plant_models
from cranebridge.plant import fmi_version
from cranebridge.plant.export import cached_fmu
from cranebridge.progress import Progress, ignore_progress
from cranebridge.regular_files import require_regular


def export_all(
    fmi: str | None,
    folder: Path | None,
    platforms: tuple[str, ...] = (),
    force: bool = False,
    progress: Progress = ignore_progress,
) -> list[Path]:
    """Export all plants of the library.

    Parameters
    ----------
    fmi : str, optional
        "2" or "3"; both if not given.
    folder : pathlib.Path, optional
        Where to put copies, named ``MODEL-fmi2.fmu``; made if needed. The cached files are returned
        if not given.
    platforms : tuple of str
        Further platforms to compile for.
    force : bool
        Replace existing files.
    progress : callable
        Called with the fraction that is done.
    """
    versions = [fmi_version(name) for name in (("2", "3") if fmi is None else (fmi,))]
    wanted = [(model, version) for model in plant_models() for version in versions]
    targets = [
        None if folder is None else folder / f"{model}-fmi{version[0]}.fmu"
        for model, version in wanted
    ]
    for target in targets:
        _refuse_existing(target, force)
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"folder '{folder}' cannot be made: {error.strerror}") from error
    found = []
    for i, ((model, version), target) in enumerate(zip(wanted, targets, strict=True)):
        progress(i / len(wanted))
        found.append(export_plant(model, version, target, platforms, force=force))
    return found


def _refuse_existing(output: Path | None, force: bool) -> None:
    if output is not None:
        require_regular(f"'{output}'", output)
    if output is not None and output.exists() and not force:
        raise InputError(f"'{output}' exists; choose another with -o, or replace it with --force")


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
    _refuse_existing(output, force)
    if output is not None and not output.parent.is_dir():
        raise InputError(f"folder '{output.parent}' of '{output}' does not exist")
    if tool == "omc":
        from cranebridge.plant.export import build_fmu

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
