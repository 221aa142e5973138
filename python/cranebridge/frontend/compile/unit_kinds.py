"""Equations whose two sides have units of different kinds, such as ``length = duration``.

Only what is certain is refused: variables with a unit each, equal to each other or added. Products,
functions, numbers and variables without a unit say nothing here, nor do units that are not known,
nor scales (``mm`` and ``m``). Angles and ratios count as numbers (SI brochure, 2.3.3).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

Dimension = tuple[Fraction, ...]
"""Exponents of m, kg, s, A, K, mol, cd."""

_BASE = {"m": 0, "g": 1, "s": 2, "A": 3, "K": 4, "mol": 5, "cd": 6}
_DERIVED = {
    "N": "m.kg/s2",
    "J": "m2.kg/s2",
    "W": "m2.kg/s3",
    "Pa": "kg/(m.s2)",
    "bar": "kg/(m.s2)",
    "Hz": "1/s",
    "C": "A.s",
    "V": "m2.kg/(s3.A)",
    "Ohm": "m2.kg/(s3.A2)",
    "S": "s3.A2/(m2.kg)",
    "F": "s4.A2/(m2.kg)",
    "H": "m2.kg/(s2.A2)",
    "Wb": "m2.kg/(s2.A)",
    "T": "kg/(s2.A)",
    "min": "s",
    "h": "s",
    "d": "s",
    "l": "m3",
    "t": "kg",
    "degC": "K",
    "rad": "1",
    "sr": "1",
    "deg": "1",
    "rev": "1",
    "1": "1",
}
_PREFIX = "(?:da|[YZEPTGMkhdcmunpfazy])"
_FACTOR = re.compile(r"([A-Za-z]+|1)([+-]?\d+)?\Z")


def unit_clash(flat: Mapping[str, Any]) -> tuple[Mapping[str, Any], str] | None:
    """Place and words of the first equation that adds or equates different kinds of units."""
    units = {name: v["unit"] for name, v in flat["variables"].items() if v["unit"]}
    for span, node in _equations(flat):
        terms = list(_terms(node))
        known = [(name, units[name]) for name in terms if name in units]
        if len(known) < 2 or len(known) != len(terms):
            continue
        dimensions = [dimension(unit) for _, unit in known]
        if None in dimensions:
            continue
        for (name, unit), one in zip(known[1:], dimensions[1:], strict=True):
            if one != dimensions[0]:
                first, its_unit = known[0]
                return span, (
                    f"units that do not fit: '{first}' is in '{its_unit}', but '{name}' in '{unit}'"
                )
    return None


def dimension(unit: str) -> Dimension | None:
    """Exponents of a Modelica unit (Modelica 3.6, chapter 19); ``None`` if it is not known."""
    above, _, below = unit.replace(" ", "").partition("/")
    below = below.strip("()")
    if "/" in below:
        return None
    result = [Fraction(0)] * 7
    for text, sign in ((above.strip("()"), 1), (below, -1)):
        for factor in filter(None, text.split(".")):
            match = _FACTOR.match(factor)
            one = _symbol(match.group(1)) if match else None
            if match is None or one is None:
                return None
            power = sign * int(match.group(2) or 1)
            result = [total + power * part for total, part in zip(result, one, strict=True)]
    return tuple(result)


def _symbol(name: str) -> Dimension | None:
    if name in _DERIVED:
        return (Fraction(0),) * 7 if _DERIVED[name] == "1" else dimension(_DERIVED[name])
    if name in _BASE:
        return tuple(Fraction(int(i == _BASE[name])) for i in range(7))
    match = re.fullmatch(f"{_PREFIX}([A-Za-z]+)", name)
    return _symbol(match.group(1)) if match and match.group(1) not in ("deg", "rad") else None


def _equations(flat: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Any]]:
    for equation in flat["equations"]:
        if len(equation["residual"]) == 1:
            yield equation["span"], equation["residual"]


def _terms(node: Mapping[str, Any]) -> Iterator[str]:
    """Variables of a sum; an empty name for what is neither one nor zero."""
    ((kind, body),) = node.items()
    if kind == "Binary" and body["op"] in ("Add", "Sub"):
        yield from _terms(body["lhs"])
        yield from _terms(body["rhs"])
    elif kind == "Unary" and body["op"] in ("Minus", "Plus"):
        yield from _terms(body["rhs"])
    elif kind == "VarRef":
        yield body["name"]["name"]
    elif kind != "Literal" or next(iter(body["value"].values())) != 0:
        yield ""
