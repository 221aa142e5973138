"""OpenModelica as the other road to an FMU, where ``omc`` is installed.

OpenModelica translates the same sources by itself, and what it gives is an FMU, not expressions: it
does not pass through our front end, code generator and runtime. That makes it a second opinion on
them.

Not tested against a real ``omc``: none was installed where this was written. The script and the
handling of its answer are tested with a stand-in.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from cranebridge.errors import InputError, MissingDependencyError
from cranebridge.frontend import library_path, locate
from cranebridge.frontend.compile import Requirement, library_files, package_root, requirements
from cranebridge.temporary import TemporaryFolder

_TIME_LIMIT = 600.0


def find_omc() -> str:
    """Path of the ``omc`` program.

    Raises
    ------
    MissingDependencyError
        If it is not on the PATH.
    """
    found = shutil.which("omc")
    if found is None:
        raise MissingDependencyError(
            "OpenModelica's compiler 'omc' is not on the PATH; install OpenModelica "
            "(https://openmodelica.org), or use the tool 'rumoca'."
        )
    return found


def build_fmu(source: str | Path, output: Path) -> Path:
    """Let OpenModelica export a model as an FMU (FMI 2.0) with both interfaces.

    Parameters
    ----------
    source : str or Path
        As for :func:`cranebridge.frontend.modelica_model.load_model`.
    output : Path
        The FMU file to write.

    Returns
    -------
    Path
        The FMU file.
    """
    omc = find_omc()
    path, name = locate(source)
    output = Path(output).absolute()
    with TemporaryFolder("model") as work:
        script = work / "build.mos"
        script.write_text(build_script(path, name), encoding="utf-8")
        answer = _run(omc, script, work)
        made = sorted(work.glob("*.fmu"))
        if not made:
            raise InputError(f"OpenModelica did not export {name}: {_last_error(answer)}")
        output.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(made[0], output)
    return output


def build_script(path: Path, class_name: str) -> str:
    """OpenModelica script that loads a class with what it needs and exports it.

    Libraries come first: those that the ``uses`` annotation or the model itself names, from
    MODELICAPATH if they are there, else by ``loadModel`` from where OpenModelica keeps its own.
    """
    package = package_root(path) / "package.mo"
    own = package if package.is_file() else path
    library = library_path()
    loads = []
    if own != library / "package.mo":  # our cranes need nothing else
        files = library_files(own.parent) if own == package else [path]
        texts = [file.read_text(encoding="utf-8", errors="replace") for file in files]
        found = requirements(
            texts, [library.name, own.parent.name.split()[0] if own == package else ""]
        )
        loads = [_load(one) for one in found]
    ours = dict.fromkeys([library / "package.mo", own])
    loads += [f'loadFile("{_quoted(file)}");' for file in ours]
    build = f'buildModelFMU({class_name}, version="2.0", fmuType="me_cs", platforms={{"static"}});'
    return "\n".join([*loads, "getErrorString();", build, "getErrorString();", ""])


def _load(library: Requirement) -> str:
    if library.path is not None:
        file = library.path if library.path.is_file() else library.path / "package.mo"
        return f'loadFile("{_quoted(file.absolute())}");'
    version = f', {{"{library.version}"}}' if library.version else ""
    return f"loadModel({library.name}{version});"


def _quoted(path: Path) -> str:
    return path.as_posix().replace('"', '\\"')


def _run(omc: str, script: Path, work: Path) -> str:
    try:
        done = subprocess.run(
            [omc, str(script)],
            cwd=work,
            capture_output=True,
            text=True,
            timeout=_TIME_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise InputError(f"OpenModelica took longer than {_TIME_LIMIT:.0f} s.") from error
    return done.stdout + done.stderr


def _last_error(answer: str) -> str:
    lines = [line.strip().strip('"') for line in answer.splitlines()]
    errors = [line for line in lines if "Error" in line] or [line for line in lines if line]
    # what follows from a library that is not there says less than that it is not there
    lost = [line for line in errors if "Failed to load package" in line]
    return (lost or errors)[-1] if errors else "it gave no reason."
