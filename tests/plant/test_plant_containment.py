"""Hostile FMUs: each is contained, told in one sentence, and the caller goes on with the next one.

The world is looked at from outside: a folder with a secret, listeners on the loopback interface, a
counter of signals. Where the kernel cannot enforce something, the test says so and is skipped.
"""

from __future__ import annotations

import os
import platform
import re
import time
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from hostile import NUMBERS, QUIET, RAMP, SECRET, TIMES, build_hostile, do, goes_on, need

from cranebridge.errors import CranebridgeError
from cranebridge.plant.containment import measures
from cranebridge.plant.plant import Plant
from cranebridge.plant.sandbox import child_process, watching
from cranebridge.plant.sandbox.child_process import (
    ContainmentWarning,
    PlantCrashError,
    PlantError,
    PlantStatusError,
    PlantTimeoutError,
)
from further import further, mostly_further

pytestmark = pytest.mark.usefixtures("own_children")

FILES = (
    *("write_home", "make_folder", "read_secret", "append_secret", "empty_secret"),
    *("remove_secret", "rename_secret", "list_home", "own_binary", "plant_link"),
    "own_description",
)
DENIED = {
    **dict.fromkeys((*FILES, "callers_environment", "callers_files"), "files"),
    # not seen by Landlock
    **dict.fromkeys(("open_home", "link_secret", "truncate_secret"), "processes"),
    **dict.fromkeys(("tcp", "udp", "server", "unix_socket"), "network"),
    **dict.fromkeys(("execute", "shell", "fork_bomb", "new_process"), "processes"),
    **dict.fromkeys(("attach", "signal_caller", "signal_thread", "queue_signal"), "others"),
    **dict.fromkeys(("signal_by_owner", "limit_caller", "callers_memory", "outlive"), "others"),
    **dict.fromkeys(("raise_memory", "raise_files", "become_other"), "privileges"),
    **dict.fromkeys(("rings", "kernel_program", "keys", "name_space", "mounts"), "processes"),
    **dict.fromkeys(("hidden_memory", "lasting_memory"), "processes"),
    **dict.fromkeys(("message_queues", "semaphores", "shared_memory", "posix_queues"), "others"),
    **dict.fromkeys(("posix_memory",), "files"),
    **dict.fromkeys(("watch_home", "home_attributes"), "processes"),
}


KERNELS = "test_plant_kernels.py"  # has a deed of its own


# ---------------------------------------------------------------------------- what is denied


@pytest.fixture(scope="module")
def lasting(hostile_fmu: Path) -> Iterator[Plant]:
    """A plant for all deeds: the caller goes on with a new child, which meets the next deed."""
    with Plant(hostile_fmu, timeout=60.0) as opened:
        yield opened


@pytest.mark.parametrize("deed", DENIED)
def test_a_deed_is_prevented_and_told_and_the_caller_goes_on(lasting, world, deed):
    plant = lasting  # with a child of its own for each deed
    need(plant, DENIED[deed])
    before = world.seen()
    with pytest.raises(
        PlantStatusError, match=r"the FMU failed: \w*GetDerivatives returned 3"
    ) as told:
        do(plant, NUMBERS[deed])
    assert re.search(rf"{deed}: (Operation not permitted|Permission denied)", str(told.value))
    assert world.seen() == before
    assert world.calls() == []
    assert world.signals == []
    goes_on(plant)


def test_every_deed_is_tested():
    text = Path(__file__).read_text() + Path(__file__).with_name(KERNELS).read_text()
    assert all(f'"{name}"' in text for name in (*NUMBERS, *QUIET))


# Whoever may do this to his own files and processes; without lasting harm, and for any user.
HARMLESS = (
    *("read_secret", "list_home", "append_secret", "own_binary", "plant_link", "tcp", "server"),
    "own_description",
    *("new_process", "signal_caller", "signal_thread", "queue_signal", "signal_by_owner"),
    *("limit_caller", "callers_environment", "callers_files", "outlive", "hidden_memory"),
    *("lasting_memory", "message_queues", "semaphores", "shared_memory", "posix_queues"),
    *("posix_memory", "watch_home", "home_attributes"),
)


@pytest.mark.filterwarnings("ignore::cranebridge.plant.sandbox.child_process.ContainmentWarning")
@pytest.mark.parametrize(
    "deed",
    mostly_further(
        HARMLESS,
        *("read_secret", "append_secret", "own_binary", "tcp", "new_process", "signal_caller"),
        *("limit_caller", "callers_files", "hidden_memory", "message_queues", "watch_home"),
    ),
)
def test_the_same_deed_succeeds_where_nothing_is_contained(hostile_fmu, world, deed):
    """Containment is what prevents it, and nothing else."""
    if deed == "own_binary" and os.geteuid() != 0:
        pytest.skip("only root may write to a file without write permission")
    with Plant(hostile_fmu, contain="off") as plant:
        with pytest.raises(PlantStatusError, match=f"{deed}: DONE"):
            do(plant, NUMBERS[deed])
        assert plant.containment.enforced == ("lifetime",)
    if deed == "tcp":
        world.tcp.accept()[0].close()
    assert bool(world.signals) == ("signal" in deed)
    world.signals.clear()


