"""Results: signals by name with units, tables, verdicts, and how they show themselves."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import cranebridge as cb
from cranebridge.errors import InputError, MissingDependencyError
from cranebridge.job import verify_scenario
from cranebridge.scenario import load_scenario


def test_signals_are_those_of_the_feedforward(solution) -> None:
    f = solution.feedforward
    assert solution.names == tuple(name for name, _ in f.columns())
    for name, values in f.columns():
        np.testing.assert_array_equal(solution[name], values)
    assert dict(solution).keys() == set(solution.names)
    assert "u.M_b" in solution
    assert "u.M_x" not in solution


def test_units_follow_from_the_crane(solution) -> None:
    units = {"time": "s", "gamma.x": "m", "q.phi": "rad", "v.phi": "rad/s", "a.s": "m/s^2"}
    units |= {"u.M_b": "N*m", "u.F_t": "N", "lambda.lambda": "N/m", "rope.T_cable": "N"}
    assert {name: solution.units[name] for name in units} == units
    assert set(solution.units) == set(solution.names)


def test_every_signal_of_a_verification_has_a_unit(verification) -> None:
    units = {"y.x": "m", "e.z": "m", "q.s": "m", "u.F_t": "N", "rope.T_cable": "N"}
    assert {name: verification.units[name] for name in units} == units
    np.testing.assert_allclose(
        verification["e.x"], verification["y.x"] - verification["gamma.x"], atol=0.0
    )


def test_errors_of_a_verification_are_those_of_its_signals(verification) -> None:
    """Largest and root mean square, from the columns of 10 ms, while the load moves."""
    moving = verification.time <= verification.feedforward.time[-1]
    for name in ("x", "z"):
        error = verification[f"e.{name}"][moving]
        rms = np.sqrt(np.mean(error**2))
        assert verification.rms_error[name] == pytest.approx(rms, rel=0.05)
        assert verification.max_error[name] == pytest.approx(np.abs(error).max(), rel=0.05)
        assert rms < 0.8 * np.abs(error).max()  # they are told apart


def test_unknown_signal_has_the_closest_match(solution) -> None:
    with pytest.raises(InputError, match=r"'u\.M_bb'\. Did you mean 'u\.M_b'"):
        solution["u.M_bb"]


def test_signals_cannot_be_changed_by_mistake(solution) -> None:
    with pytest.raises(ValueError, match="read-only"):
        solution["u.M_b"][0] = 1.0


def test_pandas_and_back(solution) -> None:
    table = solution.to_pandas()
    f = solution.feedforward
    inputs = ["u.M_b", "u.F_t", "u.M_w"]
    np.testing.assert_array_equal(table[inputs].to_numpy(), f.u)
    np.testing.assert_array_equal(table.index.to_numpy(), f.time)
    assert table.index.name == "time"
    assert table.attrs["units"] == solution.units
    table.loc[0.0, "u.M_b"] = 5.0  # a table of one's own
    assert solution["u.M_b"][0] == f.u[0, 0] != 5.0


def test_xarray_and_back(solution) -> None:
    data = solution.to_xarray()
    for name in solution.names:
        np.testing.assert_array_equal(data[name], solution[name])
        assert data[name].attrs["units"] == solution.units[name]
    assert data["v.s"].attrs["long_name"] == "trolley radius, velocity"
    assert data.attrs["crane"] == "rotary"
    assert data["u.M_b"].dims == ("time",)


@pytest.mark.parametrize(("method", "library"), [("to_pandas", "pandas"), ("to_xarray", "xarray")])
def test_missing_library_is_named_with_its_command(solution, monkeypatch, method, library) -> None:
    without(monkeypatch, library)
    with pytest.raises(MissingDependencyError, match=r"pip install 'cranebridge\[notebook\]'"):
        getattr(solution, method)()


def without(monkeypatch, library: str) -> None:
    """Make a library one that is not installed."""
    import importlib
    import sys

    for name in [*sys.modules]:
        if name.partition(".")[0] == library:
            monkeypatch.delitem(sys.modules, name)
    real = importlib.import_module

    def absent(name: str, *more: object):
        if name.partition(".")[0] == library:
            raise ModuleNotFoundError(f"No module named '{library}'")
        return real(name, *more)

    monkeypatch.setattr("cranebridge.face.optional.import_module", absent)


def test_missing_matplotlib_is_named_with_its_command(solution, monkeypatch) -> None:
    without(monkeypatch, "matplotlib")
    with pytest.raises(
        MissingDependencyError, match=r"plot\(\) needs Matplotlib.*pip install cranebridge"
    ):
        solution.plot()


# ---------------------------------------------------------------------------- verdicts


def test_verdicts_are_those_of_the_job_and_the_command_line(verification, capsys) -> None:
    settings = ["limits.v={s = 3.5}", "limits.u={F_t = 520.0}"]
    scenario = load_scenario("overhead", settings)
    verified = verify_scenario(scenario)
    assert verification.verdicts == verified.verdicts
    assert verification.passed is (verified.exit_code == 0)
    assert command_line(["verify", "overhead", *sets(settings), "--json"], capsys) == plain(
        verification.summary()
    )


def sets(settings: list[str]) -> list[str]:
    return [part for setting in settings for part in ("--set", setting)]


def command_line(arguments: list[str], capsys) -> dict:
    """Return what the command line prints, without what differs between runs."""
    from cranebridge.cli import app

    with pytest.raises(SystemExit):
        app(arguments)
    return plain(json.loads(capsys.readouterr().out))


def plain(summary: dict) -> dict:
    found = json.loads(json.dumps(summary))
    found["solve"].pop("seconds")
    found.get("tracking", {}).pop("seconds", None)
    return found


def test_verification_has_its_solution(verification) -> None:
    solution = verification.solution
    assert solution.status == "solved"
    assert solution.verdicts == verification.verified.of_solution
    np.testing.assert_array_equal(solution["u.F_t"], verification.feedforward.u[:, 0])
    assert verification.certificate is not None
    assert verification.certificate.same


def test_files_are_those_of_the_command_line(tmp_path: Path) -> None:
    solution = cb.load("overhead").solve(tmp_path / "here")
    names = {file.name for file in (tmp_path / "here").iterdir()}
    assert names == {"feedforward.csv", "summary.json", "scenario.toml", "manifest.json"}
    table = np.genfromtxt(tmp_path / "here" / "feedforward.csv", delimiter=",", names=True)
    np.testing.assert_array_equal(table["uF_t"], solution["u.F_t"])
    assert solution.folder == tmp_path / "here"


# ---------------------------------------------------------------------------- shown


class Tags(HTMLParser):
    """The elements of a piece of HTML, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.append(tag)
        if tag not in ("br", "meta", "link", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data) -> None:
        self.words += data


