"""A page of the documentation as a program: its blocks are run in order, what it shows is compared.

- A block with ``file=NAME`` is written to that file.
- A ``console`` block has commands behind ``$``; ``exit=1`` beside the language says how they end.
- ``python`` blocks are the cells of one notebook.
- A ``text output`` block is what the Python block before it prints.

Shown output stands in the real one, in the same order; `...` is what the page leaves out, within a
line or as a line of its own.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def run_page(page: Path, folder: Path) -> dict[str, Any]:
    """Run a page in a folder, which must be the current one; return the names of its Python."""
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = ""
    for language, info, content in FENCE.findall(page.read_text(encoding="utf-8")):
        file = re.search(r"file=(\S+)", info)
        if file:
            (folder / file[1]).write_text(content, encoding="utf-8")
        elif language == "console":
            wanted = int((re.search(r"exit=(\d)", info) or ("", "0"))[1])
            for command, shown in commands(content):
                compare(shown, run(command, folder, wanted), f"{page.name}: {command}")
        elif language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as stream:
                exec(compile(content, str(page), "exec"), names)
            printed = stream.getvalue()
        elif language == "text" and "output" in info:
            compare(content, printed, f"{page.name}: Python")
    return names


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Return each command of a console block with the output that is shown behind it."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def run(command: str, folder: Path, wanted: int) -> str:
    """Run a command and return what it prints."""
    program, *arguments = shlex.split(command, comments=True)
    if program in ("cranebridge", "python"):
        program = str(Path(sys.executable).with_name(program))
    done = subprocess.run(
        [program, *arguments], cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == wanted, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def compare(shown: str, printed: str, where: str) -> None:
    """Compare what a page shows with what was printed, numbers to the digits that are shown."""
    left = printed.splitlines()
    for line in shown.splitlines():
        if line.strip() in ("", "..."):
            continue
        found = next((i for i, candidate in enumerate(left) if same(line, candidate)), None)
        assert found is not None, f"{where} does not print\n{line}\nbut\n" + "\n".join(left)
        left = left[found + 1 :]


def same(shown: str, printed: str) -> bool:
    """Return whether a line is the one that is shown.

    A number may differ by one in the last digit that is shown: where its value lies between two
    roundings, another processor may take the other one.
    """
    words = [" ".join(re.escape(word) for word in part.split()) for part in NUMBER.split(shown)]
    spaces = [(part[:1].isspace(), part[-1:].isspace()) for part in NUMBER.split(shown)]
    pattern = r"(\S*?)".join(
        (r"\s+" if before and word else "") + word.replace(" ", r"\s+") + (r"\s*" if after else "")
        for word, (before, after) in zip(words, spaces, strict=True)
    )
    match = re.fullmatch(r"\s*" + pattern.replace(r"\.\.\.", ".*") + r"\s*", printed)
    if match is None:
        return False
    numbers = zip(NUMBER.findall(shown), match.groups(), strict=True)
    return all(NUMBER.fullmatch(b) and agree(a, b) for a, b in numbers)


def agree(shown: str, printed: str) -> bool:
    """Compare two numbers to one unit in the last digit of the first."""
    digits, _, exponent = shown.lower().partition("e")
    last = 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))
    whole = not exponent and "." not in shown  # a count, not a measured value
    return abs(float(shown) - float(printed)) <= (0.0 if whole else 1.001 * last)
