"""Where the command line writes: results to standard output, progress and errors beside it."""

from __future__ import annotations

import json
from typing import Any

from rich.console import Console

out = Console(soft_wrap=True, highlight=False)
err = Console(stderr=True, soft_wrap=True, highlight=False)


def print_json(value: Any) -> None:
    """Print a result for machines."""
    print(json.dumps(value, indent=2))
