"""Cranes of bodies and joints against Newton and Euler's equations, energies and references."""

from __future__ import annotations

from functools import cache

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from newton_euler import Array, Link, energy, frames, inverse_dynamics
from scipy.integrate import solve_ivp

from cranebridge.twin import Equations, Parameter, equations_of_motion
from cranebridge.twin.bodies import (
    Body,
    BodyCrane,
    BodyJoint,
    Cylindrical,
    Drive,
    Fixed,
    Free,
    HydraulicCylinder,
    Planar,
    PointMass,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
    cylinder,
    rod,
    sphere,
)
from cranebridge.twin.bodies import box as solid_box
from cranebridge.twin.language import Components, names

KINDS = ("Revolute", "Prismatic", "Cylindrical", "Screw", "Spherical", "Planar", "Fixed", "Free")
CLASSES = {
    "Revolute": Revolute,
    "Prismatic": Prismatic,
    "Cylindrical": Cylindrical,
    "Screw": Screw,
    "Spherical": Spherical,
    "Planar": Planar,
    "Fixed": Fixed,
    "Free": Free,
}
ROUNDING = 1e-11
"""Thousands of operations of 1e-16 on terms that cancel, relative to the largest force."""


def random_links(draw: np.random.Generator, kinds: list[str], chain: bool = False) -> list[Link]:
    """Bodies with random places, axes, masses and full inertia tensors on random others."""
    links = []
    for number, kind in enumerate(kinds):
        A = draw.normal(size=(3, 3))
        links.append(
            Link(
                on=number - 1 if chain else int(draw.integers(-1, number)),
                kind=kind,
                axis=draw.normal(size=3),
                at=draw.normal(size=3),
                place=draw.normal(size=3),
                mass=float(draw.uniform(0.5, 3.0)),
                centre=draw.normal(size=3),
                inertia=A @ A.T + np.eye(3),
            )
        )
    return links


def crane_of(links: list[Link], closing: tuple[BodyJoint, ...] = (), start=None) -> BodyCrane:
    """The same bodies and joints as a crane of parts; a drive makes it complete."""
    parts: list = []
    for number, link in enumerate(links):
        name, on = f"b{number}", "ground" if link.on < 0 else f"b{link.on}"
        further: dict = {"at": tuple(link.at), "place": tuple(link.place)}
        if link.kind in ("Revolute", "Prismatic", "Cylindrical", "Screw"):
            further["axis"] = tuple(link.axis)
        if link.kind == "Screw":
            further["pitch"] = 0.37
        if link.kind == "Free":
            further["coordinates"] = tuple(f"{c}_{number}" for c in ("x", "y", "z", "a", "b", "c"))
        parts.append(CLASSES[link.kind](name, on, **further))
        J = link.inertia
        tensor = (*np.diag(J), J[0, 1], J[0, 2], J[1, 2])
        parts.append(
            Body(name, mass=link.mass, centre=tuple(link.centre), inertia=tuple(map(float, tensor)))
        )
    body = {"parts": (*parts, *closing), "outputs": {"y": "b0.z"}, "start": start or {}}
    kind = type("RandomCrane", (BodyCrane,), {"name": "random", **body})
    return kind()


def numbers(model: Equations, crane: BodyCrane):
    """Return motion residual, mass matrix, forces, energy and constraint Jacobian as a function."""
    p = np.array([one.value for one in crane.parameters])
    function = ca.Function(
        "motion",
        [model.q, model.v, model.a, model.p],
        [
            ca.substitute(model.mass_matrix @ model.a - model.force, model.lam, 0 * model.lam),
            model.mass_matrix,
            model.force,
            model.energy,
            model.constraint_jacobian,
            ca.jtimes(ca.jtimes(model.constraints, model.q, model.v), model.q, model.v),
        ],
    )
    return lambda q, v, a: [np.array(one) for one in function(q, v, a, p)]


def accelerations(crane: BodyCrane, q: Array, v: Array) -> Array:
    """Accelerations without drives, with all constraints that the crane has."""
    _, M, f, _, G, curved = numbers(equations_of_motion(crane), crane)(q, v, 0 * q)
    m = G.shape[0]
    system = np.block([[M, G.T], [G, np.zeros((m, m))]])
    return np.linalg.solve(system, np.concatenate([f[:, 0], -curved[:, 0]]))[: q.size]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(KINDS), min_size=1, max_size=6), st.integers(0, 2**32 - 1))
