"""The parent trusts nothing: descriptions, texts, messages and folders that others have made."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import tracemalloc
from typing import Any

import mutants
import numpy as np
import pytest
from foreign import description, write_fmu
from hypothesis import given, settings
from hypothesis import strategies as st
from mutants import (
    ASKED,
    HEADER,
    MESSAGE,
    MESSAGE_WORDS,
    REPLY,
    RESULTS,
    answered,
    edited,
    only_our_answers,
)

from cranebridge import temporary
from cranebridge.errors import CranebridgeError
from cranebridge.plant.description.fmu import inspect
from cranebridge.plant.description.plain_text import plain
from cranebridge.plant.description.plant_info import DescriptionError
from cranebridge.plant.protocol import wire
from cranebridge.plant.sandbox import answers
from cranebridge.plant.sandbox.child_process import largest_answer


def test_plain_text_stays_as_it_is_and_long_text_is_cut():
    assert plain("Kran für 5 °, θ₁ = 2") == "Kran für 5 °, θ₁ = 2"
    assert plain("a\tb\x1b[0m\u202e") == "a b\N{REPLACEMENT CHARACTER}[0m\N{REPLACEMENT CHARACTER}"
    assert plain("x" * 2000, 10) == "xxxxxxx..."


def test_folders_of_others_are_not_removed(tmp_path):
    dead = subprocess.Popen(["true"])
    dead.wait()
    other = tmp_path / "cranebridge-other-1"
    other.mkdir()
    (tmp_path / f"cranebridge-run-{dead.pid}-link").symlink_to(other)
    (tmp_path / f"cranebridge-run-{dead.pid}-file").write_text("")
    # made a moment ago by a process that has not come to its lock yet
    (tmp_path / f"cranebridge-run-{os.getpid()}-fresh").mkdir()
    locked = tmp_path / f"cranebridge-fmu-{dead.pid}-locked"  # by a process of another container
    locked.mkdir()
    lock = os.open(locked, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert temporary.sweep(str(tmp_path)) == []
    finally:
        os.close(lock)
    assert temporary.sweep(str(tmp_path)) == [locked.name]


# ---------------------------------------------------------------------------- descriptions


@pytest.mark.parametrize(
    ("xml", "words"),
    [
        ("<a>" * 100 + "</a>" * 100, "elements more than 64 deep in each other"),
        ("<a>" + "<b/>" * 150_000 + "</a>", "more than 150000 elements"),
        (
            "<a" + "".join(f" a{k}='{k}'" for k in range(10_001)) + "/>",
            "more than 10000 attributes",
        ),
        (f"<a b='{os.urandom(2**21).hex()}'/>", "an element of 41943.. bytes, 4194304 are allowed"),
        (description(**{'name="k"': f'name="{"k" * 2001}"'}), "has 2001 characters"),
        (description().encode("utf-16"), "a NUL byte, or not in UTF-8"),
        (description(**{'name="k"': 'name="k&#x9b;31m"'}), "has control characters in it"),
    ],
)
def test_descriptions_have_limits(tmp_path, xml, words):
    # the archive's own limit on compression is not the subject here
    noise = f"<!--{os.urandom(20_000).hex()}-->"
    content = xml if isinstance(xml, bytes) else (xml + noise).encode()
    with pytest.raises(DescriptionError, match=words):
        inspect(write_fmu(tmp_path / "a.fmu", content))


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


# ---------------------------------------------------------------------------- messages


def test_the_message_that_is_mutated_is_a_sound_one():
    assert answered(MESSAGE).steps == 2


EDITS = st.lists(
    st.tuples(
        st.one_of(st.integers(0, HEADER), st.integers(0, len(MESSAGE))),
        st.integers(0, 12),
        st.one_of(st.binary(max_size=8), st.sampled_from(MESSAGE_WORDS)),
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=600, deadline=None)
@given(EDITS, st.booleans())
def test_mutated_messages_crash_nothing(edits, as_announced):
    only_our_answers(edited(MESSAGE, edits), as_announced)


def in_a_process(*arguments: str) -> dict[str, Any]:
    """What a process that runs mutants.py tells."""
    command = [sys.executable, mutants.__file__, *arguments]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-3000:]
    told: dict[str, Any] = json.loads(run.stdout)
    return told


def test_thousands_of_mutants_take_less_than_200_mb():
    """Archives, descriptions and messages in one process, as a parent that works on and on."""
    told = in_a_process("try")
    tried = told["tried"]
    assert set(tried) == {"archives", "descriptions", "messages"}
    assert sum(tried.values()) >= 5000
    # mutants that are all refused at the first byte would show little
    for kind, count in tried.items():
        assert 0.03 * count < told["accepted"][kind] < count, kind
    assert told["peak"] < 200e6


def test_the_largest_descriptions_that_are_accepted_take_less_than_200_mb(tmp_path):
    in_a_process("write", str(tmp_path))
    told = in_a_process("read", *map(str, sorted(tmp_path.glob("*.fmu"))))
    assert told["accepted"] == ["dependencies", "starts", "variables"]
    # beyond what Python and NumPy take themselves
    assert told["peak"] - told["base"] < 200e6


@pytest.mark.parametrize(
    "content",
    [
        (2**20).to_bytes(4, "little") + b"{",
        (2**32 - 1).to_bytes(4, "little"),
        (58).to_bytes(4, "little") + b'{"body": {}, "arrays": [["outputs", [4096, 8192]]]}       ',
        (58).to_bytes(4, "little") + b'{"body": {}, "arrays": [["outputs", [65536, 65536]]]}     ',
    ],
)
def test_memory_is_taken_for_what_comes_and_not_for_what_is_announced(content):
    tracemalloc.start()
    try:
        with pytest.raises(wire.WireError):
            answered(content)
        assert tracemalloc.get_traced_memory()[1] < 8 * 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("shape", [[], [1, 1, 1, 1], [-1], [1.0], [True], 5, None, "12"])
def test_an_array_without_a_shape_is_no_array(shape):
    header = json.dumps({"body": REPLY, "arrays": [["outputs", shape]]}).encode()
    with pytest.raises(wire.WireError, match="wrong"):
        answered(len(header).to_bytes(4, "little") + header + bytes(8))


VALUES = [float("inf"), 10**400, None, [], "many", float("nan"), -1]


@pytest.mark.parametrize("value", VALUES, ids=[ascii(v)[:9] for v in VALUES])
@pytest.mark.parametrize("key", ["steps", "seconds"])
def test_counters_that_are_none_are_an_error_of_the_fmu(key, value):
    with pytest.raises(CranebridgeError, match="no counters"):
        answers.simulation(ASKED, REPLY | {key: value}, RESULTS, ())


@pytest.mark.parametrize("value", [-1, 1.0, None, "1", [1]])
def test_order_of_input_derivatives_that_is_none_is_an_error_of_the_fmu(value):
    with pytest.raises(CranebridgeError, match="no order of input derivatives"):
        answers.input_order(ASKED, {"order": value}, {}, ())
    assert [answers.input_order(ASKED, {"order": order}, {}, ()) for order in (0, 2)] == [0, 2]
