"""A scenario with other values: what campaigns and sweeps vary, without reading files again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cranebridge.errors import InputError, unknown
from cranebridge.inverse import ServoProblem
from cranebridge.scenario.control_rules import require_control
from cranebridge.scenario.messages import sentence
from cranebridge.scenario.overrides import key_parts, put, value_at
from cranebridge.scenario.problem import path_of
from cranebridge.scenario.reading import with_rope
from cranebridge.scenario.scenario import Scenario
from cranebridge.scenario.tables import ScenarioTables, Table, TableError

TABLES = ("crane", "path", "plant", "control", "disturbance")
"""Tables whose values may be varied."""


class Variation:
    """Scenarios that differ from one in some values.

    Parameters
    ----------
    base : Scenario
        What is varied. Where its path was found (`kind = "optimal"`), that path is kept: the motion
        is asked for as it was planned, whatever the payload is.
    """

    def __init__(self, base: Scenario) -> None:
        self.base = base
        self._content = base.tables.model_dump(exclude_unset=True, exclude_none=True)
        self._defaults = base.tables.model_dump()

    def __call__(self, values: Mapping[str, Any]) -> Scenario:
        """Return the scenario with other values.

        Parameters
        ----------
        values : mapping of str to object
            By key, such as ``crane.m``, ``plant.parameters.m``, ``plant.start.q.y``,
            ``disturbance[0].value`` or ``control.sensor[1].noise``; ``crane.m`` is short for
            ``crane.parameters.m``.

        Raises
        ------
        InputError
            If there is no such key, or it does not take the value.
        """
        tables = self._tables(values)
        base, crane = self.base, self.base.crane
        if tables.crane.rope != base.tables.crane.rope:
            crane = with_rope(crane, tables.crane)
        require_control(tables, crane)
        path = base.problem.path
        moves_else = tables.crane.motion != base.tables.crane.motion
        if tables.path != base.tables.path or moves_else:
            if tables.path.get("kind") == "optimal":
                raise InputError(
                    "a path that is planned is not varied: it would be another plan each time; "
                    "vary crane, plant, control or disturbance"
                )
            path = path_of(tables, crane)
        parameters = crane.parameter_values(tables.crane.parameters)
        initial = base.problem.initial
        if tables.crane.initial != base.tables.crane.initial:
            initial = tables.crane.initial
        problem = base.problem
        given = (crane, path, parameters, initial)
        if given != (problem.crane, problem.path, problem.parameters, problem.initial):
            problem = ServoProblem(crane, path, parameters, initial)
        return replace(base, tables=tables, crane=crane).with_problem(problem)

    def _tables(self, values: Mapping[str, Any]) -> ScenarioTables:
        """Return the tables with other values."""
        content, changed, base = dict(self._content), set(), self.base.tables
        for key in values:
            table = key_parts(key)[0].partition("[")[0]
            if table in content and table not in changed:
                content[table] = _copy(content[table])
            changed.add(table)
        for key, value in values.items():
            self._put(content, key, value)
        try:
            kinds = {name: type(getattr(base, name)) for name in changed}
            if all(issubclass(kind, Table) for kind in kinds.values()):
                # what is not varied was read already
                new = {name: kind.model_validate(content[name]) for name, kind in kinds.items()}
                return base.model_copy(update=new)
        except TableError:
            pass  # all tables together say where it is
        try:
            return ScenarioTables.model_validate(content)
        except TableError as error:
            raise sentence(error, self.base.name) from error

    def _put(self, content: dict[str, Any], key: str, value: Any) -> None:
        """Put a value at its key."""
        parts = key_parts(key)
        table = parts[0].partition("[")[0]
        if table not in TABLES:
            raise unknown("table of a key to vary", table, TABLES)
        if len(parts) < 2:
            raise InputError(f"'{key}' is a table; vary a value in it, such as {parts[0]}.KEY")
        counted = isinstance(value_at(self._defaults, parts), int)
        if counted and isinstance(value, float) and value.is_integer():
            value = int(value)  # a design has real numbers, also of what counts in whole ones
        put(content, parts, value, f"'{key}'")


def _copy(content: Any) -> Any:
    """Return tables and lists anew; what is in them never changes."""
    if isinstance(content, dict):
        return {key: _copy(value) for key, value in content.items()}
    return [_copy(value) for value in content] if isinstance(content, list) else content
