"""A crane of a user's own: an overhead crane with a double pendulum whose hook follows the path.

The load hangs under the hook on a sling of fixed length. The hook's path leaves the load free to
swing: the servo problem has internal dynamics of dimension 2 and no algebraic solution.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from cranebridge.twin import Components, Crane, Line, Parameter, Quantity, Shape, Sphere, Trolley


class HookPath(Crane):
    """Overhead crane with hook and slung load; the outputs are the hook's position."""

    name = "hook-path"
    description = "overhead crane with a double pendulum whose hook follows the path"
    coordinates = (
        Quantity("s", "m", "trolley position"),
        Quantity("l", "m", "rope length"),
        Quantity("x_h", "m", "hook position, horizontal"),
        Quantity("z_h", "m", "hook position, up"),
        Quantity("x", "m", "load position, horizontal"),
        Quantity("z", "m", "load position, up"),
    )
    parameters = (
        Parameter("m", "kg", "load mass", 100.0),
        Parameter("m_h", "kg", "hook mass", 20.0),
        Parameter("m_t", "kg", "trolley mass", 10.0),
        Parameter("l_s", "m", "sling length", 1.0),
        Parameter("J", "kg*m^2", "winch inertia", 0.1),
        Parameter("r", "m", "winch radius", 0.1),
        Parameter("g", "m/s^2", "gravity", 9.81),
    )
    inputs = (
        Quantity("F_t", "N", "trolley force"),
        Quantity("M_w", "N*m", "winch torque, positive pays out"),
    )
    outputs = (
        Quantity("x_h", "m", "hook position, horizontal"),
        Quantity("z_h", "m", "hook position, up"),
    )
    multipliers = (
        Quantity("lambda_rope", "N/m", "rope"),
        Quantity("lambda_sling", "N/m", "sling"),
    )
    ropes = (
        Quantity("T_rope", "N", "hoist rope force"),
        Quantity("T_sling", "N", "sling force"),
    )

    def kinetic_energy(self, q: Components, v: Components, p: Components) -> Any:
        """Trolley, winch, hook and load."""
        drives = p.m_t * v.s**2 + p.J / p.r**2 * v.l**2
        hook = p.m_h * (v.x_h**2 + v.z_h**2)
        return 0.5 * (drives + hook + p.m * (v.x**2 + v.z**2))

    def potential_energy(self, q: Components, p: Components) -> Any:
        """Weight of hook and load."""
        return p.g * (p.m_h * q.z_h + p.m * q.z)

    def drive_power(self, q: Components, v: Components, u: Components, p: Components) -> Any:
        """Trolley force and winch torque."""
        return u.F_t * v.s + u.M_w * v.l / p.r

    def constraints(self, q: Components, p: Components) -> Mapping[str, Any]:
        """Rope and sling lengths."""
        return {
            "lambda_rope": 0.5 * ((q.x_h - q.s) ** 2 + q.z_h**2 - q.l**2),
            "lambda_sling": 0.5 * ((q.x - q.x_h) ** 2 + (q.z - q.z_h) ** 2 - p.l_s**2),
        }

    def output_map(self, q: Components, p: Components) -> Mapping[str, Any]:
        """Hook position."""
        return {"x_h": q.x_h, "z_h": q.z_h}

    def rope_forces(self, q: Components, lam: Components, p: Components) -> Mapping[str, Any]:
        """Multipliers times lengths."""
        return {"T_rope": lam.lambda_rope * q.l, "T_sling": lam.lambda_sling * p.l_s}

    def scene(self, q: Components, p: Components) -> Sequence[Shape]:
        """Trolley on its rail, rope, hook, sling, load."""
        trolley, hook, load = (q.s, 0, 0), (q.x_h, 0, q.z_h), (q.x, 0, q.z)
        return (
            Trolley(trolley),
            Line(trolley, hook, "T_rope"),
            Sphere(hook, radius=0.1, role="drive"),
            Line(hook, load, "T_sling"),
            Sphere(load),
        )

    def rest(self, y: Mapping[str, float], p: Mapping[str, float]) -> Mapping[str, float]:
        """Trolley above the hook, load below it."""
        return {"s": y["x_h"], "l": -y["z_h"], "x": y["x_h"], "z": y["z_h"] - p["l_s"]}
