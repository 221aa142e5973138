"""Campaigns on real processes, with deaths and interruptions: always the same table."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from campaigns import design, serial_bytes
from works import Counted, Deadly, Faulty, Pendulum

from cranebridge.campaign import RunCounts, carry_out, cluster, pool, read_runs, serial
from cranebridge.campaign.carrying import DIED
from cranebridge.campaign.search.evaluating import evaluate
from cranebridge.errors import InputError, MissingDependencyError, SolutionError

HERE = Path(__file__).parent


def wait_for_parts(folder: Path, count: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until parts are finished, so that the process can be killed in the middle."""
    while len(list(folder.glob("parts/part-*.json"))) < count:
        assert process.poll() is None, "the campaign ended before it could be killed"
        time.sleep(0.01)


def begin_campaign(folder: Path, where: str, runs: int, seconds: float) -> subprocess.Popen[bytes]:
    arguments = [sys.executable, str(HERE / "campaigns.py"), folder, where, runs, seconds]
    return subprocess.Popen(list(map(str, arguments)))


# ---------------------------------------------------------------------------- the table


def test_table_has_a_row_for_each_run_with_factors_and_results(tmp_path: Path) -> None:
    with serial() as executor:
        runs = carry_out(Pendulum(), design(20), executor, tmp_path)
    assert (runs.total, runs.failed, runs.keys, runs.kind) == (20, 3, ("m", "l"), "sobol")
    # by first run that has it: run 0 has swing and kept, run 1 is the first odd one
    assert dict(runs.results) == {"swing": "number", "kept": "boolean", "odd": "text"}
    assert runs.factors().tolist() == design(20).values.tolist()
    which, swing = runs.column("swing")
    assert which.tolist() == [n for n in range(20) if n % 7 != 3]
    m, length = design(20).values[which].T
    assert swing == pytest.approx(np.sin(m) * length, rel=1e-14)
    point = design(20).point(3)
    reason = "run 3 does not converge"
    assert runs.row(3) == {"run": 3, "status": "failed", "reason": reason, **point}
    assert runs.row(1)["odd"] == "no. 1"
    assert not (tmp_path / "parts").exists()


def test_table_is_sorted_and_in_row_groups_that_memory_can_hold(tmp_path: Path) -> None:
    with serial() as executor:
        runs = carry_out(Pendulum(), design(5000), executor, tmp_path)
    assert pq.ParquetFile(runs.file).num_row_groups == 2
    assert runs.column("run")[1].tolist() == list(range(5000))
    assert runs.row(4999)["status"] == "done"


def test_failed_run_has_a_reason_even_if_its_error_says_nothing(tmp_path: Path) -> None:
    with serial() as executor:
        runs = carry_out(Faulty("silent"), design(2), executor, tmp_path)
    assert runs.failed == 2
    assert runs.row(1)["reason"] == "SolutionError"


@pytest.mark.parametrize("batch", [1, 7, 100])
def test_batches_do_not_change_a_byte(tmp_path: Path, batch: int) -> None:
    wanted = serial_bytes(tmp_path / "a", Pendulum(), 50)
    with serial() as executor:
        runs = carry_out(Pendulum(), design(50), executor, tmp_path / "b", batch=batch)
    assert runs.file.read_bytes() == wanted


def test_finished_campaign_is_not_carried_out_again(tmp_path: Path) -> None:
    wanted = serial_bytes(tmp_path, Counted(tmp_path), 10)
    assert serial_bytes(tmp_path, Counted(tmp_path), 10) == wanted
    assert len(list(tmp_path.glob("begin-*"))) == 1


def test_progress_counts_up_to_all_runs(tmp_path: Path) -> None:
    reported: list[RunCounts] = []
    with serial() as executor:
        carry_out(Pendulum(), design(20), executor, tmp_path, batch=8, report_runs=reported.append)
    assert [progress.done for progress in reported] == [0, 8, 16, 20]
    assert [progress.failed for progress in reported] == [0, 1, 2, 3]
    assert reported[0].left is None
    assert reported[-1].left == 0.0
    assert str(RunCounts(12, 1, 1000, 4.0, 247.0)) == (
        "12 of 1000 runs, 1 failed, 4 runs/s, 4 min 7 s left"
    )


# ---------------------------------------------------------------------------- processes


