"""What this machine and installation can do: each part tried, and what to do if it is missing."""

from __future__ import annotations

import ctypes
import importlib.metadata
import os
import platform
import re
import shutil
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import platformdirs

import cranebridge
from cranebridge.cache import usable_folder
from cranebridge.errors import CranebridgeError, MissingDependencyError
from cranebridge.frontend import load_model
from cranebridge.frontend.compile import RUMOCA_VERSION
from cranebridge.inverse.kernels import best_lanes
from cranebridge.plant import TOOLS, compile_library, find_compiler, host_platform
from cranebridge.plant.containment import MEASURES
from cranebridge.plant.export import default_cache
from cranebridge.plant.sandbox import MEMORY, Sandbox
from cranebridge.progress import StageReport, ignore_stage
from cranebridge.temporary import TemporaryFolder

Status = Literal["works", "limited", "missing", "not installed"]

_EXTRAS = {
    "parquet": "campaigns, and deliver --to parquet",
    "cluster": "campaigns on many machines",
    "zig": "FMUs for other platforms, and a C compiler by pip",
}
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "firefox", "safari", "microsoft-edge")
_MODEL = """model Trial
  Real x(start = 1, fixed = true);
  output Real y = x;
equation
  der(x) = -x;
end Trial;
"""


@dataclass(frozen=True)
class Finding:
    """One part of machine or installation.

    Attributes
    ----------
    part : str
        What was looked at.
    status : {"works", "limited", "missing", "not installed"}
        A part that is missing stops the main job; one that is limited does not, and what is not
        installed is optional.
    found : str
        What was found.
    advice : str
        What to do; empty if nothing.
    """

    part: str
    status: Status
    found: str
    advice: str = ""


@dataclass(frozen=True)
class Diagnosis:
    """All findings."""

    findings: tuple[Finding, ...]

    @property
    def able(self) -> bool:
        """Whether the main job can be done."""
        return all(finding.status != "missing" for finding in self.findings)

    @property
    def exit_code(self) -> int:
        """0 if the main job can be done, else 1."""
        return 0 if self.able else 1

    def as_dict(self) -> dict[str, Any]:
        """Return it for machines."""
        return {"able": self.able, "findings": [asdict(finding) for finding in self.findings]}


def examine(report_stage: StageReport = ignore_stage) -> Diagnosis:
    """Look at all parts, and try those that have to work.

    Parameters
    ----------
    report_stage : callable
        Called with the part that is looked at.
    """
    parts = {
        "system": _system,
        "libraries": _libraries,
        "C compiler": _c_compiler,
        "Modelica compiler": _modelica_compiler,
        "FMUs": _containment,
        "caches": _caches,
        "extras": _extras,
    }
    found: list[Finding] = []
    for name, look in parts.items():
        report_stage(name)
        found += look()
    return Diagnosis(tuple(found))


def _system() -> Iterator[Finding]:
    yield Finding(
        "cranebridge", "works", f"{cranebridge.__version__} in {Path(__file__).parents[2]}"
    )
    yield Finding("Python", "works", f"{platform.python_version()} on {platform.platform()}")
    lanes, flag = best_lanes()
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    how = f" ({flag.removeprefix('-m')})" if flag else ""
    vectors = f"{lanes} doubles at once{how}" if lanes > 1 else "no vector lanes"
    yield Finding("processor", "works", f"{platform.machine()}, {usable} usable, {vectors}")


def _requirements() -> Iterator[tuple[str, str]]:
    """Yield the libraries that the installation asks for, with their extra; empty: always."""
    for line in importlib.metadata.requires("cranebridge") or ():
        name = re.match(r"[\w.-]+", line)
        extra = re.search(r"extra\s*==\s*['\"]([\w-]+)['\"]", line)
        if name is not None and name.group() != "cranebridge":
            yield name.group(), "" if extra is None else extra.group(1)


def _version(library: str) -> str | None:
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return None


def _libraries() -> Iterator[Finding]:
    needed = {name: _version(name) for name, extra in _requirements() if not extra}
    there = ", ".join(f"{name} {version}" for name, version in needed.items() if version)
    missing = [name for name, version in needed.items() if version is None]
    if missing:
        advice = f"run: pip install {' '.join(missing)}"
        yield Finding("libraries", "missing", f"{there}; not {', '.join(missing)}", advice)
    else:
        yield Finding("libraries", "works", there)


