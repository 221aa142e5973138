"""Data flows one way: a package imports only from those left of it; twin and plant never meet."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "python" / "cranebridge"
ALLOWED = {
    "twin": set(),
    "path": set(),
    "inverse": {"twin", "path"},
    "plant": set(),
    "deliver": {"twin", "path", "inverse", "plant"},
    "forward": {"twin", "path", "inverse"},
    "verify": {"twin", "path", "inverse", "plant", "deliver", "forward"},
    "report": {"twin", "path", "inverse", "plant", "deliver", "forward", "verify"},
}


def imported(file: Path) -> set[str]:
    """Return the packages of ours that a file imports, those for types only included."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("cranebridge.")}
    return found & set(ALLOWED)


@pytest.mark.parametrize("package", sorted(ALLOWED))
def test_package_imports_only_from_its_left(package: str) -> None:
    files = sorted((PACKAGE / package).rglob("*.py"))
    assert files
    for file in files:
        assert imported(file) <= ALLOWED[package] | {package}, file.name
