"""A scenario made in Python or read from a file, and changed: before anything is carried out."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import tomli_w

from cranebridge.errors import InputError
from cranebridge.limits import Limits
from cranebridge.report import Card, Rows, put, require_target
from cranebridge.scenario import (
    Given,
    Origin,
    Scenario,
    ScenarioTables,
    Settings,
    all_limits,
    find_problem,
    override_all,
    plain_value,
    read_tables,
)
from cranebridge.twin import IN_MEMORY, Crane, crane_in_memory, find_crane

if TYPE_CHECKING:
    from cranebridge.inverse import ServoProblem
    from cranebridge.plan import Plan

Folder = str | os.PathLike[str]


class Asked(Scenario):
    """What is asked for: a scenario whose path is found when it is first needed.

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

    def __init__(
        self,
        name: str,
        tables: ScenarioTables,
        crane: Crane,
        problem: ServoProblem | None = None,
        folder: Path = Path(),
        file: Path | None = None,
        planned: Plan | None = None,
    ) -> None:
        given = {"name": name, "tables": tables, "crane": crane, "folder": folder, "file": file}
        for key, value in given.items():
            object.__setattr__(self, key, value)
        if problem is not None:
            self.__dict__["_found"] = problem, planned
        elif tables.path.get("kind") != "optimal":
            _ = self._found
        # refuse a wrong limit, obstacle or disturbance now and not after an hour of solving
        _ = self.limits, self.obstacles, self.disturbances

    @classmethod
    def of(
        cls,
        crane: str | type[Crane] | Crane,
        path: Mapping[str, Any],
        *,
        parameters: Mapping[str, float] | None = None,
        initial: Mapping[str, float] | None = None,
        name: str | None = None,
        folder: Folder | None = None,
        **tables: Any,
    ) -> Self:
        """Make a scenario of a crane and a path, without a file.

        Parameters
        ----------
        crane : str, type or Crane
            A class of yours, also one of a notebook's cell; or as in a file: a built-in crane's
            name, or ``"FILE.py:Class"``.
        path : mapping
            The table ``[path]``.
        parameters, initial : mapping, optional
            Of the table ``[crane]``: values that differ from the defaults, coordinates at the
            start.
        name : str, optional
            The scenario's; the crane's if not given.
        folder : path, optional
            What relative file names start from; the current folder if not given.
        **tables : mapping
            Any other table of a scenario: ``limits``, ``plant``, ``solve``, ``control``, ...

        Examples
        --------
        >>> import cranebridge as cb
        >>> line = {"kind": "line", "start": [0, -4], "goal": [5, -1], "duration": 3.0,
        ...         "profile": "polynomial", "smoothness": 4}
        >>> cb.Scenario.of("overhead", line, parameters={"m": 120.0})
        Scenario(overhead: crane overhead, line path of 3 s)
        """
        found, model = (None, crane) if isinstance(crane, str) else crane_in_memory(crane)
        table = {"model": model, "parameters": parameters or {}, "initial": initial or {}}
        content = plain_value({"crane": table, "path": path, **tables})
        place = Path.cwd() if folder is None else Path(folder).resolve()
        title = name or (found.name if found is not None else str(model))
        find = find_crane if found is None else lambda _: found
        return cls.from_given(read_tables(content, Origin(title, title, place), find))

    def with_(self, values: Settings) -> Self:
        """Return the scenario with other values.

        Parameters
        ----------
        values : mapping of str to object, or sequence of str
            By key, such as ``{"path.duration": 15.0}``, ``{"crane.m": 120}`` (a parameter),
            ``{"disturbance[0].value": 50.0}``, or a whole table; or texts as ``--set`` takes them.

        Raises
        ------
        InputError
            If there is no such key, with the closest match, or it does not take the value.

        Examples
        --------
        >>> import cranebridge as cb
        >>> slow = cb.load("rotary").with_({"path.duration": 30.0, "crane.m": 120.0})
        >>> slow.problem.path.duration, slow.problem.parameters["m"]
        (30.0, 120.0)
        """
        content = self.tables.model_dump(exclude_unset=True, exclude_none=True)
        override_all(content, values)
        origin = Origin(self.name, self.name, self.folder, self.file)

        def find(model: str) -> Crane:
            return self.crane if model == self.tables.crane.model else find_crane(model)

        return self.from_given(read_tables(content, origin, find))

    @classmethod
    def from_given(cls, given: Given) -> Self:
        """Return the scenario of tables that were read and checked."""
        return cls(given.name, given.tables, given.crane, None, given.folder, given.file)

    @property
    def in_memory(self) -> bool:
        """Whether its crane's class is in no file."""
        return self.tables.crane.model.startswith(IN_MEMORY)

    def find_path(self, tell: Callable[[float], None] | None = None) -> Self:
        """Find the path now, if that is asked for; `tell` is told the fraction that is done."""
        if "_found" not in self.__dict__:
            self.__dict__["_found"] = find_problem(self.tables, self.crane, tell)
        return self

    @cached_property
    def _found(self) -> tuple[ServoProblem, Plan | None]:
        return find_problem(self.tables, self.crane)

    @property
    def problem(self) -> ServoProblem:  # type: ignore[override]
        """Crane, path and parameters."""
        return self._found[0]

    @property
    def planned(self) -> Plan | None:  # type: ignore[override]
        """How the path was found, where the scenario asks for one."""
        return self._found[1]

    @cached_property
    def limits(self) -> Limits:
        """What is judged."""
        parameters = self.crane.parameter_values(self.tables.crane.parameters)
        return all_limits(self.tables, self.crane, parameters)

    def save(self, target: Folder, overwrite: bool = False) -> Path:
        """Write the scenario as TOML, with every default filled in; returns the file.

        The command line repeats from it what was done here.
        """
        if self.in_memory:
            raise InputError(
                f"crane class {type(self.crane).__name__} is in no file that a scenario could "
                "name: save it to one first"
            )
        file = Path(target)
        require_target(file, overwrite)
        put(file, tomli_w.dumps(self.complete()).encode())
        return file

    @property
    def _motion(self) -> str:
        kind = str(self.tables.path.get("kind"))
        if kind == "optimal" and "_found" not in self.__dict__:
            return "optimal path, not yet found"
        return f"{kind} path of {self.problem.path.duration:g} s"

    def __repr__(self) -> str:
        return f"Scenario({self.name}: crane {self.crane.name}, {self._motion})"

    def _repr_html_(self) -> str:
        content = self.tables.model_dump(exclude_unset=True, exclude_none=True)
        rows: Rows = [
            (f"{table}.{key}", str(value))
            for table, keys in content.items()
            if isinstance(keys, dict)
            for key, value in keys.items()
        ]
        facts = [("Crane", self.crane.description), ("Path", self._motion)]
        return Card(
            "Scenario", self.name, "", "", facts, [(("Key", "Value"), rows)] if rows else ()
        ).render()
