"""Scenarios: TOML files, or ready ones by name, that say what to solve and how.

Unknown tables, keys and words are rejected with the closest match, and every value that can be
judged without solving is judged here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from cranebridge.errors import InputError, unknown
from cranebridge.expressions import require_expression
from cranebridge.inverse import ServoProblem
from cranebridge.limits import Limits, read_drives, with_drive_limits
from cranebridge.path import Pieces, make_path
from cranebridge.regular_files import require_regular
from cranebridge.scenario.control_rules import require_control, require_sampling
from cranebridge.scenario.file_names import with_full_paths
from cranebridge.scenario.messages import sentence, shown
from cranebridge.scenario.overrides import Settings, override_all
from cranebridge.scenario.tables import ScenarioTables
from cranebridge.scenarios import ready_scenarios
from cranebridge.twin import Crane, find_crane
from cranebridge.twin.language import names
from cranebridge.twin.validation import require_rest

if TYPE_CHECKING:
    from cranebridge.plan import Obstacle, Plan
    from cranebridge.verify import Disturbance

_DEEPEST = 20
"""Levels of tables and lists in a scenario; ours has six."""


@dataclass(frozen=True, eq=False)
class Scenario:
    """A scenario: its name, its tables, and the crane and problem that they describe.

    Attributes
    ----------
    name : str
        The ready scenario's name, or the file's without its ending.
    tables : ScenarioTables
        All keys with their values.
    crane : Crane
        The twin.
    problem : ServoProblem
        Crane, path and parameters.
    folder : pathlib.Path
        What relative file names start from.
    file : pathlib.Path or None
        The file that it was read from.
    planned : Plan or None
        How the path was found, where the scenario asks for one.
    """

    name: str
    tables: ScenarioTables
    crane: Crane
    problem: ServoProblem
    folder: FilePath
    file: FilePath | None = None
    planned: Plan | None = None

    @property
    def plan(self) -> Any:
        """`planned`; scenarios that can plan themselves have a verb of this name instead."""
        return self.planned

    @cached_property
    def limits(self) -> Limits:
        """What is judged."""
        return all_limits(self.tables, self.crane, self.problem.parameters)

    @cached_property
    def obstacles(self) -> tuple[Obstacle, ...]:
        """What the load must not touch."""
        if not self.tables.obstacles:
            return ()
        from cranebridge.plan import read_obstacles

        return read_obstacles(self.tables.obstacles, self.crane)

    @cached_property
    def disturbances(self) -> tuple[Disturbance, ...]:
        """What disturbs the plant in the verification."""
        if not self.tables.disturbance:
            return ()
        from cranebridge.scenario.disturbance_reading import read_disturbances

        return read_disturbances(self.tables.disturbance)

    @cached_property
    def files(self) -> tuple[FilePath, ...]:
        """The files whose contents matter for a result: scenario, crane, Modelica sources, FMU.

        Absolute paths; only those that exist.
        """
        found = (file.resolve() for file in self._named_files())
        return tuple(dict.fromkeys(file for file in found if file.is_file()))

    def complete(self) -> dict[str, Any]:
        """Return all tables with every default filled in, ready to be written as TOML."""
        tables = self.tables.model_dump(exclude_none=True)
        tables["crane"]["parameters"] = dict(self.problem.parameters)
        if isinstance(self.problem.path, Pieces):  # the same path again, wherever it is read
            tables["path"] = self.problem.path.as_table()
            tables["crane"]["initial"] = dict(self.problem.initial)
        return _without_empty(tables)

    def _named_files(self) -> Iterator[FilePath]:
        if self.file is not None:
            yield self.file
        if ".py:" in self.tables.crane.model:
            yield FilePath(self.tables.crane.model.rpartition(":")[0])
        plant = self.tables.plant
        if plant.fmu is not None:
            yield FilePath(plant.fmu)
        elif plant.model is not None:
            from cranebridge.plant.export import modelica_sources

            try:
                yield from modelica_sources(plant.model)
            except InputError:
                return  # no such file: the export says so


def _without_empty(table: dict[str, Any]) -> dict[str, Any]:
    """Leave out empty tables and lists."""
    cleaned = {
        key: _without_empty(value) if isinstance(value, dict) else value
        for key, value in table.items()
    }
    return {key: value for key, value in cleaned.items() if value not in ({}, [], "")}


def load_scenario(
    source: str, settings: Settings = (), tell: Callable[[float], None] | None = None
) -> Scenario:
    """Load a scenario by name or from a file; where it asks for a path, that is found.

    Parameters
    ----------
    source : str
        A ready scenario's name, or a TOML file.
    settings : sequence of str, or mapping of str to object
        Overrides such as ``"solve.step=0.005"``, or ``{"solve.step": 0.005}``; ``crane.m`` sets a
        parameter.
    tell : callable, optional
        Told the fraction of planning that is done.
    """
    return complete_scenario(read_scenario(source, settings), tell)


def complete_scenario(
    given: Given, tell: Callable[[float], None] | None = None, plan_now: bool = True
) -> Scenario:
    """Make the path of a scenario that was read, or find it, and check all that can be checked.

    Parameters
    ----------
    given : Given
        What was read.
    tell : callable, optional
        Told the fraction of planning that is done.
    plan_now : bool
        Whether a path that was not found before is found; if not, `NotPlannedError` is raised.
    """
    problem, plan = find_problem(given.tables, given.crane, tell, plan_now)
    scenario = Scenario(
        given.name, given.tables, given.crane, problem, given.folder, given.file, plan
    )
    # refuse a wrong limit, obstacle or disturbance now and not after an hour of solving
    _ = scenario.limits, scenario.obstacles, scenario.disturbances
    return scenario


@dataclass(frozen=True, eq=False)
class Given:
    """A scenario as it is given, before its path is made or found; see `Scenario`."""

    name: str
    tables: ScenarioTables
    crane: Crane
    folder: FilePath
    file: FilePath | None


def read_scenario(source: str, settings: Settings = ()) -> Given:
    """Read the tables of a scenario, as `load_scenario` does, and find its crane."""
    name, content, file, folder = read_content(source, settings)
    return read_tables(content, Origin(name, source, folder, file))


@dataclass(frozen=True)
class Origin:
    """Where a scenario's tables come from; see `Scenario`. `source` names it in messages."""

    name: str
    source: str
    folder: FilePath
    file: FilePath | None = None


