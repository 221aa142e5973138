"""Data flows one way: a package imports only from those before it, and no modules form a cycle.

Every module counts, those at the top included, and every import: inside functions and for types
only, too. A package or a room of it is entered by its front, its ``__init__``: nobody imports
modules of a folder that he is not in.
"""

from __future__ import annotations

import ast
import importlib
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "python" / "cranebridge"
BASE = (
    *("errors", "numerics", "expressions", "cache", "c_compiler", "lazily"),
    *("readable", "version_info", "temporary", "regular_files"),
)
"""Modules below all packages: they import nothing of ours but those of `LOWEST` and the version."""
LOWEST = ("errors", "temporary")
ORDER = (
    *(
        "progress",
        "emit",
        "structure",
        "frontend",
        "twin",
        "path",
        "inverse",
        "forward",
        "limits",
        "plan",
    ),
    *(
        "control",
        "online",
        "plant",
        "verify",
        "deliver",
        "learn",
        "campaign",
        "scenario",
        "study",
        "report",
        "job",
    ),
    *("face", "workbench", "terminal", "cli", "__main__"),
)
"""Each imports from those left of it; `terminal` shows results for the command line."""
INDEPENDENT = {
    "plant": ORDER[ORDER.index("twin") : ORDER.index("plant")],
    "workbench": ORDER[ORDER.index("progress") + 1 : ORDER.index("job")],
}
"""The plant knows nothing of the twin and of what is made from it: that they agree is measured. The
workbench talks to `job` only, and shows progress."""
CLI = (
    "cli",
    "cache",
    "scenarios",
    "job",
    "scenario",
    "plant",
    "verify",
    "terminal",
    "workbench",
    "errors",
    "lazily",
    "readable",
    "progress",
    "cranebridge",
)
"""All that the command line needs: a scenario, the job, its results and how they are shown; of the
plant the child process that starts in advance."""
DATA = ("scenarios",)
"""Packages that hold files, and import nothing of ours."""


def modules() -> dict[str, Path]:
    """Return all modules of the package by full name."""
    found = {}
    for file in sorted(ROOT.rglob("*.py")):
        parts = ("cranebridge", *file.relative_to(ROOT).with_suffix("").parts)
        found[".".join(parts).removesuffix(".__init__")] = file
    return found


MODULES = modules()


@cache
def trees() -> dict[str, ast.Module]:
    """Return the parsed source of every module, by name."""
    return {name: ast.parse(file.read_text(encoding="utf-8")) for name, file in MODULES.items()}


