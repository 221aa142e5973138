"""A scenario: what is asked for, made in Python or read from a file, and changed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from cranebridge.errors import InputError
from cranebridge.inverse import ServoProblem
from cranebridge.limits import Limits
from cranebridge.progress import Progress, ignore_progress
from cranebridge.scenario.overrides import Settings, override_all, plain_value
from cranebridge.scenario.problem import all_limits, find_problem, friction_of, real_path
from cranebridge.scenario.reading import Origin, crane_of, read_content, read_tables, with_rope
from cranebridge.scenario.tables import CraneTable, ScenarioTables
from cranebridge.twin import IN_MEMORY, Crane, is_modelica, model_name
from cranebridge.twin.ropes import ROPE_PARAMETERS

if TYPE_CHECKING:
    from cranebridge.inverse import DriveFriction
    from cranebridge.path import Path as LoadPath
    from cranebridge.plan import Obstacle, Plan
    from cranebridge.verify import Disturbance

Folder = str | os.PathLike[str]


@dataclass(frozen=True, eq=False, repr=False)
class Scenario:
    """A scenario: its name, its tables, and the crane and problem that they describe.

    It never changes. Its path is made or planned when it is first needed, and kept then.

    Attributes
    ----------
    name : str
        The ready scenario's name, or the file's without its ending.
    tables : ScenarioTables
        All keys with their values.
    crane : Crane
        The twin.
    folder : pathlib.Path
        What relative file names start from.
    file : pathlib.Path or None
        The file that it was read from.
    """

    name: str
    tables: ScenarioTables
    crane: Crane
    folder: Path = Path()
    file: Path | None = None
    _found: tuple[ServoProblem, Plan | None] | None = None

    @classmethod
    def of(
        cls,
        crane: str | type[Crane] | Crane,
        path: Mapping[str, Any],
        *,
        parameters: Mapping[str, float] | None = None,
        initial: Mapping[str, float] | None = None,
        motion: Mapping[str, Mapping[str, Any]] | None = None,
        inputs: Sequence[str] = (),
        outputs: Sequence[str] = (),
        ropes: Sequence[str] = (),
        rope: Mapping[str, float] | None = None,
        friction: Mapping[str, Any] | None = None,
        name: str | None = None,
        folder: Folder | None = None,
        **tables: Any,
    ) -> Self:
        """Make a scenario of a crane and a path, without a file.

        Parameters
        ----------
        crane : str, type or Crane
            A class of yours, also one of a notebook's cell; or as in a file: a built-in crane's
            name, ``"FILE.py:Class"``, or ``"FILE.mo:Class"`` for one that is read from Modelica.
        path : mapping
            The table ``[path]``.
        parameters, initial : mapping, optional
            Of the table ``[crane]``: values that differ from the defaults, coordinates at the
            start.
        motion : mapping, optional
            The tables ``[crane.motion.NAME]`` of a crane with motions.
        inputs, outputs, ropes : sequence of str, optional
            Of the table ``[crane]``: names of variables of a Modelica model.
        rope : mapping, optional
            The table ``[crane.rope]``: the hoist rope as one that stretches.
        friction : mapping, optional
            Of the table ``[crane]``: by input, friction of its drive.
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
        from cranebridge.twin import crane_in_memory

        found, model = (None, crane) if isinstance(crane, str) else crane_in_memory(crane)
        table = {"model": model, "parameters": parameters or {}, "initial": initial or {}}
        choice = {"inputs": inputs, "outputs": outputs, "ropes": ropes}
        table |= {"motion": motion} if motion else {}
        table |= {key: list(given) for key, given in choice.items() if given}
        table |= {"rope": rope} if rope else {}
        table |= {"friction": friction} if friction else {}
        content = plain_value({"crane": table, "path": path, **tables})
        place = Path.cwd() if folder is None else Path(folder).resolve()
        own = model_name(str(model)) if found is None else found.name
        title = name or own
        find = crane_of if found is None else lambda table: with_rope(found, table)
        return cls.of_tables(content, Origin(title, title, place), find).require_values()

    @classmethod
    def of_tables(
        cls,
        content: Mapping[str, Any],
        origin: Origin,
        find: Callable[[CraneTable], Crane] = crane_of,
    ) -> Self:
        """Make a scenario of all its tables, and find its crane with `find`."""
        tables, crane = read_tables(content, origin, find)
        return cls(origin.name, tables, crane, origin.folder, origin.file)

    @classmethod
    def read(cls, source: str, settings: Settings = ()) -> Self:
        """Read a scenario by name or from a file, as `load_scenario` does, but for its path."""
        name, content, file, folder = read_content(source, settings)
        return cls.of_tables(content, Origin(name, source, folder, file))

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

        def find(table: CraneTable) -> Crane:
            if is_modelica(table.model):  # what is given of it decides what it is
                return crane_of(table)
            if table.model == self.tables.crane.model:  # its class may be in no file
                return with_rope(self.crane, table)
            return crane_of(table)

        return self.of_tables(content, origin, find).require_values()

    def with_problem(self, problem: ServoProblem, planned: Plan | None = None) -> Self:
        """Return the scenario with another path; how it was found stays, if that is not given."""
        return replace(self, _found=(problem, planned or self.planned))

    def find_path(self, progress: Progress = ignore_progress, plan_now: bool = True) -> Self:
        """Make the path now, or find it, and check all that can be checked.

        Parameters
        ----------
        progress : callable, optional
            Called with the fraction of planning that is done.
        plan_now : bool
            Whether a path that was not found before is found; if not, `NotPlannedError` is raised.
        """
        if self._found is None:
            found = find_problem(self.tables, self.crane, progress, plan_now)
            object.__setattr__(self, "_found", found)
        self._require_judged()
        return self

    def require_values(self) -> Self:
        """Refuse what is wrong with the scenario, as far as that is known without planning."""
        if self._is_planned:
            self._require_judged()
            return self
        return self.find_path()

    def _require_judged(self) -> None:
        """Refuse a wrong limit, obstacle or disturbance now, not after an hour of solving."""
        _ = self.limits, self.obstacles, self.disturbances, self.friction
        _ = self.real_path if self.tables.plant.motion else None

    @property
    def _is_planned(self) -> bool:
        return self.tables.path.get("kind") == "optimal"

    @property
    def problem(self) -> ServoProblem:
        """Crane, path and parameters."""
        return self._motion[0]

    @property
    def planned(self) -> Plan | None:
        """How the path was found, where the scenario asks for one."""
        return self._motion[1]

    @property
    def _motion(self) -> tuple[ServoProblem, Plan | None]:
        found = self._found or self.find_path()._found
        assert found is not None
        return found

    @property
    def in_memory(self) -> bool:
        """Whether its crane's class is in no file."""
        return self.tables.crane.model.startswith(IN_MEMORY)

    @cached_property
    def limits(self) -> Limits:
        """What is judged."""
        parameters = self.crane.parameter_values(self.tables.crane.parameters)
        return all_limits(self.tables, self.crane, parameters)

    @cached_property
    def friction(self) -> tuple[DriveFriction, ...]:
        """What friction of its drives the controls overcome."""
        return friction_of(self.tables, self.crane)

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
    def real_path(self) -> LoadPath | None:
        """The path with motions as they really go; None where the controls know them."""
        return real_path(self.tables, self.crane, self.problem.path)

    @cached_property
    def files(self) -> tuple[Path, ...]:
        """The files whose contents matter for a result: scenario, crane, Modelica sources, FMU.

        Absolute paths; only those that exist.
        """
        found = (file.resolve() for file in self._named_files())
        return tuple(dict.fromkeys(file for file in found if file.is_file()))

    def complete(self) -> dict[str, Any]:
        """Return all tables with every default filled in, ready to be written as TOML."""
        from cranebridge.path import Pieces

        tables = self.tables.model_dump(exclude_none=True)
        tables["crane"]["parameters"] = parameters = dict(self.problem.parameters)
        if self.tables.crane.rope is not None:  # its values stand once, where they can be changed
            for key, name in ROPE_PARAMETERS.items():
                if name in parameters:
                    tables["crane"]["rope"][key] = parameters.pop(name)
        if isinstance(self.problem.path, Pieces):  # the same path again, wherever it is read
            tables["path"] = self.problem.path.as_table()
            tables["crane"]["initial"] = dict(self.problem.initial)
        return _without_empty(tables)

    def _named_files(self) -> Iterator[Path]:
        if self.file is not None:
            yield self.file
        crane, plant = self.tables.crane.model, self.tables.plant
        if ".py:" in crane:
            yield Path(crane.rpartition(":")[0])
        moved = self.tables.crane.motion, self.tables.plant.motion
        for table in (table for motion in moved for table in motion.values()):
            if isinstance(table.get("file"), str):
                yield Path(table["file"])
        if plant.fmu is not None:
            yield Path(plant.fmu)
        from cranebridge.frontend import modelica_sources

        with suppress(InputError):  # no such file: who reads it says so
            if is_modelica(crane):
                yield from modelica_sources(crane)
            if plant.fmu is None and plant.model is not None:
                yield from modelica_sources(plant.model)

    @property
    def _path_words(self) -> str:
        kind = str(self.tables.path.get("kind"))
        if self._is_planned and self._found is None:
            return "optimal path, not yet found"
        return f"{kind} path of {self.problem.path.duration:g} s"

    def __repr__(self) -> str:
        return f"Scenario({self.name}: crane {self.crane.name}, {self._path_words})"


def _without_empty(table: dict[str, Any]) -> dict[str, Any]:
    """Leave out empty tables and lists."""
    cleaned = {
        key: _without_empty(value) if isinstance(value, dict) else value
        for key, value in table.items()
    }
    return {key: value for key, value in cleaned.items() if value not in ({}, [], "")}


def load_scenario(
    source: str, settings: Settings = (), progress: Progress = ignore_progress
) -> Scenario:
    """Load a scenario by name or from a file; where it asks for a path, that is found.

    Parameters
    ----------
    source : str
        A ready scenario's name, or a TOML file.
    settings : sequence of str, or mapping of str to object
        Overrides such as ``"solve.step=0.005"``, or ``{"solve.step": 0.005}``; ``crane.m`` sets a
        parameter.
    progress : callable, optional
        Called with the fraction of planning that is done.
    """
    return Scenario.read(source, settings).find_path(progress)
