"""Archives, descriptions and messages with faults in them, and what a parent makes of them.

As a script: some thousand of each in one process, which then tells how much memory it took.
"""

from __future__ import annotations

import io
import json
import os
import random
import re
import resource
import socket
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from array_plants import DESCRIPTION
from foreign import description, write_fmu

from cranebridge.errors import CranebridgeError
from cranebridge.plant.description.fmu import inspect
from cranebridge.plant.protocol import (
    CONSTANT,
    WRITE,
    Controls,
    Instantiation,
    SampledLaw,
    SimulationRequest,
    wire,
)
from cranebridge.plant.sandbox import answers
from cranebridge.plant.sandbox.child_process import largest_answer

COUNT = 1800
CPU_SECONDS = 300  # a hang ends there, whatever else the machine does
Edit = tuple[int, int, bytes]


def edited(content: bytes, edits: Sequence[Edit]) -> bytes:
    """Put other bytes in place of some; an edit is a place, a length and the bytes."""
    for place, length, new in edits:
        place %= len(content) + 1
        content = content[:place] + new + content[place + length :]
    return content


# ---------------------------------------------------------------------------- archives


def _archive() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("modelDescription.xml", description())
        file.writestr("binaries/linux64/foreign.so", b"x" * 100)
        file.writestr("resources/", b"")
        file.writestr("resources/table.csv", b"1,2,3\n", compress_type=zipfile.ZIP_STORED)
    return stream.getvalue()


ARCHIVE = _archive()
FMI2 = description(2, 1).encode()
FMI3 = DESCRIPTION.encode()
XML_WORDS = [
    *(b'"', b"<", b"/>", b"&", b"]]>", b"<!--", b"\x00", b"\xff", b"-1", b"1e400", b"nan", b""),
    *(b"4294967296", b"99999999999999999999999", b"<!DOCTYPE a>", b"&lt;", b"&#0;", b"x" * 5000),
    *(b"<Real/>", b"<Dimension/>", b'fmiVersion="3.0"', b'fmiVersion="2.0"', b"\xe2\x80\xa8"),
    *(b"<Float64 name='a' valueReference='1'/>", b"<Unknown/>", b"derivative", b"0", b"true"),
    *(b"<Dimension start='1000000'/>", b"<Dimension valueReference='1'/>", b"999999", b"1 2 3"),
]

VALUES = [
    *(b"", b"0", b"1", b"2", b"3", b"7", b"99", b"-1", b"1000", b"999999", b"1e400", b"nan"),
    *(b"input", b"output", b"parameter", b"structuralParameter", b"local", b"constant", b"fixed"),
    *(b"x", b"x[1]", b"der(x)", b"time", b"true", b"calculated", b"3.0", b"2.0", b"&#x1b;"),
    *(b"2 3", b"A\xc3"),
]
GOOD_NAMES = [
    *("resources/a.csv", "./resources/", "resources/b", "documentation/index.html"),
    *("binaries/linux64/foreign.so", "terminalsAndIcons/a.xml"),
]
BAD_NAMES = [
    *("../evil", "/etc/evil", "c:evil", "a\\b", "binaries", "resources/a.csv/c", "x" * 300),
    *("RESOURCES/A.CSV", "./modelDescription.xml", "a\nb"),
]


def only_our_errors(path: Path) -> bool:
    """Read a description; whether it was accepted. Other errors than ours go through."""
    try:
        info = inspect(path)
    except CranebridgeError:
        return False
    assert info.has_me or info.has_cs
    return True


# ---------------------------------------------------------------------------- messages


