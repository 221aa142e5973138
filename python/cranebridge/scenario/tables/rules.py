"""Rules for values of a scenario: numbers in a range, words of a registry.

A rule raises an error whose text completes "KEY must be ..."; :mod:`cranebridge.scenario.reading`
adds the key and what was given.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, PlainValidator
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

RULE = "rule"
"""Kind of error that a rule raises for a value that it refuses."""
CHOICE = "choice"
"""Kind of error that a rule raises for a word that is none of its words."""


def number(phrase: str, allowed: Callable[[float], bool] = lambda value: True) -> PlainValidator:
    """Return the rule for a finite number; whole ones are taken, as TOML tells 1 from 1.0."""

    def check(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise PydanticCustomError(RULE, "{phrase}", {"phrase": phrase})
        try:
            real = float(value)
        except OverflowError:
            real = math.inf
        if not math.isfinite(real) or not allowed(real):
            raise PydanticCustomError(RULE, "{phrase}", {"phrase": phrase})
        return real

    return PlainValidator(check)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise PydanticCustomError(RULE, "{phrase}", {"phrase": "a whole number, not negative"})
    return value


WHOLE = PlainValidator(_whole)
SECONDS = number("a positive number of seconds", lambda value: value > 0.0)
Finite = Annotated[float, number("a finite number")]
Positive = Annotated[float, number("a positive number", lambda value: value > 0.0)]
Seconds = Annotated[float, SECONDS]
NotNegative = Annotated[float, number("a number, not negative", lambda value: value >= 0.0)]
Delay = Annotated[float, number("a number of seconds, not negative", lambda value: value >= 0.0)]


class Table(BaseModel):
    """A table that rejects unknown keys and never changes."""

    # deferred: only what is validated as a whole is built, not each table for itself
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


@contextmanager
def without_plugins() -> Iterator[None]:
    """Build tables without pydantic's plugins.

    Those watch a user's own models, not ours; pydantic looks for them in the metadata of every
    package that is installed, which takes longer than building all tables of a scenario.
    """
    switch = "PYDANTIC_DISABLE_PLUGINS"
    before = os.environ.get(switch)
    os.environ[switch] = "__all__"
    try:
        yield
    finally:
        if before is None:
            del os.environ[switch]
        else:
            os.environ[switch] = before


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

    def check(self, value: Any) -> Any:
        """Return what a value means, or raise the error that lists the words."""
        meant = self.read(value)
        word = str(meant).lower() if isinstance(meant, bool) else meant
        if not isinstance(word, str) or word not in self.words:
            raise PydanticCustomError(CHOICE, "one of its words", {"known": list(self.words)})
        return meant

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.check)
