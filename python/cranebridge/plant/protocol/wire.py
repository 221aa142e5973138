"""Messages between the parent and the child process: a JSON header and arrays of doubles.

Not pickle: what comes out of a process in which foreign code ran must not be able to run code
here. A message is ``<u32 length of the header><header><doubles>``; the header names each array and
its shape.
"""

from __future__ import annotations

import json
import math
import socket
import struct
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MAX_HEADER = 64 * 2**20
MAX_DOUBLES = 2**28
MAX_ARRAYS = 64
ANSWER_DOUBLES = 2**25
"""Numbers that an answer may have that nobody counted before, such as nodes of steps (256 MiB)."""
_CHUNK = 2**20
_LENGTH = struct.Struct("<I")


class WireError(Exception):
    """The other side ended, or what it sent is not a message."""


class ChannelEndedError(WireError):
    """The other side ended."""


def send(
    channel: socket.socket, body: Mapping[str, Any], arrays: Mapping[str, Array] | None = None
) -> None:
    """Send one message."""
    blocks = {name: np.ascontiguousarray(v, dtype="<f8") for name, v in (arrays or {}).items()}
    header = json.dumps(
        {"body": body, "arrays": [[name, list(block.shape)] for name, block in blocks.items()]}
    ).encode()
    channel.sendall(_LENGTH.pack(len(header)) + header)
    for block in blocks.values():
        if block.size:
            channel.sendall(block.data.cast("B"))


def receive(
    channel: socket.socket,
    deadline: float | None = None,
    clock: Callable[[], float] = time.monotonic,
    *,
    header_limit: int = MAX_HEADER,
    doubles_limit: int = MAX_DOUBLES,
) -> tuple[dict[str, Any], dict[str, Array]]:
    """Receive one message.

    Parameters
    ----------
    channel : socket
        Where from.
    deadline : float, optional
        Value of the clock after which to give up.
    clock : callable
        Tells the time in s.
    header_limit, doubles_limit : int
        Bytes of the header and numbers in the arrays that are taken at most.

    Raises
    ------
    TimeoutError
        If the deadline has passed.
    WireError
        If the other side ended or sent something else.
    """
    (length,) = _LENGTH.unpack(_read(channel, _LENGTH.size, deadline, clock))
    if length > header_limit:
        raise WireError("the header is too long")
    try:
        header = json.loads(bytes(_read(channel, length, deadline, clock)))
        body = header["body"]
        if len(header["arrays"]) > MAX_ARRAYS:
            raise ValueError("too many arrays")
        shapes = [(str(name), _shape(shape)) for name, shape in header["arrays"]]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise WireError(f"the header is wrong: {error}") from error
    if not isinstance(body, dict):
        raise WireError("the header is wrong: no object")
    sizes = [math.prod(shape) for _, shape in shapes]
    if sum(sizes) > doubles_limit:
        raise WireError("the arrays are larger than what was asked for")
    data = np.frombuffer(_read(channel, 8 * sum(sizes), deadline, clock), dtype="<f8")
    parts = np.split(data.astype(float, copy=False), np.cumsum(sizes)[:-1]) if sizes else []
    return body, {
        name: part.reshape(shape) for (name, shape), part in zip(shapes, parts, strict=True)
    }


def _shape(shape: Any) -> tuple[int, ...]:
    if not isinstance(shape, list) or not 1 <= len(shape) <= 3:
        raise ValueError("wrong shape")
    if not all(type(n) is int and 0 <= n <= MAX_DOUBLES for n in shape):
        raise ValueError("wrong shape")
    return tuple(shape)


def _read(
    channel: socket.socket, size: int, deadline: float | None, clock: Callable[[], float]
) -> bytearray:
    # Memory is taken as bytes arrive, not as they are announced.
    data = bytearray(min(size, _CHUNK))
    position = 0
    while position < size:
        if position == len(data):
            data.extend(bytes(min(size - position, max(_CHUNK, position))))
        if deadline is not None:
            remaining = deadline - clock()
            if remaining <= 0.0:
                raise TimeoutError
            channel.settimeout(remaining)
        try:
            count = channel.recv_into(memoryview(data)[position:])
        except ConnectionError as error:
            raise ChannelEndedError(str(error)) from error
        if count == 0:
            raise ChannelEndedError("the other side ended")
        position += count
    return data
