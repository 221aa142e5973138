"""Numbers as a reader wants them: three digits, an SI prefix, and the unit."""

from __future__ import annotations

import math

from cranebridge.readable import SMALLEST, tiny

_PREFIXES = {-15: "f", -12: "p", -9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G"}
_PREFIXED = ("m", "N", "N·m", "W", "rad", "m/s", "rad/s", "J")
# Forces, torques and powers of a machine that are smaller are rounding: 1e3 N to 16 digits.
_NOTHING = 1e-9
_ROUNDED = ("N", "N·m", "W")


def pretty_unit(unit: str) -> str:
    """Return a unit with a product dot; a number without unit is ``"1"``."""
    return unit.replace("*", "·").replace("^2", "²").replace("^3", "³")


def readable(value: float, unit: str) -> float:
    """Return a value, or zero where it is only the rounding of a force, torque or power."""
    nothing = pretty_unit(unit) in _ROUNDED and abs(value) < _NOTHING
    return 0.0 if nothing else value + 0.0  # no minus zero


def prefix(largest: float, unit: str) -> tuple[float, str]:
    """Return factor and unit that bring a largest absolute value into a readable range.

    Values that read well without a prefix keep none, so that 980 N and 4396 N·m stay what
    they are.
    """
    name = pretty_unit(unit)
    if name not in _PREFIXED or not math.isfinite(largest) or readable(largest, unit) == 0.0:
        return 1.0, name
    if 0.1 <= largest < 1e4:
        return 1.0, name
    exponent = 3 * math.floor(math.log10(largest) / 3)
    exponent = min(max(exponent, min(_PREFIXES)), max(_PREFIXES))
    return 10.0**-exponent, _PREFIXES[exponent] + name


def quantity(value: float | None, unit: str, digits: int = 3) -> str:
    """Return a value with its unit, such as ``"4.13 nm"``, with a no-break space."""
    if value is None or not math.isfinite(value):
        return "not known"
    # rounded first, so that 999.99 µm reads 1 mm
    value = readable(float(f"{value:.{digits}g}"), unit)
    factor, name = prefix(abs(value), unit)
    text = f"{value * factor:.{digits}g}"
    if "e" in text and 1e-4 < abs(value * factor) < 1e6:
        text = f"{value * factor:.0f}"  # 4396 must not read 4.4e+03
    text = text.replace("-", "−")
    return text if name == "1" else f"{text}\u00a0{name}"


def stated(value: float | None, unit: str, digits: int = 3) -> str:
    """Return an error as sentences have it: below a micrometre it is only called so."""
    if value is not None and tiny(value, unit):
        return f"<\u00a01\u00a0{SMALLEST[unit].replace('u', 'µ', 1)}"
    return quantity(value, unit, digits)


def rate_unit(unit: str) -> str:
    """Return the unit of a rate, or of the speed that belongs to a force or torque."""
    return {"N": "m/s", "N*m": "rad/s"}.get(unit, "1/s" if unit == "1" else f"{unit}/s")