def imported(tree: ast.AST, known: Mapping[str, object]) -> set[str]:
    """Return the modules of ours that a source imports, wherever in it that stands."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import hides where it leads"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in known else str(node.module))
    return {name for name in found if name.split(".")[0] == "cranebridge"}


@cache
def graph() -> dict[str, set[str]]:
    """Return the modules that every module imports."""
    return {name: imported(tree, MODULES) for name, tree in trees().items()}


def package(module: str) -> str:
    """Return the package, or the module at the top, that a module belongs to."""
    return module.split(".")[1] if "." in module else module


def allowed(name: str) -> set[str]:
    """Return what a package may import from."""
    if name == "cranebridge" or name in DATA:
        return set()
    if name in BASE:
        return {*LOWEST, "cranebridge"} - {name}
    if name in ("cli", "__main__"):
        return {"cli"} if name == "__main__" else set(CLI)
    before = set(ORDER[: ORDER.index(name)]) - set(INDEPENDENT.get(name, ()))
    return {name, "cranebridge", *BASE, *DATA} | before


PACKAGES = sorted({package(module) for module in MODULES})


def test_every_module_has_its_place_in_the_order() -> None:
    known = {*BASE, *ORDER, *DATA, "cranebridge"}
    assert [module for module in MODULES if package(module) not in known] == []


@pytest.mark.parametrize("name", [name for name in PACKAGES if name in {*BASE, *ORDER, *DATA}])
def test_package_imports_only_from_those_before_it(name: str) -> None:
    wrong = {
        f"{module} imports {target}"
        for module, targets in graph().items()
        for target in targets
        if package(module) == name and package(target) not in allowed(name)
    }
    assert wrong == set()


def test_package_itself_imports_nothing_of_ours() -> None:
    # it offers names lazily; what it offers is tested in test_package.py
    assert graph()["cranebridge"] == set()


def test_only_the_version_is_taken_from_the_package_itself() -> None:
    # its other names would lead anywhere, past the order
    wrong = []
    for module, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                taken = [node.attr] if node.value.id == "cranebridge" else []
            elif isinstance(node, ast.ImportFrom) and node.module == "cranebridge":
                taken = [alias.name for alias in node.names]
            else:
                continue
            wrong += [f"{module}: {name}" for name in taken if name != "__version__"]
    assert wrong == []


def test_imported_modules_exist() -> None:
    wrong = [f"{a} imports {b}" for a, found in graph().items() for b in found if b not in MODULES]
    assert wrong == []


def cycles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the strongly connected components of more than one module (Tarjan's algorithm)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in sorted(graph.get(node, ())):
            if target not in index:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], index[target])
        if low[node] == index[node]:
            position = stack.index(node)
            component = stack[position:]
            del stack[position:]
            if len(component) > 1 or node in graph.get(node, ()):
                found.append(sorted(component))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def test_no_modules_form_a_cycle() -> None:
    assert cycles(graph()) == []


def test_cycle_is_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set(), "e": {"e"}, "f": {"a", "d"}}
    assert cycles(graph) == [["b", "c"], ["e"]]


def test_imports_everywhere_are_counted() -> None:
    source = """
from typing import TYPE_CHECKING
import cranebridge.twin.crane
from cranebridge.path import Path
if TYPE_CHECKING:
    from cranebridge.verify import tracking
def late():
    class Inner:
        from cranebridge.plant.plant import Plant
    import numpy, cranebridge.errors
