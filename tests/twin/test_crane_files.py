"""A user's crane file: whatever is wrong in it is one sentence with file, class and line."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cranebridge.errors import InputError
from cranebridge.inverse import ServoProblem
from cranebridge.inverse.index1 import solve_index1
from cranebridge.path import make_path
from cranebridge.scenario import load_scenario, ready_scenarios
from cranebridge.twin import CRANES, find_crane
from cranebridge.twin.cranes.overhead import OverheadCrane
from cranebridge.twin.language.crane import Components, NamedNumbers, names
from cranebridge.twin.language.crane_units import is_si
from cranebridge.twin.validation.at_rest import require_numbers
from cranebridge.twin.validation.crane_validation import validate

GOOD = """\
import numpy as np
import casadi as ca
from cranebridge.twin import Crane, Parameter, Quantity

class Cart(Crane):
    name = "cart"
    description = "a cart on a rail"
    coordinates = (Quantity("s", "m", "position"),)
    parameters = (Parameter("m", "kg", "mass", 2.0),)
    inputs = (Quantity("F", "N", "force"),)
    outputs = (Quantity("s", "m", "position"),)

    def kinetic_energy(self, q, v, p):
        return 0.5 * p.m * v.s**2

    def potential_energy(self, q, p):
        return 0.0

    def drive_power(self, q, v, u, p):
        return u.F * v.s

    def output_map(self, q, p):
        return {"s": q.s}

    def rest(self, y, p):
        return {"s": y["s"]}