def test_two_processes_make_the_same_bytes_with_one_runner_each(tmp_path: Path) -> None:
    wanted = serial_bytes(tmp_path / "a", Counted(tmp_path), 60)
    for file in tmp_path.glob("begin-*"):
        file.unlink()
    with pool(2) as executor:
        runs = carry_out(Counted(tmp_path), design(60), executor, tmp_path / "b", batch=3)
        assert runs.file.read_bytes() == wanted
    begun = {file.name.split("-")[1] for file in tmp_path.glob("begin-*")}
    assert len(list(tmp_path.glob("begin-*"))) == len(begun) == 2
    closed = {file.name.split("-")[1] for file in tmp_path.glob("close-*")}
    assert begun <= closed


def test_run_that_kills_its_worker_twice_is_a_row_and_costs_no_other(tmp_path: Path) -> None:
    work = Deadly(tmp_path, always=(13,), once=(5, 30))
    with pool(2) as executor:
        runs = carry_out(work, design(40), executor, tmp_path, batch=6)
    assert runs.row(13) == {"run": 13, "status": "failed", "reason": DIED, **design(40).point(13)}
    assert runs.failed == 1 + sum(n % 7 == 3 for n in range(40))
    assert runs.row(5)["status"] == runs.row(30)["status"] == "done"


def test_all_points_of_a_worker_that_died_are_failed_ones_in_their_places(tmp_path: Path) -> None:
    """Twenty points in four shares: a share whose worker dies is lost, and no other is moved."""
    points = design(20).values
    work = Deadly(tmp_path, once=(0,))
    with pool(1) as executor:
        executor.begin(work)
        rows = evaluate(executor, work.key, ["m", "l"], points)
    assert len(rows) == 20
    lost = [i for i, row in enumerate(rows) if row.reason == DIED]
    assert lost
    assert len(lost) % 5 == 0
    for i, row in enumerate(rows):
        if i not in lost:
            assert row.results["swing"] == pytest.approx(np.sin(points[i, 0]) * points[i, 1])


def test_death_of_a_worker_from_outside_changes_nothing(tmp_path: Path) -> None:
    # once: each of these runs dies by os.kill in the middle of a batch, and then not again
    wanted = serial_bytes(tmp_path / "a", Pendulum("deadly"), 30)
    with pool(2) as executor:
        work = Deadly(tmp_path, once=(4, 5, 20))
        runs = carry_out(work, design(30), executor, tmp_path / "b", batch=5)
    assert runs.file.read_bytes() == wanted


def test_killed_campaign_goes_on_where_it_was(tmp_path: Path) -> None:
    process = begin_campaign(tmp_path / "b", "pool", 60, 0.02)
    wait_for_parts(tmp_path / "b", 4, process)
    process.kill()
    process.wait()
    reported: list[RunCounts] = []
    work = Pendulum(seconds=0.02)
    with pool(2) as executor:
        runs = carry_out(work, design(60), executor, tmp_path / "b", report_runs=reported.append)
    assert 12 <= reported[0].done < 60
    assert runs.file.read_bytes() == serial_bytes(tmp_path / "a", Pendulum(), 60)


def test_interrupt_keeps_finished_runs_and_ends_workers(tmp_path: Path) -> None:
    process = begin_campaign(tmp_path, "pool", 2000, 0.02)
    wait_for_parts(tmp_path, 2, process)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) not in (0, -signal.SIGKILL)
    assert 2 <= len(list(tmp_path.glob("parts/part-*.json"))) < 600
    with serial() as executor, pytest.raises(KeyboardInterrupt):
        carry_out(
            Pendulum(seconds=0.02),
            design(2000),
            executor,
            tmp_path,
            batch=1,
            report_runs=_interrupt,
        )


def _interrupt(progress: RunCounts) -> None:
    assert progress.done >= 6
    raise KeyboardInterrupt


# ---------------------------------------------------------------------------- parts


def test_damaged_part_is_done_again(tmp_path: Path) -> None:
    wanted = serial_bytes(tmp_path / "a", Pendulum(), 20)
    _leave_parts(tmp_path / "b")
    parts = sorted((tmp_path / "b" / "parts").glob("part-*.json"))
    parts[0].write_bytes(parts[0].read_bytes()[:50])
    assert serial_bytes(tmp_path / "b", Pendulum(), 20) == wanted


def test_parts_of_another_work_or_design_are_refused(tmp_path: Path) -> None:
    _leave_parts(tmp_path)
    with pytest.raises(InputError, match=r"another campaign .*what is carried out differs"):
        serial_bytes(tmp_path, Pendulum("other"), 20)
    with pytest.raises(InputError, match=r"another campaign .*its runs have other values"):
        serial_bytes(tmp_path, Pendulum(), 21)
    serial_bytes(tmp_path, Pendulum(), 20)
    with pytest.raises(InputError, match=r"runs.parquet' belongs to another campaign"):
        serial_bytes(tmp_path, Pendulum(), 21)