def test_random_trees_move_by_newton_and_euler(kinds: list[str], seed: int) -> None:
    draw = np.random.default_rng(seed)
    if not any(kind != "Fixed" for kind in kinds):
        kinds = [*kinds[:5], "Revolute"]
    links = random_links(draw, kinds)
    crane = crane_of(links)
    n = len(crane.coordinates)
    motion = numbers(equations_of_motion(crane), crane)
    q, v, a = draw.uniform(-1.2, 1.2, n), draw.normal(size=n), draw.normal(size=n)
    wanted = inverse_dynamics(links, q, v, a)
    found, _, _, total, *_ = motion(q, v, a)
    np.testing.assert_allclose(found[:, 0], wanted, atol=ROUNDING * (1 + np.abs(wanted).max()))
    assert total.item() == pytest.approx(energy(links, q, v), rel=1e-12)


def test_deliberate_fault_in_a_tree_is_found() -> None:
    draw = np.random.default_rng(0)
    links = random_links(draw, ["Revolute", "Revolute"])
    crane = crane_of(links)
    motion = numbers(equations_of_motion(crane), crane)
    links[1].inertia = links[1].inertia * 1.001
    q, v, a = draw.normal(size=(3, 2))
    difference = motion(q, v, a)[0][:, 0] - inverse_dynamics(links, q, v, a)
    assert np.abs(difference).max() > 1e-4


@pytest.mark.parametrize("kinds", [["Free"], ["Revolute", "Screw", "Spherical"], ["Planar"] * 2])
def test_energy_is_conserved_in_a_forward_run(kinds: list[str]) -> None:
    draw = np.random.default_rng(7)
    links = random_links(draw, kinds)
    crane = crane_of(links)
    n = len(crane.coordinates)
    motion = numbers(equations_of_motion(crane), crane)

    def rate(_: float, x: Array) -> Array:
        _, M, f, *_ = motion(x[:n], x[n:], np.zeros(n))
        return np.concatenate([x[n:], np.linalg.solve(M, f)[:, 0]])

    start = np.concatenate([0.2 * draw.normal(size=n), draw.normal(size=n)])
    run = solve_ivp(rate, (0.0, 0.5), start, method="DOP853", rtol=1e-12, atol=1e-12)
    energies = [energy(links, x[:n], x[n:]) for x in run.y.T]
    moved = max(abs(energies[0]), 10.0)
    # The integrator's tolerance of 1e-12, times some hundred steps.
    assert np.ptp(energies) < 1e-9 * moved


# ---------------------------------------------------------------------------- closed loops


def closed_motion(links: list[Link], closing: list, q: Array, v: Array) -> tuple[Array, int]:
    """Accelerations and rank of all closing rows, redundant ones too, by least squares.

    closing: (body, its point, at (a point of the ground), directions held, axes that stay).
    """
    n = q.size
    bias = inverse_dynamics(links, q, v, np.zeros(n))
    weights = inverse_dynamics(links, q, 0 * v, np.zeros(n))
    M = np.array([inverse_dynamics(links, q, 0 * v, e) - weights for e in np.eye(n)]).T

    def rates(v: Array, a: Array) -> tuple[Array, Array]:
        found, _ = frames(links, q, v, a)
        first, second = [], []
        for body, point, held, still in closing:
            frame = found[body].shifted(point)
            first += [m @ frame.v for m in held] + [m @ frame.w for m in still]
            second += [m @ frame.a for m in held] + [m @ frame.alpha for m in still]
        return np.array(first), np.array(second)

    G = np.array([rates(e, np.zeros(n))[0] for e in np.eye(n)]).T
    _, curved = rates(v, np.zeros(n))
    m = G.shape[0]
    system = np.block([[M, G.T], [G, np.zeros((m, m))]])
    # Rows that depend on others make lambda free, not the accelerations.
    solution = np.linalg.lstsq(system, -np.concatenate([bias, curved]), rcond=1e-11)[0]
    return solution[:n], int(np.linalg.matrix_rank(G, tol=1e-8 * np.abs(G).max()))