"""
SCENARIO = """\
[crane]
model = "cart.py:Cart"
[path]
kind = "line"
start = [0.0]
goal = [1.0]
duration = 2.0
"""

SCENARIOS = sorted(ready_scenarios())

CHANGES = {
    "one input without comma": (
        '(Quantity("F", "N", "force"),)',
        '(Quantity("F", "N", "force"))',
        "line 10: inputs must be a tuple of Quantity(...), a comma behind the only one",
    ),
    "one parameter without comma": (
        '(Parameter("m", "kg", "mass", 2.0),)',
        'Parameter("m", "kg", "mass", 2.0)',
        "line 9: parameters must be a tuple of Parameter(...), a comma behind the only one",
    ),
    "text for a tuple": (
        '(Quantity("F", "N", "force"),)',
        '"F"',
        "line 10: inputs must be a tuple of Quantity(...), in parentheses, got 'F'",
    ),
    "list for a tuple": (
        '(Quantity("F", "N", "force"),)',
        '[Quantity("F", "N", "force")]',
        "inputs must be a tuple",
    ),
    "texts in a tuple": (
        '(Quantity("F", "N", "force"),)',
        '("F",)',
        "line 10: inputs must hold Quantity(...) only, got 'F'",
    ),
    "quantity for a parameter": (
        'Parameter("m", "kg", "mass", 2.0)',
        'Quantity("m", "kg", "mass")',
        "line 9: parameters must hold Parameter(...) only",
    ),
    "no inputs": ('(Quantity("F", "N", "force"),)', "()", "line 10: inputs must not be empty"),
    "name is a number": ('name = "cart"', "name = 3", "line 6: name must be text in quotes, got 3"),
    "parameter without value": (
        'Parameter("m", "kg", "mass", 2.0)',
        'Parameter("m", "kg", 2.0)',
        "line 9 fails: TypeError",
    ),
    "default not positive": (
        '"mass", 2.0)',
        '"mass", -2.0)',
        "line 9: default of parameter m [kg] (mass) must be positive, got -2",
    ),
    "default is text": ('"mass", 2.0)', '"mass", "2")', "line 9: default of parameter m [kg] must"),
    "default too large": ('"mass", 2.0)', '"mass", 10**400)', "default of parameter m [kg] must"),
    "unknown domain": ('"mass", 2.0)', '"mass", 2.0, "reel")', "Did you mean 'real'?"),
    "tons": ('"kg", "mass"', '"t", "mass"', "line 9: parameters: 'm' has the unit 't', not SI; us"),
    "millimetres": ('Quantity("s", "m", "pos', 'Quantity("s", "mm", "pos', "not SI; use m"),
    "degrees": ('Quantity("s", "m", "pos', 'Quantity("s", "deg", "pos', "not SI; use rad"),
    "unit is a number": ('"kg", "mass"', '1, "mass"', "has the unit '1', not SI"),
    "meaning is a number": ('"kg", "mass"', '"kg", 3', "needs a meaning in words, got 3"),
    "no name": ('Quantity("F",', 'Quantity("F t",', "'F t' in inputs is no name"),
    "name twice": (
        'coordinates = (Quantity("s", "m", "position"),)',
        'coordinates = (Quantity("s", "m", "a"), Quantity("s", "m", "b"))',
        "line 8: coordinates has the name 's' twice",
    ),
    "one name for two": (
        'Quantity("F", "N", "force")',
        'Quantity("m", "N", "force")',
        "line 9: 'm' is in parameters and in inputs; rename one",
    ),
    "no output map": (
        "def output_map",
        "def outputmap",
        "line 22: has no output_map(); it has 'outputmap', did you mean that?",
    ),
    "no energy": ("def kinetic_energy", "def energy", "line 5: has no kinetic_energy()"),
    "too few arguments": (
        "output_map(self, q, p)",
        "output_map(self, q)",
        "line 22: output_map must take (self, q, p), it takes (self, q)",
    ),
    "too many arguments": (
        "potential_energy(self, q, p)",
        "potential_energy(self, q, v, p)",
        "line 16: potential_energy must take (self, q, p), it takes (self, q, v, p)",
    ),
    "rest without parameters": (
        "rest(self, y, p)",
        "rest(self, y)",
        "line 25: rest must take (self, y, p), it takes (self, y)",
    ),
    "method is a number": ("def output_map", "output_map = 3\n\n    def map", "must be a method"),
    "list for a dict": (
        'return {"s": q.s}',
        "return [q.s]",
        "output_map() must return a dict, got",
    ),
    "nothing returned": ('return {"s": q.s}', "pass", "output_map() must return a dict, got None"),
    "unknown output": (
        'return {"s": q.s}',
        'return {"x": q.s}',
        "line 23: unknown name in output_map(): 'x'",
    ),
    "no output": ('return {"s": q.s}', "return {}", "line 22: output_map() gives nothing for s"),
    "text for an energy": ("return 0.0", 'return "0"', "line 16: potential_energy() must give one"),
    "none for an energy": ("return 0.0", "pass", "potential_energy() must give one finite number"),
    "list for an energy": ("return 0.0", "return [0.0, 1.0]", "must give one finite number, got"),
    "vector for an energy": (
        "return 0.0",
        "return ca.SX(2, 1)",
        "line 16: potential_energy() must give one finite number, got a matrix of 2 x 1",
    ),
    "vector for an output": (
        'return {"s": q.s}',
        'return {\n            "s": ca.vertcat(q.s, q.s)}',
        "line 24: output_map() must give one finite number for s, got a matrix of 2 x 1",
    ),
    "infinite energy": (
        "return 0.0",
        "return float('inf')",
        "must give one finite number, got inf",
    ),
    "typing error in a name": (
        "q.s}",
        "q.x}",
        "line 23: output_map() fails: unknown coordinate 'x'",
    ),
    "division by zero": (
        "return 0.0",
        "return 1 / 0",
        "line 17: potential_energy() fails: ZeroDiv",
    ),
    "NumPy on symbols": (
        "return 0.0",
        "return np.polyval([1.0, 2.0], q.s)",
        "line 17: potential_energy() fails: ",
    ),
    "if on symbols": (
        "return 0.0",
        "return 0.0 if q.s > 0 else 1.0",
        "line 17: potential_energy() fails: ",
    ),
    "a symbol of its own": ("return 0.0", 'return ca.SX.sym("z") * q.s', "uses the symbol z"),
    "power not linear": (
        "u.F * v.s",
        "u.F**2 * v.s",
        "line 19: drive_power must be linear in u and in v",
    ),
    "friction among the drives": (
        "u.F * v.s",
        "u.F * v.s - 3.0 * v.s",
        "line 19: drive_power() has a term without an input, which would be lost",
    ),
    "force in place of power": (
        "return u.F * v.s",
        "return u.F * (v.s + 1.0)",
        "line 19: drive_power() has a term without a velocity, which would be lost",
    ),
    "parameter not declared": (
        "0.5 * p.m *",
        "0.5 * p.mass *",
        "line 14: kinetic_energy() fails: unknown parameter 'mass'",
    ),
    "multiplier not declared": (
        "    def output_map",
        '    def massless(self, q, lam, p):\n        return {"s": lam.k}\n\n    def output_map',
        "line 23: massless() fails: unknown multiplier 'k'. Known: none.",
    ),
    "optional method misspelt": (
        "    def output_map",
        "    def other_force(self, q, v, p):\n        return {}\n\n    def output_map",
        "line 22: has 'other_force', which means nothing; write 'other_forces'",
    ),
    "optional declaration misspelt": (
        "    outputs =",
        "    rope = ()\n    outputs =",
        "line 11: has 'rope', which means nothing; write 'ropes'",
    ),
    "not derived from Crane": (
        "class Cart(Crane):",
        "class Cart:",
        "line 5, is no crane; derive it: class Cart(Crane)",
    ),
    "rest needs no such parameter": (
        'y["s"]}',
        'y["s"] + p["k"]}',
        "line 26: rest() fails: unknown parameter 'k'. Known: m.",
    ),
    "attribute in rest that no parameter has": (
        'y["s"]}',
        'y["s"] + p.k}',
        "line 26: rest() fails: unknown parameter 'k'. Known: m.",
    ),
    "attribute in rest that no output has": (
        'y["s"]}',
        "y.x}",
        "line 26: rest() fails: unknown output 'x'. Known: s.",
    ),
    "rest changes a parameter": (
        'return {"s": y["s"]}',
        "p.m = 3.0",
        "line 26: rest() fails: AttributeError: parameter 'm' cannot be changed here",
    ),
    "rest changes an output": (
        'return {"s": y["s"]}',
        'y["s"] = 3.0',
        "line 26: rest() fails: TypeError: 'NamedNumbers' object does not support item assignment",
    ),
    "indentation": ("        return 0.0", "    return 0.0", "line 17 fails: IndentationError"),
    "init raises": (
        "    def output_map",
        "    def __init__(self):\n        raise ValueError('no')\n\n    def output_map",
        "cannot be made without arguments: ValueError: no",
    ),
    "init takes arguments": (
        "    def output_map",
        "    def __init__(self, x):\n        pass\n\n    def output_map",
        "cannot be made without arguments: TypeError",
    ),
    "syntax error": (
        "class Cart(Crane):",
        "class Cart(Crane)",
        "cart.py', line 5 fails: SyntaxErr",
    ),
    "exit": ("class Cart", "exit(3)\nclass Cart", "line 5 fails: SystemExit: 3"),
    "missing module": ("import numpy", "import nunpy", "line 1 fails: ModuleNotFoundError"),
    "other class": ("class Cart", "class Card", "Did you mean 'Card'?"),
    "null byte": ("a cart on", "a\0cart on", "fails: "),
    "rest raises": ('y["s"]', 'y["x"]', "line 26: rest() fails: unknown output 'x'. Known: s."),
    "rest gives a list": ('{"s": y["s"]}', "[0.0]", "rest() must return a dict, got [0.0]"),
    "rest gives text": ('{"s": y["s"]}', '{"s": "0"}', "rest() gives '0' for s; a finite number"),
    "rest gives nan": ('{"s": y["s"]}', '{"s": float("nan")}', "rest() gives nan for s; a finite"),
    "rest of another": ('{"s": y["s"]}', '{"x": 0.0}', "unknown name in rest(): 'x'"),
}

GANTRY = """\
import casadi as ca
from cranebridge.twin import Crane, Parameter, Quantity

