"""The compiled loop under compiler warnings and sanitizers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from array_plants import array_fmu
from event_plants import event_fmu

from cranebridge.plant.sandbox import loop_library

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")

# In this process: the memory limit of a child does not leave the sanitizer its room.
SCRIPT = """
import sys
from pathlib import Path
import numpy as np
from cranebridge.plant.sandbox import loop_library
from cranebridge.plant.protocol.controls import Controls
from cranebridge.plant.plant import Plant
from cranebridge.plant.child.worker import Worker

loop_library.compiled = lambda: Path(sys.argv[1])
with Plant(sys.argv[2]) as plant:
    plant._host.ask = lambda request, judge, _reached=None: judge(
        request, *Worker().answer(*request.message()), ()
    )
    inputs = plant.info.input_names
    steps = np.arange(2.0)[:, None] + np.zeros(len(inputs))
    held = Controls.hold([0.0, 0.5], steps, inputs) if inputs else None
    run = plant.simulate(times=np.linspace(0.0, 2.0, 21), inputs=held, dense=True)
    print(run.steps, run.events, len(run.dense.time))
"""


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("loop")
    for name, text in loop_library.sources().items():
        (folder / name).write_text(text)
    return folder


def compiled(sources: Path, *flags: str) -> Path:
    built = sources / "loop.so"
    command = ["gcc", "-std=c99", *flags, "-fPIC", "-shared", "all.c", "-o", str(built), "-lm"]
    result = subprocess.run(command, cwd=sources, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr[-3000:]
    return built


@pytest.mark.parametrize("level", ["-O0", "-O3"])
def test_no_compiler_warnings(sources, level):
    warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
    compiled(sources, level, *warnings)


def runtime(name: str) -> str:
    found = subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True)
    return found.stdout.strip()


@pytest.fixture(scope="module")
def sanitized(sources: Path) -> Path:
    """The loop with sanitizers, compiled once."""
    flags = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    return compiled(sources, *flags).rename(sources / "sanitized.so")


@pytest.mark.skipif(not os.path.isabs(runtime("libasan.so")), reason="needs libasan")
@pytest.mark.parametrize("plant", ["BALL", "TWO_BALLS", "LATCHED_RELAY", "STAIR", "arrays"])
def test_simulations_with_sanitizers(sanitized, plant, tmp_path):
    path = array_fmu(tmp_path) if plant == "arrays" else event_fmu(tmp_path, plant, 2)
    environment = dict(os.environ, LD_PRELOAD=runtime("libasan.so"))
    # Python itself leaves memory behind; what the loop takes it gives back in cb_loop_free.
    environment["ASAN_OPTIONS"] = "detect_leaks=0"
    command = [sys.executable, "-c", SCRIPT, str(sanitized), str(path)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr[-3000:]
    steps, _events, nodes = map(int, result.stdout.split())
    assert nodes >= 5 * steps > 0
