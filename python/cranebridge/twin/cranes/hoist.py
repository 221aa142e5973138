"""The winch of a crane in minimal coordinates, whose rope has no multiplier.

Friction brakes the drum of radius r at the speed l' / r, and the rope force T follows from the
drum's balance,

    J l'' / r^2 = T + (M_w + M_brake) / r.
"""

from __future__ import annotations

from typing import Any, ClassVar

from cranebridge.twin.language import Components, Crane, Expressions, friction


class HoistCrane(Crane):
    """A crane whose winch pays out the rope `l`.

    Attributes
    ----------
    winch : tuple of str
        Names of the parameters J, r and Coulomb friction of the winch.
    """

    winch: ClassVar[tuple[str, str, str]] = ("J_w", "r_w", "M_cw")

    def brake(self, v: Components, p: Components) -> Any:
        """Torque of the winch's friction."""
        _, r, coulomb = (p[name] for name in self.winch)
        return friction(v.l / r, p.d_w, coulomb, p.omega_c)

    def rope_forces_in_motion(
        self, q: Components, v: Components, a: Components, u: Components, p: Components
    ) -> Expressions:
        """Balance of the winch."""
        inertia, r, _ = (p[name] for name in self.winch)
        return {"T_cable": inertia / r**2 * a.l - (u.M_w + self.brake(v, p)) / r}
