"""Units of a crane: products, quotients and powers of SI units, such as ``kg*m^2`` or ``N/m``."""

from __future__ import annotations

import re

SI_UNITS = (
    *("m", "kg", "s", "A", "K", "mol", "cd"),
    *("rad", "sr", "Hz", "N", "Pa", "J", "W", "C", "V", "F", "Ohm", "S", "Wb", "T", "H"),
)
"""Base and derived units by name; no prefixes but that of kg, so that all factors are one."""

_FACTOR = rf"(?:{'|'.join(sorted(SI_UNITS, key=len, reverse=True))})(?:\^-?[1-9])?"
_PRODUCT = rf"{_FACTOR}(?:\*{_FACTOR})*"
_GROUP = rf"(?:{_FACTOR}|\({_PRODUCT}\))"
_UNIT = re.compile(rf"1|(?:1|{_PRODUCT})(?:/{_GROUP})*(?:[*/]{_GROUP})*")

_INSTEAD = {
    **dict.fromkeys(("t", "g", "mg", "ton", "lb"), "kg"),
    **dict.fromkeys(("mm", "cm", "km", "in", "ft"), "m"),
    **dict.fromkeys(("deg", "°", "grad", "degree", "degrees"), "rad"),
    **dict.fromkeys(("kN", "MN", "kp", "kgf", "lbf"), "N"),
    **dict.fromkeys(("kNm", "Nm", "N.m", "N m"), "N*m"),
    **dict.fromkeys(("ms", "min", "h", "hour", "sec"), "s"),
    **dict.fromkeys(("rpm", "rev/min", "1/min"), "rad/s"),
    **dict.fromkeys(("kW", "PS", "hp"), "W"),
    **dict.fromkeys(("kg m^2", "kgm^2", "kgm2", "kg.m2", "kg*m2"), "kg*m^2"),
    **dict.fromkeys(("m/s2", "m/s/s", "m/s**2", "m.s-2"), "m/s^2"),
    **dict.fromkeys(("", "-", "%", "none"), "1"),
}
"""What is meant by units that are often written."""


_PREFIXES = ("da", *"YZEPTGMkhdcmunpfazy")

_FURTHER = ("bar", "l", "L", "d", "rev", "degC", "degF", "eV", "kn")
"""Units of Modelica models that are neither SI units nor in `_INSTEAD`."""


def scaled_parts(unit: str) -> list[str]:
    """Return the parts of a Modelica unit, such as ``kg.mm2``, whose factor to SI is not one.

    Names that are not known are no such parts: there is nothing to say of them.
    """
    found = re.findall(r"[A-Za-z°%]+", unit)
    return [name for name in found if name not in SI_UNITS and _is_scaled(name)]


def _is_scaled(name: str) -> bool:
    prefixed = (
        name[len(prefix) :] in (*SI_UNITS, "g") for prefix in _PREFIXES if name.startswith(prefix)
    )
    return name in _INSTEAD or name in _FURTHER or any(prefixed)


_BASE = ("kg", "m", "s", "A", "K", "mol", "cd")
_DERIVED = {
    **{"Hz": "1/s", "N": "kg*m/s^2", "Pa": "kg/(m*s^2)", "J": "kg*m^2/s^2", "W": "kg*m^2/s^3"},
    **{"C": "A*s", "V": "kg*m^2/(s^3*A)", "F": "A^2*s^4/(kg*m^2)", "Ohm": "kg*m^2/(s^3*A^2)"},
    **{"S": "s^3*A^2/(kg*m^2)", "Wb": "kg*m^2/(s^2*A)", "T": "kg/(s^2*A)", "H": "kg*m^2/(s^2*A^2)"},
}


def dimension(unit: str) -> tuple[int, ...]:
    """Return the exponents of the base units in an SI unit; angles have none.

    Examples
    --------
    >>> dimension("N*m/rad") == dimension("J")
    True
    """
    powers = dict.fromkeys(_BASE, 0)
    sign, inside = 1, 0  # a bracket behind "/" divides by all of it
    for token in re.findall(r"[A-Za-z]+(?:\^-?\d)?|1|[*/()]", unit):
        if token == "(":
            inside = sign
        elif token == ")":
            inside = 0
        elif token in "*/":
            sign = inside or (1 if token == "*" else -1)
        elif token != "1":
            name, _, exponent = token.partition("^")
            times = sign * int(exponent or 1)
            own = dimension(_DERIVED[name]) if name in _DERIVED else _exponents(name)
            for base, power in zip(_BASE, own, strict=True):
                powers[base] += times * power
    return tuple(powers.values())


def _exponents(name: str) -> tuple[int, ...]:
    return tuple(int(base == name) for base in _BASE)


def is_si(unit: str) -> bool:
    """Whether a text is an SI unit as it is written here."""
    return _UNIT.fullmatch(unit) is not None


def advice(unit: str) -> str:
    """Return what to write in place of a unit that is not SI."""
    if unit in _INSTEAD:
        return f"use {_INSTEAD[unit]}"
    return "use products, quotients and powers of SI units, such as kg*m^2, N*m, m/s^2, or 1"
