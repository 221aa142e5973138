"""Scenarios: TOML files, or ready ones by name, that say what to solve and how.

Unknown tables and keys are rejected with the closest match; values are checked where they are
used, so that the message can say what they mean.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path as FilePath
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from cranebridge.errors import InputError, unknown
from cranebridge.inverse.problem import ServoProblem
from cranebridge.limits import Limits
from cranebridge.path import make_path
from cranebridge.twin import Crane, find_crane
from cranebridge.twin.crane import names


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class CraneTable(_Table):
    """Which crane, with which parameters."""

    model: str
    parameters: dict[str, Any] = Field(default_factory=dict)
    initial: dict[str, float] = Field(default_factory=dict)


class SolveTable(_Table):
    """How the servo problem is solved."""

    method: Literal["index1", "index3", "projection", "energy-momentum"] = "index1"
    scheme: Literal["euler", "radau5", "radau7"] = "euler"
    coordinates: Literal["redundant", "dependent", "minimal"] = "redundant"
    step: float = 0.01
    compile: Literal["auto", "always", "never"] = "auto"


class DriveTable(_Table):
    """A drive's controller in the verification: u = u_ff + kp (r - q) + kv (r' - q')."""

    coordinate: str
    kp: float = 0.0
    kv: float = 0.0
    position: str = ""
    velocity: str = ""


class MapTable(_Table):
    """How the plant's names relate to the twin's (see docs/verification.md)."""

    parameters: dict[str, str] = Field(default_factory=dict)
    inputs: dict[str, str] = Field(default_factory=dict)
    start: dict[str, str] = Field(default_factory=dict)
    signals: dict[str, str] = Field(default_factory=dict)


class PlantTable(_Table):
    """Which plant the feedforward is verified on, and how it is driven."""

    model: str | None = None
    fmu: str | None = None
    fmi: Literal["2.0", "3.0"] = "2.0"
    interface: Literal["me", "cs"] = "me"
    feed: Literal["exact", "linear", "hold"] = "exact"
    tolerance: float = 1e-10
    settle: float = 2.0
    step: float = 0.01
    timeout: float = 60.0
    certify: bool | Literal["partial"] = True
    allow: list[str] = Field(default_factory=list)
    parameters: dict[str, float] = Field(default_factory=dict)
    variants: dict[str, dict[str, float]] = Field(default_factory=dict)
    drives: dict[str, DriveTable] = Field(default_factory=dict)
    map: MapTable = MapTable()


class LimitsTable(_Table):
    """What is judged."""

    ropes: Literal["pull", "ignore"] = "pull"
    tracking: float = 1e-3
    u: dict[str, float | list[float]] = Field(default_factory=dict)
    q: dict[str, float | list[float]] = Field(default_factory=dict)
    v: dict[str, float | list[float]] = Field(default_factory=dict)
    a: dict[str, float | list[float]] = Field(default_factory=dict)
    jerk: dict[str, float | list[float]] = Field(default_factory=dict)
    power: dict[str, float | list[float]] = Field(default_factory=dict)
    rope: dict[str, float | list[float]] | float | list[float] = Field(default_factory=dict)


class DeliverTable(_Table):
    """How the feedforward is handed over."""

    to: str | None = None
    cycle: float | None = None
    columns: list[str] = Field(default_factory=list)
    units: bool = False
    precision: Literal["double", "single"] = "double"


class ScenarioTables(_Table):
    """All tables of a scenario file."""

    crane: CraneTable
    path: dict[str, Any]
    solve: SolveTable = SolveTable()
    plant: PlantTable = PlantTable()
    limits: LimitsTable = LimitsTable()
    deliver: DeliverTable = DeliverTable()
    report: dict[str, Any] = Field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Scenario:
    """A scenario: its name, its tables, and the crane and problem that they describe."""

    name: str
    tables: ScenarioTables
    crane: Crane
    problem: ServoProblem
    folder: FilePath

    @cached_property
    def limits(self) -> Limits:
        """What is allowed."""
        table = self.tables.limits.model_dump()
        given = {key: value for key, value in table.items() if value != {}}
        return Limits.from_mapping(given, self.crane)

    @property
    def files(self) -> list[FilePath]:
        """The files whose contents matter."""
        return []

    def complete(self) -> dict[str, Any]:
        """Return all tables with every default filled in, ready to be written as TOML."""
        tables = self.tables.model_dump(exclude_none=True)
        tables["crane"]["parameters"] = dict(self.problem.parameters)
        return _without_empty(tables)


def _without_empty(table: dict[str, Any]) -> dict[str, Any]:
    """Leave out empty tables and lists."""
    cleaned = {
        key: _without_empty(value) if isinstance(value, dict) else value
        for key, value in table.items()
    }
    return {key: value for key, value in cleaned.items() if value not in ({}, [], "")}


def ready_scenarios() -> dict[str, str]:
    """Return the ready scenarios: name and the sentence that describes each."""
    folder = resources.files("cranebridge.scenarios")
    texts = {
        item.name.removesuffix(".toml"): item.read_text(encoding="utf-8")
        for item in folder.iterdir()
        if item.name.endswith(".toml")
    }
    return {name: texts[name].splitlines()[0].lstrip("# ") for name in sorted(texts)}


