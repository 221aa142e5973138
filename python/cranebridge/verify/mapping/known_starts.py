"""What is known of the plants of ``modelica/Cranes`` in the coordinates of the built-in twins.

The plants have coordinates of their own (swing angles where the twin has the load's position); what
equal names do not give is stated here as in ``plant.map.start`` and, for controllers, as in
``plant.map.signals``, for twin and plant by their names. A scenario's own map comes first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from cranebridge.plant.description import PlantInfo
from cranebridge.twin import Crane
from cranebridge.twin.language import names
from cranebridge.twin.ropes import ElasticRopeCrane

_OVERHEAD = {"theta_start": "atan2(x - s, -z)"}


def _swing(phi: str) -> dict[str, str]:
    """Return the swing angles of the rotary crane, whose bridge has the angle `phi`."""
    aside = f"x*sin({phi}) - y*cos({phi})"
    return {
        "theta_1_start": f"atan2({aside}, -z)",
        "theta_2_start": f"atan2(x*cos({phi}) + y*sin({phi}) - s, sqrt(({aside})**2 + z**2))",
    }


_RADIUS = "sqrt(x_0**2 + y_0**2)"
_REDUNDANT = {
    "theta_1_start": f"atan2((x*y_0 - y*x_0)/{_RADIUS}, -z)",
    "theta_2_start": f"atan2((x*x_0 + y*y_0)/{_RADIUS} - {_RADIUS}, "
    f"sqrt(((x*y_0 - y*x_0)/{_RADIUS})**2 + z**2))",
}
_NAVY2D = {
    "v_beta_start": "der(atan2(z_0 + l*cos(alpha), x_0 + l*sin(alpha)))",
    "v_d_start": "v_L_2 - v_L_0",
}
_NAVY2D_PULLEY = {
    "v_kappa_start": "der(atan2(x_0, -z_0))",
    "v_d_start": "v_L_2 - v_L_0",
    "v_theta_start": "der(atan2(x - x_0, z_0 - z))",
}
# In the boom's vertical plane: the pulley normal to the boom, beside it, and along it from A.
_XI = "((x_0*x_3 + y_0*y_3)/((k + l)*tan(alpha)) - z_0*sin(alpha))"
_ETA = "((y_0*x_3 - x_0*y_3)/((k + l)*sin(alpha)))"
_ZETA = "((x_0*x_3 + y_0*y_3)/(k + l) + z_0*cos(alpha) - k)"
_NAVY3D = {
    "v_psi_start": f"der(atan2({_ETA}, {_XI}))",
    "v_beta_start": f"der(atan2({_ZETA}, sqrt({_XI}**2 + {_ETA}**2)))",
    "v_d_start": "v_L_3 - v_L_0",
}


def _turned(x: str, y: str) -> tuple[str, str]:
    """Return a horizontal vector in the frame of the boom: outwards and sidewards."""
    r = "((k + l)*sin(alpha))"
    return f"(({x})*x_3 + ({y})*y_3)/{r}", f"(({y})*x_3 - ({x})*y_3)/{r}"


def _hanging(prefix: str, outwards: str, sidewards: str, down: str) -> dict[str, str]:
    """Return the angular velocities of a rope in the frame of the boom."""
    return {
        f"v_{prefix}_1_start": f"der(atan2(-({sidewards}), {down}))",
        f"v_{prefix}_2_start": f"der(atan2({outwards}, sqrt(({sidewards})**2 + ({down})**2)))",
    }


_OUT, _ASIDE = _turned("x_0", "y_0")
_NAVY3D_PULLEY = {
    **_hanging(
        "kappa",
        f"{_OUT} - (k + l + s)*sin(alpha)",
        _ASIDE,
        "(k + l + s)*cos(alpha) - z_0",
    ),
    **_hanging("theta", *_turned("x - x_0", "y - y_0"), "z_0 - z"),
    "v_d_start": "v_L_3 - v_L_0",
}
# Angular velocity in the platform's frame from the rates of the Bryant angles.
_CABLEV = {
    "omega_1_start": "v_phi_1*cos(phi_2)*cos(phi_3) + v_phi_2*sin(phi_3)",
    "omega_2_start": "-v_phi_1*cos(phi_2)*sin(phi_3) + v_phi_2*cos(phi_3)",
    "omega_3_start": "v_phi_1*sin(phi_2) + v_phi_3",
}

KNOWN: Mapping[tuple[str, str], Mapping[str, str]] = {
    ("overhead", "OverheadCrane"): _OVERHEAD,
    ("overhead", "OverheadCraneReal"): _OVERHEAD,
    ("overhead", "OverheadCraneSpeed"): _OVERHEAD,
    ("overhead", "OverheadCraneFriction"): _OVERHEAD,
    ("rotary", "RotaryCrane"): _swing("phi"),
    ("rotary", "RotaryCraneFriction"): _swing("phi"),
    ("rotary", "RotaryCraneReal"): _swing("phi"),
    ("rotary", "RotaryCraneSpeed"): _swing("phi"),
    ("rotary-redundant", "RotaryCrane"): _REDUNDANT,
    ("rotary-rotationless", "RotaryCrane"): _swing("theta_b"),
    ("navy2d", "NavyCrane2D"): _NAVY2D,
    ("navy2d-pulley", "NavyCrane2DPulley"): _NAVY2D_PULLEY,
    ("navy3d", "NavyCrane3D"): _NAVY3D,
    ("navy3d-pulley", "NavyCrane3DPulley"): _NAVY3D_PULLEY,
    ("cablev", "Cablev"): _CABLEV,
}
"""By names of twin and plant."""


_OUT = "(r_0 + L*cos(beta))"
TOPS: Mapping[str, Sequence[str]] = {
    "overhead": ("s", "0"),
    "gantry": ("s", "0"),
    "rotary": ("s*cos(phi)", "s*sin(phi)", "0"),
    "bridge": ("s", "b", "0"),
    "luffing-jib": (f"{_OUT}*cos(phi)", f"{_OUT}*sin(phi)", "L*sin(beta)"),
}
"""Where the elastic rope of a plant of ``Cranes.Elastic`` begins, by the crane's name."""