class Cart(Crane):
    name = "gantry"
    description = "a trolley, a winch, and a load that swings"
    coordinates = (
        Quantity("s", "m", "trolley"),
        Quantity("l", "m", "rope length"),
        Quantity("theta", "rad", "swing angle"),
    )
    parameters = (
        Parameter("m", "kg", "load mass", 2.0),
        Parameter("m_t", "kg", "trolley mass", 1.0),
        Parameter("g", "m/s^2", "gravity", 9.81),
    )
    inputs = (
        Quantity("F", "N", "trolley force"),
        Quantity("H", "N", "hoist force, positive pays out"),
    )
    outputs = (
        Quantity("x", "m", "load"),
        Quantity("z", "m", "load, up"),
    )

    def kinetic_energy(self, q, v, p):
        x = v.s + v.l * ca.sin(q.theta) + q.l * v.theta * ca.cos(q.theta)
        z = -v.l * ca.cos(q.theta) + q.l * v.theta * ca.sin(q.theta)
        return 0.5 * p.m_t * v.s**2 + 0.5 * p.m * (x**2 + z**2)

    def potential_energy(self, q, p):
        return -p.m * p.g * q.l * ca.cos(q.theta)

    def drive_power(self, q, v, u, p):
        return u.F * v.s + u.H * v.l

    def output_map(self, q, p):
        return {
            "x": q.s + q.l * ca.sin(q.theta),
            "z": -q.l * ca.cos(q.theta),
        }

    def rest(self, y, p):
        return {"s": y["x"], "l": -y["z"]}