def test_repr_is_one_short_line(solution, verification) -> None:
    assert repr(solution) == "Solution(rotary: index1, 2001 times until 20 s, 1 verdict passed)"
    assert repr(verification).startswith("Verification(overhead on OverheadCrane-fmi2-")
    assert repr(verification).endswith("verdicts passed)")
    assert all("\n" not in repr(one) for one in (solution, verification))


def test_failed_verdicts_are_named() -> None:
    failed = cb.load("overhead").with_({"limits.u": {"F_t": 100.0}, "solve.step": 0.1}).solve()
    assert repr(failed).endswith("1 of 2 verdicts failed (u.F_t))")
    assert not failed.passed
    assert "failed" in Tags(failed._repr_html_()).words


@pytest.mark.parametrize("kind", ["scenario", "check", "solution", "verification"])
def test_card_is_whole_html_with_its_verdicts(solution, verification, kind: str) -> None:
    shown = {
        "scenario": solution.scenario,
        "check": solution.scenario.check(),
        "solution": solution,
        "verification": verification,
    }[kind]
    page = Tags(shown._repr_html_())
    assert page.open == []
    assert "script" not in page.tags
    for verdict in getattr(shown, "verdicts", ()):
        assert verdict.name in page.words


def test_script_in_names_stays_text() -> None:
    attack = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    scenario = cb.Scenario.of(
        "overhead",
        {"kind": "hold", "value": [0.0, -4.0], "duration": 1.0},
        name=attack,
        solve={"step": 0.1},
        plant={"variants": {attack: {"m": 1.0}}},
    )
    solution = scenario.solve()
    for text in (
        scenario._repr_html_(),
        scenario.check()._repr_html_(),
        solution._repr_html_(),
        solution.animate()._repr_html_(),
    ):
        tags = Tags(text).tags
        assert "script" not in tags
        assert "img" not in tags
    inner = solution.animate().html
    assert "<script>alert" not in inner
    assert "<img" not in inner


def test_delivery_says_what_was_written(tmp_path: Path) -> None:
    scenario = cb.load("overhead", {"solve.step": 0.1})
    delivered = scenario.deliver("csv", tmp_path / "a.csv", columns=["u"])
    assert [file.name for file in delivered] == ["a.csv", "a.csv.json"]
    header = (tmp_path / "a.csv").read_text().splitlines()[0]
    assert header == "time,u.F_t,u.M_w"
    assert "a.csv" in repr(delivered)
    assert "a.csv" in delivered._repr_html_()
