"""The tables of a scenario: read from a TOML file, a ready one or a mapping, and checked.

Unknown tables, keys and words are rejected with the closest match, and every value that can be
judged by itself is judged here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from cranebridge.errors import InputError, unknown
from cranebridge.expressions import require_expression
from cranebridge.regular_files import require_regular
from cranebridge.scenario.control_rules import require_control
from cranebridge.scenario.file_names import with_full_paths
from cranebridge.scenario.messages import sentence, shown
from cranebridge.scenario.overrides import Settings, override_all
from cranebridge.scenario.tables import CraneTable, ScenarioTables, TableError
from cranebridge.scenarios import ready_file, ready_scenarios
from cranebridge.twin import Crane, ServoChoice, find_crane
from cranebridge.twin.ropes import ElasticRopeCrane

_DEEPEST = 20
"""Levels of tables and lists in a scenario; ours has six."""


@dataclass(frozen=True)
class Origin:
    """Where a scenario's tables come from; see `Scenario`. `source` names it in messages."""

    name: str
    source: str
    folder: FilePath
    file: FilePath | None = None


def crane_of(table: CraneTable) -> Crane:
    """Return the crane that a table describes."""
    choice = ServoChoice(
        tuple(table.inputs), tuple(table.outputs), tuple(table.ropes), tuple(table.parameters)
    )
    return with_rope(find_crane(table.model, choice=choice), table)


def with_rope(crane: Crane, table: CraneTable) -> Crane:
    """Return a crane with the rope of its table: elastic, or rigid where nothing is said of it."""
    rigid = crane.base if isinstance(crane, ElasticRopeCrane) else crane
    if table.rope is None:
        return rigid
    from cranebridge.twin.ropes import ElasticRope, elastic

    return elastic(rigid, ElasticRope(**table.rope.model_dump()))


def read_tables(
    content: Mapping[str, Any], origin: Origin, find: Callable[[CraneTable], Crane] = crane_of
) -> tuple[ScenarioTables, Crane]:
    """Check the tables of a scenario, and find its crane with `find`."""
    _require_ordinary(content)
    try:
        tables = ScenarioTables.model_validate(content)
    except TableError as error:
        raise sentence(error, origin.source) from error
    for key, expression in _expressions(tables):
        require_expression(key, expression)
    tables = with_full_paths(tables, origin.folder)
    crane = find(tables.crane)
    require_control(tables, crane)
    return tables, crane


def read_content(
    source: str, settings: Settings = ()
) -> tuple[str, dict[str, Any], FilePath, FilePath]:
    """Return name, content and file of a scenario, and the folder that file names start from."""
    name, text, file, folder = _read(source)
    content = parse_text(source, text)
    override_all(content, settings)
    _require_ordinary(content)  # before anything looks into it
    return name, content, file, folder


def parse_text(source: str, text: str) -> dict[str, Any]:
    """Return the tables of a scenario's text; `source` names it in messages."""
    try:
        content = tomllib.loads(text)
    except RecursionError:
        raise InputError(f"scenario '{source}' is nested too deeply to be read") from None
    except ValueError as error:  # also for a number with thousands of digits
        raise InputError(f"scenario '{source}' is not valid TOML: {error}") from error
    _require_ordinary(content)  # keys with thousands of dots are read without recursion
    return content


def _require_ordinary(value: Any, where: str = "", depth: int = 0) -> None:
    """Refuse whole numbers of more than 64 bits, wherever they stand, and endless nesting."""
    if depth > _DEEPEST:
        raise InputError(f"{shown(where)}: tables and lists are nested too deeply")
    if isinstance(value, Mapping):
        for key, entry in value.items():
            _require_ordinary(entry, f"{where}.{key}" if where else key, depth + 1)
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            _require_ordinary(entry, f"{where}[{index}]", depth + 1)
    elif isinstance(value, int) and value.bit_length() > 64:
        raise InputError(
            f"{shown(where)} is a whole number of more than 64 bits; give a smaller one"
        )


def _expressions(tables: ScenarioTables) -> Iterator[tuple[str, str]]:
    """Yield the expressions of the plant's map, each with its key."""
    for table, entries in tables.plant.map.model_dump().items():
        for key, expression in entries.items():
            yield f"plant.map.{table}.{shown(key)}", expression


def _read(source: str) -> tuple[str, str, FilePath, FilePath]:
    """Return name, text and file of a scenario, and the folder that its file names start from."""
    ready = ready_file(source)
    if ready is not None:
        return source, ready.read_text("utf-8"), ready, FilePath.cwd()
    file = FilePath(source)
    if not _exists(file):
        if file.suffix == ".toml" or len(file.parts) > 1:
            raise InputError(f"scenario file '{source}' does not exist")
        raise unknown("scenario", source, ready_scenarios())
    if file.is_dir():
        raise InputError(f"scenario '{source}' is a folder, not a TOML file")
    require_regular(f"scenario '{source}'", file)
    try:
        full = file.resolve()
        return file.stem, file.read_text(encoding="utf-8"), full, full.parent
    except UnicodeDecodeError as error:
        raise InputError(f"scenario '{source}' is not a text file in UTF-8: {error}") from error
    except OSError as error:
        raise InputError(f"scenario '{source}' cannot be read: {error.strerror}") from error


def _exists(file: FilePath) -> bool:
    try:
        return file.exists()
    except (OSError, ValueError):  # a name too long for the file system, or with a null byte
        return False