"""
GANTRY_SCENARIO = SCENARIO.replace("[0.0]", "[0.0, -2.0]").replace("[1.0]", "[1.0, -2.0]")

GANTRY_CHANGES = {
    "coordinate without equation": (
        '        Quantity("theta",',
        '        Quantity("phi", "rad", "slewing angle"),\n        Quantity("theta",',
        "line 10: coordinate 'phi' has no equation: it is in no energy and in no constraint",
    ),
    "driven coordinate without energy": (
        "0.5 * p.m_t * v.s**2 + 0.5 * p.m * (x**2 + z**2)",
        "0.5 * p.m * ((v.l * ca.sin(q.theta)) ** 2 + z**2)",
        "line 8: coordinate 's' has no equation",
    ),
    "input without effect": (
        " + u.H * v.l",
        "",
        "line 19: input 'H' has no effect: drive_power() gives it no power",
    ),
    "input with a power of zero": (
        "u.H * v.l",
        "0.0 * u.H * v.l",
        "line 19: input 'H' has no effect",
    ),
    "output that no coordinate moves": (
        "-q.l * ca.cos(q.theta),",
        "-2.0 * p.m,",
        "line 40: output 'z' depends on no coordinate",
    ),
    "output that no drive reaches": (
        '"x": q.s + q.l * ca.sin(q.theta),',
        '"x": q.w,',
        "line 40: no drive reaches output 'x': nothing that it depends on is moved by an input",
    ),
    "unit in a tuple of many lines": (
        '"g", "m/s^2"',
        '"g", "m/s2"',
        "line 15: parameters: 'g' has",
    ),
    "root at rest": (
        "return -p.m",
        "return ca.sqrt(q.theta) - p.m",
        "line 31: potential_energy() is no finite number at the rest position s = 0, l = 2, theta",
    ),
    "root of the speed at rest": (
        "    def output_map",
        "    def other_forces(self, q, v, p):\n"
        '        return {"s": -ca.sqrt(ca.fabs(v.s))}\n\n    def output_map',
        "line 37: a derivative by s' of other_forces() is no finite number at the rest position",
    ),
    "division by the swing angle": (
        "-q.l * ca.cos(q.theta),",
        "-q.l * ca.sin(2 * q.theta) / ca.sin(q.theta) / 2,",
        "line 37: output_map() is no finite number at the rest position s = 0, l = 2, theta = 0",
    ),
    "negative mass": (
        "0.5 * p.m_t * v.s**2",
        "-9.0 * p.m_t * v.s**2",
        "line 26: kinetic_energy() is negative for a velocity of s at the rest position",
    ),
    "rest forgets the rope": (
        ', "l": -y["z"]}',
        ', "l": 1.0 / y["z"] * float("inf")}',
        "line 44: rest() gives -inf for l; a finite number is needed",
    ),
}


SCENE = """
    def scene(self, q, p):
        return [Sphere((q.s, 0, -q.l)), Line((q.s, 0, 0), (q.s, 0, -q.l))]
