"""Parts of pages that are made from the code when the site is built.

A page has a mark, `<!-- the commands -->`, in whose place the text comes; on a Git host the page
is what is written around it.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import typer
from sphinx.application import Sphinx

PACKAGES = (
    *("structure", "frontend", "twin", "path", "inverse", "forward", "limits", "plan", "control"),
    *(
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
    "face",
)
"""What has an API page each, in the order in which data flows."""


def commands() -> str:
    """Return a section for each group of verbs of the command line, and in it one for each verb."""
    from cranebridge.cli import app

    root: Any = typer.main.get_command(app)
    context = typer.Context(root, info_name="cranebridge")
    parts, group = [_options(root, context)], ""
    for name in root.list_commands(context):
        verb = root.get_command(context, name)
        if (title := verb.rich_help_panel or "Verbs") != group:
            parts.append(f"## {title}\n")
            group = title
        inner = typer.Context(verb, info_name=name, parent=context)
        usage = " ".join([inner.command_path, *verb.collect_usage_pieces(inner)])
        text = inspect.cleandoc(verb.help or "")
        parts.append(f"### {name}\n\n{text}\n\n```text\n{usage}\n```\n\n{_options(verb, inner)}")
    return "\n".join(parts)


def _options(command: Any, context: Any) -> str:
    """Return arguments and options as a table."""
    rows = []
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is None and parameter.param_type_name == "argument":
            record = (parameter.make_metavar(context), getattr(parameter, "help", "") or "")
        if record is not None:
            rows.append("| `{}` | {} |".format(*(part.replace("|", "\\|") for part in record)))
    return "| | what it does |\n|---|---|\n" + "\n".join(rows) + "\n"


def names(package: str) -> dict[str, list[str]]:
    """Return what a package offers, by the module that it is imported from."""
    module = "cranebridge" if package == "cranebridge" else f"cranebridge.{package}"
    there = importlib.import_module(module)
    values = {name: getattr(there, name) for name in there.__all__ if name != "__version__"}
    return {module: [name for name, value in values.items() if not inspect.ismodule(value)]}


def api_page(package: str) -> str:
    """Return the page of a package: its first sentences, then all names that it offers."""
    title = package if package == "cranebridge" else f"cranebridge.{package}"
    lines = [f"# {title}", "", "```{eval-rst}", f".. automodule:: {title}", "   :no-index:", ""]
    for module, offered in names(package).items():
        for name in offered:
            lines += [
                *_entry(f"{module}.{name}", getattr(importlib.import_module(module), name)),
                "",
            ]
    return "\n".join([*lines, "```", ""])


def _entry(name: str, value: object) -> list[str]:
    """Return the lines that document one name."""
    # What `cranebridge` offers has its own place in a package, which is where links lead to.
    again = ["   :no-index:"] if name.count(".") == 1 else []
    if inspect.isclass(value):
        return [f".. autoclass:: {name}", "   :members:", *again]
    if callable(value):
        return [f".. autofunction:: {name}", *again]
    words = ", ".join(f"``{word}``" for word in value) if isinstance(value, Iterable) else ""
    return [f".. py:data:: {name}", "", f"   {words}"]


def write_api(app: Sphinx) -> None:
    """Write the API pages; one that has not changed keeps its time, so that it is not read anew."""
    folder = Path(app.srcdir) / "api"
    folder.mkdir(exist_ok=True)
    for package in ("cranebridge", *PACKAGES):
        page, text = folder / f"{package}.md", api_page(package)
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")


def plain(
    _app: Sphinx, _what: str, _name: str, _value: object, _options: object, lines: list[str]
) -> None:
    """Change what is plain text in our docstrings and something else in reStructuredText.

    |x| is an absolute value. Attributes that share a line, `q, v : array`, get a line each.
    """
    text = "\n".join(lines)
    shared = re.compile(r"^(\w+(?:, \w+)+)( : .*(?:\n +.+)*)$", re.MULTILINE)
    text = shared.sub(lambda m: "\n".join(name + m[2] for name in m[1].split(", ")), text)
    text = re.sub(r"^(?!.*``).*$", lambda m: m[0].replace("|", r"\|"), text, flags=re.MULTILINE)
    lines[:] = text.split("\n")


MARKS: dict[str, Callable[[], str]] = {"<!-- the commands -->": commands}


def fill(_app: Sphinx, _name: str, source: list[str]) -> None:
    """Put what is made in place of the marks of a page."""
    for mark, make in MARKS.items():
        if mark in source[0]:
            source[0] = source[0].replace(mark, make())


def setup(app: Sphinx) -> dict[str, Any]:
    """Take part in the building of the site."""
    app.connect("builder-inited", write_api)
    app.connect("source-read", fill)
    app.connect("autodoc-process-docstring", plain, priority=400)  # before napoleon
    return {"parallel_read_safe": True, "parallel_write_safe": True}