def read_tables(
    content: Mapping[str, Any], origin: Origin, find: Callable[[str], Crane] = find_crane
) -> Given:
    """Read a scenario from its tables, and find its crane with `find`."""
    _require_ordinary(content)
    try:
        tables = ScenarioTables.model_validate(content)
    except ValidationError as error:
        raise sentence(error, origin.source) from error
    for key, expression in _expressions(tables):
        require_expression(key, expression)
    tables = with_full_paths(tables, origin.folder)
    crane = find(tables.crane.model)
    require_control(tables, crane)
    return Given(origin.name, tables, crane, origin.folder, origin.file)


def read_content(
    source: str, settings: Settings = ()
) -> tuple[str, dict[str, Any], FilePath, FilePath]:
    """Return name, content and file of a scenario, and the folder that file names start from."""
    name, text, file, folder = _read(source)
    content = parse_text(source, text)
    override_all(content, settings)
    _require_ordinary(content)  # before anything looks into it
    return name, content, file, folder


def find_problem(
    tables: ScenarioTables,
    crane: Crane,
    tell: Callable[[float], None] | None = None,
    plan_now: bool = True,
) -> tuple[ServoProblem, Plan | None]:
    """Return the servo problem of a scenario, and the plan where its path had to be found."""
    problem, plan = _problem(tables, crane, tell, plan_now)
    _require_rest(problem)
    require_sampling(tables, problem.path.duration)
    return problem, plan


def _problem(
    tables: ScenarioTables, crane: Crane, tell: Callable[[float], None] | None, plan_now: bool
) -> tuple[ServoProblem, Plan | None]:
    parameters = crane.parameter_values(tables.crane.parameters)
    if tables.path.get("kind") != "optimal":
        units = {output.name: output.unit for output in crane.outputs}
        path = make_path(tables.path, names(crane.outputs), units)
        return ServoProblem(crane, path, parameters, tables.crane.initial), None
    from cranebridge.plan import read_obstacles, read_order
    from cranebridge.scenario.planning import find_path

    limits = all_limits(tables, crane, parameters)
    obstacles = read_obstacles(tables.obstacles, crane)
    order = read_order(tables.path, crane, parameters, limits, obstacles)
    made_from = plan_source(tables, parameters)
    return find_path(order, tables.crane.initial, made_from, tell, plan_now)


def plan_source(tables: ScenarioTables, parameters: Mapping[str, float]) -> dict[str, Any]:
    """Return all that a path which is found depends on."""
    return {
        "crane": {**tables.crane.model_dump(), "parameters": parameters},
        "file": _crane_file(tables),
        "path": tables.path,
        "limits": given_limits(tables),
        "obstacles": tables.obstacles,
        **({"drives": drives} if (drives := tables.deliver.model_dump()["drives"]) else {}),
    }


def all_limits(tables: ScenarioTables, crane: Crane, parameters: Mapping[str, float]) -> Limits:
    """Return the limits of a scenario, those that it states in its drives' units among them."""
    drives = read_drives(tables.deliver.model_dump()["drives"], crane, parameters)
    return with_drive_limits(Limits.from_mapping(given_limits(tables), crane), drives)


def given_limits(tables: ScenarioTables) -> dict[str, Any]:
    """Return the limits that a scenario states."""
    table = tables.limits.model_dump(exclude_none=True)
    return {key: value for key, value in table.items() if value != {}}


def _crane_file(tables: ScenarioTables) -> str:
    """Return the text of a user's crane; empty for a built-in one."""
    file, _, _ = tables.crane.model.rpartition(":")
    return FilePath(file).read_text(encoding="utf-8") if file.endswith(".py") else ""


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


def _require_rest(problem: ServoProblem) -> None:
    """Refuse a crane whose rest position fails at the start of the path, where it is needed."""
    if problem.path.moving_ends[0] and problem.initial.keys() >= set(
        names(problem.crane.coordinates)
    ):
        return  # a load that swings may be where it cannot rest
    start = problem.path([0.0])[:, 0].tolist()
    outputs = dict(zip(problem.path.outputs, start, strict=True))
    require_rest(problem.crane, outputs, problem.parameters)


def _expressions(tables: ScenarioTables) -> Iterator[tuple[str, str]]:
    """Yield the expressions of the plant's map, each with its key."""
    for table, entries in tables.plant.map.model_dump().items():
        for key, expression in entries.items():
            yield f"plant.map.{table}.{shown(key)}", expression


def _read(source: str) -> tuple[str, str, FilePath, FilePath]:
    """Return name, text and file of a scenario, and the folder that its file names start from."""
    ready = ready_scenarios()
    if source in ready:
        item = resources.files("cranebridge.scenarios").joinpath(f"{source}.toml")
        return source, item.read_text("utf-8"), FilePath(str(item)), FilePath.cwd()
    file = FilePath(source)
    if not _exists(file):
        if file.suffix == ".toml" or len(file.parts) > 1:
            raise InputError(f"scenario file '{source}' does not exist")
        raise unknown("scenario", source, ready)
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
