"""Which numbers mean something to a reader: what is rounding, and what is too small to tell.

Two rules, for terminal, summary and report alike:

- A value below `ROUNDING` of its signal's largest magnitude is rounding, and reads 0.
- In sentences, an error of a length or angle below a micrometre or microradian is "< 1 um", one
  below a millimetre is told in micrometres; tables and ``summary.json`` have its number.
"""

from __future__ import annotations

ROUNDING = 1e-9
"""Doubles have sixteen digits; conditions of the cranes' equations are below 1e7."""

SMALLEST = {"m": "um", "rad": "urad"}
"""Units of errors, and those in which 1 is the least that a sentence tells."""

_LEAST = 1e-6


def settled(value: float, largest: float) -> float:
    """Return a value, or zero where it is rounding of a signal of this largest magnitude."""
    return 0.0 if abs(value) <= ROUNDING * abs(largest) else value + 0.0  # no minus zero


def tiny(value: float, unit: str) -> bool:
    """Whether an error is too small for a sentence."""
    return unit in SMALLEST and 0.0 < abs(value) < _LEAST


def in_unit(value: float, unit: str, digits: int = 3) -> str:
    """Return an error with its unit, as sentences have it."""
    if tiny(value, unit):
        return f"< 1 {SMALLEST[unit]}"
    if unit in SMALLEST and 0.0 < abs(value) < 1e3 * _LEAST:
        return f"{value / _LEAST:.{digits}g} {SMALLEST[unit]}"
    return f"{value + 0.0:.{digits}g}" + ("" if unit in ("", "1") else f" {unit}")


def duration_text(seconds: float) -> str:
    """Return a time that something takes, in whole seconds: "1 min 5 s"."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