@cache
def closed_crane(kind: str, count: int, seed: int):
    """A planar chain about y closed on the ground by a joint, or a chain in space by a ball."""
    draw = np.random.default_rng(seed)
    space = kind == "space"
    kinds = ["Revolute"] * count
    links = random_links(draw, kinds, chain=True)
    if not space:
        for link in links:
            link.axis = np.array([0.0, 1.0, 0.0])
            link.at[1] = link.place[1] = 0.0
    for link in links:
        link.__post_init__()
    q = draw.uniform(-1.0, 1.0, count)
    if kind == "Prismatic":
        q[-1] = -q[:-1].sum()  # its frame is parallel to the ground's
    point = draw.normal(size=3) * (1.0 if space else np.array([1.0, 0.0, 1.0]))
    end = frames(links, q, 0 * q, 0 * q)[0][-1].shifted(point)
    closing = {
        "space": lambda: Spherical("b_", at=tuple(end.r), place=tuple(point), loop=True),
        "Spherical": lambda: Spherical("b_", at=tuple(end.r), place=tuple(point), loop=True),
        "Revolute": lambda: Revolute(
            "b_", at=tuple(end.r), place=tuple(point), axis="y", loop=True
        ),
        "Cylindrical": lambda: Cylindrical(
            "b_", at=tuple(end.r), place=tuple(point), axis="y", loop=True
        ),
        "Planar": lambda: Planar("b_", at=tuple(end.r), place=tuple(point), normal="x", loop=True),
        "Prismatic": lambda: Prismatic(
            "b_", at=tuple(end.r), place=tuple(point), axis="x", loop=True
        ),
    }[kind]()
    closing = type(closing)(**{**vars(closing), "name": f"b{count - 1}"})
    crane = crane_of(links, (closing,), {f"phi_b{i}": float(x) for i, x in enumerate(q)})
    x, y, z = np.eye(3)
    held, still = {
        "space": ((x, y, z), ()),
        "Spherical": ((x, y, z), ()),
        "Revolute": ((x, y, z), (x, z)),
        "Cylindrical": ((x, z), (x, z)),
        "Prismatic": ((y, z), (x, y, z)),
        "Planar": ((x,), (y, z)),
    }[kind]
    return links, crane, q, [(count - 1, point, held, still)]


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(["space", "Spherical", "Revolute", "Cylindrical", "Prismatic"]),
    st.integers(4, 6),
    st.integers(0, 10**6),
)
def test_loops_move_as_with_all_their_rows(kind: str, count: int, seed: int) -> None:
    links, crane, q, closing = closed_crane(kind, count, seed)
    draw = np.random.default_rng(seed + 1)
    model = equations_of_motion(crane)
    motion = numbers(model, crane)
    _, M, _, _, G, _ = motion(q, 0 * q, 0 * q)
    null = np.linalg.svd(G)[2][G.shape[0] :].T
    v = null @ draw.normal(size=null.shape[1])  # the loop stays closed
    wanted, rank = closed_motion(links, closing, q, v)
    # A planar loop in space has two conditions, not the 3 to 5 of its joint.
    assert rank == G.shape[0] == (3 if kind == "space" else 2)
    _, M, f, _, G, curved = motion(q, v, 0 * q)
    m = G.shape[0]
    system = np.block([[M, G.T], [G, np.zeros((m, m))]])
    found = np.linalg.solve(system, np.concatenate([f[:, 0], -curved[:, 0]]))[: q.size]
    scale = 1.0 + np.abs(wanted).max()
    np.testing.assert_allclose(found, wanted, atol=1e-8 * scale * np.linalg.cond(M) ** 0.5)


def test_energy_is_conserved_in_a_closed_loop() -> None:
    links, crane, q, _ = closed_crane("Revolute", 5, 11)
    G = numbers(equations_of_motion(crane), crane)(q, 0 * q, 0 * q)[4]
    v = np.linalg.svd(G)[2][G.shape[0] :].T @ np.array([0.5, -0.3, 0.4])

    def rate(_: float, x: Array) -> Array:
        return np.concatenate([x[5:], accelerations(crane, x[:5], x[5:])])

    start = np.concatenate([q, v])
    run = solve_ivp(rate, (0.0, 0.5), start, method="DOP853", rtol=1e-12, atol=1e-12)
    energies = [energy(links, x[:5], x[5:]) for x in run.y.T]
    moved = max(abs(energy(links, q, 0 * q)), 10.0)
    # The integrator's tolerance of 1e-12, times some hundred steps.
    assert np.ptp(energies) < 1e-9 * moved
    assert np.abs(run.y[:5, -1] - q).max() > 0.05  # it has moved