"""
SCENE_CHANGES = {
    "scene is no list": (
        "[Sphere",
        "Sphere((q.s, 0, 0)) or [Sphere",
        "scene() must return a list of",
    ),
    "number in a scene": (
        "[Sphere",
        "[3, Sphere",
        "scene() must hold bodies (Box, Cylinder, Line,",
    ),
    "point of two": (
        "(q.s, 0, -q.l))",
        "(q.s, -q.l))",
        "Sphere in scene(): at must be 3 expressions",
    ),
    "text for a point": (
        "(q.s, 0, -q.l))",
        '"load")',
        "Sphere in scene(): at must be 3 expressions",
    ),
    "unknown rope force": (
        "(q.s, 0, 0), (q.s, 0, -q.l))",
        "(q.s, 0, 0), (q.s, 0, -q.l), 'T')",
        "Line in scene(): unknown rope force 'T'. Known: none.",
    ),
    "unknown role": (
        "Sphere((q.s, 0, -q.l))",
        "Sphere((q.s, 0, -q.l), role='laod')",
        "Sphere in scene(): unknown role 'laod'. Did you mean 'load'?",
    ),
    "size of two": (
        "Sphere((q.s, 0, -q.l))",
        "Sphere((q.s, 0, -q.l), radius=(1, 2))",
        "Sphere in scene(): radius must be one expression, got 2",
    ),
    "unknown coordinate": ("[Sphere((q.s", "[Sphere((q.x", "scene() fails: unknown coordinate 'x'"),
    "symbol of its own": (
        "(q.s, 0, 0)",
        "(ca.SX.sym('z'), 0, 0)",
        "Line in scene(): uses the symbol z",
    ),
    "scene with velocities": (
        "(self, q, p)",
        "(self, q, v, p)",
        "scene must take (self, q, p), it",
    ),
}


def test_scene_is_taken(tmp_path: Path) -> None:
    text = GANTRY.replace("import Crane,", "import Crane, Line, Sphere,") + SCENE
    (tmp_path / "cart.py").write_text(text)
    assert find_crane(f"{tmp_path / 'cart.py'}:Cart").name == "gantry"


@pytest.mark.parametrize("case", sorted(SCENE_CHANGES))
def test_what_is_wrong_with_a_scene_is_one_sentence(case: str, tmp_path: Path) -> None:
    old, new, message = SCENE_CHANGES[case]
    assert old in SCENE
    text = GANTRY.replace("import Crane,", "import Crane, Line, Sphere,")
    (tmp_path / "cart.py").write_text(text + SCENE.replace(old, new))
    with pytest.raises(InputError) as caught:
        find_crane(f"{tmp_path / 'cart.py'}:Cart")
    found = str(caught.value)
    assert message in found
    assert re.search(r"cart\.py, line 4[67]: ", found)
    assert "\n" not in found


@pytest.mark.parametrize("case", sorted(GANTRY_CHANGES))
def test_what_is_wrong_with_the_mechanics_is_one_sentence(case: str, tmp_path: Path) -> None:
    old, new, message = GANTRY_CHANGES[case]
    assert old in GANTRY
    text = GANTRY.replace(old, new)
    if "q.w" in text:  # a second mass that hangs on nothing
        text = text.replace(
            "    )\n    par", '        Quantity("w", "m", "a stone"),\n    )\n    par'
        )
        text = text.replace("0.5 * p.m_t * v.s**2", "0.5 * (p.m_t * v.s**2 + v.w**2)")
    (tmp_path / "cart.py").write_text(text)
    (tmp_path / "cart.toml").write_text(GANTRY_SCENARIO)
    with pytest.raises(InputError) as caught:
        load_scenario(str(tmp_path / "cart.toml"))
    found = str(caught.value)
    assert message in found
    assert "crane class Cart in" in found
    assert "\n" not in found


@pytest.mark.parametrize(
    "rest",
    [
        'return {"s": y["x"], "l": p["height"] - y["z"]}',
        'return {"s": y.x, "l": p.height - y.z}',
        'return {"s": y.get("x"), "l": dict(**p)["height"] - dict(y)["z"] + p.get("none", 0.0)}',
        'return {"s": y.x, "l": p.height - y.z} if "height" in p else {}',
        'return {"s": y.x, "l": p.height - y.z} if "H" not in p and len(y) == 2 else {}',
        's, z = y.values()\n        return {"s": s, "l": p.height - dict(y.items())["z"]}',
    ],
)
def test_rest_takes_names_both_ways(rest: str, tmp_path: Path) -> None:
    text = GANTRY.replace('return {"s": y["x"], "l": -y["z"]}', rest)
    text = text.replace("return -p.m * p.g", 'return p.m * p.g * p["height"] - p["m"] * p.g')
    text = text.replace('"z": -q.l * ca', '"z": p.height - q.l * ca')
    gravity = '        Parameter("g",'
    text = text.replace(gravity, f'        Parameter("height", "m", "rail", 5.0),\n{gravity}')
    (tmp_path / "cart.py").write_text(text)
    (tmp_path / "cart.toml").write_text(GANTRY_SCENARIO)
    problem = load_scenario(str(tmp_path / "cart.toml")).problem
    # the trolley above the load, at x = 0, on a rope from the rail at 5 m down to -2 m
    np.testing.assert_array_equal(problem.start_coordinates(), [0.0, 7.0, 0.0])


def test_a_declared_name_comes_before_those_of_a_mapping() -> None:
    found = NamedNumbers("parameter", {"values": 3.0, "m": 2.0})
    assert found.values == found["values"] == 3.0
    assert {**found} == dict(found.items()) == {"values": 3.0, "m": 2.0}
    assert not hasattr(found, "_m")


def test_a_name_that_rest_lacks_is_told_with_its_place_wherever_it_is_called() -> None:
    class Broken(OverheadCrane):
        def rest(self, y, p):
            return {"l": -p.depth}

    scenario = load_scenario("overhead")
    problem = replace(scenario.problem, crane=Broken())
    with pytest.raises(InputError, match=r"Broken in .*test_crane_files\.py, line \d+: rest\(\) f"):
        problem.start_coordinates()


def test_gantry_in_swing_angles_is_a_crane(tmp_path: Path) -> None:
    (tmp_path / "cart.py").write_text(GANTRY)
    (tmp_path / "cart.toml").write_text(GANTRY_SCENARIO)
    assert load_scenario(str(tmp_path / "cart.toml")).crane.name == "gantry"


def test_line_of_an_inherited_method_is_where_it_stands(tmp_path: Path) -> None:
    text = GANTRY.replace("return -p.m *", "return -p.k *").replace("class Cart", "class Base")
    (tmp_path / "cart.py").write_text(f"{text}\n\nclass Cart(Base):\n    name = 'mine'\n")
    with pytest.raises(InputError, match=r"class Cart in .*line 32: potential_energy\(\) fails"):
        find_crane(f"{tmp_path / 'cart.py'}:Cart")


@pytest.mark.parametrize("name", SCENARIOS)
def test_equations_of_built_in_cranes_are_numbers_at_rest(name: str) -> None:
    problem = load_scenario(name).problem
    coordinates = names(problem.crane.coordinates)
    position = dict(zip(coordinates, problem.start_coordinates().tolist(), strict=True))
    require_numbers(problem.crane, position, problem.parameters)


def test_rope_force_at_rest_may_divide_by_a_multiplier() -> None:
    # no rope is without force at rest: 0 / 0 there would say nothing of the crane
    class Ratio(OverheadCrane):
        def rope_forces(self, q: Components, lam: Components, p: Components) -> dict[str, object]:
            return {"T_cable": lam["lambda"] ** 2 * q.l / lam["lambda"]}

    crane = Ratio()
    position = {"s": 1.0, "l": 2.0, "x": 1.0, "z": -2.0}
    require_numbers(crane, position, crane.parameter_values())


def with_rope(method: str) -> str:
    """Return the cart with a rope whose force some method tells."""
    declared = GOOD.replace(
        "    outputs =", '    ropes = (Quantity("T", "N", "tow rope"),)\n    outputs ='
    )
    return declared + method


def test_rope_force_from_the_motion_makes_a_rope_complete(tmp_path: Path) -> None:
    told = """
    def rope_forces_in_motion(self, q, v, a, u, p):
        return {"T": p.m * a.s - u.F}
