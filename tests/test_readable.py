"""Numbers as readers meet them: rounding is zero, errors below a micrometre are only called so."""

from __future__ import annotations

import json

import numpy as np
import pytest

from cranebridge.limits import Limits
from cranebridge.limits.judged_motion import Motion
from cranebridge.limits.judging import judge
from cranebridge.readable import in_unit, settled
from cranebridge.report.rows.number_texts import stated
from cranebridge.scenario import load_scenario


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (4.27e-10, "m", "< 1 um"),
        (-9.99e-7, "rad", "< 1 urad"),
        (1e-6, "m", "1 um"),
        (1.50486e-5, "m", "15 um"),
        (-9.994e-4, "rad", "-999 urad"),
        (1e-3, "m", "0.001 m"),
        (0.0, "m", "0 m"),
        (-0.0, "m", "0 m"),
        (4.27e-10, "N", "4.27e-10 N"),
        (0.012345, "1", "0.0123"),
    ],
)
def test_sentences_do_not_tell_less_than_a_micrometre(value, unit, text) -> None:
    assert in_unit(value, unit) == text


def test_page_writes_it_with_its_own_letters() -> None:
    assert stated(4.27e-10, "m") == "<\u00a01\u00a0µm"
    assert stated(4.27e-6, "m") == "4.27\u00a0µm"
    assert stated(None, "m") == "not known"


def test_rounding_of_a_signal_is_zero_and_no_minus_zero() -> None:
    for value, largest in ((-544.6e-15, 981.0), (-0.0, 1.0), (9.6e-15, 23.6)):
        assert str(settled(value, largest)) == "0.0"
    assert settled(-1e-6, 981.0) == -1e-6
    assert settled(3e-13, 3e-13) == 3e-13  # all that is known of it


@pytest.mark.parametrize("force", [-544.6e-15, 544.6e-15])
def test_rope_at_rest_carries_nothing_beside_one_that_carries_the_load(force: float) -> None:
    crane = load_scenario("navy2d").crane
    one, other, *_ = (rope.name for rope in crane.ropes)
    time = np.linspace(0.0, 1.0, 20)
    values = {f"rope.{one}": np.full(20, 981.0), f"rope.{other}": np.full(20, force)}
    found = judge(Motion("solution", crane, time, values), Limits(ropes="pull"))[:2]
    assert [(verdict.status, verdict.value) for verdict in found] == [
        ("passed", 981.0),
        ("passed", 0.0),
    ]
    assert found[1].message == f"rope {other} pulls with at least 0 N (at 0 s)"


def test_inputs_that_are_rounding_read_zero_in_the_terminal(run) -> None:
    # cablev turns about its axis: its trolley drive has nothing to do
    code, output, _ = run("solve", "cablev-rotate")
    assert code == 0
    rows = [line.split() for line in output.splitlines() if line.startswith("u_g")]
    assert rows[0][:3] == ["u_g0", "0", "0"]
    assert not [cell for row in rows for cell in row[1:3] if "e-" in cell or cell == "-0"]


def test_tracking_is_told_short_and_kept_exact(run) -> None:
    code, output, _ = run("verify", "overhead", "--plant", "twin")
    assert code == 0
    assert "tracking of x is < 1 um at t = " in output
    table = next(line for line in output.splitlines() if line.startswith("x "))
    assert float(table.split()[1]) < 1e-6
    code, output, _ = run("verify", "overhead", "--plant", "twin", "--json")
    verdict = next(v for v in json.loads(output)["verdicts"] if v["name"] == "tracking of x")
    assert 0.0 < verdict["value"] < 1e-6


def test_error_beyond_a_limit_below_a_micrometre_is_told_with_its_number(run) -> None:
    settings = ("--set", "limits.tracking=1e-13")
    code, output, _ = run("verify", "overhead", "--plant", "twin", *settings)
    assert code == 1
    line = next(text for text in output.splitlines() if "tracking of x" in text)
    assert "< 1 um" not in line
    assert "e-" in line
