"""Fronts of packages: what they offer is imported when it is first asked for (PEP 562)."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any


def front(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package.

    What a package offers stands once, in its ``__init__.py``: the imports that it makes under
    ``if TYPE_CHECKING``. Type checkers and editors follow them; nothing is imported before it is
    asked for.

    Parameters
    ----------
    package : str
        Its name, such as ``cranebridge.plan``.
    """

    @cache
    def places() -> dict[str, str]:
        source = inspect.getsource(sys.modules[package])
        return {
            alias.name: str(node.module)
            for block in ast.parse(source).body
            if isinstance(block, ast.If)
            for node in block.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }

    def asked(name: str) -> Any:
        if name == "__all__":
            return sorted(places())
        # `inspect` asks a module for such names, and for the source it is needed
        if name.startswith("__") or name not in places():
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        if places()[name] == package:
            return import_module(f"{package}.{name}")
        return getattr(import_module(places()[name]), name)

    return asked, lambda: sorted(places())
