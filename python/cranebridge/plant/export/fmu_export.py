"""FMU export: a :class:`PlantModel` becomes an FMU, and FMUs are cached by what they are made of.

Nothing here imports CasADi before it is needed: an FMU that is in the cache is found in a small
part of the time that importing CasADi takes.
"""

from __future__ import annotations

import hashlib
import importlib.util
import io
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import cranebridge
from cranebridge.cache import find, store, usable_folder, write_whole
from cranebridge.errors import InputError, MissingDependencyError, unknown
from cranebridge.frontend import ROOT, modelica_sources
from cranebridge.plant import library_compiler
from cranebridge.temporary import TemporaryFolder

if TYPE_CHECKING:
    from cranebridge.frontend import PlantModel

Fmi = Literal["2.0", "3.0"]
Solver = Literal["dopri5", "rodas4"]

_HERE = Path(__file__).resolve().parents[1]
_RUNTIME = _HERE / "runtime"
_HEADERS = {
    "2.0": ("fmi2Functions.h", "fmi2FunctionTypes.h", "fmi2TypesPlatform.h"),
    "3.0": ("fmi3Functions.h", "fmi3FunctionTypes.h", "fmi3PlatformTypes.h"),
}

_MAKER = "cranebridge "
"""How the FMUs that we export begin to say who made them."""

_MAKERS = ("emit", "structure", "frontend", "plant")
"""Packages that an FMU, and the reference result in it, come from."""


def export_fmu(
    model: PlantModel,
    path: Path | str,
    *,
    fmi: Fmi = "2.0",
    platforms: Sequence[str] = (),
    solver: Solver = "dopri5",
    overwrite: bool = False,
) -> Path:
    """Export a plant as an FMU with Model Exchange and Co-Simulation.

    Parameters
    ----------
    model : PlantModel
        The plant.
    path : Path
        File to write; its directory is made if needed.
    fmi : {"2.0", "3.0"}
        Version of the standard.
    platforms : sequence of str
        Platforms to add binaries for, such as ``"x86_64-windows"``; the present one is always in.
    solver : {"dopri5", "rodas4"}
        Integrator that Co-Simulation uses unless ``integrator.method`` is set.
    overwrite : bool
        Replace an existing file.

    Returns
    -------
    Path
        The file written. The same model and tools give the same bytes.

    Raises
    ------
    InputError
        If the file exists, or the model, a platform or an option is not valid.
    MissingDependencyError
        If there is no C compiler, or the FMI headers of FMPy are missing.
    """
    path = Path(path)
    _check_options(fmi, platforms, solver)
    if path.exists() and not overwrite:
        raise InputError(f"'{path}' exists already.")
    content = with_reference(model, fmu_files(model, fmi=fmi, platforms=platforms, solver=solver))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, zip_bytes(content))
    return path


def cached_fmu(
    source: str,
    *,
    fmi: Fmi = "2.0",
    platforms: Sequence[str] = (),
    parameters: Mapping[str, float] | None = None,
    cache: Path | None = None,
    solver: Solver = "dopri5",
    shown: Sequence[str] = (),
) -> Path:
    """Export a Modelica model, or find the FMU that an earlier call has made from the same things.

    Parameters
    ----------
    source : str
        A model of ``modelica/Cranes`` or ``FILE.mo:Class``.
    fmi, platforms, solver
        As for :func:`export_fmu`.
    parameters : mapping of str to float, optional
        Other default values of parameters.
    shown : sequence of str
        Further variables that become outputs.
    cache : Path, optional
        Directory of the FMUs; ``fmus/`` at the project's root by default. One that others can write
        to is not used, and that is said: see :mod:`cranebridge.cache`.

    Returns
    -------
    Path
        The FMU, named after the class and a hash of all that it is made of.
    """
    _check_options(fmi, platforms, solver)
    values = {name: float(value) for name, value in sorted((parameters or {}).items())}
    key = _cache_key(source, fmi, sorted(set(platforms)), values, solver, shown)
    name = source.rsplit(":", 1)[-1].rsplit("/", 1)[-1].removesuffix(".mo").rsplit(".", 1)[-1]
    folder, file = usable_folder(cache or default_cache()), f"{name}-fmi{fmi[0]}-{key[:16]}.fmu"
    if (found := find(folder, file)) is not None:
        return found
    from cranebridge.frontend import load_model
    from cranebridge.plant.export.codegen import with_parameters

    model = with_parameters(load_model(source, shown=shown), values)
    content = with_reference(model, fmu_files(model, fmi=fmi, platforms=platforms, solver=solver))
    return store(folder, file, zip_bytes(content))


