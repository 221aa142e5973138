from __future__ import annotations

from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from report_page import numbers

from cranebridge.inverse import ServoProblem, solve_index1
from cranebridge.inverse.internal.inversion import solve_inversion
from cranebridge.job import verify_on_twin
from cranebridge.path import make_path
from cranebridge.report.animation import bodies
from cranebridge.report.animation.bodies import Beam, PlateBody, RopeBody, Scene
from cranebridge.report.animation.picture import scene
from cranebridge.report.page_values import page_data
from cranebridge.report.plots.series import make_series
from cranebridge.report.report_motion import shown_motion
from cranebridge.scenario import load_scenario
from cranebridge.twin import (
    Box,
    Crane,
    Cylinder,
    Mast,
    Parameter,
    Pulley,
    Quantity,
    ServoChoice,
    Sphere,
    Trolley,
    find_crane,
)
from cranebridge.twin import Plate as PlateShape
from cranebridge.twin.catalogue import CRANES
from cranebridge.twin.language.crane import names

EXAMPLES = Path(__file__).parents[2] / "examples"

# Written from the reference's coordinates, not from the scenes: rope lengths in the scene's order.
ROPES = {
    "overhead": [lambda q, p: q["l"]],
    "rotary": [lambda q, p: q["l"]],
    "rotary-rotationless": [lambda q, p: p["r_w"] * q["theta"] + p["l_0"]],
    "rotary-redundant": [
        lambda q, p: q["L_1"],
        lambda q, p: q["L_0"],
        lambda q, p: q["L_2"] - q["L_0"],
    ],
    "navy2d": [
        lambda q, p: q["L_1"],
        lambda q, p: q["L_0"],
        lambda q, p: q["L_2"] - q["L_0"],
    ],
    "navy2d-pulley": [
        lambda q, p: q["L_1"],
        lambda q, p: q["L_0"],
        lambda q, p: q["L_3"],
        lambda q, p: q["L_2"] - q["L_0"],
    ],
    "navy3d": [
        lambda q, p: q["L_1"],
        lambda q, p: q["L_0"],
        lambda q, p: q["L_3"] - q["L_0"],
    ],
    "navy3d-pulley": [
        lambda q, p: q["L_1"],
        lambda q, p: q["L_2"],
        lambda q, p: q["L_0"],
        lambda q, p: q["L_3"] - q["L_0"],
    ],
    "cablev": [lambda q, p, i=i: q[f"p_c{i}"] for i in (1, 2, 3)],
    "gantry": [lambda q, p: q["l"]],
    "double-pendulum": [lambda q, p: q["l"], lambda q, p: p["l_2"]],
    "quadrotor": [lambda q, p: p["l"]],
    "luffing-jib": [lambda q, p: q["l"]],
    "flexible-jib": [lambda q, p: q["l"]],
    "bridge": [lambda q, p: q["l"]],
    "two-mass": [lambda q, p: 0.04 + q["y_2"] - q["y_1"]],
    "rpr": [],  # legs, no ropes: below
    "body-gantry": [lambda q, p: q["l"]],
    "cylinder-crane": [lambda q, p: q["l"]],
    "knuckle-boom": [lambda q, p: p["L_r"]],
    "portal": [lambda q, p: q["l"]],
    "spreader": [lambda q, p, i=i: q[f"l_{i}"] for i in (1, 2, 3, 4)],
}
SCENARIOS = (
    "overhead",
    "rotary",
    "rotary-long",
    "rotary-redundant",
    "rotary-rotationless",
    "navy2d",
    "navy2d-pulley",
    "navy3d",
    "navy3d-pulley",
    "cablev-rotate",
    "cablev-translate",
    "cablev-general",
    "gantry",
    "double-pendulum",
    "quadrotor",
    "luffing-jib",
    "flexible-jib",
    "flexible-jib-outer",
    "bridge",
    *("body-gantry", "cylinder-crane", "knuckle-boom", "portal", "spreader"),
)


@pytest.fixture
def pictured(exact):
    def make(name):
        solution = exact(name, 40)
        problem = solution.problem
        return solution, scene(problem.crane, problem.parameters, solution.q)

    return make


def test_every_built_in_crane_is_checked_here():
    assert set(ROPES) == set(CRANES)