def test_off_is_said_loudly(hostile_fmu, monkeypatch):
    monkeypatch.setattr(child_process, "_said", set())
    with (
        pytest.warns(ContainmentWarning, match="NOT contained"),
        Plant(hostile_fmu, contain="off") as p,
    ):
        assert p.containment.mode == "off"


def test_the_kernel_agrees_that_the_child_has_no_privileges(plant):
    """Also root's: capabilities would let it raise its limits and read any file."""
    need(plant, "privileges")
    need(plant, "processes")
    pid = plant._host._sandbox._process.pid
    rows = dict(
        line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines()
    )
    assert [int(rows[name], 16) for name in ("CapEff", "CapPrm", "CapInh", "CapAmb")] == [0] * 4
    assert (rows["NoNewPrivs"], rows["Seccomp"]) == ("1", "2")


def test_a_file_behind_the_size_limit_cannot_be_written(plant):
    with pytest.raises(PlantStatusError, match="large_file: File too large"):
        do(plant, NUMBERS["large_file"])
    goes_on(plant)


# ---------------------------------------------------------------------------- what is stopped


@pytest.mark.parametrize(
    ("deed", "words"),
    [
        ("forged_answer", "an answer to another question"),
        ("huge_header", "the header is too long"),
        ("huge_arrays", "the arrays are larger than what was asked for"),
        ("deep_header", "the header is wrong"),
    ],
)
def test_what_an_fmu_writes_on_the_channel_is_no_answer(plant, deed, words):
    with pytest.raises(PlantCrashError, match=f"sent nonsense or was killed .{words}"):
        do(plant, NUMBERS[deed])
    goes_on(plant)


@pytest.mark.parametrize(
    ("deed", "limit", "value", "words"),
    [
        ("fill_disk", "DISK", 8 << 20, "its files are larger than 8 MiB in all"),
        ("fill_hidden", "DISK", 8 << 20, "its files are larger than 8 MiB in all"),
        ("fill_deep", "DISK", 8 << 20, "its folders are too deep in each other to look into"),
        ("many_files", "FILES", 100, "it made more than 100 files"),
        ("many_threads", "THREADS", 30, "it started more than 30 threads"),
    ],
)
def test_too_much_of_something_ends_the_run(plant, monkeypatch, deed, limit, value, words):
    monkeypatch.setattr(watching, limit, value)
    with pytest.raises(PlantCrashError, match=f"the FMU was stopped: {words}"):
        do(plant, NUMBERS[deed])
    monkeypatch.undo()
    goes_on(plant)


def test_an_fmu_that_ignores_signals_is_stopped(hostile_fmu):
    with Plant(hostile_fmu, timeout=2.0) as plant:
        plant.containment  # noqa: B018  the child has started: its start is not the FMU's time
        with pytest.raises(PlantTimeoutError, match="did not answer within 2 s and was stopped"):
            do(plant, NUMBERS["ignore_signals"])
        plant._host._timeout = 60.0
        goes_on(plant)


def test_an_fmu_that_hangs_at_its_end_is_stopped(hostile_fmu):
    with Plant(hostile_fmu, timeout=2.0) as plant:
        with pytest.raises(PlantTimeoutError, match="did not answer"):
            do(plant, QUIET["HANG_AT_END"])
        plant._host._timeout = 60.0
        goes_on(plant)


def test_an_fmu_that_hangs_while_it_is_loaded_is_stopped(world, hostile_fmu):
    path = build_hostile(world, "constructor", "-DHANG_IN_CONSTRUCTOR")
    with Plant(path, timeout=2.0) as plant, pytest.raises(PlantTimeoutError, match="not answer"):
        do(plant, 1)
    with Plant(hostile_fmu) as plant:
        goes_on(plant)


def test_an_fmu_that_hangs_while_it_is_unloaded_gives_its_results(world):
    with Plant(build_hostile(world, "destructor", "-DHANG_IN_DESTRUCTOR")) as plant:
        goes_on(plant)


def test_writing_past_an_array_is_an_error_of_the_fmu_alone(plant):
    with pytest.raises(PlantError) as raised:
        do(plant, QUIET["PAST_ARRAYS"])
    assert isinstance(raised.value, CranebridgeError)
    goes_on(plant)


@pytest.mark.parametrize(
    ("quiet", "words"),
    [
        ("ROUNDING", "the processor's rounding mode"),
        ("SSE_ROUNDING", "the processor's rounding mode"),
        ("X87_ROUNDING", "the processor's rounding mode"),
        ("FLUSH_TO_ZERO", "what the processor does with tiny numbers"),
        ("TINY_AS_ZERO", "what the processor does with tiny numbers"),
        ("PRECISION", "the processor's precision"),
    ],
)
def test_an_fmu_that_changes_how_the_processor_calculates_is_an_error(plant, quiet, words):
    if quiet in ("PRECISION", "X87_ROUNDING") and platform.machine() != "x86_64":
        pytest.skip("only x86 processors have an x87 unit")
    with pytest.raises(PlantStatusError, match=f"it changed {words}.*its numbers are doubtful"):
        do(plant, QUIET[quiet])
    goes_on(plant)


