"""The cache of compiled functions."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import casadi as ca
import pytest

from cranebridge.errors import InputError, MissingDependencyError
from cranebridge.inverse.kernels import compiled

SCRIPT = """
import numpy as np
from cranebridge.inverse.index1.solution import solve_index1
from cranebridge.scenario import load_scenario
problem = load_scenario("overhead").problem
print(repr(float(solve_index1(problem, np.linspace(0.0, 3.0, 11), "always").u[5, 0])))
"""


def test_second_process_finds_the_compiled_code(tmp_path: Path) -> None:
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path)}
    command = [sys.executable, "-c", SCRIPT]
    printed = []
    for _ in range(2):
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True, timeout=120
        )
        printed.append(done.stdout)
        times = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.so")}
        assert len(times) == 1  # all functions of a crane in one
        if len(printed) == 1:
            first = times
    assert times == first
    assert printed[0] == printed[1]


def test_changed_source_is_compiled_anew(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(compiled, "cache_folder", lambda: tmp_path)
    x = ca.SX.sym("x")
    for factor, files in ((2.0, 1), (3.0, 2), (2.0, 2)):
        function = compiled.compile_function(ca.Function("f", [x], [factor * x]), "always")
        assert float(function(7.0)) == factor * 7.0
        assert len(list(tmp_path.glob("*.so"))) == files


def test_without_a_compiler_the_function_itself_comes_back(monkeypatch) -> None:
    monkeypatch.setattr(compiled, "find_compiler", lambda: None)
    x = ca.SX.sym("x")
    function = ca.Function("f", [x], [x**2])
    assert compiled.compile_function(function, "auto") is function
    with pytest.raises(MissingDependencyError, match="needs a C compiler"):
        compiled.compile_function(function, "always")


def test_broken_compiler_is_no_obstacle(tmp_path, monkeypatch) -> None:
    broken = tmp_path / "cc"
    broken.write_text('#!/bin/sh\n[ "$1" = --version ] && echo broken 1 && exit 0\nexit 1\n')
    broken.chmod(0o755)
    monkeypatch.setattr(compiled, "find_compiler", lambda: (str(broken),))
    monkeypatch.setattr(compiled, "cache_folder", lambda: tmp_path)
    x = ca.SX.sym("x")
    function = ca.Function("f", [x], [x**2])
    assert compiled.compile_function(function, "auto") is function
    with pytest.raises(InputError, match="cannot compile"):
        compiled.compile_function(function, "always")


def test_cache_that_cannot_be_written_is_no_obstacle(monkeypatch) -> None:
    def refuse() -> Path:
        raise PermissionError("read-only")

    monkeypatch.setattr(compiled, "cache_folder", refuse)
    x = ca.SX.sym("x")
    function = ca.Function("f", [x], [x**2])
    assert compiled.compile_function(function, "auto") is function