@pytest.mark.parametrize("name", SCENARIOS)
def test_drawn_ropes_are_as_long_as_the_coordinates_say(pictured, name):
    solution, picture = pictured(name)
    problem = solution.problem
    q = dict(zip(names(problem.crane.coordinates), solution.q.T, strict=True))
    wanted = ROPES[problem.crane.name]
    drawn = [body for body in picture.bodies if isinstance(body, RopeBody)]
    for rope, length in zip(drawn, wanted, strict=True):
        distance = np.linalg.norm(picture.points[rope.end] - picture.points[rope.begin], axis=1)
        np.testing.assert_allclose(distance, length(q, problem.parameters), atol=1e-9)


@pytest.mark.parametrize("name", SCENARIOS)
def test_drawn_load_is_on_the_wanted_path(pictured, name):
    solution, picture = pictured(name)
    # Written by hand: which outputs are the load, and that CABLEV's z axis points down.
    crane, gamma = solution.problem.crane, solution.gamma
    outputs = dict(zip(names(crane.outputs), gamma.T, strict=True))
    zero = np.zeros(len(gamma))
    if crane.name == "cablev":
        wanted = outputs["r_x"], -outputs["r_y"], -outputs["r_z"]
    else:
        wanted = outputs["x"], outputs.get("y", zero), outputs["z"]
    np.testing.assert_allclose(picture.points["load"], np.column_stack(wanted), atol=1e-9)
    np.testing.assert_allclose(picture.load_map(gamma), np.column_stack(wanted), atol=1e-9)


@pytest.mark.parametrize("name", SCENARIOS)
def test_everything_drawn_is_finite_and_above_the_ground(pictured, name):
    _, picture = pictured(name)
    for points in picture.points.values():
        assert np.isfinite(points).all()
        assert points[:, 2].min() >= picture.ground - 1e-9


@pytest.mark.parametrize("name", SCENARIOS)
def test_rope_forces_that_colour_ropes_exist(pictured, name):
    solution, picture = pictured(name)
    used = {body.force for body in picture.bodies if isinstance(body, RopeBody)} - {None}
    assert used == set(names(solution.problem.crane.ropes))


def test_legs_of_the_manipulator_join_base_and_platform():
    solution = solve_inversion(load_scenario("rpr").problem, 0.1)
    picture = scene(solution.problem.crane, solution.problem.parameters, solution.q)
    base, platform = [body for body in picture.bodies if isinstance(body, PlateBody)]
    beams = [body for body in picture.bodies if isinstance(body, Beam)]
    # Each sleeve begins at a corner of the base, each rod ends at one of the platform; the bars
    # have the source's lengths and lie on one line.
    for i, (sleeve, rod) in enumerate(zip(beams[::2], beams[1::2], strict=True)):
        begin, middle = (picture.points[name][:, :2] for name in (sleeve.begin, sleeve.end))
        inner, end = (picture.points[name][:, :2] for name in (rod.begin, rod.end))
        np.testing.assert_allclose(begin, picture.points[base.corners[i]][:, :2], atol=1e-12)
        np.testing.assert_allclose(end, picture.points[platform.corners[i]][:, :2], atol=1e-12)
        np.testing.assert_allclose(np.linalg.norm(middle - begin, axis=1), 0.25, rtol=1e-12)
        np.testing.assert_allclose(np.linalg.norm(end - inner, axis=1), 0.35, rtol=1e-12)
        np.testing.assert_allclose((middle - begin) / 0.25, (end - inner) / 0.35, atol=1e-12)
    centre = np.mean([picture.points[corner][:, :2] for corner in platform.corners], axis=0)
    np.testing.assert_allclose(centre, solution.gamma[:, :2], atol=1e-12)


def test_platform_with_z_down_is_turned_and_not_mirrored(pictured):
    solution, picture = pictured("cablev-rotate")
    (plate,) = [body for body in picture.bodies if isinstance(body, PlateBody)]
    # Seen from above (z up), a positive turn about an axis that points down is clockwise.
    edge = picture.points[plate.corners[0]] - picture.points["load"]
    angle = np.unwrap(np.arctan2(edge[:, 1], edge[:, 0]))
    turned = solution.q[:, names(solution.problem.crane.coordinates).index("phi_3")]
    np.testing.assert_allclose(angle, -turned, atol=1e-9)


def test_subclass_of_a_built_in_crane_looks_like_it(exact):
    solution = exact("rotary", 4)

    class Mine(type(find_crane("rotary"))):
        name = "mine"

    own = scene(find_crane("rotary"), solution.problem.parameters, solution.q)
    picture = scene(Mine(), solution.problem.parameters, solution.q)
    assert picture.body_dicts() == own.body_dicts()


