"""The wheel: all that belongs to the package, nothing else, and it works outside the repository."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def run(*command: object, **options: object) -> str:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)  # type: ignore[call-overload]
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def tracked() -> list[str]:
    """Files of package and Modelica library that git has, or would have after ``git add``."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("no git checkout: what belongs to the package is not known")
    listed = ("--cached", "--others", "--exclude-standard", "--deduplicate")
    names = run("git", "ls-files", *listed, "--", "python", "modelica", cwd=ROOT).splitlines()
    return [name for name in names if os.path.lexists(ROOT / name)]


@pytest.fixture(scope="module")
def wheel(tracked: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy: a build folder of earlier ones would come along."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in (*tracked, "pyproject.toml", "README.md", "LICENSE"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, source / name, follow_symlinks=False)
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet")
    run(*pip, "--no-build-isolation", "--no-deps", "--wheel-dir", target, source)
    (found,) = target.glob("*.whl")
    return found


def test_wheel_holds_what_git_holds(wheel: Path, tracked: list[str]) -> None:
    link = "python/cranebridge/modelica"
    wanted = {name.removeprefix("python/") for name in tracked if name != link}
    wanted = {f"cranebridge/{name}" if name.startswith("modelica/") else name for name in wanted}
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert held == wanted


@pytest.mark.slow
def test_wheel_does_the_main_job_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    # The libraries are those of this environment, without its own cranebridge, which is installed
    # by a .pth file: such files count only in the environment's own folder.
    place, folder = tmp_path / "env", tmp_path / "empty"
    venv.create(place, with_pip=False, symlinks=True)
    folder.mkdir()
    inside = sysconfig.get_path("purelib", "venv", {"base": str(place), "platbase": str(place)})
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", place)
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", wheel)
    libraries = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    Path(inside, "libraries.pth").write_text("\n".join(libraries), encoding="utf-8")
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "OPENBLAS_NUM_THREADS": "1"}
    code = "import cranebridge; print(cranebridge.__file__)"
    where = run(place / "bin" / "python", "-c", code, cwd=folder, env=env)
    assert Path(where.strip()).is_relative_to(inside)

    run(place / "bin" / "cranebridge", "run", "rotary", cwd=folder, env=env)

    summary = json.loads((folder / "rotary" / "summary.json").read_text(encoding="utf-8"))
    verdicts = [verdict["status"] for verdict in summary["verdicts"]]
    assert len(verdicts) > 3
    assert set(verdicts) == {"passed"}
    assert (folder / "rotary" / "report.html").is_file()