def _elements(crane: ElasticRopeCrane) -> dict[str, str]:
    """Return the vectors of the elements of an elastic rope, and their rates."""
    points = [TOPS.get(crane.base.name, ()), *crane.lumps, names(crane.outputs)]
    found = {}
    for k, (upper, lower) in enumerate(pairwise(points), 1):
        for i, (above, below) in enumerate(zip(upper, lower, strict=False), 1):
            found[f"rope.w[{k},{i}]"] = f"{below} - ({above})"
            found[f"rope.v_w[{k},{i}]"] = f"der({below} - ({above}))"
    return found


def known_start(crane: Crane, info: PlantInfo) -> Mapping[str, str]:
    """Return what is known of the start of a plant, as far as it has these parameters or states."""
    own = {signal.name for signal in info.parameters}
    model = info.name.rpartition(".")[2]
    found = KNOWN.get((crane.name, model), {})
    if isinstance(crane, ElasticRopeCrane) and crane.base.name in TOPS:
        # polar coordinates of the load are those of the same load on a rigid rope
        found = {**KNOWN.get((crane.base.name, model), {}), **_elements(crane)}
        if not crane.lumps:
            found |= {"stretch": "stretch", "v_stretch": "v_stretch"}
        own |= set(info.states)
    return {name: text for name, text in found.items() if name in own}


# The same the other way round.
_CABLEV_RATE = "(omega_1*cos(phi_3) - omega_2*sin(phi_3))/cos(phi_2)"
# The pulley's velocity relative to the boom, from rope 2 on which it hangs.
_OUTWARDS = "v_L_2*sin(kappa_2) + L_2*cos(kappa_2)*v_kappa_2"
_SIDEWARDS = (
    "-v_L_2*sin(kappa_1)*cos(kappa_2) - L_2*cos(kappa_1)*cos(kappa_2)*v_kappa_1"
    " + L_2*sin(kappa_1)*sin(kappa_2)*v_kappa_2"
)
# The boom's foot point turns with the boom.
_BOOM = {"v.x_3": "-y_3*v_phi", "v.y_3": "x_3*v_phi"}
SIGNALS: Mapping[tuple[str, str], Mapping[str, str]] = {
    ("navy3d", "NavyCrane3D"): _BOOM,
    ("navy3d-pulley", "NavyCrane3DPulley"): {
        **_BOOM,
        "v.x_0": f"({_OUTWARDS})*cos(phi) - ({_SIDEWARDS})*sin(phi) - v_phi*y_0",
        "v.y_0": f"({_OUTWARDS})*sin(phi) + ({_SIDEWARDS})*cos(phi) + v_phi*x_0",
    },
    ("cablev", "Cablev"): {
        "v.phi_1": _CABLEV_RATE,
        "v.phi_2": "omega_1*sin(phi_3) + omega_2*cos(phi_3)",
        "v.phi_3": f"omega_3 - sin(phi_2)*{_CABLEV_RATE}",
    },
}
"""By names of twin and plant."""


def known_signals(crane: Crane, info: PlantInfo) -> Mapping[str, str]:
    """Return what is known of signals that a plant does not show by their names."""
    return SIGNALS.get((crane.name, info.name.rpartition(".")[2]), {})
