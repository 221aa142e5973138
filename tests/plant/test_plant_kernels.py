"""What a kernel enforces and what not; what becomes of an FMU whose caller is killed."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hostile import NUMBERS, goes_on

from cranebridge.plant import folders, seccomp
from cranebridge.plant.containment import MEASURES, Containment
from cranebridge.plant.plant import Plant

# ---------------------------------------------------------------------------- killed callers

CALLER = """
import sys, numpy as np
from cranebridge.plant.plant import Plant
from cranebridge.plant.controls import Controls
with Plant(sys.argv[1], timeout=600.0) as plant:
    inputs = Controls.linear([0.0, 1.0], [[0.0], [1.0]], ["u"])
    print(plant._host._sandbox._process.pid, plant.containment.enforced, flush=True)
    plant.simulate(times=[0.0, 1.0], inputs=inputs, parameters={"k": float(sys.argv[2])})
"""


def running(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False


def test_an_fmu_ends_with_a_killed_caller_and_its_folders_go_with_the_next(hostile_fmu, tmp_path):
    command = [sys.executable, "-c", CALLER, str(hostile_fmu), str(NUMBERS["ignore_signals"])]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as caller:
        try:
            line = caller.stdout.readline()
            child = int(line.split()[0])
            if "lifetime" not in line:
                pytest.skip(f"not enforced by this kernel: {MEASURES['lifetime']}")
            assert running(child)
            left = sorted(entry.name for entry in tmp_path.iterdir())
            assert [name.split("-")[1:3] for name in left] == [
                ["fmu", str(caller.pid)],
                ["run", str(caller.pid)],
            ]
            assert folders.sweep(str(tmp_path)) == []  # their owner lives
        finally:
            caller.kill()
    for _ in range(12_000):  # the kernel ends it; a busy machine may take its time
        if not running(child):
            break
        time.sleep(0.01)
    else:
        os.kill(child, signal.SIGKILL)
        pytest.fail("the FMU outlived its caller")
    assert sorted(folders.sweep(str(tmp_path))) == left
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------------------- kernels


WITHOUT = """
import ctypes, errno, os, struct, sys, warnings
from cranebridge.plant import seccomp
# This kernel, without the calls named on the command line: they answer "not implemented".
column = seccomp.MACHINES[os.uname().machine][0]
steps = [(0x20, 0, 0, 0)]
for number in map(int, sys.argv[2].split(",")):
    steps += [(0x15, 0, 1, number), (0x06, 0, 0, 0x00050000 | errno.ENOSYS)]
steps.append((0x06, 0, 0, 0x7FFF0000))
libc = ctypes.CDLL(None)
code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *step) for step in steps))
program = seccomp._Program(len(steps), ctypes.addressof(code))
zero = ctypes.c_ulong(0)
assert libc.prctl(38, ctypes.c_ulong(1), zero, zero, zero) == 0
assert libc.prctl(22, ctypes.c_ulong(2), ctypes.byref(program), zero, zero) == 0

import json, numpy as np
from cranebridge.plant.plant import Plant
from cranebridge.plant.sandbox import PlantError
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    found = {}
    for _ in range(2):
        with Plant(sys.argv[1], timeout=60.0) as plant:
            found |= plant.containment.as_dict()
            found["x"] = plant.simulate(times=[0.0, 1.0]).outputs[-1, 0]
try:
    with Plant(sys.argv[1], timeout=60.0, contain="require") as plant:
        plant.simulate(times=[0.0, 1.0])
except PlantError as error:
    found["error"] = str(error)
print(json.dumps(found | {"said": [str(item.message) for item in said]}))
"""
LANDLOCK = "444,445,446"


@pytest.mark.parametrize(
    ("missing", "without"),
    [
        (["files"], LANDLOCK),
        (["network", "processes", "others"], "SECCOMP"),
        (["files", "network", "processes", "others"], f"{LANDLOCK},SECCOMP"),
    ],
)
def test_an_older_kernel_says_what_it_cannot_enforce(hostile_fmu, missing, without):
    machine = os.uname().machine
    if machine not in seccomp.MACHINES:
        pytest.skip(f"no table of system calls for {machine}")
    calls = without.replace("SECCOMP", str(seccomp.MACHINES[machine][2]))
    command = [sys.executable, "-c", WITHOUT, str(hostile_fmu), calls]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["missing"] == missing
    assert found["enforced"] == [name for name in MEASURES if name not in missing]
    assert found["x"] == 0.0
    assert len(found["said"]) == 1  # once, though two plants were opened
    assert all(MEASURES[name] in found["said"][0] for name in missing)
    assert "plant.contain = 'require' asks for all" in found["error"]


def test_nothing_is_said_where_all_is_enforced_and_off_is_said_loudly():
    assert Containment("auto", tuple(MEASURES), ()).warning == ""
    assert "NOT contained" in Containment("off", (), tuple(MEASURES)).warning


def test_numbers_of_system_calls_are_those_of_the_kernels_headers(tmp_path):
    """The compiler's headers for x86_64, the kernel's generic table for aarch64."""
    generic = Path("/usr/include/asm-generic/unistd.h")
    if not generic.exists():
        pytest.skip("the kernel's headers are not installed")
    text = generic.read_text()
    tables = {**seccomp.DENIED, **seccomp.JUDGED, **seccomp.UNKNOWN}
    known = dict(re.findall(r"#define __NR(?:3264)?_(\w+) (\d+)\b", text))
    for name, (_, number) in tables.items():
        if name in known:
            assert number == int(known[name]), name
    assert sum(name in known for name in tables) > 80
    if os.uname().machine == "x86_64":
        lines = [f"#ifdef SYS_{n}\n{n} SYS_{n}\n#endif" for n in tables]
        source = tmp_path / "n.c"
        source.write_text("#include <sys/syscall.h>\n" + "\n".join(lines))
        text = subprocess.check_output(["gcc", "-E", "-P", str(source)], text=True)
        pairs = dict(re.findall(r"^(\w+) (\d+)$", text, re.MULTILINE))
        assert len(pairs) > 90
        assert {n: tables[n][0] for n in pairs} == {n: int(v) for n, v in pairs.items()}


@pytest.mark.filterwarnings("ignore::cranebridge.plant.sandbox.ContainmentWarning")
def test_an_fmu_opened_in_a_thread_lives_longer_than_the_thread(hostile_fmu):
    """The kernel would end the child with the thread that started it."""
    opened: list[Plant] = []
    thread = threading.Thread(target=lambda: opened.append(Plant(hostile_fmu)))
    thread.start()
    thread.join()
    with opened[0] as plant:
        goes_on(plant)
        assert plant.containment.missing == ("lifetime",)