"""
    load(tmp_path, with_rope(told))


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("", "rope_forces() gives nothing for T"),
        (
            "\n    def rope_forces_in_motion(self, q, v, u, p):\n        return {'T': u.F}\n",
            "line 29: rope_forces_in_motion must take (self, q, v, a, u, p), it takes (self, q",
        ),
        (
            "\n    def rope_forces_in_motion(self, q, v, a, u, p):\n        return {'S': u.F}\n",
            "line 30: unknown name in rope_forces_in_motion(): 'S'. Known: T",
        ),
        (
            "\n    def rope_forces_in_motion(self, q, v, a, u, p):\n        return {'T': a.x}\n",
            "line 30: rope_forces_in_motion() fails: unknown acceleration 'x'. Known: s",
        ),
        (
            "\n    def rope_force_in_motion(self, q, v, a, u, p):\n        return {'T': u.F}\n",
            "write 'rope_forces_in_motion'",
        ),
    ],
)
def test_rope_force_that_is_not_told_is_refused(method: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        load(tmp_path, with_rope(method))
    assert message in str(caught.value)


def test_file_without_class_names_those_that_it_has(tmp_path: Path) -> None:
    second = GOOD.partition("class")[2].replace("Cart", "Wagon", 1)
    (tmp_path / "cart.py").write_text(f"{GOOD}\n\nclass{second}")
    with pytest.raises(InputError, match=r"add the class: 'cart\.py:Cart', 'cart\.py:Wagon'"):
        find_crane("cart.py", tmp_path)
    with pytest.raises(InputError, match=r"'Waggon'\. Did you mean 'Wagon'\? Known: Cart, Wagon"):
        find_crane("cart.py:Waggon", tmp_path)


def load(folder: Path, text: str) -> None:
    (folder / "cart.py").write_text(text)
    (folder / "cart.toml").write_text(SCENARIO)
    load_scenario(str(folder / "cart.toml"))


def test_unchanged_file_is_a_crane(tmp_path: Path) -> None:
    load(tmp_path, GOOD)


@pytest.mark.parametrize("case", sorted(CHANGES))
def test_what_is_wrong_is_one_sentence_with_its_place(case: str, tmp_path: Path) -> None:
    old, new, message = CHANGES[case]
    assert old in GOOD
    with pytest.raises(InputError) as caught:
        load(tmp_path, GOOD.replace(old, new))
    text = str(caught.value)
    assert message in text
    assert "cart.py" in text
    assert "\n" not in text


def test_file_changed_at_once_is_read_anew(tmp_path: Path) -> None:
    # Same length, same second: Python's own cache of compiled files would not notice.
    (tmp_path / "cart.py").write_text(GOOD)
    model = f"{tmp_path / 'cart.py'}:Cart"
    assert find_crane(model).parameters[0].value == 2.0
    (tmp_path / "cart.py").write_text(GOOD.replace("2.0)", "3.0)"))
    assert find_crane(model).parameters[0].value == 3.0
    assert not (tmp_path / "__pycache__").exists()


@pytest.mark.parametrize("model", ["missing.py:Cart", "a\0.py:Cart", "a" * 300 + ".py:Cart"])
def test_missing_file_is_named(model: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist or cannot be read"):
        find_crane(model, tmp_path)


@pytest.mark.parametrize("crane", sorted(CRANES))
def test_built_in_cranes_are_valid(crane: str) -> None:
    validate(CRANES[crane]())


SI = """1 m rad N N*m kg kg*m^2 s m/s m/s^2 W J N/m N*s/m Hz Pa V 1/s N*m/rad N*s/(m*rad) m^-1
kg/m^3 rad/s^2 N*m*s/rad N/m*s"""
NOT_SI = """t mm deg g kN kNm Nm m2 m**2 m^ m^0 /s * m//s - min h km/h rpm N.m ° 1* (m m) 2*m kg*
ms % (m*s m/(s m/() kPa"""


@pytest.mark.parametrize("unit", SI.split())
def test_unit_is_si(unit: str) -> None:
    assert is_si(unit)


@pytest.mark.parametrize("unit", ["", "N m", "2 m", " m", *NOT_SI.split()])
def test_unit_is_not_si(unit: str) -> None:
    assert not is_si(unit)


def test_the_crane_with_a_high_rail_of_the_document_is_the_overhead_crane(tmp_path: Path) -> None:
    """Its controls are those of the ready crane along the same path 12 m lower."""
    document = Path(__file__).parents[2] / "docs" / "own-crane.md"
    blocks = re.findall(r"```python\n(.*?)```", document.read_text(), re.DOTALL)
    (text,) = (block for block in blocks if "class HighRail" in block)
    (tmp_path / "rail.py").write_text(text)
    low = load_scenario("overhead").problem
    crane = find_crane(f"{tmp_path / 'rail.py'}:HighRail")
    line = {"kind": "line", "duration": 2.0, "profile": "polynomial", "smoothness": 4}
    units = {"x": "m", "z": "m"}
    lifted, lowered = (
        make_path({**line, "start": [0.0, z], "goal": [3.0, z + 1.0]}, ("x", "z"), units)
        for z in (8.0, -4.0)
    )
    times = np.linspace(0.0, 2.0, 11)
    parameters = crane.parameter_values(low.parameters)
    high = solve_index1(ServoProblem(crane, lifted, parameters), times)
    found = solve_index1(replace(low, path=lowered), times)
    # the same equations but for a shift of 12 m, whose rounding is 1e-15 of it
    np.testing.assert_allclose(high.u, found.u, rtol=1e-11)
    np.testing.assert_allclose(high.q[:, :2], found.q[:, :2], rtol=1e-12)


def test_shown_messages_are_those_that_come(tmp_path: Path) -> None:
    document = Path(__file__).parents[2] / "docs" / "own-crane.md"
    (block,) = re.findall(r"```text\n(.*?)```", document.read_text(), re.DOTALL)
    shown = [line.removeprefix("error: ") for line in block.splitlines()]
    cases = ("one input without comma", "tons", "typing error in a name")
    for case, message in zip(cases, shown, strict=True):
        old, new, _ = CHANGES[case]
        with pytest.raises(InputError) as caught:
            load(tmp_path, GOOD.replace(old, new))
        assert str(caught.value).replace(f"{tmp_path}/", "") == message
