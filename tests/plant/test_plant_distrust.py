"""The parent trusts nothing: descriptions, texts, messages and folders that others have made."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import subprocess
import tracemalloc

import numpy as np
import pytest
from foreign import description, write_fmu
from hypothesis import given, settings
from hypothesis import strategies as st

from cranebridge.errors import CranebridgeError
from cranebridge.plant import answers, folders, wire
from cranebridge.plant.fmu import DescriptionError, inspect
from cranebridge.plant.plain_text import plain
from cranebridge.plant.sandbox import largest_answer


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


# ---------------------------------------------------------------------------- messages


GRID = np.linspace(0.0, 1.0, 5)
ASKED = {
    "command": "simulate",
    "output_names": ["y"],
    "state_names": ["x", "v"],
    "method": "DOP853",
    "interface": "me",
    "dense": True,
}
NODES = np.array([0.0, 0.5, 0.5, 1.0])
REPLY = {"steps": 2, "rejected": 0, "evaluations": 9, "events": 1, "seconds": 0.1, "number": 7}
RESULTS = {
    "outputs": np.ones((5, 1)),
    "states": np.ones((5, 2)),
    "dense.time": NODES,
    "dense.starts": np.array([0.0, 2.0]),
    "dense.outputs": np.ones((4, 1)),
    "dense.states": np.ones((4, 2)),
}


class Collected:
    """Stands where a channel is written to; keeps the bytes."""

    def __init__(self) -> None:
        self.content = b""

    def sendall(self, data: bytes) -> None:
        self.content += bytes(data)


def message() -> bytes:
    channel = Collected()
    wire.send(channel, REPLY, RESULTS)
    return channel.content


def answered(content: bytes) -> object:
    """What the parent makes of bytes from a child."""
    here, there = socket.socketpair()
    with here, there:
        there.sendall(content)  # below 64 KiB: it fits without a reader
        there.shutdown(socket.SHUT_WR)
        limit = largest_answer(ASKED, {"times": GRID})
        reply, results = wire.receive(here, header_limit=2**20, doubles_limit=limit)
    return answers.simulation(GRID, ASKED, reply, results, ())


def test_the_message_that_is_mutated_is_a_sound_one():
    assert answered(message()).steps == 2


MESSAGE = message()
HEADER = MESSAGE.index(b"]]]") + 3
WORDS = [
    *(b"[", b"]", b"{", b"}", b'"', b",", b"null", b"NaN", b"Infinity", b"1e400", b"-1", b"2.5"),
    *(b"99999999999999999999", b"268435456", b'"steps": 1e999', b'"outputs"', b"9" * 5000, b""),
    *(b"\x00", b"\xff", b"\xff\xff\xff\x7f", b"[" * 3000, b"\\u001b[31m", b"true", b"33554432"),
]
EDITS = st.lists(
    st.tuples(
        st.one_of(st.integers(0, HEADER), st.integers(0, len(MESSAGE))),
        st.integers(0, 12),
        st.one_of(st.binary(max_size=8), st.sampled_from(WORDS)),
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=2000, deadline=None)
@given(EDITS, st.booleans())
def test_mutated_messages_crash_nothing(edits, as_announced):
    content = MESSAGE
    for place, length, new in edits:
        place %= len(content) + 1
        content = content[:place] + new + content[place + length :]
    if as_announced and len(content) > 4:
        # the length is put right, so that what is wrong is in the header
        shift = len(content) - len(MESSAGE)
        content = max(HEADER - 4 + shift + 1, 0).to_bytes(4, "little") + content[4:]
    try:
        result = answered(content)
    except (wire.WireError, CranebridgeError):
        return
    assert result.outputs.shape == (5, 1)
    assert np.isfinite(result.states).all()
    assert result.interpolation.isprintable()


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
        answers.simulation(GRID, ASKED, REPLY | {key: value}, RESULTS, ())
