"""Templates are what their suffix says: C and Modelica compile, Structured Text can be parsed."""

from __future__ import annotations

import itertools
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import cranebridge
from cranebridge.frontend.modelica_model import load_model
from structured_text import parse

PACKAGE = Path(cranebridge.__file__).parent
FILES = sorted(PACKAGE.rglob("templates/*.*"))
EXAMPLE = '#include "example.h"\n'
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only")


def alone(file: Path) -> bool:
    """Whether a template can be compiled alone; others are parts of one that can."""
    return file.suffix in (".c", ".h") and EXAMPLE in file.read_text()


def choices(file: Path) -> Iterator[tuple[str, ...]]:
    """Yield the compiler's flags for each choice of lines that are kept or left out."""
    names = re.findall(r"^#ifndef (\w+_)$", file.with_name("example.h").read_text(), re.MULTILINE)
    used = "".join(part.read_text() for part in file.parent.glob("*.[ch]"))
    names = [name for name in names if re.search(rf"^#if !?{name}$", used, re.MULTILINE)]
    for values in itertools.product("10", repeat=len(names)):
        yield tuple(f"-D{name}={value}" for name, value in zip(names, values, strict=True))


def name_of(file: Path) -> str:
    return str(file.relative_to(PACKAGE))


@pytest.mark.parametrize("file", [*filter(alone, FILES)], ids=name_of)
def test_c_template_compiles_alone(file: Path) -> None:
    for flags in choices(file):
        command = ["gcc", *STRICT, *flags, str(file)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{flags}\n{done.stderr}"


def test_every_c_template_is_read_by_a_compiler() -> None:
    read: set[Path] = set()
    for file in filter(alone, FILES):
        for flags in choices(file):
            # from its own folder: ways to it may have blanks
            command = ["gcc", "-MM", *flags, file.name]
            found = subprocess.check_output(command, cwd=file.parent, text=True)
            words = found.replace("\\\n", " ").split()[1:]
            read |= {(file.parent / word).resolve() for word in words}
    assert {file.resolve() for file in FILES if file.suffix in (".c", ".h")} <= read


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_names_that_are_filled_in_are_words_of_their_own(file: Path) -> None:
    """A name within a word would stay as it is."""
    assert re.findall(r"\w*[a-z][A-Z][A-Z0-9_]*_\b", file.read_text()) == []


@pytest.mark.parametrize("file", [file for file in FILES if file.suffix == ".st"], ids=name_of)
def test_structured_text_template_can_be_parsed(file: Path) -> None:
    parse(file.read_text())


@pytest.mark.parametrize("file", [file for file in FILES if file.suffix == ".mo"], ids=name_of)
def test_modelica_template_is_compiled_as_it_is(file: Path, tmp_path: Path) -> None:
    pytest.importorskip("rumoca")
    use = tmp_path / "Use.mo"
    block = "  output Real y = part.y;\n  Table part(table=[0, 3, 0, 0; 1, 3, 0, 0]);\nend Use;\n"
    use.write_text(f"model Use\n{file.read_text()}{block}")
    assert [output.name for output in load_model(use).outputs] == ["y"]