def test_a_dropped_row_is_told_with_its_meaning() -> None:
    _, crane, _, _ = closed_crane("Revolute", 4, 3)
    assert len(crane.remarks()) == 3
    assert all("follows from the others (rank 2 of 5" in one for one in crane.remarks())
    assert any("points together along y" in one for one in crane.remarks())


# ---------------------------------------------------------------------------- rotationless


def in_directors(crane: BodyCrane) -> tuple[BodyCrane, ca.Function]:
    """The same crane in rotationless coordinates, and F(mu), dF nu, d(dF nu) nu + dF a of them."""
    kind = type("Rotationless", (type(crane),), {"rotationless": True})
    q = ca.SX.sym("q", len(crane.coordinates))
    v, a = (ca.SX.sym(name, q.numel()) for name in ("v", "a"))
    p = ca.DM([one.value for one in crane.parameters])
    by_name = Components(names(crane.parameters), ca.SX(p))
    state = crane.mechanism().state(Components(names(crane.coordinates), q), by_name)
    F = kind.mechanism().lifted(state)
    rate = ca.jtimes(F, q, v)
    second = ca.jtimes(rate, ca.vertcat(q, v), ca.vertcat(v, a))
    return kind(), ca.Function("F", [q, v, a], [F, rate, second])


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from(KINDS), min_size=1, max_size=4), st.integers(0, 2**32 - 1))
def test_directors_move_as_joint_coordinates_do(kinds: list[str], seed: int) -> None:
    draw = np.random.default_rng(seed)
    links = random_links(draw, ["Revolute", *kinds])
    for link in links:  # a positive Euler tensor: a rigid body's moments fulfil J_1 + J_2 >= J_3
        link.inertia = link.inertia + 20.0 * np.eye(3)
    crane = crane_of(links)
    n = len(crane.coordinates)
    q, v = draw.uniform(-1.0, 1.0, n), draw.normal(size=n)
    a = accelerations(crane, q, v)
    full, lift = in_directors(crane)
    # A free body's joint has no rows, and six conditions of a body none of another: all are kept.
    assert not full.remarks()
    Q, V, A = (np.array(one)[:, 0] for one in lift(q, v, a))
    found = accelerations(full, Q, V)
    np.testing.assert_allclose(found, A, atol=1e-8 * (1.0 + np.abs(A).max()))


# ---------------------------------------------------------------------------- references


class ScrewPair(BodyCrane):
    """Two bodies on a screw in free flight (Uhlar 2009, 5.1.2)."""

    name = "screw-pair"
    parameters = (Parameter("g", "m/s^2", "no gravity", 0.0, "non-negative"),)
    # From Euler tensors (36, 36, 1600) and (48, 48, 48): J_1 = E_2 + E_3, ...
    parts = (
        Free("shaft"),
        Body("shaft", mass=3.0, inertia=(1636.0, 1636.0, 72.0)),
        Screw("nut", on="shaft", at=(0, 0, -30.0), axis="z", coordinate="Theta", pitch=20.0),
        Body("nut", mass=4.0, inertia=(96.0, 96.0, 96.0)),
        Drive("M", on="Theta"),
    )
    outputs = {"y": "Theta"}


def test_screw_pair_is_the_reference() -> None:
    crane = ScrewPair()
    motion = numbers(equations_of_motion(crane), crane)
    n = 7

    def rate(_: float, x: Array) -> Array:
        _, M, f, *_ = motion(x[:n], x[n:], np.zeros(n))
        return np.concatenate([x[n:], np.linalg.solve(M, f)[:, 0]])

    # At zero angles yaw', pitch', roll' are the components of the angular velocity along z, y, x.
    turn = 2 * np.pi * 0.2
    start = np.array([*np.zeros(n), 150.0, 10.0, 0.0, 0.0, turn, turn, 2 * np.pi * 3.5])
    assert names(crane.coordinates) == ("x", "y", "z", "yaw", "pitch", "roll", "Theta")
    T = motion(start[:n], start[n:], np.zeros(n))[3].item()
    assert pytest.approx(476510.256349, abs=5e-7) == T  # printed with 6 decimals
    run = solve_ivp(
        rate, (0.0, 1.0), start, method="DOP853", rtol=1e-13, atol=1e-11, t_eval=[0.5, 1]
    )
    # Two formulations of the reference agree to 1.2e-11.
    assert run.y[6] == pytest.approx([11.060743916971, 22.213122864459], abs=1e-9)
    assert run.y[:3, 1] == pytest.approx([32.94984372, 109.31723503, 32.03028421], abs=2e-8)
    assert motion(run.y[:n, 1], run.y[n:, 1], np.zeros(n))[3].item() == pytest.approx(T, rel=1e-12)