def load_scenario(source: str, settings: Sequence[str] = ()) -> Scenario:
    """Load a scenario by name or from a file.

    Parameters
    ----------
    source : str
        A ready scenario's name, or a TOML file.
    settings : sequence of str
        Overrides such as ``"solve.step=0.005"``; ``"crane.m=120"`` sets a parameter.
    """
    name, text, folder = _read(source)
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"scenario '{source}' is not valid TOML: {error}") from error
    for setting in settings:
        _override(content, setting)
    tables = _validate(content, source)
    crane = find_crane(tables.crane.model, folder)
    if tables.crane.model.endswith(f":{type(crane).__name__}"):
        file, _, class_name = tables.crane.model.rpartition(":")
        model = f"{(folder / file).resolve()}:{class_name}"
        tables = tables.model_copy(
            update={"crane": tables.crane.model_copy(update={"model": model})}
        )
    _require_finite("crane.initial", tables.crane.initial.values())
    problem = ServoProblem(
        crane=crane,
        path=make_path(tables.path, names(crane.outputs)),
        parameters=crane.parameter_values(tables.crane.parameters),
        initial=tables.crane.initial,
    )
    return Scenario(name, tables, crane, problem, folder)


def _read(source: str) -> tuple[str, str, FilePath]:
    """Return name, text and folder of a scenario."""
    ready = ready_scenarios()
    if source in ready:
        text = (
            resources.files("cranebridge.scenarios").joinpath(f"{source}.toml").read_text("utf-8")
        )
        return source, text, FilePath.cwd()
    file = FilePath(source)
    if not file.exists():
        if file.suffix == ".toml" or len(file.parts) > 1:
            raise InputError(f"scenario file '{source}' does not exist")
        raise unknown("scenario", source, ready)
    if file.is_dir():
        raise InputError(f"scenario '{source}' is a folder, not a TOML file")
    try:
        return file.stem, file.read_text(encoding="utf-8"), file.resolve().parent
    except UnicodeDecodeError as error:
        raise InputError(f"scenario '{source}' is not a text file in UTF-8: {error}") from error
    except OSError as error:
        raise InputError(f"scenario '{source}' cannot be read: {error.strerror}") from error


def _override(content: dict[str, Any], setting: str) -> None:
    """Put one ``table.key=value`` into the content of a scenario file."""
    key, equals, text = setting.partition("=")
    parts = key.strip().split(".")
    if not equals or len(parts) < 2 or not all(parts):
        raise InputError(f"--set takes TABLE.KEY=VALUE, such as solve.step=0.005, got '{setting}'")
    if parts[0] == "crane" and len(parts) == 2 and parts[1] not in CraneTable.model_fields:
        parts.insert(1, "parameters")
    table: Any = content
    for part in parts[:-1]:
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            raise InputError(f"--set {setting}: '{part}' is a value, not a table")
    try:
        table[parts[-1]] = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        table[parts[-1]] = text.strip()  # a bare word is a string


def _validate(content: dict[str, Any], source: str) -> ScenarioTables:
    """Check tables and keys, and turn pydantic's errors into sentences."""
    try:
        return ScenarioTables.model_validate(_widened(content))
    except ValidationError as error:
        first = error.errors()[0]
        location = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            table = ".".join(str(part) for part in first["loc"][:-1])
            kind = f"key in [{table}] of scenario '{source}'" if table else "table of a scenario"
            raise unknown(kind, str(first["loc"][-1]), _known(first["loc"][:-1])) from error
        if first["type"] == "missing":
            raise InputError(f"scenario '{source}' has no {location}; add it") from error
        given = first.get("input")
        raise InputError(
            f"{location} in scenario '{source}': {first['msg'].lower()}, got {given!r}"
        ) from error


def _known(location: Sequence[Any]) -> Iterable[str]:
    """Return the keys that a table takes."""
    if not location:
        return ScenarioTables.model_fields
    table: Any = ScenarioTables
    for part in location:
        field = getattr(table, "model_fields", {}).get(str(part))
        table = field.annotation if field is not None else DriveTable
    return getattr(table, "model_fields", ())


def _widened(content: Mapping[str, Any]) -> dict[str, Any]:
    """Take whole numbers where a real one is meant, as TOML writes 1 and 1.0 apart."""

    def widen(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: widen(entry) for key, entry in value.items()}
        return float(value) if type(value) is int else value

    numeric = ("solve", "plant", "limits", "deliver")
    result = {key: widen(table) if key in numeric else table for key, table in content.items()}
    if isinstance(crane := result.get("crane"), dict):
        result["crane"] = {
            key: widen(value) if key == "initial" else value for key, value in crane.items()
        }
    return result


def _require_finite(where: str, values: Iterable[float]) -> None:
    for value in values:
        if not math.isfinite(value):
            raise InputError(f"{where} must hold finite numbers, got {value}")
