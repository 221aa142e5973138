"""False cranes of bodies and joints: each is refused with one sentence that says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from cranebridge.errors import InputError
from cranebridge.twin import find_crane
from cranebridge.twin.validation import require_rest

GOOD = """
from cranebridge.twin import Parameter
from cranebridge.twin.bodies import *
from cranebridge.twin.bodies import (
    Body, BodyCrane, Damper, Drive, Force, Free, Gear, HydraulicCylinder, PointMass, Prismatic,
    Revolute, Rope, Screw, Spherical, Spring, Winch, rod,
)


class Hoist(BodyCrane):
    name = "hoist"
    plane = "xz"
    parts = (
        Prismatic("trolley", axis="x", coordinate="s"),
        Body("trolley", mass="m_t", points={"hook": (0, 0, -1)}),
        Drive("F_t", on="s"),
        Winch("winch", at="trolley", inertia=20.0, radius=0.25, torque="M_w", length="l"),
        PointMass("load", mass=8000.0),
        Rope("T", path=("winch", "load")),
        # further
    )
    parameters = (Parameter("m_t", "kg", "trolley mass", 1500.0),)
    outputs = {"x": "load.x", "z": "load.z"}
"""

FURTHER = "        # further\n"
LOOP = """        Revolute("arm", on="trolley", axis="y", coordinate="a"),
        Body("arm", mass=1.0, inertia=(1, 1, 1)),
"""


def refused(text: str, tmp_path: Path) -> str:
    file = tmp_path / "crane.py"
    file.write_text(text)
    with pytest.raises(InputError) as error:
        find_crane(f"{file}:Hoist")
    sentence = str(error.value)
    assert "\n" not in sentence
    assert "Traceback" not in sentence
    return sentence


CASES = {
    "unknown part": (
        'at="trolley", inertia',
        'at="troley", inertia',
        "line 17: Winch 'winch': unknown point: body 'troley'. Did you mean 'trolley'?",
    ),
    "unknown keyword": (
        'Body("trolley", mass="m_t", points',
        'Body("trolley", mass="m_t", center=(0, 0, 0), points',
        "unknown keyword 'center'. Did you mean 'centre'? Known: centre,",
    ),
    "unknown point": (
        'at="trolley", inertia',
        'at="trolley.hok", inertia',
        "line 17: Winch 'winch': unknown point of 'trolley': 'hok'. Did you mean 'hook'?",
    ),
    "joint without body": (
        'Body("trolley", mass="m_t", points={"hook": (0, 0, -1)}),',
        "",
        "line 14: Prismatic 'trolley': unknown body that it carries 'trolley'.",
    ),
    "body without joint": (
        FURTHER,
        '        Body("jib", mass=1.0),\n',
        "line 20: Body 'jib': has no joint, nothing carries it; add a joint that carries it",
    ),
    "two parents": (
        FURTHER,
        LOOP + '        Prismatic("arm", axis="x"),\n',
        "Prismatic 'arm': the body 'arm' has two parents: Revolute 'arm' carries it on 'trolley' "
        "already; if this joint closes a loop, write loop=True",
    ),
    "bodies that carry each other": (
        FURTHER,
        """        Revolute("a", on="b"), Body("a", mass=1.0),
        Revolute("b", on="a"), Body("b", mass=1.0),
""",
        "Revolute 'a': the bodies a, b carry each other and none is on the ground",
    ),
    "unit": (
        'mass="m_t"',
        'mass=Parameter("m_t2", "kg*m^2", "trolley", 1.0)',
        "line 15: Body 'trolley': mass is in kg, but the parameter 'm_t2' is in kg*m^2",
    ),
    "loop that cannot be closed": (
        FURTHER,
        LOOP + '        Spherical("arm", at=(0, 5, 0), place=(2, 0, 0), loop=True),\n',
        "Spherical 'arm': the loop that it closes on 'ground' cannot be closed: 5 m remain",
    ),
    "unknown parameter": (
        'mass="m_t"',
        'mass="m_q"',
        "line 15: Body 'trolley': unknown name in mass = 'm_q': 'm_q'. Did you mean 'm_t'?",
    ),
    "no number": ('mass="m_t"', "mass=None", "Body 'trolley': mass must be a number, a Parameter"),
    "drive on nothing": (
        'Drive("F_t", on="s")',
        'Drive("F_t", on="S1")',
        "line 16: Drive 'F_t': unknown coordinate, winch or gear 'S1'.",
    ),
    "output of nothing": (
        '"x": "load.x"',
        '"x": "lod.x"',
        "line 23: unknown name in output 'x' = 'lod.x': 'lod.x'. Did you mean 'load.x'?",
    ),
    "rope without length": (
        'path=("winch", "load")',
        'path=("trolley", "load")',
        "line 19: Rope 'T': has no length: let it begin at a winch, or give it length=",
    ),
    "winch in the middle": (
        'path=("winch", "load")',
        'path=("trolley", "winch", "load"), length=1.0',
        "Rope 'T': the winch 'winch' must be at an end of the path",
    ),
    "coordinate twice": (
        'length="l"',
        'length="s"',
        "two coordinates are called 's' (rope length that winch has paid out)",
    ),
    "name twice": (
        FURTHER,
        '        Body("winch", mass=1.0),\n',
        "the name 'winch' is Winch 'winch' already",
    ),
    "axis": ('axis="x"', 'axis="w"', "line 14: Prismatic 'trolley': axis must be x, y, z"),
    "screw closes a loop": (
        FURTHER,
        LOOP + '        Screw("arm", axis="y", pitch=1.0, loop=True),\n',
        "Screw 'arm': a Screw joint cannot close a loop; let another joint of the loop close it",
    ),
    "coordinate of a closing joint": (
        FURTHER,
        LOOP + '        Revolute("arm", coordinate="b", loop=True),\n',
        "Revolute 'arm': closes a loop, where a joint has no coordinate; leave it out",
    ),
    "wrong number of coordinates": (
        FURTHER,
        '        Free("box", coordinates=("x", "y")), Body("box", mass=1.0),\n',
        "Free 'box': has 6 coordinates (x, y, z, yaw, pitch, roll), got 2 names",
    ),
    "parts that are none": (
        FURTHER,
        '        "box",\n',
        "parts must hold bodies, joints and the like only, got 'box'",
    ),
    "outputs that are none": (
        'outputs = {"x": "load.x", "z": "load.z"}',
        'outputs = ("load.x",)',
        "line 23: outputs must be a dict such as",
    ),
    "shape without mass": (
        'mass="m_t"',
        "shape=rod(1.0)",
        "Body 'trolley': its shape needs a mass or a density, one of them",
    ),
    "guess of nothing": (
        'name = "hoist"',
        'name = "hoist"; start = {"S": 1.0}',
        "unknown coordinate in start 'S'. Known: l, s, x, z.",
    ),
    "input without effect": (
        FURTHER,
        '        Force("F_y", at="trolley", axis="y"),\n',
        "input 'F_y' has no effect: drive_power() gives it no power",
    ),
    "joint on a load": (
        FURTHER,
        '        Revolute("load", axis="y"),\n',
        "Revolute 'load': 'load' is a point mass, which has no joints; make it a Body",
    ),
    "place that moves by itself": (
        FURTHER,
        """        Revolute("arm", on="trolley", at=("s", 0, 0)), Body("arm", mass=1.0),
