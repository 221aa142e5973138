"""What a kernel enforces and what not; what becomes of an FMU whose caller is killed."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import signal
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hostile import NUMBERS, QUIET, goes_on

from cranebridge import temporary
from cranebridge.plant.containment import seccomp
from cranebridge.plant.containment.measures import MEASURES, Containment
from cranebridge.plant.plant import Plant

# ---------------------------------------------------------------------------- killed callers

CALLER = """
import sys, numpy as np
from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol.controls import Controls
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
            while not list(tmp_path.glob("cranebridge-run-*/ignoring")):
                assert running(child)
                time.sleep(0.01)
            left = sorted(entry.name for entry in tmp_path.iterdir())
            assert [name.split("-")[1:3] for name in left] == [
                ["fmu", str(caller.pid)],
                ["run", str(caller.pid)],
            ]
            assert temporary.sweep(str(tmp_path)) == []  # their owner lives
        finally:
            caller.kill()
    for _ in range(12_000):  # the kernel ends it; a busy machine may take its time
        if not running(child):
            break
        time.sleep(0.01)
    else:
        os.kill(child, signal.SIGKILL)
        pytest.fail("the FMU outlived its caller")
    assert sorted(temporary.sweep(str(tmp_path))) == left
    assert list(tmp_path.iterdir()) == []


NESTING = """
import os, signal, sys
from cranebridge.plant.plant import Plant
plant = Plant(sys.argv[1])
plant.simulate(times=[0.0, 1.0], parameters={"k": float(sys.argv[2])})
os.kill(os.getpid(), signal.SIGKILL)
"""
AFTER_IT = """
import sys
from cranebridge.plant.plant import Plant
with Plant(sys.argv[1]) as plant:
    plant.simulate(times=[0.0, 1.0])
"""


def test_an_fmu_that_nests_folders_keeps_no_later_command_from_its_plant(hostile_fmu, tmp_path):
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    nest = [sys.executable, "-c", NESTING, str(hostile_fmu), str(QUIET["NEST_FOLDERS"])]
    assert subprocess.run(nest, env=environment, check=False).returncode == -signal.SIGKILL
    assert len(list(tmp_path.glob("cranebridge-run-*/n/n/n"))) == 1
    next_ = [sys.executable, "-c", AFTER_IT, str(hostile_fmu)]
    try:
        done = subprocess.run(next_, env=environment, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert list(tmp_path.iterdir()) == []
    finally:  # pytest cannot remove such folders
        subprocess.run(["rm", "-rf", *tmp_path.iterdir()], check=True)


# ---------------------------------------------------------------------------- kernels


WITHOUT = """
import ctypes, errno, os, struct, sys, warnings
from cranebridge.plant.containment import seccomp
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
from cranebridge.plant.sandbox.child_process import PlantError
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    found = {}
    for _ in range(2):
        with Plant(sys.argv[1], timeout=60.0) as plant:
            found |= plant.containment.as_dict()
            if "files" in found["enforced"]:
                try:
                    deeds = {"k": float(sys.argv[3])}
                    plant.simulate(times=[0.0, 1.0], parameters=deeds)
                except PlantError as error:
                    found["link"] = str(error)
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
    command = [sys.executable, "-c", WITHOUT, str(hostile_fmu), calls, str(NUMBERS["plant_link"])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["missing"] == missing
    assert found["enforced"] == [name for name in MEASURES if name not in missing]
    assert found["x"] == 0.0
    if "files" in found["enforced"]:  # Landlock alone is enough for it
        assert "plant_link: Permission denied" in found["link"]
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


def judged(machine: str, architecture: int, number: int, *arguments: int) -> int:
    """Run the filter for process 77 as the kernel would; returns what it answers."""
    data = struct.pack("<iIQ6Q", number, architecture, 0, *arguments, *[0] * (6 - len(arguments)))
    steps = seccomp.program(machine, 77)
    place = accumulator = 0
    while True:
        code, yes, no, k = steps[place]
        place += 1
        if code == 0x20:  # load a word
            accumulator = struct.unpack_from("<I", data, k)[0]
        elif code == 0x06:  # return
            return k
        else:
            tests = {0x15: accumulator == k, 0x25: accumulator > k, 0x45: bool(accumulator & k)}
            place += yes if tests[code] else no


ALLOWED, KILLED = 0x7FFF0000, 0x80000000
NOT_PERMITTED, NOT_IMPLEMENTED = (0x00050000 | n for n in (errno.EPERM, errno.ENOSYS))


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_judges_calls_by_number_and_argument(machine):
    """Run here for both machines; on this one the hostile FMUs meet the kernel's own."""
    column, architecture, _ = seccomp.MACHINES[machine]

    def judge(name: str, *arguments: int) -> int:
        tables = {**seccomp.DENIED, **seccomp.JUDGED, **seccomp.UNKNOWN}
        return judged(machine, architecture, tables[name][column], *arguments)

    for name, numbers in seccomp.DENIED.items():
        if numbers[column] >= 0:
            assert judge(name) == NOT_PERMITTED, name
    thread, process = 0x3D0F00, 0x1200011  # flags of pthread_create and of fork in glibc
    assert (judge("clone", thread), judge("clone", process)) == (ALLOWED, NOT_PERMITTED)
    for name in ("kill", "tgkill"):
        answers = [judge(name, pid) for pid in (77, 76, 0, 2**32 - 1)]
        assert answers == [ALLOWED, *[NOT_PERMITTED] * 3]
    for name in seccomp.JUDGED:
        if name == "prlimit64" or name.startswith("sched_"):
            answers = [judge(name, pid) for pid in (0, 77, 1)]
            assert answers == [ALLOWED, ALLOWED, NOT_PERMITTED]
    assert [judge("prctl", option) for option in (15, 1, 4)] == [ALLOWED, *[NOT_PERMITTED] * 2]
    answers = [judge("fcntl", 9, command) for command in (3, 8, 10, 15)]
    assert answers == [ALLOWED, *[NOT_PERMITTED] * 3]
    answers = [judge("ioctl", 9, request) for request in (0x5401, 0x5412, 0x541C, 0x8901, 0x8902)]
    assert answers == [ALLOWED, *[NOT_PERMITTED] * 4]
    for name in seccomp.UNKNOWN:
        assert judge(name) == NOT_IMPLEMENTED
    read, newer, x32_read = {"x86_64": 0, "aarch64": 63}[machine], 463, 2**30
    answers = [judged(machine, architecture, number) for number in (read, newer, x32_read)]
    assert answers == [ALLOWED, NOT_IMPLEMENTED, NOT_IMPLEMENTED]
    i386 = 0x40000003
    assert judged(machine, i386, read) == KILLED


@pytest.mark.filterwarnings("ignore::cranebridge.plant.sandbox.child_process.ContainmentWarning")
def test_an_fmu_opened_in_a_thread_lives_longer_than_the_thread(hostile_fmu):
    """The kernel would end the child with the thread that started it."""
    opened: list[Plant] = []
    thread = threading.Thread(target=lambda: opened.append(Plant(hostile_fmu)))
    thread.start()
    thread.join()
    with opened[0] as plant:
        goes_on(plant)
        assert plant.containment.missing == ("lifetime",)
