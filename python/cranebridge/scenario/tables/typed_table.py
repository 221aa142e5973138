"""What a table of a scenario is: keys with their types, rules, defaults and meanings.

A table is a class with annotations, as a dataclass is::

    class SolveTable(Table):
        step: Annotated[float, SECONDS] = field(default=0.01, description="s, ...")

Values are read as they are: nothing is converted from one type to another, unless a rule does. All
that is wrong is found at once, so that :mod:`cranebridge.scenario.messages` can say what matters
most. `model_validate`, `model_dump` and `model_copy` do what they do in Pydantic, whose import
would take as long as those of NumPy and CasADi together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    NoReturn,
    Self,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

REQUIRED: Any = object()
"""The default of a key that must be given."""

Location = tuple[str | int, ...]
"""Where a value is: keys, and numbers in lists, from the outermost table on."""

Rule = Callable[[Any], Any]
"""Returns the value that a given one means, or raises `RefusedError`."""


class RefusedError(Exception):
    """What a rule raises for a value that it refuses.

    Attributes
    ----------
    phrase : str
        Completes "KEY must be ...".
    known : tuple of str
        The words that it takes, if it takes words only.
    """

    def __init__(self, phrase: str, known: tuple[str, ...] = ()) -> None:
        super().__init__(phrase)
        self.phrase, self.known = phrase, known


class Mistake(NamedTuple):
    """Something that is wrong with the tables.

    `known` are the keys of the table for an unknown key, and the words for a value that is none of
    them; `phrase` is that of a rule.
    """

    kind: Literal["unknown key", "missing key", "unknown word", "refused"]
    location: Location
    value: Any = None
    known: tuple[str, ...] = ()
    phrase: str = ""


class TableError(Exception):
    """What is wrong with the tables, in the order of their keys."""

    def __init__(self, mistakes: list[Mistake]) -> None:
        super().__init__("; ".join(map(str, mistakes)))
        self.mistakes = mistakes


Reader = Callable[[Any, Location, list[Mistake]], Any]
"""Returns a value as it was read, and adds what is wrong with it to the mistakes."""


def _as_given(value: Any, location: Location, mistakes: list[Mistake]) -> Any:
    return value


@dataclass(frozen=True)
class TableField:
    """A key of a table; its default is REQUIRED if it has none."""

    default: Any = REQUIRED
    description: str = ""
    annotation: Any = Any
    rule: Rule | None = None
    read: Reader = _as_given


def field(*, default: Any = REQUIRED, description: str = "") -> Any:
    """Describe a key of a table, behind its annotation."""
    return TableField(default, description)


class Table:
    """A table that rejects unknown keys and never changes.

    A subclass may have further keys of any value, by name with a description:
    ``class LimitsTable(Table, further=GROUPS)``.

    Attributes
    ----------
    model_fields : dict of str to TableField
        Its keys; of the class.
    model_fields_set : frozenset of str
        Keys that were given.
    """

    model_fields: ClassVar[dict[str, TableField]] = {}
    model_fields_set: frozenset[str]

    def __init_subclass__(cls, further: Mapping[str, str] | None = None) -> None:
        types = get_type_hints(cls, include_extras=True)
        cls.model_fields = dict(cls.model_fields)
        for name in cls.__annotations__:
            default = cls.__dict__.get(name, REQUIRED)
            given = default if isinstance(default, TableField) else TableField(default)
            kind, rule = _ruled(types[name])
            cls.model_fields[name] = TableField(
                given.default, given.description, kind, rule, _reader(types[name])
            )
            if default is not REQUIRED:
                delattr(cls, name)
        for name, description in (further or {}).items():
            cls.model_fields[name] = TableField({}, description)

    def __init__(self, /, **values: Any) -> None:
        self.__dict__.update(type(self).model_validate(values).__dict__)

    @classmethod
    def model_validate(cls, content: Any) -> Self:
        """Return the table of a content, or raise `TableError`."""
        mistakes: list[Mistake] = []
        table = cls._read(content, (), mistakes)
        if mistakes:
            raise TableError(mistakes)
        return table

    @classmethod
    def _read(cls, content: Any, location: Location, mistakes: list[Mistake]) -> Self:
        if isinstance(content, cls):
            return content
        table = cls.__new__(cls)
        if not isinstance(content, dict):
            mistakes.append(Mistake("refused", location, content, phrase="a table"))
            return table
        values = table.__dict__
        for name, entry in cls.model_fields.items():
            if name in content:
                values[name] = entry.read(content[name], (*location, name), mistakes)
            elif entry.default is REQUIRED:
                mistakes.append(Mistake("missing key", (*location, name)))
            else:
                values[name] = _fresh(entry.default)
        for name in content:
            if name not in cls.model_fields:
                known = tuple(cls.model_fields)
                mistakes.append(Mistake("unknown key", (*location, name), content[name], known))
        values["model_fields_set"] = frozenset(content)
        return table

    def model_dump(
        self, *, exclude_unset: bool = False, exclude_none: bool = False
    ) -> dict[str, Any]:
        """Return the table, and those in it, as dictionaries that can be changed.

        Parameters
        ----------
        exclude_unset : bool
            Whether keys that were not given are left out.
        exclude_none : bool
            Whether keys whose value is None are left out.
        """

        def plain(value: Any) -> Any:
            if isinstance(value, Table):
                return value.model_dump(exclude_unset=exclude_unset, exclude_none=exclude_none)
            if isinstance(value, dict):
                return {key: plain(entry) for key, entry in value.items()}
            return [plain(entry) for entry in value] if isinstance(value, list) else value

        return {
            name: plain(value)
            for name, value in self._values.items()
            if not (exclude_unset and name not in self.model_fields_set)
            and not (exclude_none and value is None)
        }

    def model_copy(self, *, update: Mapping[str, Any]) -> Self:
        """Return the table with other values, which are not checked again."""
        table = type(self).__new__(type(self))
        given = self.model_fields_set.union(update)
        table.__dict__.update(self.__dict__, **update, model_fields_set=given)
        return table

    @property
    def _values(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.model_fields}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table) or type(self) is not type(other):
            return NotImplemented
        return self._values == other._values

    __hash__ = None  # type: ignore[assignment] # values are lists and dictionaries

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self._values.items())
        return f"{type(self).__name__}({values})"

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} never changes: no {name} can be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} never changes: {name} cannot be deleted")


def _fresh(default: Any) -> Any:
    """Return a default for one table alone: what is in its lists and dictionaries can change."""
    if isinstance(default, Table):
        table = type(default).__new__(type(default))
        table.__dict__.update({key: _fresh(entry) for key, entry in default.__dict__.items()})
        return table
    if isinstance(default, dict):
        return {key: _fresh(entry) for key, entry in default.items()}
    return [_fresh(entry) for entry in default] if isinstance(default, list) else default


def _ruled(kind: Any) -> tuple[Any, Rule | None]:
    """Return a type and its rule, of ``Annotated[type, rule]``."""
    if get_origin(kind) is not Annotated:
        return kind, None
    inner, rule = get_args(kind)
    return inner, rule


def _reader(kind: Any) -> Reader:
    """Return what reads values of a type: any, text, a bool, tables, lists and dictionaries."""
    kind, rule = _ruled(kind)
    inner = get_args(kind)
    if rule is not None:
        return _rule_reader(rule)
    if kind is Any:
        return _as_given
    if kind is str:
        return _plain_reader(str, "text in quotes")
    if kind is bool:
        return _plain_reader(bool, "true or false")
    if isinstance(kind, type) and issubclass(kind, Table):
        return kind._read
    if get_origin(kind) is list:
        return _list_reader(_reader(inner[0]))
    if get_origin(kind) is dict and inner[0] is str:
        return _dict_reader(_reader(inner[1]))
    if get_origin(kind) in (Union, UnionType) and len(inner) == 2 and inner[1] is NoneType:
        return _optional_reader(_reader(inner[0]))
    raise TypeError(f"a table cannot have values of type {kind} without a rule")


def _rule_reader(rule: Rule) -> Reader:
    def read(value: Any, location: Location, mistakes: list[Mistake]) -> Any:
        try:
            return rule(value)
        except RefusedError as error:
            kind: Literal["unknown word", "refused"]
            kind = "unknown word" if error.known else "refused"
            mistakes.append(Mistake(kind, location, value, error.known, error.phrase))

    return read


def _plain_reader(kind: type, phrase: str) -> Reader:
    def read(value: Any, location: Location, mistakes: list[Mistake]) -> Any:
        if not isinstance(value, kind):
            mistakes.append(Mistake("refused", location, value, phrase=phrase))
        return value

    return read


def _list_reader(entry: Reader) -> Reader:
    def read(value: Any, location: Location, mistakes: list[Mistake]) -> Any:
        if isinstance(value, list):
            return [entry(part, (*location, i), mistakes) for i, part in enumerate(value)]
        mistakes.append(Mistake("refused", location, value, phrase="a list"))

    return read


def _dict_reader(entry: Reader) -> Reader:
    def read(value: Any, location: Location, mistakes: list[Mistake]) -> Any:
        if isinstance(value, dict):
            return {key: entry(part, (*location, key), mistakes) for key, part in value.items()}
        mistakes.append(Mistake("refused", location, value, phrase="a table"))

    return read


def _optional_reader(inner: Reader) -> Reader:
    def read(value: Any, location: Location, mistakes: list[Mistake]) -> Any:
        return None if value is None else inner(value, location, mistakes)

    return read
