"""Bad input: one clear message, and nothing half-written."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from cranebridge.deliver import FORMATS, DeliveryOrder, check_order, deliver, require_format
from cranebridge.deliver import files as files_module
from cranebridge.deliver.order import require_fmi
from cranebridge.errors import InputError
from cranebridge.inverse.stepping.index3 import solve_index3
from cranebridge.limits import Limits, Range


@pytest.fixture
def refused(solved, tmp_path):
    """Expect a refusal with a message, after which the folder is as it was."""
    feedforward, tables = solved("overhead", 0.1)

    def call(message: str, to: str = "csv", name: str = "out", **options):
        before = {p: p.read_bytes() for p in tmp_path.iterdir()}
        options = {"scenario": tables} | options
        with pytest.raises(InputError, match=re.escape(message)) as caught:
            deliver(feedforward, DeliveryOrder(to, tmp_path / name, **options))
        assert "\n" not in str(caught.value)
        assert {p: p.read_bytes() for p in tmp_path.iterdir()} == before

    return call


def test_unknown_format_column_and_precision_get_the_closest_match(refused):
    refused("unknown format 'parket'. Did you mean 'parquet'?", to="parket")
    refused("unknown column 'u.F_x'. Did you mean 'u.F_t'?", columns=["u.F_x"])
    refused("unknown column 'forces'.", columns=["forces"])
    refused("unknown precision 'half'.", precision="half")
    refused("no column to deliver", columns=[])


def test_impossible_cycles_are_refused(refused):
    refused("the cycle of 4 s is longer than the motion of 3 s", cycle=4.0)
    refused("the cycle must be a positive number of seconds, got 0", cycle=0.0)
    refused("the cycle must be a positive number of seconds, got nan", cycle=float("nan"))
    refused("at most ten million are written", cycle=1e-9)


def test_options_that_a_format_does_not_have_are_refused(refused):
    refused("format 'csv' is always in double precision", precision="single")
    refused("format 'generator' gives all signals", to="generator", columns=["u"])
    refused("code interpolates with exact rates", to="c", columns=["jerk"])


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"to": "parket"}, "unknown format 'parket'. Did you mean 'parquet'?"),
        ({"to": "csv", "precision": "single"}, "always in double precision"),
        ({"to": "fmu", "fmi": "4"}, "unknown FMI version '4'"),
        ({"to": "csv", "cycle": 4.0}, "longer than the motion"),
        ({"to": "csv", "columns": ["u.F_x"]}, "Did you mean 'u.F_t'?"),
        ({"to": "c", "columns": ["power"]}, "code interpolates with exact rates"),
        ({"to": "ssp", "columns": ["u"]}, "columns cannot be chosen"),
    ],
)
def test_an_order_is_checked_before_anything_is_solved(problem, wanted, message):
    with pytest.raises(InputError, match=re.escape(message)):
        check_order(DeliveryOrder(**wanted), problem("overhead"))


@pytest.mark.parametrize("to", sorted(FORMATS))
def test_a_good_order_for_each_format_passes_the_check(problem, to):
    check_order(DeliveryOrder(to), problem("overhead"))
    assert require_format(to) is FORMATS[to]
    assert FORMATS[to].description


@pytest.mark.parametrize(
    ("fmi", "expected"),
    [(None, "2.0"), ("2", "2.0"), (2, "2.0"), (3, "3.0"), ("3.0", "3.0"), (3.0, "3.0")],
)
def test_the_version_of_fmi_may_be_written_in_any_usual_way(fmi, expected):
    assert require_fmi(DeliveryOrder("fmu", fmi=fmi)) == expected
    assert require_fmi(DeliveryOrder("fmu", scenario={"plant": {"fmi": fmi or "2.0"}})) == expected


@pytest.mark.parametrize("to", sorted(FORMATS))
def test_existing_files_are_replaced_only_if_told_so(solved, tmp_path, to):
    feedforward, tables = solved("overhead", 0.1)
    target = tmp_path / f"out{FORMATS[to].suffix}"
    for existing in FORMATS[to].files(target):
        existing.write_text("precious")
        with pytest.raises(InputError, match="exists already"):
            deliver(feedforward, DeliveryOrder(to, target, scenario=tables))
        assert existing.read_text() == "precious"
        assert list(tmp_path.iterdir()) == [existing]
        existing.unlink()
    target.write_text("old")
    deliver(feedforward, DeliveryOrder(to, target, scenario=tables, overwrite=True))
    assert target.read_bytes() != b"old"


def test_a_target_in_a_folder_that_does_not_exist_is_refused(refused):
    refused("the folder of target", name="nowhere/out.csv")


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a folder nobody can write to")
def test_a_read_only_folder_is_refused(solved):
    feedforward, tables = solved("overhead", 0.1)
    with pytest.raises(InputError, match=r"cannot write '/proc/out\.csv'"):
        deliver(feedforward, DeliveryOrder("csv", Path("/proc/out.csv"), scenario=tables))


@pytest.mark.skipif(os.geteuid() == 0, reason="root can write everything")
def test_a_read_only_file_is_refused(refused, tmp_path):
    (tmp_path / "out").write_text("old")
    (tmp_path / "out").chmod(0o400)
    refused("it is read-only", overwrite=True)


@pytest.mark.parametrize("failing", ["replace", "fdopen"])
def test_a_full_disk_leaves_nothing_behind(refused, monkeypatch, failing):
    def fail(*_args, **_options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files_module.os, failing, fail)
    refused("No space left on device", to="c")


def test_a_folder_as_target_gets_a_file_named_after_the_crane(solved, tmp_path):
    feedforward, tables = solved("overhead", 0.1)
    written = deliver(feedforward, DeliveryOrder("c", tmp_path, scenario=tables))
    assert [p.name for p in written] == ["overhead_feedforward.c", "overhead_feedforward.h"]


def test_what_violates_a_limit_is_delivered_only_if_told_so(refused, solved, tmp_path):
    limits = Limits(u={"F_t": Range(-100.0, 100.0)})
    message = "the feedforward violates its limits: u.F_t is "
    refused(message, limits=limits)
    feedforward, tables = solved("overhead", 0.1)
    refused(message, scenario=tables | {"limits": {"u": {"F_t": 100.0}}})
    target = tmp_path / "out.csv"
    deliver(
        feedforward,
        DeliveryOrder("csv", target, scenario=tables, limits=limits, allow_violations=True),
    )
    assert target.exists()


def test_a_limit_that_cannot_be_judged_stops_a_delivery(solved, tmp_path):
    """Index 3 gives no jerks: whether their limit is kept is not known, so it is not promised."""
    feedforward, tables = solved("overhead", 0.1)
    other = solve_index3(feedforward.problem, feedforward.time)
    limits = Limits(jerk={"s": Range(-1e9, 1e9)})
    target = tmp_path / "out.csv"
    message = "not known to be kept: jerk.s: not judged, because the method .* gives no jerks"
    with pytest.raises(InputError, match=message) as caught:
        deliver(other, DeliveryOrder("csv", target, scenario=tables, limits=limits))
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())
    deliver(
        other, DeliveryOrder("csv", target, scenario=tables, limits=limits, allow_violations=True)
    )
    assert target.exists()


def test_a_rope_that_pushes_is_not_delivered(solved, tmp_path):
    feedforward, tables = solved("navy2d")
    with pytest.raises(InputError, match=r"rope .* would have to push"):
        deliver(feedforward, DeliveryOrder("csv", tmp_path / "a.csv", scenario=tables))
    tables["limits"]["ropes"] = "ignore"
    deliver(feedforward, DeliveryOrder("csv", tmp_path / "a.csv", scenario=tables))
