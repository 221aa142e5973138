from __future__ import annotations

import numpy as np
import pytest

from cranebridge.report.bodies import Rope, Scene, Sphere
from cranebridge.report.picture import load_position, scene
from cranebridge.twin import find_crane
from cranebridge.twin.catalogue import CRANES
from cranebridge.twin.crane import Crane, Quantity, names

# Written from the reference's coordinates, not from the scenes: rope ends and length.
ROPES = {
    "overhead": {("trolley", "load"): lambda q, p: q["l"]},
    "rotary": {("trolley", "load"): lambda q, p: q["l"]},
    "rotary-rotationless": {("trolley", "load"): lambda q, p: p["r_w"] * q["theta"] + p["l_0"]},
    "rotary-redundant": {
        ("winch_1", "trolley"): lambda q, p: q["L_1"],
        ("winch_2", "trolley"): lambda q, p: q["L_0"],
        ("trolley", "load"): lambda q, p: q["L_2"] - q["L_0"],
    },
    "navy2d": {
        ("A", "pulley"): lambda q, p: q["L_1"],
        ("P", "pulley"): lambda q, p: q["L_0"],
        ("pulley", "load"): lambda q, p: q["L_2"] - q["L_0"],
    },
    "navy2d-pulley": {
        ("A", "pulley"): lambda q, p: q["L_1"],
        ("P", "pulley"): lambda q, p: q["L_0"],
        ("S", "pulley"): lambda q, p: q["L_3"],
        ("pulley", "load"): lambda q, p: q["L_2"] - q["L_0"],
    },
    "navy3d": {
        ("A", "pulley"): lambda q, p: q["L_1"],
        ("P", "pulley"): lambda q, p: q["L_0"],
        ("pulley", "load"): lambda q, p: q["L_3"] - q["L_0"],
    },
    "navy3d-pulley": {
        ("A", "pulley"): lambda q, p: q["L_1"],
        ("S", "pulley"): lambda q, p: q["L_2"],
        ("P", "pulley"): lambda q, p: q["L_0"],
        ("pulley", "load"): lambda q, p: q["L_3"] - q["L_0"],
    },
    "cablev": {(f"trolley_{i}", f"corner_{i}"): lambda q, p, i=i: q[f"p_c{i}"] for i in (1, 2, 3)},
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
    drawn = {(body.begin, body.end) for body in picture.bodies if isinstance(body, Rope)}
    assert drawn == set(wanted)
    for (begin, end), length in wanted.items():
        distance = np.linalg.norm(picture.points[end] - picture.points[begin], axis=1)
        np.testing.assert_allclose(distance, length(q, problem.parameters), atol=1e-9)


@pytest.mark.parametrize("name", SCENARIOS)
def test_drawn_load_is_on_the_wanted_path(pictured, name):
    solution, picture = pictured(name)
    crane = solution.problem.crane
    wanted = load_position(crane, names(crane.outputs), solution.gamma)
    np.testing.assert_allclose(picture.points["load"], wanted, atol=1e-9)


@pytest.mark.parametrize("name", SCENARIOS)
def test_everything_drawn_is_finite_and_above_the_ground(pictured, name):
    _, picture = pictured(name)
    for points in picture.points.values():
        assert np.isfinite(points).all()
        assert points[:, 2].min() >= picture.ground - 1e-9


@pytest.mark.parametrize("name", SCENARIOS)
def test_rope_forces_that_colour_ropes_exist(pictured, name):
    solution, picture = pictured(name)
    used = {body.force for body in picture.bodies if isinstance(body, Rope)} - {None}
    assert used == set(names(solution.problem.crane.ropes))


def test_platform_with_z_down_is_turned_and_not_mirrored(pictured):
    solution, picture = pictured("cablev-rotate")
    # Seen from above (z up), a positive turn about an axis that points down is clockwise.
    edge = picture.points["corner_1"] - picture.points["load"]
    angle = np.unwrap(np.arctan2(edge[:, 1], edge[:, 0]))
    turned = solution.q[:, names(solution.problem.crane.coordinates).index("phi_3")]
    np.testing.assert_allclose(angle, -turned, atol=1e-9)


def test_subclass_of_a_built_in_crane_looks_like_it(exact):
    solution = exact("rotary", 4)

    class Mine(type(find_crane("rotary"))):
        name = "mine"

    picture = scene(Mine(), solution.problem.parameters, solution.q)
    assert "jib_tip" in picture.points


class Unknown(Crane):
    name = "unknown"
    description = "a crane of the user's"
    coordinates = (Quantity("x", "m", ""), Quantity("z", "m", ""))
    parameters = ()
    inputs = ()
    outputs = coordinates


def test_unknown_crane_shows_its_load():
    q = np.array([[0.0, -1.0], [2.0, -3.0]])
    picture = scene(Unknown(), {}, q)
    assert [type(body) for body in picture.bodies] == [Sphere]
    np.testing.assert_array_equal(picture.points["load"], [[0.0, 0.0, -1.0], [2.0, 0.0, -3.0]])
    assert "not built in" in picture.note


def test_crane_without_load_position_has_no_scene():
    class Strange(Unknown):
        coordinates = (Quantity("alpha", "rad", ""),)
        outputs = coordinates

    assert scene(Strange(), {}, np.zeros((3, 1))) is None


def test_body_at_an_unknown_point_is_refused():
    with pytest.raises(ValueError, match="pulley"):
        Scene({"load": np.zeros((1, 3))}, (Rope("pulley", "load"),), 0.0)
