"""The verbs of the command line in groups: built when they are asked for, listed as plain text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

# Typer carries Click's classes under names that change with its version: hence Any.

VERBS: dict[str, dict[str, str]] = {
    "Start": {
        "open": "page.open_workbench",
        "list": "start.list_",
        "init": "start.init",
        "run": "start.run",
    },
    "Motion": {
        "check": "motion.check",
        "plan": "motion.plan",
        "solve": "motion.solve",
        "study": "motion.study",
    },
    "Plant": {
        "export": "plant.export",
        "certify": "plant.certify",
        "compare-models": "plant.compare_models",
        "verify": "plant.verify",
    },
    "Many runs of the plant": {"learn": "improvement.learn", "campaign": "improvement.campaign"},
    "Delivery": {"deliver": "delivery.deliver"},
    "The tool itself": {"doctor": "tool.doctor"},
}
"""All verbs in the order in which the help shows them, each group under its title, with the
function of `cranebridge.cli` that carries a verb out."""


class Groups(TyperGroup):
    """Has all verbs, and lists them under the titles of their groups (``rich_help_panel``)."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _Commands()

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the verbs in the order of the groups."""
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each group, with one width for all verbs."""
        width = max(map(len, self.commands))
        for title, verbs in VERBS.items():
            limit = formatter.width - width - 4
            rows = [(v.ljust(width), self.commands[v].get_short_help_str(limit)) for v in verbs]
            with formatter.section(title):
                formatter.write_dl(rows)


class _Commands(MutableMapping[str, Any]):
    """Click's commands by verb: what reads a command's options takes longer than many commands."""

    def __init__(self) -> None:
        self._titles = {verb: title for title, verbs in VERBS.items() for verb in verbs}
        self._built: dict[str, Any] = {}

    def __getitem__(self, verb: str) -> Any:
        if verb not in self._built:
            self._built[verb] = _command(verb, self._titles[verb])
        return self._built[verb]

    def __setitem__(self, verb: str, command: Any) -> None:
        self._titles.setdefault(verb, "Commands")
        self._built[verb] = command

    def __delitem__(self, verb: str) -> None:
        del self._titles[verb]
        self._built.pop(verb, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._titles)

    def __len__(self) -> int:
        return len(self._titles)


def _command(verb: str, title: str) -> Any:
    """Return the command of a verb, as Typer builds it from the function's arguments."""
    module, _, name = VERBS[title][verb].partition(".")
    function: Callable[..., None] = getattr(import_module(f"cranebridge.cli.{module}"), name)
    alone = typer.Typer(rich_markup_mode=None)
    alone.command(verb, rich_help_panel=title)(function)
    return get_group(alone).commands[verb]
