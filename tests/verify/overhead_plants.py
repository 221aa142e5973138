"""Plants of the overhead crane with one thing wrong, or one thing missing: real FMUs."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import casadi as ca

from c_programs import export_quickly
from cranebridge.frontend.flat_model import PlantModel, Variable

OUTPUTS = ("x", "z", "v_x", "v_z", "s", "l", "v_s", "v_l", "theta", "v_theta", "T_cable")
STATES = ("s", "l", "theta", "v_s", "v_l", "v_theta")
PARAMETERS = {"m_t": 10.0, "m": 100.0, "J": 0.1, "r": 0.1, "g": 9.81}
STARTS = {"s_start": 0.0, "l_start": 4.0, "theta_start": 0.0} | dict.fromkeys(
    ("v_s_start", "v_l_start", "v_theta_start"), 0.0
)


def overhead_plant(
    *,
    coriolis: float = 2.0,
    swing_damping: float = 0.0,
    end_stop: float | None = None,
    friction_above: float | None = None,
    stiff_beyond: float | None = None,
    fixed: Sequence[str] = (),
    push: tuple[float, float] | None = None,
    flip: str = "",
    starts: bool = True,
    still: Sequence[str] = (),
    outputs: Sequence[str] = OUTPUTS,
) -> PlantModel:
    """Make the plant.

    Parameters
    ----------
    coriolis : float
        Factor of the Coriolis acceleration; 2 is right.
    swing_damping : float
        Torque against the swing rate, N m s.
    end_stop : float, optional
        Where a spring stops the trolley, m.
    friction_above : float, optional
        Speed of the trolley above which friction acts, m/s.
    stiff_beyond : float, optional
        Swing angle from which a spring acts against it, rad.
    fixed : sequence of str
        Parameters that the equations take at their default, whatever value they are given.
    push : tuple of float, optional
        Begin and end of a force of 1 kN on the trolley, s.
    flip : str
        An output that has the wrong sign.
    starts : bool
        Whether it has parameters for its start.
    still : sequence of str
        Start parameters that do nothing.
    outputs : sequence of str
        The outputs that it has.
    """
    t, x, u = ca.SX.sym("t"), ca.SX.sym("x", 6), ca.SX.sym("u", 2)
    given = PARAMETERS | STARTS if starts else PARAMETERS
    p = ca.SX.sym("p", len(given))
    value = {name: ca.SX(default) for name, default in STARTS.items()}
    value |= dict(zip(given, ca.vertsplit(p), strict=True))
    value |= {name: ca.SX(PARAMETERS[name]) for name in fixed}
    value |= {name: ca.SX(STARTS[name]) for name in still}
    m_t, m, J, r, g = (value[name] for name in PARAMETERS)
    s, length, theta, v_s, v_l, v_theta = ca.vertsplit(x)
    force, torque = ca.vertsplit(u)
    sin, cos = ca.sin(theta), ca.cos(theta)
    if end_stop is not None:
        force -= 1e4 * ca.fmax(s - end_stop, 0.0)
    if friction_above is not None:
        force -= 5.0 * ca.fmax(ca.fabs(v_s) - friction_above, 0.0) * ca.sign(v_s)
    if push is not None:
        force += 1000.0 * ca.logic_and(t > push[0], t < push[1])
    tension = m * g * cos - m * force * sin / m_t - m * torque * r / J + m * length * v_theta**2
    tension /= m * sin**2 / m_t + m * r**2 / J + 1.0
    a_s = (force + tension * sin) / m_t
    a_l = (torque / r + tension) * r**2 / J
    a_theta = -g * sin - a_s * cos - coriolis * v_l * v_theta
    a_theta = a_theta / length - swing_damping * v_theta / (m * length**2)
    if stiff_beyond is not None:
        beyond = ca.fmax(ca.fabs(theta) - stiff_beyond, 0.0) * ca.sign(theta)
        a_theta -= 100.0 * beyond / (m * length**2)
    readings = {
        "x": s + length * sin,
        "z": -length * cos,
        "v_x": v_s + v_l * sin + length * v_theta * cos,
        "v_z": -v_l * cos + length * v_theta * sin,
        **dict(zip(STATES, ca.vertsplit(x), strict=True)),
        "T_cable": tension,
    }
    y = ca.vertcat(*(readings[name] * (-1 if name == flip else 1) for name in outputs))
    first = ca.vertcat(*(value[name] for name in STARTS))
    return PlantModel(
        name="Tests.Overhead",
        description="Overhead crane",
        documentation="",
        states=tuple(Variable(name) for name in STATES),
        inputs=(Variable("F_t", "N"), Variable("M_w", "N.m", start=-98.1)),
        outputs=tuple(Variable(name) for name in outputs),
        parameters=tuple(
            Variable(name, "", "", default, variability="fixed") for name, default in given.items()
        ),
        rhs=ca.Function("rhs", [t, x, u, p], [ca.vertcat(v_s, v_l, v_theta, a_s, a_l, a_theta)]),
        outputs_function=ca.Function("outputs", [t, x, u, p], [y]),
        initial=ca.Function("initial", [p], [first]),
    )


@cache
def overhead_fmu(folder: Path, name: str = "right", **options: object) -> Path:
    """Export the plant as an FMU, once."""
    return export_quickly(overhead_plant(**options), folder / f"{name}.fmu")  # type: ignore[arg-type]


@cache
def cart_fmu(folder: Path) -> Path:
    """Export the plant of `cart.py`: position s, velocity w, both outputs.

    It has a parameter d for the damping, which its equations do not know.
    """
    t, x, u, p = (ca.SX.sym(name, n) for name, n in (("t", 1), ("x", 2), ("u", 1), ("p", 2)))
    model = PlantModel(
        name="Tests.Cart",
        description="Cart",
        documentation="",
        states=(Variable("s"), Variable("w")),
        inputs=(Variable("F", "N"),),
        outputs=(Variable("s"), Variable("w")),
        parameters=tuple(
            Variable(name, "", "", value, variability="fixed")
            for name, value in (("m", 2.0), ("d", 0.0))
        ),
        rhs=ca.Function("rhs", [t, x, u, p], [ca.vertcat(x[1], u / p[0])]),
        outputs_function=ca.Function("outputs", [t, x, u, p], [x]),
        initial=ca.Function("initial", [p], [ca.SX.zeros(2)]),
    )
    return export_quickly(model, folder / "cart.fmu")


@cache
def drum_fmu(folder: Path) -> Path:
    """Export the plant of `cart.py` with a drum of radius r that turns by phi: s = r phi.

    It moves alike whatever the radius is, and shows its position only.
    """
    t, x, u, p = (ca.SX.sym(name, n) for name, n in (("t", 1), ("x", 2), ("u", 1), ("p", 2)))
    m, r = ca.vertsplit(p)
    model = PlantModel(
        name="Tests.Drum",
        description="Cart that a drum moves",
        documentation="",
        states=(Variable("phi"), Variable("omega")),
        inputs=(Variable("F", "N"),),
        outputs=(Variable("s"),),
        parameters=tuple(
            Variable(name, "", "", value, variability="fixed")
            for name, value in (("m", 2.0), ("r", 0.5))
        ),
        rhs=ca.Function("rhs", [t, x, u, p], [ca.vertcat(x[1], u / (m * r))]),
        outputs_function=ca.Function("outputs", [t, x, u, p], [r * x[0]]),
        initial=ca.Function("initial", [p], [ca.SX.zeros(2)]),
    )
    return export_quickly(model, folder / "drum.fmu")


def only_co_simulation(source: Path, target: Path) -> Path:
    """Take Model Exchange out of an FMU's description."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for item in old.infolist():
            content = old.read(item)
            if item.filename == "modelDescription.xml":
                text = content.decode()
                begin, end = text.index("<ModelExchange"), text.index("<CoSimulation")
                content = (text[:begin] + text[end:]).encode()
            new.writestr(item, content)
    return target
