"""What `cranebridge doctor` finds on this machine, and where parts are taken away from it."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json

import pytest

from cranebridge.job.checks.doctor import examine


def findings() -> dict[str, tuple[str, str, str]]:
    return {f.part: (f.status, f.found, f.advice) for f in examine().findings}


def test_machine_that_runs_these_tests_can_do_the_main_job(run) -> None:
    code, output, _ = run("doctor", "--json")
    told = json.loads(output)
    assert code == 0
    assert told["able"] is True
    found = {one["part"]: one for one in told["findings"]}
    assert importlib.metadata.version("casadi") in found["libraries"]["found"]
    assert found["Modelica compiler"]["found"] == "rumoca 0.10.2"
    assert all(one["advice"] for one in told["findings"] if one["status"] != "works")
    code, output, _ = run("doctor")
    assert code == 0
    assert all(part in output for part in found)


def test_missing_and_broken_compilers_end_the_main_job(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("CC", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    if not importlib.util.find_spec("ziglang"):
        status, found, advice = findings()["C compiler"]
        assert status == "missing"
        assert "no C compiler found" in found
        assert "apt install gcc" in advice
    broken = tmp_path / "cc"
    broken.write_text("#!/bin/sh\n[ $1 = --version ] && echo cc 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("CC", str(broken))
    diagnosis = examine()
    assert diagnosis.exit_code == 1
    (compiler,) = (f for f in diagnosis.findings if f.part == "C compiler")
    assert "failed for" in compiler.found


@pytest.mark.filterwarnings("ignore::cranebridge.cache.CacheWarning")
def test_cache_that_others_can_write_is_named_with_what_to_do(monkeypatch, tmp_path) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    status, found, _ = findings()["cache"]
    assert status == "limited"
    assert f"chmod go-w '{folder}'" in found