""",
        "Revolute 'arm': unknown name in at = 's': 's'.",
    ),
    "point in the plane": (
        'points={"hook": (0, 0, -1)}',
        'points={"hook": (0, -1)}',
        "Body 'trolley': point 'hook' must be (x, y, z), got (0, -1)",
    ),
    "inertia of one number": (
        FURTHER,
        """        Revolute("arm", on="trolley"), Body("arm", inertia=(1.0,)),
""",
        "Body 'arm': inertia must be (J_x, J_y, J_z), or these with (J_xy, J_xz, J_yz) behind",
    ),
    "word that is none": (
        "inertia=20.0, radius",
        "inertia=20.0, raduis",
        "line 17 fails: TypeError: Winch.__init__() got an unexpected keyword argument 'raduis'",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_false_crane_is_refused_with_its_reason(name: str, tmp_path: Path) -> None:
    old, new, sentence = CASES[name]
    assert GOOD.count(old) == 1
    found = refused(GOOD.replace(old, new), tmp_path)
    assert sentence in found
    assert str(tmp_path / "crane.py") in found


def test_rotationless_crane_of_a_file_is_sound(tmp_path: Path) -> None:
    # Its column has inertia about the vertical only: the Euler tensor is indefinite, the kinetic
    # energy of motions that the joints allow is not.
    file = tmp_path / "crane.py"
    text = """
from cranebridge.twin.cranes import CylinderCrane


class Directors(CylinderCrane):
    name = "directors"
    rotationless = True
"""
    file.write_text(text)
    crane = find_crane(f"{file}:Directors")
    require_rest(crane, {"x": 14.0, "y": 0.0, "z": 2.0}, crane.parameter_values())


def test_the_crane_itself_is_sound(tmp_path: Path) -> None:
    file = tmp_path / "crane.py"
    file.write_text(GOOD)
    assert find_crane(f"{file}:Hoist").name == "hoist"


def test_parameters_that_open_a_loop_are_refused() -> None:
    # Two eyes in one plane are held together by two rows; out of it by none that is kept.
    from test_body_cranes import loop_of_bodies

    from cranebridge.twin.bodies import Spherical

    base = type(loop_of_bodies())

    class Off(base):  # type: ignore[misc, valid-type]
        parts = tuple(
            Spherical("piston", on="jib", at=("c", "off", 0), loop=True)
            if isinstance(part, Spherical)
            else part
            for part in base.parts
        )
        parameters = (*base._written["parameters"], _off())

    crane = Off()
    assert crane.rest({"x": 14.0, "y": 0.0, "z": 2.0}, crane.parameter_values())
    with pytest.raises(InputError, match=r"a loop cannot be closed: .* is off by 0.01"):
        crane.rest({"x": 14.0, "y": 0.0, "z": 2.0}, crane.parameter_values({"off": 0.01}))


@pytest.mark.parametrize("name", ["cylinder-crane", "knuckle-boom"])
def test_outputs_out_of_reach_are_refused(name: str) -> None:
    crane = find_crane(name)  # booms of 20 m and 10 m
    with pytest.raises(InputError, match=rf"'{name}' finds no rest position with x = 30, y = 0"):
        crane.rest({"x": 30.0, "y": 0.0, "z": 0.0}, crane.parameter_values())


def _off():
    from cranebridge.twin import Parameter

    return Parameter("off", "m", "eye out of the plane", 0.0, "real")