class Bar(Crane):
    """A machine of which every shape is drawn, at places and with sizes known beforehand."""

    name = "bar"
    description = "all shapes"
    coordinates = (Quantity("a", "m", ""), Quantity("phi", "rad", ""))
    parameters = (Parameter("r", "m", "radius", 0.25),)
    inputs = ()
    outputs = (Quantity("way", "m", ""),)
    shown = ""

    def potential_energy(self, q, p):
        return 0.0

    def output_map(self, q, p):
        return {"way": 2.0 - 3.0 * q.a}

    def scene(self, q, p):
        tip = (q.a, 0, 2)
        return {
            "cylinder": (Cylinder((0, 0, 0), tip, radius=p.r), Sphere(tip)),
            "box": (Box(tip, size=(1, 2, 3), role="structure"), Sphere((0, 0, 0), p.r)),
            "pulley": (Pulley(tip, (0, 0, 0), radius=2 * p.r), Sphere((0, 0, 0))),
            "plate": (PlateShape([(0, 0, 0), tip, ca.vertcat(0, q.a, 0)]), Sphere(tip)),
            "mast": (Mast(tip), Sphere((q.a, 0, 0))),
            "jib": (
                Mast((0, 0, 5), along=(ca.cos(q.phi), ca.sin(q.phi), 0)),
                Trolley((q.a * ca.cos(q.phi), q.a * ca.sin(q.phi), 5), rail=False),
                Box((-3 * ca.cos(q.phi), -3 * ca.sin(q.phi), 5)),
                Sphere((0, 0, 0)),
            ),
            "travelling": (Trolley((q.a, q.phi, 3)), Sphere((q.a, q.phi, 0))),
            "bridge": (Trolley((q.a, q.phi, 3), across=(0, 1, 0)), Sphere((q.a, q.phi, 0))),
            "rail": (Trolley((q.a, 0, 3)), Sphere((q.a, 0, 0))),
        }[self.shown]


Q = np.array([[1.0, 0.0], [2.0, 0.5], [4.0, 1.0]])


def drawn(kind):
    crane = Bar()
    crane.shown = kind
    return scene(crane, {"r": 0.25}, Q)


def only(picture, kind):
    (found,) = [body for body in picture.bodies if isinstance(body, kind)]
    return found


def test_stated_sizes_and_places_are_drawn_as_they_are():
    picture = drawn("cylinder")
    beam = only(picture, Beam)
    assert beam.radius == 0.25
    np.testing.assert_array_equal(picture.points[beam.end], [[1, 0, 2], [2, 0, 2], [4, 0, 2]])
    assert only(drawn("box"), bodies.BoxBody).size == (1.0, 2.0, 3.0)
    assert only(drawn("box"), bodies.BoxBody).role == "structure"
    assert only(drawn("pulley"), bodies.Wheel).radius == 0.5
    picture = drawn("plate")
    corners = [picture.points[name] for name in only(picture, PlateBody).corners]
    np.testing.assert_array_equal(corners[2], [[0, 1, 0], [0, 2, 0], [0, 4, 0]])


def test_mast_stands_on_the_ground():
    picture = drawn("mast")
    beam = only(picture, Beam)
    foot, top = picture.points[beam.begin], picture.points[beam.end]
    np.testing.assert_array_equal(foot[:, :2], top[:, :2])
    assert (foot[:, 2] == picture.ground).all()
    np.testing.assert_array_equal(top[:, 2], [2.0, 2.0, 2.0])


def test_jib_turns_with_its_direction_and_covers_trolley_and_winch():
    picture = drawn("jib")
    beams = [body for body in picture.bodies if isinstance(body, Beam)]
    back, tip = (picture.points[name] for name in (beams[1].begin, beams[1].end))
    level = (tip - back)[:, :2]
    np.testing.assert_allclose(np.arctan2(level[:, 1], level[:, 0]), Q[:, 1], atol=1e-12)
    assert (np.hypot(*tip[:, :2].T) > Q[:, 0].max()).all()
    assert (np.hypot(*back[:, :2].T) > 3.0).all()  # where the winch is


def test_rail_that_stands_still_has_posts_and_covers_the_motion():
    picture = drawn("rail")
    beams = [body for body in picture.bodies if isinstance(body, Beam)]
    assert len(beams) == 3
    left, right = (picture.points[name][:, 0] for name in (beams[0].begin, beams[0].end))
    assert (left < 1.0).all()
    assert (right > 4.0).all()


