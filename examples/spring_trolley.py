"""A crane of a user's own: the overhead crane whose trolley is pulled through a spring.

The drive moves a carriage, a spring connects it with the trolley. The load's path still determines
everything (the crane is flat), but two more derivatives of it are needed: index 7.
"""

from collections.abc import Mapping
from typing import Any

from cranebridge.twin import Components, Crane, Parameter, Quantity


class SpringTrolley(Crane):
    """Overhead crane with an elastic trolley drive."""

    name = "spring-trolley"
    description = "overhead crane whose trolley is driven through a spring"
    coordinates = (
        Quantity("d", "m", "carriage position"),
        Quantity("s", "m", "trolley position"),
        Quantity("l", "m", "rope length"),
        Quantity("x", "m", "load position, horizontal"),
        Quantity("z", "m", "load position, up"),
    )
    parameters = (
        Parameter("m", "kg", "load mass", 100.0),
        Parameter("m_t", "kg", "trolley mass", 10.0),
        Parameter("m_d", "kg", "carriage mass", 5.0),
        Parameter("k", "N/m", "spring stiffness", 2.0e4),
        Parameter("J", "kg*m^2", "winch inertia", 0.1),
        Parameter("r", "m", "winch radius", 0.1),
        Parameter("g", "m/s^2", "gravity", 9.81),
    )
    inputs = (
        Quantity("F_d", "N", "carriage force"),
        Quantity("M_w", "N*m", "winch torque, positive pays out"),
    )
    outputs = (
        Quantity("x", "m", "load position, horizontal"),
        Quantity("z", "m", "load position, up"),
    )
    multipliers = (Quantity("lambda", "N/m", "rope force divided by rope length"),)
    ropes = (Quantity("T_cable", "N", "hoist rope force"),)

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        """Carriage, trolley, winch and load."""
        drives = p.m_d * v.d**2 + p.m_t * v.s**2 + p.J / p.r**2 * v.l**2
        return 0.5 * (drives + p.m * (v.x**2 + v.z**2))

    def potential_energy(self, q: Components, p: Components) -> Any:
        """Weight of the load and the spring."""
        return p.m * p.g * q.z + 0.5 * p.k * (q.d - q.s) ** 2

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        """Carriage force and winch torque."""
        return u.F_d * v.d + u.M_w * v.l / p.r

    def constraints(self, q: Components, p: Components) -> Mapping[str, Any]:
        """Rope length."""
        return {"lambda": 0.5 * ((q.x - q.s) ** 2 + q.z**2 - q.l**2)}

    def output_map(self, q: Components, p: Components) -> Mapping[str, Any]:
        """Load position."""
        return {"x": q.x, "z": q.z}

    def rope_forces(self, q: Components, lam: Components, p: Components) -> Mapping[str, Any]:
        """Multiplier times length."""
        return {"T_cable": lam["lambda"] * q.l}

    def rest(self, y: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Carriage and trolley above the load."""
        return {"d": y["x"], "s": y["x"], "l": -y["z"]}