"""
    assert imported(ast.parse(source), {"cranebridge.verify.tracking": None}) == {
        "cranebridge.twin.crane",
        "cranebridge.path",
        "cranebridge.verify.tracking",
        "cranebridge.plant.plant",
        "cranebridge.errors",
    }


def test_no_function_or_class_carries_the_name_of_a_module_beside_it() -> None:
    # imported into the package, it would hide the module; the verbs of the command line are words
    wrong = []
    for module, file in MODULES.items():
        beside = {entry.stem for entry in file.parent.iterdir() if entry.suffix in (".py", "")}
        for node in trees()[module].body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in beside:
                wrong.append(f"{module}.{node.name}")
    assert [name for name in wrong if not name.startswith("cranebridge.cli.")] == []


SAME_NAME = {
    "Scenario": "`import cranebridge` offers one that carries itself out: the same, with verbs",
    "Line": "a word of those who write scenes of cranes, and of those who write paths",
    "Cylindrical": "a joint of a crane of parts, and a path",
}
"""Names that more than one class has, and why."""


def test_class_names_are_unique() -> None:
    places: dict[str, list[str]] = {}
    for module, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(module)
    same = {name: modules for name, modules in places.items() if len(modules) > 1}
    assert {name: modules for name, modules in same.items() if name not in SAME_NAME} == {}
    assert SAME_NAME.keys() <= same.keys()


PARALLEL_FILES = {
    "builder.py": "parts put together, to an FMU and to an SSP",
    "checks.py": "a check, as an object and in the terminal",
    "delivery.py": "a delivery, as a call and as a verb",
    "estimates.py": "what an observer estimates: the names, and the values along a run",
    "files.py": "files written so that no half of one is ever seen: deliveries, and reports",
    "learned.py": "what was learned, as an object and in the report",
    "plant.py": "a plant, as an object and as verbs",
    "point_requests.py": "requests of single points: how they are sent, and how they are made",
    "problem.py": "the servo problem, and how a scenario's tables describe it",
    "scenario.py": "a scenario, and the same with verbs",
    "settings.py": "what a table of a scenario asks for: [learn], and the verification's",
    "status.py": "the table of what delivered code answers: of controllers, and of generators",
    "tables.py": "results as tables, in the report and in the terminal",
}
"""File names that more than one room has, for the same thing on two sides."""


def test_files_of_different_things_have_different_names() -> None:
    count = Counter(file.name for file in MODULES.values() if file.name != "__init__.py")
    same = {name for name, n in count.items() if n > 1}
    assert same == PARALLEL_FILES.keys()


FOLDERS = {name for name, file in MODULES.items() if file.name == "__init__.py"}


def folder_of(module: str) -> str:
    """Return the folder that a module lies in; a front lies in its own."""
    return module if module in FOLDERS else module.rpartition(".")[0]


def offered(front: str) -> set[str]:
    """Return what a package or a room offers."""
    return {
        alias.asname or alias.name
        for node in ast.walk(trees()[front])
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_nobody_passes_a_front_by() -> None:
    wrong = []
    for module, targets in graph().items():
        for target in targets - FOLDERS:
            folder, _, name = target.rpartition(".")
            inside = folder == "cranebridge" or f"{folder_of(module)}.".startswith(f"{folder}.")
            # a module whose names are read with its own, such as `taylor`, is offered as a whole
            if not inside and name not in offered(folder):
                wrong.append(f"{module} imports {target}")
    assert sorted(wrong) == []


def test_fronts_offer_what_there_is() -> None:
    wrong = []
    for front in sorted(FOLDERS - {"cranebridge"}):
        there = importlib.import_module(front)
        # `front` and `TYPE_CHECKING` are what it is made with
        names = offered(front) - {"front", "TYPE_CHECKING"}
        wrong += [f"{front}.{name}" for name in sorted(names) if not hasattr(there, name)]
    assert wrong == []


def test_nobody_enters_a_package_that_he_is_in_by_its_front() -> None:
    wrong = [
        f"{module} imports {target}"
        for module, targets in graph().items()
        for target in targets & FOLDERS - {"cranebridge"}
        if module != target and f"{module}.".startswith(f"{target}.")
    ]
    assert wrong == []


def test_rooms_form_no_cycle() -> None:
    # modules that lie in no room count as rooms of their own
    def room(module: str) -> str:
        folder = folder_of(module)
        return folder if folder.count(".") > 1 else module

    between: dict[str, set[str]] = {}
    for module, targets in graph().items():
        if folder_of(module).count(".") > 1 or module not in FOLDERS:
            found = {room(target) for target in targets} - {room(module)}
            between.setdefault(room(module), set()).update(found)
    assert cycles(between) == []


def test_folder_is_small_enough_for_a_reader() -> None:
    count = Counter(folder_of(module) for module in set(MODULES) - FOLDERS)
    # a crane is a file, and nobody reads them all
    large = {name: n for name, n in count.items() if n > 15 and name != "cranebridge.twin.cranes"}
    assert large == {}


def test_plant_and_twin_do_not_know_each_other() -> None:
    assert "twin" not in allowed("plant")
    assert "plant" not in allowed("twin")


def test_child_process_knows_nothing_of_the_side_that_starts_it() -> None:
    wrong = [
        f"{module} imports {target}"
        for module, targets in graph().items()
        for target in targets
        if module.startswith("cranebridge.plant.child")
        and target.startswith("cranebridge.plant")
        and target.split(".")[2] not in ("child", "containment", "protocol")
    ]
    assert wrong == []


def addresses_of_temporaries(tree: ast.AST) -> list[int]:
    """Lines that take the address of an array which is gone before it is used."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr == "ctypes"
        and isinstance(node.value, ast.Call | ast.BinOp)
    ]


def test_no_address_of_an_array_that_does_not_outlive_the_call():
    # FMUs once read freed memory as states, now and then, with integrators of SciPy.
    found = {
        name: lines for name, tree in trees().items() if (lines := addresses_of_temporaries(tree))
    }
    assert found == {}


def test_addresses_of_temporaries_are_seen():
    seen = addresses_of_temporaries(ast.parse("f(np.ascontiguousarray(x).ctypes.data)"))
    assert seen == [1]
