"""A table: values as they were given, all that is wrong at once, and nothing that changes."""

from __future__ import annotations

import copy
import pickle
from typing import Annotated, Any, Literal

import pytest

from cranebridge.errors import InputError, StructureError
from cranebridge.scenario.messages import sentence
from cranebridge.scenario.tables.rules import WHOLE, Choice, Finite
from cranebridge.scenario.tables.typed_table import Table, TableError, field


class Inner(Table):
    """A table with a key that must be given."""

    name: str
    size: Finite = field(default=2.0, description="m")


class Outer(Table, further={"u": "forces"}):
    """A table with everything that a table can have."""

    inner: Inner
    word: Annotated[Literal["a", "b"], Choice({"a": "first", "b": "second"})] = "a"
    count: Annotated[int, WHOLE] = 1
    flag: bool = False
    several: list[Inner] = field(default=[])
    named: dict[str, Inner] = field(default={})
    numbers: dict[str, Finite] | None = None
    free: dict[str, Any] = field(default={})


GIVEN = {"inner": {"name": "x", "size": 3}, "several": [{"name": "y"}], "free": {"z": None}}


def test_values_are_those_given_or_the_defaults() -> None:
    table = Outer.model_validate(GIVEN)
    assert (table.inner.name, table.inner.size, table.word, table.count) == ("x", 3.0, "a", 1)
    assert isinstance(table.inner.size, float)  # whole numbers are numbers, too
    assert table.several == [Inner(name="y")]
    assert table.model_dump() == {
        "inner": {"name": "x", "size": 3.0},
        "word": "a",
        "count": 1,
        "flag": False,
        "several": [{"name": "y", "size": 2.0}],
        "named": {},
        "numbers": None,
        "free": {"z": None},
        "u": {},
    }


def test_what_was_given_comes_out_again() -> None:
    table = Outer.model_validate(GIVEN)
    again = table.model_dump(exclude_unset=True, exclude_none=True)
    assert again == GIVEN  # None in a free table is a value of the user's
    assert Outer.model_validate(again) == table
    assert table.model_fields_set == {"inner", "several", "free"}
    assert "numbers" not in table.model_dump(exclude_none=True)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"inner": 3}, "inner must be a table, got 3"),
        ({"inner": {}}, "scenario 'file' has no inner.name; add it"),
        ({"inner": {"name": 3}}, "inner.name must be text in quotes, got 3"),
        ({"inner": {"name": "x", "size": "y"}}, "inner.size must be a finite number, got y"),
        ({"word": 3}, "word must be one of a, b, got 3"),
        ({"word": "c"}, "unknown value of word 'c'. Known: a, b."),
        ({"count": -1}, "count must be a whole number, not negative, got -1"),
        ({"count": True}, "count must be a whole number, not negative, got true"),
        ({"flag": 1}, "flag must be true or false, got 1"),
        ({"several": {}}, "several must be a list, got {}"),
        ({"several": [{"name": "x"}, 3]}, "several.1 must be a table, got 3"),
        ({"named": []}, "named must be a table, got []"),
        ({"named": {"n": {}}}, "scenario 'file' has no named.n.name; add it"),
        ({"numbers": {"n": float("nan")}}, "numbers.n must be a finite number, got nan"),
        ({"free": "x"}, "free must be a table, got x"),
        (
            {"named": {"n": {"nam": "x"}}},
            "unknown key in [named.n] of scenario 'file' 'nam'. Did you mean 'name'? "
            "Known: name, size.",
        ),
    ],
)
def test_wrong_value_is_one_sentence(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(TableError) as caught:
        Outer.model_validate({**GIVEN, **changed})
    error = sentence(caught.value, "file")
    assert isinstance(error, InputError)
    assert str(error) == said


def test_all_that_is_wrong_is_found_in_the_order_of_the_keys() -> None:
    wrong = {"flag": 1, "word": "c", "wrod": "a", "several": [{"nam": "x"}]}
    with pytest.raises(TableError) as caught:
        Outer.model_validate(wrong)
    assert [(found.kind, found.location) for found in caught.value.mistakes] == [
        ("missing key", ("inner",)),
        ("unknown word", ("word",)),
        ("refused", ("flag",)),
        ("missing key", ("several", 0, "name")),
        ("unknown key", ("several", 0, "nam")),
        ("unknown key", ("wrod",)),
    ]
    # the misspelt key, not the missing one: it may be the same
    assert "several.0" in str(sentence(caught.value, "file"))
    assert "'nam'. Did you mean 'name'?" in str(sentence(caught.value, "file"))


def test_table_never_changes() -> None:
    table = Inner(name="x")
    with pytest.raises(AttributeError, match="Inner never changes"):
        table.name = "y"
    with pytest.raises(AttributeError, match="Inner never changes"):
        del table.name
    other = table.model_copy(update={"size": 5.0})
    assert (table.size, other.size, other.name) == (2.0, 5.0, "x")
    assert other.model_fields_set == {"name", "size"}
    assert table != other
    assert other == Inner(name="x", size=5)


def test_nothing_is_shared_with_content_defaults_and_dumps() -> None:
    content = copy.deepcopy(GIVEN)
    first, second = Outer.model_validate(content), Outer.model_validate(content)
    first.named["n"] = Inner(name="x")
    first.several.clear()
    first.model_dump()["inner"]["name"] = "changed"
    assert content == GIVEN
    assert second == Outer.model_validate(GIVEN)
    assert Outer.model_fields["named"].default == {}


def test_table_as_default_is_the_own_one_of_each() -> None:
    class Holder(Table):
        outer: Outer = Outer(inner=Inner(name="x"))

    first, second = Holder(), Holder()
    first.outer.free["a"] = 1
    assert second.outer.free == {}
    assert Holder().model_dump(exclude_unset=True) == {}


@pytest.mark.parametrize("again", [copy.deepcopy, lambda table: pickle.loads(pickle.dumps(table))])
def test_table_can_be_copied_and_sent_to_workers(again: Any) -> None:
    table = Outer.model_validate(GIVEN)
    assert again(table) == table
    assert again(table).model_fields_set == table.model_fields_set


def test_table_that_was_read_is_taken_as_it_is() -> None:
    inner = Inner(name="x")
    assert Outer(inner=inner).inner is inner
    with pytest.raises(TableError):
        Inner.model_validate(Outer(inner=inner))


def test_key_of_any_name_can_be_given() -> None:
    with pytest.raises(TableError) as caught:
        Inner(**{"name": "x", "self": 1, "model_dump": 2})
    assert [found.location for found in caught.value.mistakes] == [("self",), ("model_dump",)]


def test_type_without_a_reader_is_refused_where_the_table_is_written() -> None:
    with pytest.raises(TypeError, match="values of type <class 'int'> without a rule"):

        class Wrong(Table):
            count: int = 0


def _stop(value: Any) -> Any:
    raise StructureError(f"{value} is not offered, and why")


class Stopped(Table):
    """A table with a rule that says more than that a value is refused."""

    key: Annotated[str, _stop] = ""


def test_rule_may_raise_a_sentence_of_its_own() -> None:
    with pytest.raises(StructureError, match="x is not offered, and why"):
        Stopped(key="x")
