"""Fronts of packages: what they offer is imported when it is first asked for (PEP 562)."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

# Imports in a block, as ruff formats them. Python's own parser takes a tenth of the time in which a
# short command starts.
_IMPORT = re.compile(r"^    from (\S+) import (?:\(([^)]*)\)|(.*))$", re.MULTILINE)
_NAME = re.compile(r"\w+")
_COMMENT = re.compile(r"#.*")


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
        module = sys.modules[package]
        assert module.__spec__ is not None
        source = module.__spec__.loader.get_source(package)  # type: ignore[union-attr]
        return {
            name: module
            for module, several, one in _IMPORT.findall(source)
            for name in _NAME.findall(_COMMENT.sub("", several or one))
        }

    def asked(name: str) -> Any:
        if name == "__all__":
            return sorted(places())
        if name.startswith("__") or name not in places():
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        if places()[name] == package:
            return import_module(f"{package}.{name}")
        return getattr(import_module(places()[name]), name)

    return asked, lambda: sorted(places())