def default_cache() -> Path:
    """Directory of cached FMUs: ``fmus/`` of the checkout, or the user's cache directory."""
    if (ROOT / "pyproject.toml").is_file():
        return ROOT / "fmus"
    from platformdirs import user_cache_path

    return user_cache_path("cranebridge") / "fmus"


def _check_options(fmi: str, platforms: Sequence[str], solver: str) -> None:
    if fmi not in _HEADERS:
        raise unknown("FMI version", fmi, _HEADERS)
    if solver not in ("dopri5", "rodas4"):
        raise unknown("solver", solver, ("dopri5", "rodas4"))
    for name in platforms:
        library_compiler.find_platform(name)


# ---------------------------------------------------------------------------- what an FMU holds


def fmu_files(
    model: PlantModel,
    *,
    fmi: Fmi = "2.0",
    platforms: Sequence[str] = (),
    solver: Solver = "dopri5",
) -> dict[str, bytes]:
    """Return all files of an FMU by their names in the archive.

    Parameters
    ----------
    model, fmi, platforms, solver
        As for :func:`export_fmu`.
    """
    _check_options(fmi, platforms, solver)
    from cranebridge.plant.export import codegen
    from cranebridge.plant.export import model_description as xml
    from cranebridge.plant.export.documentation import documentation_page

    codegen.check_model(model)
    tool = tool_versions()
    equations = codegen.derive_equations(model)
    sources = _runtime_sources(fmi) | {
        "equations.c": codegen.equations_source(model, equations, fmi).encode(),
        "config.h": codegen.config_source(model, fmi).encode(),
    }
    if model.algorithm is not None:
        sources |= {name: text.encode() for name, text in model.algorithm.files.items()}
    page = documentation_page(model, tool)

    def described(token: str) -> tuple[bytes, bytes]:
        return (
            codegen.model_source(model, equations, fmi, token, solver).encode(),
            xml.describe_model(model, equations, fmi, token, solver, tool),
        )

    token = _token([*(sources[name] for name in sorted(sources)), page, *described("")])
    sources["model.c"], description = described(token)
    files = {"modelDescription.xml": description, "documentation/index.html": page}
    icon = (_RUNTIME / "icon.png").read_bytes()
    if fmi == "2.0":
        files["model.png"] = icon
    else:
        sources["buildDescription.xml"] = xml.build_description(model)
        files["terminalsAndIcons/icon.png"] = icon
        files["terminalsAndIcons/terminalsAndIcons.xml"] = xml.terminals_and_icons()
    files |= {f"sources/{name}": text for name, text in sources.items()}
    return files | _binaries(codegen.identifier(model.name), sources, fmi, platforms)


def with_reference(model: PlantModel, files: dict[str, bytes]) -> dict[str, bytes]:
    """Return the files of an FMU with a motion to compare with, made by running it.

    Identity and binaries do not depend on that: its last digits are the machine's.
    """
    from cranebridge.plant.export.codegen import identifier
    from cranebridge.plant.export.documentation import documentation_page
    from cranebridge.plant.export.reference_result import make_reference

    if model.algorithm is not None:  # no plant: what it does depends on what it was delivered for
        return files
    reference = make_reference(model, identifier(model.name), zip_bytes(files, level=0))
    page = documentation_page(model, tool_versions(), reference)
    added = {} if isinstance(reference, str) else reference.files()
    return files | added | {"documentation/index.html": page}


