"""The C runtime under compiler warnings, sanitizers and valgrind, with the driver lifecycle.c."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from fmu_driver import Exported

from c_programs import export_quickly
from cranebridge.frontend.modelica_model import load_model
from further import further

DRIVER = Path(__file__).with_name("lifecycle.c")
EVENT_DRIVER = Path(__file__).with_name("modelica_events.c")
EVENT_PLANTS = Path(__file__).parents[1] / "data" / "modelica" / "EventPlants.mo"

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")


def build(fmu, program: Path, *flags: str, driver: Path = DRIVER) -> Path:
    """Link the driver with the sources in the FMU."""
    sources, version = fmu.directory / "sources", fmu.fmi
    command = ["gcc", "-std=c99", "-g1", *flags, f"-DCB_FMI={version}"]
    command += [f"-DFMI{version}_OVERRIDE_FUNCTION_PREFIX", f"-I{sources}"]
    command += [str(driver), str(sources / "all.c"), "-lm", "-o", str(program)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return program


def run(command: list[str]) -> str:
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr[-3000:]
    return result.stdout


@pytest.mark.parametrize(
    ("name", "fmi", "standard"),
    [
        ("pendulum", 2, "c99"),
        ("pendulum", 3, "c11"),
        further("overhead", 3, "c99"),
    ],
)
def test_no_compiler_warnings(exported, name, fmi, standard, tmp_path):
    flags = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2", f"-std={standard}"]
    source = exported(name, fmi).directory / "sources" / "all.c"
    run(["gcc", *flags, "-c", str(source), "-o", str(tmp_path / "all.o")])


@pytest.mark.parametrize("fmi", [2, 3])
def test_life_cycle_with_sanitizers(exported, fmi, tmp_path):
    flags = ["-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    fmu = exported("pendulum", fmi)
    run([str(build(fmu, tmp_path / "driver", *flags)), fmu.description.guid])


@pytest.mark.parametrize("fmi", [further(2), 3])
def test_events_with_sanitizers_and_without_warnings(fmi, tmp_path):
    model = load_model(EVENT_PLANTS, "Ball")
    path = export_quickly(model, tmp_path / "ball.fmu", "2.0" if fmi == 2 else "3.0")
    fmu = Exported.open(path, tmp_path / "content")
    flags = ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    flags += ["-Wall", "-Wextra", "-Werror"]
    driver = build(fmu, tmp_path / "driver", *flags, driver=EVENT_DRIVER)
    run([str(driver), fmu.description.guid])


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="needs valgrind")
@pytest.mark.parametrize("fmi", [further(2), 3])
def test_life_cycle_under_valgrind(exported, fmi, tmp_path):
    fmu = exported("pendulum", fmi)
    driver = build(fmu, tmp_path / "driver", "-O1")
    options = ["-q", "--leak-check=full", "--show-leak-kinds=all", "--error-exitcode=9"]
    run(["valgrind", *options, str(driver), fmu.description.guid])


@pytest.mark.parametrize("fmi", [2, further(3)])
def test_ten_thousand_instances_do_not_grow_memory(exported, fmi, tmp_path):
    fmu = exported("pendulum", fmi)
    driver = build(fmu, tmp_path / "driver", "-O1")
    grown = int(run([str(driver), fmu.description.guid, "10000"]))
    assert grown < 200  # kB; a leak of malloc's smallest block an instance would be 280 kB