def _c_compiler() -> Iterator[Finding]:
    part = "C compiler"
    advice = "Debian: apt install gcc libc6-dev; or anywhere: pip install 'cranebridge[zig]'"
    try:
        compiler = find_compiler()
        name = compiler.identity()
        with TemporaryFolder("doctor") as folder:
            line = '__attribute__((visibility("default"))) int cb_trial(void) { return 42; }\n'
            (folder / "all.c").write_text(line, encoding="ascii")
            library = folder / "trial.so"
            library.write_bytes(compile_library(folder, None, host_platform(), compiler))
            answer = ctypes.CDLL(str(library)).cb_trial()
    except (CranebridgeError, OSError) as error:
        yield Finding(part, "missing", str(error), advice)
        return
    works = answer == 42
    found = name if works else f"{name} compiles wrongly"
    yield Finding(part, "works" if works else "missing", found, "" if works else advice)


def _modelica_compiler() -> Iterator[Finding]:
    part, version = "Modelica compiler", _version("rumoca")
    install = f"run: pip install rumoca=={RUMOCA_VERSION}"
    if version != RUMOCA_VERSION:
        found = "no rumoca" if version is None else f"rumoca {version}, which was not tried"
        yield Finding(part, "missing" if version is None else "limited", found, install)
        if version is None:
            return
    with TemporaryFolder("doctor") as folder:
        file = folder / "Trial.mo"
        file.write_text(_MODEL, encoding="utf-8")
        try:
            load_model(f"{file}:Trial")
        except MissingDependencyError as error:
            yield Finding(part, "missing", str(error), install)
        except CranebridgeError as error:
            yield Finding(part, "missing", f"rumoca fails on a model of one line: {error}", install)
        else:
            if version == RUMOCA_VERSION:
                yield Finding(part, "works", f"rumoca {version}")
    omc = shutil.which("omc")
    yield Finding(
        "OpenModelica",
        "works" if omc else "not installed",
        omc or "for export --tool omc",
        "" if omc else "see openmodelica.org",
    )


def _containment() -> Iterator[Finding]:
    with TemporaryFolder("doctor") as folder:
        try:
            child = Sandbox(60.0, MEMORY)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    held = child.contain(str(folder), "auto")
            finally:
                child.close()
        except (CranebridgeError, OSError) as error:
            yield Finding("FMUs", "missing", f"their process does not start: {error}")
            return
    kernel = f"Landlock {held.landlock}" if held.landlock else "no Landlock"
    if held.missing:
        lost = "; ".join(f"not {name} ({MEASURES[name]})" for name in held.missing)
        advice = "use a kernel with Landlock and seccomp (Linux 5.13 or later)"
        yield Finding("containment of FMUs", "limited", f"{kernel}; {lost}", advice)
    else:
        yield Finding("containment of FMUs", "works", f"{', '.join(held.enforced)}; {kernel}")


def _caches() -> Iterator[Finding]:
    user = Path(platformdirs.user_cache_dir("cranebridge"))
    for part, folder in (("cache", user), ("cache of FMUs", default_cache())):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            usable = usable_folder(folder)
        if usable != Path(os.path.realpath(folder)):
            reason = str(caught[-1].message) if caught else f"the cache '{folder}' is not used"
            advice = "until then, what is built is lost at the end of each command"
            yield Finding(part, "limited", reason.rstrip("."), advice)
            continue
        sizes = [file.stat().st_size for file in folder.rglob("*") if file.is_file()]
        found = f"{folder}, {sum(sizes) / 1e6:.1f} MB in {len(sizes)} files, can be written"
        yield Finding(part, "works", found)


def _extras() -> Iterator[Finding]:
    for extra, purpose in _EXTRAS.items():
        names = [name for name, of in _requirements() if of == extra]
        there = {name: _version(name) for name in names}
        if names and all(there.values()):
            found = ", ".join(f"{name} {version}" for name, version in there.items())
            yield Finding(extra, "works", f"{found}: {purpose}")
        else:
            yield Finding(
                extra, "not installed", purpose, f"run: pip install 'cranebridge[{extra}]'"
            )
    for backend, tool in TOOLS.items():
        version = _version(backend)
        yield Finding(
            tool.name,
            "works" if version else "not installed",
            f"{version or ''}: a second opinion on FMUs, plant.backend = '{backend}'".lstrip(": "),
            "" if version else f"run: {tool.install}",
        )
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    yield Finding(
        "browser",
        "works" if browser else "not installed",
        browser or "none found on this machine: open report.html on another",
        "" if browser else "Debian: apt install chromium",
    )
