"""The parent trusts nothing: descriptions, texts, messages and folders that others have made."""

from __future__ import annotations

import fcntl
import os
import subprocess

import numpy as np
import pytest
from foreign import description, write_fmu

from cranebridge.plant import folders
from cranebridge.plant.fmu import DescriptionError, inspect
from cranebridge.plant.plain_text import plain
from cranebridge.plant.sandbox import largest_answer


def test_plain_text_stays_as_it_is_and_long_text_is_cut():
    assert plain("Kran für 5 °, θ₁ = 2") == "Kran für 5 °, θ₁ = 2"
    assert plain("a\tb\x1b[0m\u202e") == "a b\N{REPLACEMENT CHARACTER}[0m\N{REPLACEMENT CHARACTER}"
    assert plain("x" * 2000, 10) == "xxxxxxx..."


def test_folders_of_others_are_not_removed(tmp_path, monkeypatch):
    dead = subprocess.Popen(["true"])
    dead.wait()
    other = tmp_path / "cranebridge-other-1"
    other.mkdir()
    (tmp_path / f"cranebridge-run-{dead.pid}-link").symlink_to(other)
    (tmp_path / f"cranebridge-run-{dead.pid}-file").write_text("")
    locked = tmp_path / f"cranebridge-fmu-{dead.pid}-locked"  # by a process of another container
    locked.mkdir()
    lock = os.open(locked, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert folders.sweep(str(tmp_path)) == []
    finally:
        os.close(lock)
    assert folders.sweep(str(tmp_path)) == [locked.name]


# ---------------------------------------------------------------------------- descriptions


@pytest.mark.parametrize(
    ("xml", "words"),
    [
        ("<a>" * 100 + "</a>" * 100, "elements more than 64 deep in each other"),
        ("<a>" + "<b/>" * 300_000 + "</a>", "more than 300000 elements"),
        (description(**{'name="k"': 'name="k&#x9b;31m"'}), "has control characters in it"),
    ],
)
def test_descriptions_have_limits(tmp_path, xml, words):
    # the archive's own limit on compression is not the subject here
    noise = f"<!--{os.urandom(20_000).hex()}-->"
    with pytest.raises(DescriptionError, match=words):
        inspect(write_fmu(tmp_path / "a.fmu", xml + noise))


def test_arrays_of_2_gib_are_refused_before_memory_is_taken(tmp_path):
    arrays = "".join(
        f'<Float64 name="a{k}" valueReference="{k}" causality="output">'
        '<Dimension start="1000"/><Dimension start="1000"/></Float64>'
        for k in range(256)
    )
    xml = f"""<fmiModelDescription fmiVersion="3.0" modelName="Big" instantiationToken="g">
        <CoSimulation modelIdentifier="big"/><ModelVariables>{arrays}</ModelVariables>
        <ModelStructure/></fmiModelDescription>"""
    with pytest.raises(DescriptionError, match="all arrays have 256000000 elements"):
        inspect(write_fmu(tmp_path / "a.fmu", xml))


def test_an_answer_may_be_as_large_as_what_was_asked_for():
    times = np.zeros(2001)
    body = {"command": "simulate", "output_names": ["a"] * 12, "state_names": ["b"] * 10}
    size = largest_answer(body, {"times": times})
    assert 2001 * 22 <= size <= 10 * 2001 * 22
    states, inputs = np.zeros((500, 10)), np.zeros((500, 3))
    body = {"command": "rates", "outputs": [1] * 12, "fmu": {"states": 10}}
    size = largest_answer(body, {"states": states, "inputs": inputs})
    assert 500 * (10 + 12 + 12) <= size <= 10 * 500 * 34
    assert largest_answer({"command": "contain"}, {}) == 0
