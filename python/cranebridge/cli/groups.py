"""The help of the command line in groups of verbs, as plain text."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

# Typer carries Click's classes under names that change with its version: hence Any.


class Groups(TyperGroup):
    """Lists the verbs under the titles of their groups (``rich_help_panel``)."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the verbs in the order in which they were added."""
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each group, with one width for all verbs."""
        width = max(map(len, self.commands))
        groups: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            title = getattr(command, "rich_help_panel", None) or "Commands"
            text = command.get_short_help_str(limit=formatter.width - width - 4)
            groups.setdefault(str(title), []).append((name.ljust(width), text))
        for title, rows in groups.items():
            with formatter.section(title):
                formatter.write_dl(rows)