def test_two_campaigns_at_once_in_a_folder_are_refused(tmp_path: Path) -> None:
    def report_runs(_: RunCounts) -> None:
        with serial() as other, pytest.raises(InputError, match=r"another campaign is at work in"):
            carry_out(Pendulum(), design(20), other, tmp_path)

    with serial() as executor:
        carry_out(Pendulum(), design(20), executor, tmp_path, report_runs=report_runs)


def _leave_parts(folder: Path) -> None:
    """Begin a campaign of 20 runs and interrupt it after ten."""

    def report_runs(progress: RunCounts) -> None:
        if progress.done >= 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), serial() as executor:
        carry_out(Pendulum(), design(20), executor, folder, batch=5, report_runs=report_runs)


# ---------------------------------------------------------------------------- what goes wrong


def test_work_that_cannot_begin_ends_the_campaign(tmp_path: Path) -> None:
    with pool(1) as executor, pytest.raises(SolutionError, match="the plant cannot be loaded"):
        carry_out(Faulty("begin"), design(5), executor, tmp_path)


def test_workers_that_die_at_once_end_the_campaign(tmp_path: Path) -> None:
    with (
        pool(1) as executor,
        pytest.raises(SolutionError, match="no worker process survives"),
    ):
        carry_out(Faulty("dies at begin"), design(50), executor, tmp_path)
    assert not list(tmp_path.glob("parts/part-*"))


# What a worker process does before it reads a byte of what is sent to it.
DIES = "os.kill(os.getpid(), signal.SIGKILL)"
WAITS = "open({mark!r}, 'w').close(); time.sleep(600.0)"


def begin_with_workers_that(does: str, folder: Path) -> subprocess.Popen[bytes]:
    """Begin a campaign in a process of its own, whose workers come no further than this."""
    (folder / "sitecustomize.py").write_text(
        "import os, signal, sys, time\n"
        "if any('spawn_main' in word for word in sys.orig_argv):\n"
        f"    {does}\n"
    )
    paths = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, str(HERE / "campaigns.py"), str(folder / "out"), "pool", "20", "0.0"],
        env={**os.environ, "PYTHONPATH": paths},
        stderr=subprocess.PIPE,
    )


def test_workers_that_die_while_they_start_end_the_campaign_with_a_sentence(tmp_path: Path) -> None:
    process = begin_with_workers_that(DIES, tmp_path)
    try:
        _, said = process.communicate(timeout=60)  # it waited for ever
    finally:
        process.kill()
    assert b"SolutionError: no worker process survives its beginning" in said


def test_interrupt_ends_a_campaign_whose_workers_never_start(tmp_path: Path) -> None:
    mark = tmp_path / "waits"
    process = begin_with_workers_that(WAITS.format(mark=str(mark)), tmp_path)
    try:
        while not mark.exists():
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert b"KeyboardInterrupt" in said


def test_fault_of_the_program_is_raised_with_run_and_place(tmp_path: Path) -> None:
    with pool(1) as executor, pytest.raises(ZeroDivisionError) as caught:
        carry_out(Faulty("bug"), design(5), executor, tmp_path)
    assert "in run 0 of the campaign" in caught.value.__notes__
    assert "works.py" in caught.value.__notes__[-1]


@pytest.mark.parametrize(
    ("fault", "error", "message"),
    [
        ("type", TypeError, r"column 'list' is \[1.0\]: a result is a number, a text or true or"),
        ("mixed", TypeError, "column 'x' is float in run 0 and bool in run 2"),
        ("name", ValueError, "a result has the name of a factor or of an own column: 'm'"),
    ],
)
def test_results_that_make_no_table_are_refused(
    tmp_path: Path, fault: str, error: type[Exception], message: str
) -> None:
    with serial() as executor, pytest.raises(error, match=message):
        carry_out(Faulty(fault), design(5), executor, tmp_path)


def test_texts_and_numbers_that_are_none_are_kept(tmp_path: Path) -> None:
    with serial() as executor:
        row = carry_out(Faulty("text"), design(2), executor, tmp_path).row(1)
    assert (row["t"], row["y"]) == ("?", -np.inf)
    assert np.isnan(row["x"])  # not the same as missing


