"""Cases that show once more what another case of the same test shows, on another crane or form.

They are left out unless they are asked for: ``scripts/test --all`` runs everything.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def further(*values: Any, id: str | None = None) -> Any:
    """Return a case that is run only if it is asked for."""
    return pytest.param(*values, id=id, marks=pytest.mark.further)


def mostly_further(cases: Iterable[Any], *always: Any) -> list[Any]:
    """Return cases of which only some are always run.

    A case is a value, or a tuple of values.
    """
    every = list(cases)
    missing = [case for case in always if case not in every]
    assert not missing, f"there are no such cases: {missing}"
    return [
        case if case in always else further(*(case if isinstance(case, tuple) else (case,)))
        for case in every
    ]