def test_rail_that_moves_has_no_posts():
    beam = only(drawn("travelling"), Beam)
    np.testing.assert_array_equal(drawn("travelling").points[beam.begin][:, 1], Q[:, 1])


def test_bridge_moves_on_runways_that_stand_still():
    picture = drawn("bridge")
    beams = [body for body in picture.bodies if isinstance(body, Beam)]
    assert len(beams) == 1 + 2 + 4
    np.testing.assert_array_equal(picture.points[beams[0].begin][:, 1], Q[:, 1])
    for beam in beams[1:]:
        for end in (beam.begin, beam.end):
            np.testing.assert_allclose(np.ptp(picture.points[end], axis=0), 0.0, atol=1e-12)


def test_output_that_is_an_affine_function_of_the_load_tells_its_way():
    # the output is 2 - 3 a, the load at x = a: x = (2 - y) / 3
    picture = drawn("cylinder")
    np.testing.assert_allclose(
        picture.load_map(np.array([[2.0], [-4.0]])), [[0, 0, 2], [2, 0, 2]], atol=1e-12
    )
    # the box moves, though what is called a load stands still
    np.testing.assert_array_equal(drawn("box").points["load"][:, 0], Q[:, 0])


class Pendulum(Crane):
    """A gantry whose outputs carry names that tell nothing; without a scene."""

    name = "pendulum"
    description = "a crane of the user's"
    coordinates = (
        Quantity("c", "m", "trolley"),
        Quantity("w", "m", "rope"),
        Quantity("theta", "rad", "swing"),
    )
    parameters = (Parameter("m", "kg", "mass", 2.0),)
    inputs = (Quantity("F", "N", ""), Quantity("H", "N", ""))
    outputs = (Quantity("right", "m", ""), Quantity("deep", "m", "counts down"))

    def kinetic_energy(self, q, v, p):
        return 0.5 * p.m * (v.c**2 + v.w**2 + v.theta**2)

    def potential_energy(self, q, p):
        return -p.m * 9.81 * q.w * ca.cos(q.theta)

    def drive_power(self, q, v, u, p):
        return u.F * v.c + u.H * v.w

    def output_map(self, q, p):
        return {"right": q.c + q.w * ca.sin(q.theta), "deep": q.w * ca.cos(q.theta)}


def test_crane_without_scene_is_drawn_from_outputs_of_any_name():
    q = np.array([[0.0, 3.0, 0.0], [1.0, 2.5, 0.2], [4.0, 2.0, 0.0]])
    picture = scene(Pendulum(), {"m": 2.0}, q)
    load = np.column_stack(
        [q[:, 0] + q[:, 1] * np.sin(q[:, 2]), 0.0 * q[:, 0], -q[:, 1] * np.cos(q[:, 2])]
    )
    np.testing.assert_allclose(picture.points["load"], load, atol=1e-12)
    rope = only(picture, RopeBody)
    np.testing.assert_allclose(picture.points[rope.begin][:, 0], q[:, 0])
    length = np.linalg.norm(picture.points[rope.end] - picture.points[rope.begin], axis=1)
    np.testing.assert_allclose(length, q[:, 1])
    assert "guessed" in picture.note


def test_crane_read_from_modelica_with_y_up_is_drawn_upright_with_its_trolley():
    pytest.importorskip("rumoca")
    library = Path(__file__).parents[1] / "data" / "modelica" / "SmallLibrary" / "package.mo"
    choice = ServoChoice(("F_b", "F_t", "F_h"), ("r[1]", "r[2]", "r[3]"))
    crane = find_crane(f"{library}:SmallLibrary.Examples.Bridge", choice=choice)
    path = {"kind": "line", "start": [0.0, -2.0, 0.0], "goal": [2.0, -1.0, 1.5]}
    path |= {"duration": 6.0, "profile": "polynomial", "smoothness": 4}
    problem = ServoProblem(crane, make_path(path, names(crane.outputs)), crane.parameter_values())
    solution = solve_index1(problem, np.linspace(0.0, 6.0, 7))
    picture = scene(crane, problem.parameters, solution.q)
    x, y, z = solution.gamma.T
    # right-handed: what is y there is up here, and their z comes towards the viewer
    np.testing.assert_allclose(picture.points["load"], np.column_stack([x, -z, y]), atol=1e-9)
    rope = only(picture, RopeBody)
    columns = [names(crane.coordinates).index(name) for name in ("rail.s", "bridgeRail.s")]
    trolley = picture.points[rope.begin][:, :2]
    np.testing.assert_allclose(trolley, solution.q[:, columns] * [1.0, -1.0], atol=1e-9)