def _runtime_sources(fmi: Fmi) -> dict[str, bytes]:
    """Our C files for this FMI version, and FMI's headers."""
    others = {"2.0": ("fmi3", "adjoint."), "3.0": ("fmi2.", "input_derivatives.")}[fmi]
    names = sorted(path.name for path in _RUNTIME.glob("*.[ch]"))
    sources = {
        name: (_RUNTIME / name).read_bytes() for name in names if not name.startswith(others)
    }
    headers = _fmpy_directory() / "c-code"
    return sources | {name: (headers / name).read_bytes() for name in _HEADERS[fmi]}


def _fmpy_directory() -> Path:
    """Where FMPy is, without importing it: it brings a plotting library along."""
    spec = importlib.util.find_spec("fmpy")
    if spec is None or spec.origin is None:
        raise MissingDependencyError(
            "the FMI header files come with FMPy; run: pip install cranebridge"
        )
    return Path(spec.origin).parent


def _binaries(
    name: str, sources: Mapping[str, bytes], fmi: Fmi, platforms: Sequence[str]
) -> dict[str, bytes]:
    here = library_compiler.host_platform()
    wanted = [here, *(library_compiler.find_platform(p) for p in platforms if p != here.name)]
    binaries = {}
    with TemporaryFolder("export") as directory:
        for file, text in sources.items():
            (directory / file).write_bytes(text)
        for platform in dict.fromkeys(wanted):
            used = (
                library_compiler.find_compiler()
                if platform == here
                else library_compiler.find_cross_compiler(platform)
            )
            library = library_compiler.compile_library(directory, fmi, platform, used)
            folder = platform.fmi2 if fmi == "2.0" else platform.name
            binaries[f"binaries/{folder}/{name}{platform.extension}"] = library
    return binaries


def _token(parts: Sequence[bytes]) -> str:
    """GUID from a hash of the content: the same content has the same GUID."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    text = digest.hexdigest()
    return "{" + "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:32])) + "}"


def tool_versions() -> str:
    """Return what an FMU of ours says of who made it."""
    return f"{_MAKER}{cranebridge.__version__}, CasADi {_version('casadi')}"


def is_own_tool(generation_tool: str) -> bool:
    """Return whether an FMU says that it was exported by us, in whatever version."""
    return generation_tool.startswith(_MAKER)


def equations_of(model: PlantModel, fmi: Fmi) -> bytes:
    """Return the code of a model's equations, as it lies in its FMU."""
    from cranebridge.plant.export import codegen

    return codegen.equations_source(model, codegen.derive_equations(model), fmi).encode()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def zip_bytes(files: Mapping[str, bytes], level: int = 6) -> bytes:
    """Make an archive with nothing in it that changes from run to run.

    Parameters
    ----------
    files : mapping of str to bytes
        Contents by name.
    level : int
        How far it is compressed, 0 to 9: 9 saves 1 % more and takes six times as long as 6.
    """
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3
            info.external_attr = (0o755 if name.startswith("binaries/") else 0o644) << 16
            archive.writestr(info, files[name], compresslevel=level)
    return stream.getvalue()


# ---------------------------------------------------------------------------- cache


def _cache_key(
    source: str,
    fmi: Fmi,
    platforms: Sequence[str],
    parameters: Mapping[str, float],
    solver: Solver,
    shown: Sequence[str],
) -> str:
    """SHA-256 of everything that the FMU is made of and made with."""
    options = {
        "source": source.rsplit("/", 1)[-1],
        "fmi": fmi,
        "platforms": list(platforms),
        "parameters": {name: value.hex() for name, value in parameters.items()},
        "solver": solver,
        "shown": list(shown),
        "versions": [cranebridge.__version__, *map(_version, ("casadi", "rumoca", "fmpy"))],
        "compiler": [
            library_compiler.find_compiler().identity(),
            library_compiler.host_platform().name,
        ],
        "cross compiler": _version("ziglang") if platforms else "",
    }
    digest = hashlib.sha256(json.dumps(options, sort_keys=True).encode())
    for path in [*modelica_sources(source), *_program_sources()]:
        digest.update(path.name.encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _program_sources() -> Iterator[Path]:
    """What makes an FMU and its reference: during development it changes without a new version."""
    for package in _MAKERS:
        files = (_HERE.parent / package).rglob("*")
        yield from sorted(path for path in files if path.suffix in (".py", ".c", ".h", ".st"))
