"""Modelica unit strings (``"kg.m2"``, ``"N.m/rad"``) as exponents of the SI base units.

Grammar: section "Unit Expressions" of the Modelica specification. What is not known here is
written to the FMU as a unit without base units, which FMI allows.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

BASE_UNITS = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
"""Attributes of FMI's BaseUnit, in its order."""


@dataclass(frozen=True)
class Unit:
    """A unit: ``value in SI = factor * value + offset``, with exponents of the base units."""

    factor: float = 1.0
    offset: float = 0.0
    exponents: dict[str, int] = field(default_factory=dict)

    def times(self, other: Unit, power: int = 1) -> Unit:
        """Multiply by another unit raised to a power; offsets have no meaning in a product."""
        exponents = dict(self.exponents)
        for base, exponent in other.exponents.items():
            exponents[base] = exponents.get(base, 0) + power * exponent
        exponents = {base: exponents[base] for base in BASE_UNITS if exponents.get(base)}
        return Unit(self.factor * other.factor**power, 0.0, exponents)


def _unit(factor: float = 1.0, offset: float = 0.0, **exponents: int) -> Unit:
    return Unit(factor, offset, exponents)


_UNITS = {
    "m": _unit(m=1),
    "g": _unit(1e-3, kg=1),
    "s": _unit(s=1),
    "A": _unit(A=1),
    "K": _unit(K=1),
    "mol": _unit(mol=1),
    "cd": _unit(cd=1),
    "rad": _unit(rad=1),
    "sr": _unit(rad=2),
    "Hz": _unit(s=-1),
    "N": _unit(kg=1, m=1, s=-2),
    "Pa": _unit(kg=1, m=-1, s=-2),
    "J": _unit(kg=1, m=2, s=-2),
    "W": _unit(kg=1, m=2, s=-3),
    "C": _unit(A=1, s=1),
    "V": _unit(kg=1, m=2, s=-3, A=-1),
    "F": _unit(kg=-1, m=-2, s=4, A=2),
    "Ohm": _unit(kg=1, m=2, s=-3, A=-2),
    "S": _unit(kg=-1, m=-2, s=3, A=2),
    "Wb": _unit(kg=1, m=2, s=-2, A=-1),
    "T": _unit(kg=1, s=-2, A=-1),
    "H": _unit(kg=1, m=2, s=-2, A=-2),
    "l": _unit(1e-3, m=3),
    "L": _unit(1e-3, m=3),
    "t": _unit(1e3, kg=1),
    "bar": _unit(1e5, kg=1, m=-1, s=-2),
    "eV": _unit(1.602176634e-19, kg=1, m=2, s=-2),
}

_WITHOUT_PREFIX = {
    "1": _unit(),
    "%": _unit(0.01),
    "min": _unit(60.0, s=1),
    "h": _unit(3600.0, s=1),
    "d": _unit(86400.0, s=1),
    "deg": _unit(math.pi / 180.0, rad=1),
    "rev": _unit(2.0 * math.pi, rad=1),
    "rpm": _unit(2.0 * math.pi / 60.0, rad=1, s=-1),
    "degC": _unit(1.0, 273.15, K=1),
    "degF": _unit(5.0 / 9.0, 459.67 * 5.0 / 9.0, K=1),
}

_PREFIXES = {
    "Y": 1e24,
    "Z": 1e21,
    "E": 1e18,
    "P": 1e15,
    "T": 1e12,
    "G": 1e9,
    "M": 1e6,
    "k": 1e3,
    "h": 1e2,
    "da": 1e1,
    "d": 1e-1,
    "c": 1e-2,
    "m": 1e-3,
    "u": 1e-6,
    "n": 1e-9,
    "p": 1e-12,
    "f": 1e-15,
    "a": 1e-18,
}

_TOKEN = re.compile(r"(?P<symbol>[A-Za-z%]+|1(?![0-9]))(?P<power>[+-]?[0-9]+)?|(?P<sign>[./()])")


def parse_unit(text: str) -> Unit | None:
    """Read a Modelica unit string.

    Parameters
    ----------
    text : str
        Such as ``"m/s2"``.

    Returns
    -------
    Unit or None
        None if a symbol is not known or the string is not a unit expression.
    """
    tokens = _tokens(text.replace(" ", ""))
    if not tokens:
        return None
    if len(tokens) == 1 and tokens[0] in _WITHOUT_PREFIX:
        return _WITHOUT_PREFIX[tokens[0]]  # an offset is kept only where it has a meaning
    try:
        unit, rest = _expression(tokens)
    except (KeyError, IndexError, ValueError):
        return None
    return unit if not rest else None


_USUAL = {
    "Nm": "N.m",
    "kNm": "kN.m",
    "°": "deg",
    "degree": "deg",
    "degrees": "deg",
    "°/s": "deg/s",
    "sec": "s",
    "tonne": "t",
    **dict.fromkeys(("U/min", "r/min", "revs/min", "RPM"), "rev/min"),
}
"""How other tools write units."""


def usual_unit(text: str) -> Unit | None:
    """Read a unit as tools usually write it: ``"kg*m^2"``, ``"N·m"``, ``"°"``, or as in Modelica.

    Returns
    -------
    Unit or None
        None if it is not known.
    """
    plain = text.replace(" ", "").replace("**", "^").replace("·", ".").replace("*", ".")
    return parse_unit(_USUAL.get(plain, plain).replace("^", ""))


def _tokens(text: str) -> list[str]:
    found, position = [], 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if not match:
            return []
        found.append(match.group())
        position = match.end()
    return found


def _expression(tokens: list[str]) -> tuple[Unit, list[str]]:
    unit, tokens = _factors(tokens)
    if tokens and tokens[0] == "/":
        denominator, tokens = _factor(tokens[1:])
        unit = unit.times(denominator, -1)
    return unit, tokens


def _factors(tokens: list[str]) -> tuple[Unit, list[str]]:
    unit, tokens = _factor(tokens)
    while tokens and tokens[0] == ".":
        factor, tokens = _factor(tokens[1:])
        unit = unit.times(factor)
    return unit, tokens


def _factor(tokens: list[str]) -> tuple[Unit, list[str]]:
    if tokens[0] == "(":
        unit, tokens = _expression(tokens[1:])
        if tokens[0] != ")":
            raise ValueError
        return unit, tokens[1:]
    match = _TOKEN.fullmatch(tokens[0])
    if match is None or match["symbol"] is None:
        raise ValueError
    return Unit().times(_symbol(match["symbol"]), int(match["power"] or 1)), tokens[1:]


def _symbol(symbol: str) -> Unit:
    if symbol in _WITHOUT_PREFIX:
        return _WITHOUT_PREFIX[symbol]
    if symbol in _UNITS:
        return _UNITS[symbol]
    for prefix, factor in _PREFIXES.items():
        if symbol.startswith(prefix) and symbol[len(prefix) :] in _UNITS:
            return Unit(factor).times(_UNITS[symbol[len(prefix) :]])
    raise KeyError(symbol)