GRID = np.linspace(0.0, 1.0, 5)
LAW = SampledLaw(
    readings=(),
    program=np.array(
        [[WRITE, place, 0.0, 0.0, 0.0] for place in range(4)] + [[CONSTANT] + [0.0] * 4]
    ),
    noise=np.zeros((0, 4)),
    resolution=np.zeros(4),
    every=(1, 1, 1, 1),
    library="",
    first=np.zeros(2),
    D=np.zeros((1, 2)),
    d=np.zeros(1),
    time=np.arange(3.0),
    changes=np.arange(3.0),
    whole=0,
    estimates=6,
)
ASKED = SimulationRequest(
    fmu=Instantiation("2.0", "me", "own", "", "plant", "token", 2, 0, False),
    times=GRID,
    controls=Controls.sampled(LAW, ["u"]),
    output_names=("y",),
    state_names=("x", "v"),
    dense=True,
)
NODES = np.array([0.0, 0.5, 0.5, 1.0])
REPLY = {"steps": 2, "rejected": 0, "evaluations": 9, "events": 1, "seconds": 0.1, "number": 7}
RESULTS = {
    "outputs": np.ones((5, 1)),
    "states": np.ones((5, 2)),
    "dense.time": NODES,
    "dense.starts": np.array([0.0, 2.0]),
    "dense.outputs": np.ones((4, 1)),
    "dense.states": np.ones((4, 2)),
    "given": np.ones((3, 2)),
    "controller": np.zeros(3),
    "measured": np.ones((3, 4)),
    "estimated": np.ones((3, 6)),
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
        limit = largest_answer(*ASKED.message())
        reply, results = wire.receive(here, header_limit=2**20, doubles_limit=limit)
    return answers.simulation(ASKED, reply, results, ())


MESSAGE = message()
HEADER = MESSAGE.index(b"]]]") + 3
MESSAGE_WORDS = [
    *(b"[", b"]", b"{", b"}", b'"', b",", b"null", b"NaN", b"Infinity", b"1e400", b"-1", b"2.5"),
    *(b"99999999999999999999", b"268435456", b'"steps": 1e999', b'"outputs"', b"9" * 5000, b""),
    *(b"\x00", b"\xff", b"\xff\xff\xff\x7f", b"[" * 3000, b"\\u001b[31m", b"true", b"33554432"),
]


def only_our_answers(content: bytes, as_announced: bool) -> bool:
    """Read a message; whether it was accepted. Other errors than ours go through."""
    if as_announced and len(content) > 4:
        # the length is put right, so that what is wrong is in the header
        shift = len(content) - len(MESSAGE)
        content = max(HEADER - 4 + shift + 1, 0).to_bytes(4, "little") + content[4:]
    try:
        result = answered(content)
    except (wire.WireError, CranebridgeError):
        return False
    assert result.outputs.shape == (5, 1)
    assert np.isfinite(result.states).all()
    assert result.given.shape == (3, 2)
    assert np.isfinite(result.given).all()
    assert result.measured.shape == (3, 4)
    assert result.estimated.shape == (3, 6)
    assert np.isfinite(result.controller_status).all()
    assert result.interpolation.isprintable()
    return True


# ---------------------------------------------------------------------------- all in one process


def _raw(chance: random.Random, content: bytes, words: Sequence[bytes]) -> bytes:
    """Bytes anywhere in place of others."""
    edits = []
    for _ in range(chance.choice([1, 1, 1, 2, 3, 6])):
        some = chance.randbytes(chance.randrange(9))
        new = chance.choice(words) if chance.random() < 0.6 else some
        edits.append((chance.randrange(len(content) + 1), chance.randrange(13), new))
    return edited(content, edits)


def _replaced(
    chance: random.Random, content: bytes, pattern: bytes, words: Sequence[bytes]
) -> bytes:
    """Another word in place of one that matches: the rest stays sound, the fault lies deeper."""
    for _ in range(chance.choice([1, 1, 2, 4])):
        found = chance.choice(list(re.finditer(pattern, content)))
        content = content[: found.start()] + chance.choice(words) + content[found.end() :]
    return content


def _description(chance: random.Random) -> bytes:
    xml = chance.choice([FMI2, FMI3, FMI3])
    elements = [match.group() for match in re.finditer(rb"<[A-Z][^<>]*/>", xml)]
    way = chance.randrange(4)
    if way == 0:
        return _raw(chance, xml, XML_WORDS)
    if way == 1:
        words = [b"", *elements, *(2 * element for element in elements)]
        return _replaced(chance, xml, rb"<[A-Z][^<>]*/>", words)
    return _replaced(chance, xml, rb'(?<=\w=")[^"<>]*', VALUES)


def _file(chance: random.Random) -> bytes:
    if chance.random() < 0.5:
        return _raw(chance, ARCHIVE, XML_WORDS)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        names = [*chance.sample(GOOD_NAMES, 3), "modelDescription.xml"]
        names += chance.sample(BAD_NAMES, chance.choice([0, 0, 1]))
        for name in chance.sample(names, len(names) - chance.choice([0, 0, 0, 1])):
            info = zipfile.ZipInfo(name)
            info.compress_type = chance.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
            info.external_attr = chance.choice([0, 0, 0, 0, 0o100644, 0o100644, 0o120777]) << 16
            file.writestr(info, description() if name.endswith(".xml") else b"1,2,3")
    return stream.getvalue()


def _message(chance: random.Random) -> bool:
    if chance.random() < 0.3:
        return only_our_answers(_raw(chance, MESSAGE, MESSAGE_WORDS), chance.random() < 0.5)
    pattern, words = rb'-?\d+(\.\d+)?|"[a-z.]*"', [*MESSAGE_WORDS, *(b"5", b"1", b"4", b'"states"')]
    header = _replaced(chance, MESSAGE[4:HEADER], pattern, words)
    return only_our_answers(MESSAGE[:4] + header + MESSAGE[HEADER:], True)


def _try_all(folder: Path) -> tuple[dict[str, int], dict[str, int]]:
    chance = random.Random(10)
    path = folder / "a.fmu"

    def archive() -> bool:
        path.write_bytes(_file(chance))
        return only_our_errors(path)

    kinds: dict[str, Callable[[], bool]] = {
        "archives": archive,
        "descriptions": lambda: only_our_errors(write_fmu(path, _description(chance))),
        "messages": lambda: _message(chance),
    }
    accepted = {kind: sum(attempt() for _ in range(COUNT)) for kind, attempt in kinds.items()}
    return dict.fromkeys(kinds, COUNT), accepted


def write_largest(folder: Path) -> None:
    """Descriptions just within the limits, and lists and a directory that would become large."""
    noise = os.urandom(100).hex()
    head = '<fmiModelDescription fmiVersion="3.0" modelName="m" instantiationToken="g">'
    head += '<ModelExchange modelIdentifier="m"/>'
    many = "".join(
        f'<Float64 name="{k}{os.urandom(4).hex()}" valueReference="{k}" unit="{k}" '
        f'causality="output" variability="c{k}" description="{k}{noise}"/>'
        for k in range(74_000)
    )
    outputs = "".join(f'<Output valueReference="{k}" dependencies="{k}"/>' for k in range(74_000))
    one = '<Float64 name="a" valueReference="1" causality="output" {0}><Dimension {1}/></Float64>'
    digits = " ".join(str(int.from_bytes(os.urandom(3))) for _ in range(400_000))
    starts = [
        f'<Float64 name="a{k}" valueReference="{k}" start="{digits}"><Dimension start="2"/>'
        "</Float64>"
        for k in range(9)
    ]
    attributes = " ".join(f"a{k}='{os.urandom(2).hex()}'" for k in range(300_000))
    parts = {
        "variables": (many, outputs),
        "starts": ("".join(starts), ""),
        "dependencies": (
            one.format("", 'start="100000"'),
            f'<Output valueReference="1" dependencies="{digits}"/>',
        ),
        "attributes": (one.format(attributes, 'start="1"'), ""),
    }
    for name, (variables, structure) in parts.items():
        xml = f"{head}<ModelVariables>{variables}</ModelVariables><ModelStructure>{structure}"
        write_fmu(folder / f"{name}.fmu", f"{xml}</ModelStructure></fmiModelDescription>")
    _write_many_entries(folder / "entries.fmu")


def _write_many_entries(path: Path) -> None:
    """An archive with a directory of some ten MB, all of the same entry."""
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("a", b"")
    content = path.read_bytes()
    begin, end = content.index(b"PK\1\2"), content.index(b"PK\5\6")
    directory = content[begin:end] * 300_000
    tail = content[end : end + 12] + len(directory).to_bytes(4, "little") + content[end + 16 :]
    path.write_bytes(content[:begin] + directory + tail)


def _peak() -> int:
    """Most memory that this program had; getrusage would count what its caller had, too."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.split("VmHWM:")[1].split()[0])


def main(command: str, *paths: str) -> None:
    """Try all mutants, write the largest FMUs, or read FMUs; prints what came of it."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    base = _peak()
    told: dict[str, object] = {}
    if command == "try":
        with tempfile.TemporaryDirectory() as name:
            told["tried"], told["accepted"] = _try_all(Path(name))
    elif command == "write":
        write_largest(Path(paths[0]))
    else:
        told["accepted"] = [Path(path).stem for path in paths if only_our_errors(Path(path))]
    json.dump(told | {"base": base, "peak": _peak()}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