def test_second_height_among_the_outputs_is_not_taken_for_a_direction():
    class Hook(Pendulum):
        outputs = (*Pendulum.outputs, Quantity("half", "m", ""))

        def output_map(self, q, p):
            return {**super().output_map(q, p), "half": 0.5 * q.w * ca.cos(q.theta)}

    q = np.array([[0.0, 3.0, 0.0], [4.0, 2.0, 0.0]])
    picture = scene(Hook(), {"m": 2.0}, q)
    np.testing.assert_allclose(picture.points["load"], [[0, 0, -3], [4, 0, -2]], atol=1e-12)


def test_rope_hangs_where_its_constraint_says_and_not_at_the_drive(solved):
    # carriage and trolley both stand above the load; the rope's constraint contains the trolley
    scenario, result = solved(str(EXAMPLES / "spring_trolley.toml"))
    solution = result.feedforward
    picture = scene(scenario.crane, scenario.problem.parameters, solution.q)
    rope = only(picture, RopeBody)
    assert rope.force == "T_cable"
    length = np.linalg.norm(picture.points[rope.end] - picture.points[rope.begin], axis=1)
    wanted = solution.q[:, names(scenario.crane.coordinates).index("l")]
    np.testing.assert_allclose(length, wanted, atol=1e-9)


def test_load_that_no_output_tells_is_shown_by_the_coordinates(tmp_path):
    (tmp_path / "bent.py").write_text(BENT)
    (tmp_path / "bent.toml").write_text(BENT_SCENARIO)
    scenario = load_scenario(str(tmp_path / "bent.toml"))
    shown = shown_motion(verify_on_twin(scenario))
    data = page_data(shown, make_series(shown))["scene"]
    x = shown.path(numbers(data["time"]).astype(float))[0]
    for key in ("wanted", "achieved"):  # in 32 bits, of a motion that follows the path
        way = numbers(data[key]).reshape(-1, 3)
        np.testing.assert_allclose(way[:, 0], np.sin(x), atol=1e-4)


BENT = """
import casadi as ca
from cranebridge.twin import Sphere
from cranebridge.twin.cranes.overhead import OverheadCrane

class Bent(OverheadCrane):
    name = "bent"

    def scene(self, q, p):
        return [Sphere((ca.sin(q.x), 0, q.z))]
"""
BENT_SCENARIO = """
[crane]
model = "bent.py:Bent"
[path]
kind = "line"
start = [0.0, -4.0]
goal = [5.0, -3.0]
duration = 6.0
profile = "polynomial"
smoothness = 4
[solve]
step = 0.01
"""


def test_bodies_of_a_crane_without_scene_are_joined_as_its_constraints_say(solved):
    class Silent(type(load_scenario(str(EXAMPLES / "hook_path.toml")).crane)):
        def scene(self, q, p):
            return ()

    scenario, result = solved(str(EXAMPLES / "hook_path.toml"))
    solution = result.feedforward
    crane, parameters = Silent(), scenario.problem.parameters
    told = scene(scenario.crane, parameters, solution.q)
    guess = scene(crane, parameters, solution.q)
    for picture in (told, guess):
        ropes = {body.force: body for body in picture.bodies if isinstance(body, RopeBody)}
        assert set(ropes) == {"T_rope", "T_sling"}
        q = dict(zip(names(crane.coordinates), solution.q.T, strict=True))
        for force, length in (("T_rope", q["l"]), ("T_sling", parameters["l_s"])):
            ends = [picture.points[name] for name in (ropes[force].begin, ropes[force].end)]
            # a step of the method leaves the constraints with a residual of this size
            np.testing.assert_allclose(np.linalg.norm(ends[1] - ends[0], axis=1), length, atol=1e-6)
        # the hook follows the path, whatever hangs below it
        np.testing.assert_allclose(
            picture.load_map(solution.gamma), picture.points["load"], atol=1e-6
        )


def test_crane_without_lengths_among_its_outputs_has_no_picture():
    class Strange(Pendulum):
        outputs = (Quantity("theta", "rad", ""),)

        def output_map(self, q, p):
            return {"theta": q.theta}

    assert scene(Strange(), {"m": 2.0}, np.zeros((3, 3))) is None


def test_body_at_an_unknown_point_is_refused():
    with pytest.raises(ValueError, match="pulley"):
        Scene({"load": np.zeros((1, 3))}, (RopeBody("pulley", "load"),), 0.0)
