"""Quantities that several cranes share, each declared once; a crane's file has what is its own."""

from __future__ import annotations

import math

from cranebridge.twin.language import Parameter, Quantity

GRAVITY = Parameter("g", "m/s^2", "gravity", 9.81)

# ---------------------------------------------------------------------------- load and rope

LOAD_IN_PLANE = (
    Quantity("x", "m", "load position, horizontal"),
    Quantity("z", "m", "load position, up"),
)
LOAD_IN_SPACE = (
    Quantity("x", "m", "load position"),
    Quantity("y", "m", "load position"),
    Quantity("z", "m", "load position, up"),
)
HOIST_ROPE = Quantity("T_cable", "N", "hoist rope force")

DRAG = Parameter("c_d", "kg/m", "drag of the load per square of speed", 0.0, "non-negative")
AIR_IN_PLANE = (DRAG, Parameter("w_x", "m/s", "wind speed", 0.0, "real"))
AIR_IN_SPACE = (
    DRAG,
    Parameter("w_x", "m/s", "wind speed along x", 0.0, "real"),
    Parameter("w_y", "m/s", "wind speed along y", 0.0, "real"),
)

# ---------------------------------------------------------------------------- drives

TROLLEY_FORCE = Quantity("F_t", "N", "trolley force")
WINCH_TORQUE = Quantity("M_w", "N*m", "winch torque, positive pays out")
SLEWING_TORQUE = Quantity("M_b", "N*m", "slewing torque")


def winch_friction(coulomb: str) -> tuple[Parameter, Parameter]:
    """Viscous friction d_w of the winch, and Coulomb friction of this name."""
    return (
        Parameter("d_w", "N*m*s/rad", "viscous friction of the winch", 0.0, "non-negative"),
        Parameter(coulomb, "N*m", "Coulomb friction of the winch", 0.0, "non-negative"),
    )


def trolley_friction(coulomb: str) -> tuple[Parameter, Parameter]:
    """Viscous friction d_t of the trolley, and Coulomb friction of this name."""
    return (
        Parameter("d_t", "N*s/m", "viscous friction of the trolley", 0.0, "non-negative"),
        Parameter(coulomb, "N", "Coulomb friction of the trolley", 0.0, "non-negative"),
    )


# ---------------------------------------------------------------------------- Navy cranes

NAVY_LOAD = Parameter("m", "kg", "load mass", 100.0)
POLE_ANGLE = Parameter("alpha", "rad", "angle of the pole to the vertical", math.pi / 3, "real")
SLEWING_MASS = Parameter("M", "kg", "slewing inertia as a mass at winch P", 6.4)
NAVY_SLEWING_TORQUE = Quantity("u_4", "N*m", "slewing torque")
PULLEY_HEIGHT = Quantity("z_0", "m", "pulley position, up")


def winches(*numbers: int) -> tuple[Parameter, ...]:
    """Inertias J_i and radii r_i of winches."""
    return (
        *(Parameter(f"J_{i}", "kg*m^2", f"inertia of winch {i}", 0.1) for i in numbers),
        *(Parameter(f"r_{i}", "m", f"radius of winch {i}", 0.1) for i in numbers),
    )


def winch_torques(*numbers: int) -> tuple[Quantity, ...]:
    """Torques u_i of winches."""
    return tuple(
        Quantity(f"u_{i}", "N*m", f"torque of winch {i}, positive pays out") for i in numbers
    )