@pytest.mark.parametrize(
    ("quiet", "words"),
    [
        ("SHORT_ARRAYS", r"returned no 'outputs' of shape \(11, 1\)"),
        ("LONG_ARRAYS", "the arrays are larger than what was asked for"),
        ("NO_ARRAYS", r"returned no 'outputs' of shape \(11, 1\)"),
        ("NAN_ARRAYS", "y is nan at output time number 0"),
    ],
)
def test_after_a_wrong_answer_the_next_call_gets_a_new_child(plant, quiet, words):
    """The FMU has changed how its process answers: whoever asks the same one gets it again."""
    with pytest.raises(PlantError, match=words):
        do(plant, QUIET[quiet])
    goes_on(plant)


def test_nonsense_is_told_also_of_a_child_that_ends_before_it_is_stopped(plant, monkeypatch):
    kill = child_process.Sandbox._kill

    def late(box: child_process.Sandbox) -> None:
        time.sleep(0.5)  # the channel is closed by now: the child ends by itself, exit code 0
        kill(box)

    monkeypatch.setattr(child_process.Sandbox, "_kill", late)
    with pytest.raises(PlantError, match="the arrays are larger than what was asked for"):
        do(plant, QUIET["LONG_ARRAYS"])


@pytest.mark.parametrize(
    "ask", ["derivatives", further("rates"), further("second_rates"), "directional"]
)
def test_a_wrong_answer_to_any_question_ends_the_child(plant, ask):
    def answer(number: int) -> object:
        if ask == "directional":
            return plant.directional([0.0], parameters={"k": float(number)})
        return getattr(plant, ask)([[0.0]], parameters=[[number]], parameter_names=["k"])

    good = answer(1)
    with pytest.raises(PlantStatusError, match="returned no"):
        answer(QUIET["NO_ARRAYS"])
    assert repr(answer(1)) == repr(good)


def test_an_fmu_that_writes_into_constant_arguments_changes_nothing_of_ours(plant):
    result = do(plant, QUIET["CHANGE_CONST"])
    assert result.outputs[:, 0] == pytest.approx(TIMES**2 / 2, abs=1e-9)


# ---------------------------------------------------------------------------- what is shown


def controls(text: str) -> list[str]:
    return [c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf")]


def test_text_of_an_fmu_is_shown_without_commands_to_the_terminal(plant):
    with pytest.raises(PlantStatusError, match="all is well") as raised:
        do(plant, QUIET["ESCAPES"])
    assert "red" in str(raised.value)
    assert controls(str(raised.value)) == []
    assert all(line.isprintable() for line in raised.value.log)


def test_an_fmu_sees_no_secret_in_its_environment(hostile_fmu, monkeypatch):
    monkeypatch.setenv("CRANEBRIDGE_TEST_TOKEN", SECRET)
    monkeypatch.setenv("LANG", "C.UTF-8")
    with Plant(hostile_fmu) as plant:
        log = "\n".join(do(plant, QUIET["ENVIRONMENT"]).log)
    names = set(re.findall(r"deed: (\w+)=", log))
    assert "LANG" in names
    assert "CRANEBRIDGE_TEST_TOKEN" not in names
    assert SECRET not in log
    threads = {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"}
    assert names <= {"PATH", "HOME", "TMPDIR", *threads, *measures._KEPT}


def test_what_the_page_says_remains_of_a_home_folder(plant):
    """The size of a file whose path is known, and neither its content nor its neighbours."""
    need(plant, "files")
    assert f"size {len(SECRET)}" in "\n".join(do(plant, QUIET["LOOK_AT_HOME"]).log)
    page = (Path(__file__).parents[2] / "docs" / "safety.md").read_text(encoding="utf-8")
    assert "size, owner, rights and times (`stat`" in " ".join(page.split())


# ---------------------------------------------------------------------------- what is allowed


@pytest.mark.parametrize("quiet", ["THREAD", "OWN_SIGNAL", "OWN_FILE"])
def test_what_honest_fmus_do_is_allowed(plant, quiet):
    assert do(plant, QUIET[quiet]).outputs[-1, 0] == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize(
    "method", ["DOP853", "LSODA", "Radau", further("BDF"), further("RK45"), "CVODE"]
)
def test_integrators_can_be_imported_after_containment(plant, method):
    assert plant.containment.mode == "auto"
    result = plant.simulate(times=TIMES, inputs=RAMP, method=method, rtol=1e-8)
    # x = t^2/2; ten times the tolerance for the error of all steps together
    assert result.outputs[-1, 0] == pytest.approx(0.5, abs=1e-7)


def test_folders_without_rights_are_removed_with_the_child(plant, hostile_fmu):
    goes_on(plant)
    scratch = plant._host._sandbox._directory.name
    do(plant, QUIET["LOCKED_FOLDER"])
    assert sorted(os.listdir(scratch)) == ["closed", "locked"]
    plant.close()
    assert not os.path.exists(scratch)
