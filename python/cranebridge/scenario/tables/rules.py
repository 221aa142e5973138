"""Rules for values of a scenario: numbers in a range, words of a registry.

A rule returns the value that is meant, or raises `RefusedError`, whose text completes "KEY must be
..."; :mod:`cranebridge.scenario.messages` adds the key and what was given.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from cranebridge.scenario.tables.typed_table import RefusedError, Rule


def number(phrase: str, allowed: Callable[[float], bool] = lambda value: True) -> Rule:
    """Return the rule for a finite number; whole ones are taken, as TOML tells 1 from 1.0."""

    def check(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise RefusedError(phrase)
        try:
            real = float(value)
        except OverflowError:
            real = math.inf
        if not math.isfinite(real) or not allowed(real):
            raise RefusedError(phrase)
        return real

    return check


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise RefusedError("a whole number, not negative")
    return value


WHOLE = _whole
SECONDS = number("a positive number of seconds", lambda value: value > 0.0)
Finite = Annotated[float, number("a finite number")]
Positive = Annotated[float, number("a positive number", lambda value: value > 0.0)]
Seconds = Annotated[float, SECONDS]
NotNegative = Annotated[float, number("a number, not negative", lambda value: value >= 0.0)]
Delay = Annotated[float, number("a number of seconds, not negative", lambda value: value >= 0.0)]


@dataclass(frozen=True)
class Choice:
    """The words that a key takes, each with the sentence that says what it means.

    Attributes
    ----------
    registry : mapping, or callable
        The words; a callable returns them when they are needed.
    read : callable, optional
        Returns the word that a value means, where a word can be written in several ways.
    """

    registry: Mapping[str, str] | Callable[[], Mapping[str, str]]
    read: Callable[[Any], Any] = lambda value: value

    @property
    def words(self) -> Mapping[str, str]:
        """The words and their sentences."""
        return self.registry() if callable(self.registry) else self.registry

    def __call__(self, value: Any) -> Any:
        """Return what a value means, or raise the error that lists the words."""
        meant = self.read(value)
        word = str(meant).lower() if isinstance(meant, bool) else meant
        if not isinstance(word, str) or word not in self.words:
            raise RefusedError("one of its words", tuple(self.words))
        return meant
