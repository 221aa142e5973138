"""A request is the same on both sides of the wire."""

from __future__ import annotations

import dataclasses
import socket
from typing import Any

import numpy as np
import pytest
from mutants import ASKED

from cranebridge.errors import InputError
from cranebridge.plant.protocol import Controls, Instantiation, PlantRequest, PointsRequest, wire
from cranebridge.plant.protocol.controls import Drives

FMU = Instantiation(
    "3.0", "cs", "own", "/fmu", "plant", "token", 2, 1, True, ("logStatusError",), early_return=True
)
DRIVEN = Controls.linear([0.0, 1.0], [[0.0], [2.0]], ["u"]).with_drives(
    Drives(("u",), ("s",), ("v",), (3.0,), (4.0,), Controls.constant([1.0], ["s"]))
)
# A value of its own for each field, so that none can be taken for another.
SIMULATION = dataclasses.replace(
    ASKED,
    fmu=dataclasses.replace(FMU, structure=((7, "UInt64", (3.0,)),)),
    controls=DRIVEN,
    references={"u": 1, "s": (2, "Int32"), "v": (3, "Float32", 0, 2)},
    discrete=("u",),
    intermediate=("s", "v"),
    input_derivatives=False,
    max_order=2,
    order=1,
    outputs=(5, (6, "Boolean")),
    state_references=(8, 9),
    values=((10, "Float64", (1.0, 2.0)), (11, "Boolean", (1.0,))),
    state_values=((1, 0.5),),
    expected=((12, 0.25, "y"),),
    jacobian=((13, 14), (15, 16)),
    rtol=1e-6,
    atol=1e-7,
    method="Radau",
    max_step=0.125,
    loop="loop.so",
    room=1000,
    step=0.0625,
    variable_step=False,
    saved="begin",
    persistent=True,
)
POINTS = PointsRequest(
    command="rates",
    fmu=FMU,
    inputs=(1, (2, "Int32")),
    outputs=(3,),
    names=("y",),
    output_states=(-1,),
    directional=True,
    states=(4, 5),
    derivatives=(6, 7),
    x=np.eye(2),
    u=np.ones((2, 2)),
    t=np.zeros(2),
    p=np.full((2, 3), 0.5),
    parameter_sizes=((8, "Float64", 3),),
    discrete=True,
    step=1e-3,
)


def flat(value: Any) -> Any:
    """Fields as what can be compared: arrays by their numbers."""
    if dataclasses.is_dataclass(value):
        return {item.name: flat(getattr(value, item.name)) for item in dataclasses.fields(value)}
    return value.tolist() if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize(
    "request_", [ASKED, SIMULATION, POINTS, dataclasses.replace(POINTS, p=None)]
)
def test_child_reads_the_request_that_the_parent_made(request_: PlantRequest):
    here, there = socket.socketpair()
    with here, there:
        wire.send(here, *request_.message())
        found = type(request_).of_message(*wire.receive(there))
    sent, read = flat(request_), flat(found)
    if request_ is SIMULATION:  # the rate that follows from the reference is sent with it
        sent["controls"]["drives"]["rate"] = flat(DRIVEN.drives.velocity)
    assert read == sent


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"times": np.array([0.0, 0.0])}, "two or more increasing times"),
        ({"times": np.array([0.0, np.inf])}, "not finite"),
        ({"rtol": 0.0}, "tolerances and step must be positive"),
        ({"step": -1.0}, "tolerances and step must be positive"),
        ({"room": 2}, "are more than the 2 numbers"),
    ],
)
def test_no_request_is_made_that_makes_no_sense(wrong: dict[str, Any], words: str):
    with pytest.raises(InputError, match=words):
        dataclasses.replace(ASKED, **wrong)