def test_universal_joint_is_two_revolute_ones() -> None:
    class Cross(BodyCrane):
        name = "cross"
        parts = (
            Universal("b", axis="x", second="y", coordinates=("a", "b")),
            Body("b", mass=2.0, centre=(0.1, 0.2, -1.0), inertia=(1.0, 2.0, 3.0)),
        )
        outputs = {"y": "b.z"}

    class Pair(Cross):
        name = "pair"
        parts = (
            Revolute("c", axis="x", coordinate="a"),
            Body("c"),
            Revolute("b", on="c", axis="y", coordinate="b"),
            Cross.parts[1],
        )

    draw = np.random.default_rng(2)
    q, v, a = draw.normal(size=(3, 2))
    first, second = (
        numbers(equations_of_motion(one), one)(q, v, a)[0] for one in (Cross(), Pair())
    )
    np.testing.assert_allclose(first, second, rtol=1e-13)


@pytest.mark.parametrize(
    ("shape", "mass", "inertia"),
    [  # closed forms of any table
        (rod(3.0, density=2.0), 6.0, (0.0, 4.5, 4.5)),
        (solid_box((1.0, 2.0, 3.0), mass=12.0), 12.0, (13.0, 10.0, 5.0)),
        (cylinder(2.0, 1.0, mass=12.0, along="z"), 12.0, (7.0, 7.0, 6.0)),
        (sphere(2.0, density=3.0), 32 * np.pi, (51.2 * np.pi,) * 3),
    ],
)
def test_shapes_have_mass_and_inertia_of_the_tables(shape, mass, inertia) -> None:
    def number(value: float) -> float:
        return value

    assert shape.weight(number) == pytest.approx(mass)
    assert shape.inertia(number) == pytest.approx(inertia)


def test_cylinder_in_space_has_the_energy_of_its_points() -> None:
    class Strut(BodyCrane):
        name = "strut"
        parts = (
            PointMass("eye", mass=0.0),
            HydraulicCylinder(
                "strut", base=("ground", (0.3, -0.2, 0.1)), end="eye", force="F",
                barrel=(7.0, 1.1), rod=(3.0, 0.9),
            ),
        )  # fmt: skip
        outputs = {"y": "strut.length"}

    crane = Strut()
    foot = np.array([0.3, -0.2, 0.1])
    q, v = np.array([1.5, 0.7, 2.0]), np.array([0.4, -1.3, 0.8])

    def point(q: Array, barrel: bool, c: float) -> Array:
        along = (q - foot) / np.linalg.norm(q - foot)
        return foot + c * along if barrel else q - c * along

    # Simpson's rule along each rod is exact: v^2 is quadratic in the place.
    kinetic = potential = 0.0
    for barrel, mass, length in ((True, 7.0, 1.1), (False, 3.0, 0.9)):
        for c, weight in ((0.0, 1 / 6), (length / 2, 2 / 3), (length, 1 / 6)):
            ahead, behind = (point(q + s * 1e-6 * v, barrel, c) for s in (1, -1))
            kinetic += 0.5 * mass * weight * (((ahead - behind) / 2e-6) ** 2).sum()
            potential += mass * weight * 9.81 * point(q, barrel, c)[2]
    model = equations_of_motion(crane)
    p = ca.DM([one.value for one in crane.parameters])
    total = ca.Function("E", [model.q, model.v, model.p], [model.energy])
    # central differences of 1e-6
    assert float(total(q, v, p)) == pytest.approx(kinetic + potential, rel=1e-9)
    force = ca.Function("B", [model.q, model.p], [model.input_matrix])(q, p)
    along = (q - foot) / np.linalg.norm(q - foot)
    np.testing.assert_allclose(np.array(force)[:, 0], along, rtol=1e-14)
