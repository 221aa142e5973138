"""Plants in units of their own: the same machine, whose variables are in mm, kN, deg, t."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import casadi as ca
from overhead_plants import overhead_plant

from c_programs import export_quickly
from cranebridge.frontend.flat_model import PlantModel, Variable
from cranebridge.frontend.modelica_model import load_model

# What one of each is in SI units, from the definitions of these units.
SIZES = {
    "mm": 1e-3,
    "cm": 1e-2,
    "mm/s": 1e-3,
    "kN": 1e3,
    "N.cm": 1e-2,
    "deg": math.pi / 180.0,
    "deg/s": math.pi / 180.0,
    "t": 1e3,
    "kg.mm2": 1e-6,
    "kN.s/m": 1e3,
    "kJ": 1e3,
    **dict.fromkeys(("m/s", "m/s2"), 1.0),
}
# Positions and their velocities differ on purpose: mm and m/s.
UNITS = {
    "F_t": "kN",
    "M_w": "N.cm",
    "x": "mm",
    "z": "cm",
    "v_x": "m/s",
    "v_z": "mm/s",
    "s": "mm",
    "l": "cm",
    "theta": "deg",
    "v_s": "m/s",
    "v_l": "mm/s",
    "v_theta": "deg/s",
    "T_cable": "kN",
    "m_t": "t",
    "m": "t",
    "J": "kg.mm2",
    "r": "mm",
    "g": "m/s2",
    "s_start": "mm",
    "l_start": "cm",
    "theta_start": "deg",
    "v_s_start": "mm/s",
    "v_l_start": "m/s",
    "v_theta_start": "deg/s",
}


def in_units(model: PlantModel, units: Mapping[str, str], declared: bool = True) -> PlantModel:
    """Return a model whose variables have other units; it says so only if they are declared."""

    def size(one: Variable) -> float:
        return SIZES[units[one.name]] if one.name in units else 1.0

    def sizes(group: tuple[Variable, ...]) -> ca.DM:
        return ca.DM([size(one) for one in group])

    def named(group: tuple[Variable, ...]) -> tuple[Variable, ...]:
        return tuple(
            replace(
                one,
                unit=units.get(one.name, one.unit) if declared else "",
                start=one.start / size(one),
            )
            for one in group
        )

    x_size, u_size, p_size, y_size = (
        sizes(group) for group in (model.states, model.inputs, model.parameters, model.outputs)
    )
    t, x, u, p = (
        ca.SX.sym(name, size)
        for name, size in zip(
            "txup", (1, *(s.numel() for s in (x_size, u_size, p_size))), strict=True
        )
    )
    given = (t, x * x_size, u * u_size, p * p_size)
    return replace(
        model,
        states=named(model.states),
        inputs=named(model.inputs),
        outputs=named(model.outputs),
        parameters=named(model.parameters),
        rhs=ca.Function("rhs", [t, x, u, p], [model.rhs(*given) / x_size]),
        outputs_function=ca.Function(
            "outputs", [t, x, u, p], [model.outputs_function(*given) / y_size]
        ),
        initial=ca.Function("initial", [p], [model.initial(p * p_size) / x_size]),
    )


@cache
def unit_fmu(
    folder: Path,
    name: str = "units",
    fmi: str = "2.0",
    declared: bool = True,
    **options: object,
) -> Path:
    """Export the overhead crane in its units, once."""
    model = in_units(overhead_plant(**options), UNITS, declared)  # type: ignore[arg-type]
    return export_quickly(model, folder / f"{name}.fmu", fmi=fmi)  # type: ignore[arg-type]


# The drives' references in mm/s, their forces in kN, their integrals in cm.
SPEED_UNITS = UNITS | {
    "w_s": "mm/s",
    "w_l": "m/s",
    "e_s": "cm",
    "e_l": "mm",
    "kp_s": "kN.s/m",
    "energy": "kJ",
}


@cache
def speed_fmu(folder: Path) -> Path:
    """Export the overhead crane with speed drives in such units, once."""
    model = in_units(load_model("OverheadCraneSpeed"), SPEED_UNITS)
    return export_quickly(model, folder / "speed.fmu")