def test_wrong_numbers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="one worker at least, and 0 are asked for"):
        pool(0)
    with serial() as executor, pytest.raises(InputError, match="a batch has one run at least"):
        carry_out(Pendulum(), design(5), executor, tmp_path, batch=0)
    with pytest.raises(InputError, match="is not a table of a campaign's runs"):
        read_runs(tmp_path / "none.parquet")
    (tmp_path / "file").touch()
    with serial() as executor, pytest.raises(InputError, match="cannot be used"):
        carry_out(Pendulum(), design(5), executor, tmp_path / "file")


@pytest.mark.parametrize(("library", "extra"), [("pyarrow", "parquet"), ("distributed", "cluster")])
def test_missing_library_is_said_with_the_extra_that_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, "cranebridge.campaign.workers.dask_cluster", raising=False)
    message = rf"pip install 'cranebridge\[{extra}\]'"
    executor = "tcp://127.0.0.1:1" if library == "distributed" else None
    with pytest.raises(MissingDependencyError, match=message):
        carry_out(Pendulum(), design(5), cluster(executor) if executor else serial(), tmp_path)
    assert not list(tmp_path.iterdir())


def test_no_worker_is_left(tmp_path: Path) -> None:
    with pool(2) as executor:
        carry_out(Counted(tmp_path), design(20), executor, tmp_path, batch=2)
        workers = {int(file.name.split("-")[1]) for file in tmp_path.glob("begin-*")}
    for worker in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(worker, 0)


def test_damaged_table_is_one_sentence_and_never_other_numbers(tmp_path: Path) -> None:
    """A byte is changed at places all over the file, and the file is cut."""
    with serial() as executor:
        runs = carry_out(Pendulum(), design(40), executor, tmp_path)
    whole, names = runs.file.read_bytes(), ("run", "reason", "m", "swing", "kept", "odd")
    sound = [runs.column(name)[1].tolist() for name in names], runs.row(7)

    def read() -> object:
        again = read_runs(runs.file)
        return [again.column(name)[1].tolist() for name in names], again.row(7)

    damaged = [whole[: len(whole) * part // 8] for part in range(8)]
    for place in range(0, len(whole), len(whole) // 150):
        damaged.append(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
    said: list[str] = []
    for content in damaged:
        runs.file.write_bytes(content)
        try:
            assert read() == sound  # a byte that matters to nobody
        except InputError as error:
            said.append(str(error))
    assert len(said) > 100
    assert all("is not a table of a campaign's runs" in s or "is damaged" in s for s in said)
    runs.file.write_bytes(whole)
    assert read() == sound
    runs.file.unlink()
    with pytest.raises(InputError, match=r"runs.parquet' is damaged or was removed: carry"):
        runs.column("swing")


@pytest.mark.parametrize(
    "change",
    [{"runs": "40"}, {"failed": None}, {"results": ["swing"]}, "keys", "kind", "random seed"],
    ids=str,
)
def test_table_that_says_something_else_of_itself_is_damaged(tmp_path: Path, change) -> None:
    """A table of sound rows: what it says of them is of another type, or is not there."""
    with serial() as executor:
        runs = carry_out(Pendulum(), design(40), executor, tmp_path)
    table = pq.read_table(runs.file)
    ((key, text),) = [(k, v) for k, v in table.schema.metadata.items() if b"random seed" in v]
    head = json.loads(text)
    if isinstance(change, str):
        del head[change]
    else:
        head |= change
    pq.write_table(table.replace_schema_metadata({key: json.dumps(head)}), runs.file)
    with pytest.raises(InputError, match=r"runs.parquet' is damaged or was removed: carry"):
        read_runs(runs.file)


def test_unknown_column_and_run_are_refused(tmp_path: Path) -> None:
    with serial() as executor:
        runs = carry_out(Pendulum(), design(5), executor, tmp_path)
    with pytest.raises(InputError, match=r"unknown column 'swimg'. Did you mean 'swing'"):
        runs.column("swimg")
    with pytest.raises(InputError, match="there is no run 5: they count from 0 to 4"):
        runs.row(5)


def test_script_without_a_guard_is_not_begun_again_by_its_workers(tmp_path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from pathlib import Path\n"
        "from campaigns import design\n"
        "from works import Pendulum\n"
        "from cranebridge.campaign import carry_out, pool\n"
        "print('begun', __file__ is not None)\n"
        "with pool(1) as executor:\n"
        f"    runs = carry_out(Pendulum(), design(4), executor, Path({str(tmp_path)!r}))\n"
        "print(runs.total, __file__ is not None)\n"
    )
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.splitlines() == ["begun True", "4 True"], done.stderr
