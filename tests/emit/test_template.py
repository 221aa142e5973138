"""Names that are filled into templates, and the lines of them that are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from cranebridge.emit import filled


def written(folder: Path, text: str, **values: str | bool | Path) -> str:
    """Return what becomes of a text in a file."""
    (folder / "whole.c").write_text(text)
    return filled(folder / "whole.c", values, {"machine": "crane"})


def test_names_are_filled_in_as_whole_words(tmp_path: Path) -> None:
    text = "int SIZE_[SIZE]; /* SIZE_ of MY_SIZE_ */\n"
    wanted = "int 7[SIZE]; /* 7 of me */\n"
    assert written(tmp_path, text, SIZE="7", MY_SIZE="me") == wanted


def test_prefix_is_filled_in_at_the_begin_of_names_only(tmp_path: Path) -> None:
    text = "machine_step(machine, the_machine_state, machine_)\n"
    assert written(tmp_path, text) == "crane_step(machine, the_machine_state, machine_)\n"


def test_what_is_filled_in_is_not_looked_at_again(tmp_path: Path) -> None:
    assert written(tmp_path, "A_ B_\n", A="B_", B="A_ machine_x") == "B_ A_ machine_x\n"


@pytest.mark.parametrize(("opening", "closing"), [("/*", "*/"), ("(*", "*)")])
def test_comment_of_a_name_alone_becomes_lines_or_none(
    tmp_path: Path, opening: str, closing: str
) -> None:
    text = f"a\n    {opening} LINES_ {closing}\nb {opening} LINES_ {closing}\n"
    assert written(tmp_path, text, LINES="1\n2") == f"a\n1\n2\nb {opening} 1\n2 {closing}\n"
    assert written(tmp_path, text, LINES="") == f"a\nb {opening}  {closing}\n"


@pytest.mark.parametrize("form", ["{}\n", "(* {} *)\n"])
def test_conditions_keep_lines(tmp_path: Path, form: str) -> None:
    lines = ("#if A_", "#if !B_", "#else")
    first, second, other = (form.format(line) for line in lines)
    end = form.format("#endif")
    text = f"0\n{first}1\n{second}2\n{other}3\n{end}{other}4\n{end}5\n"
    assert written(tmp_path, text, A=True, B=False) == "0\n1\n2\n5\n"
    assert written(tmp_path, text, A=True, B=True) == "0\n1\n3\n5\n"
    assert written(tmp_path, text, A=False, B=True) == "0\n4\n5\n"


def test_conditions_of_the_compiler_stay(tmp_path: Path) -> None:
    text = "#ifdef __cplusplus\n#if A_\n1\n#endif\n#else\n2\n#endif\n"
    assert written(tmp_path, text, A=False) == "#ifdef __cplusplus\n#else\n2\n#endif\n"


def test_examples_are_left_out(tmp_path: Path) -> None:
    text = '#ifndef FILLED\n#include "example.h"\n#if A_\n#endif\n#endif\n1\n'
    assert written(tmp_path, text, A=True) == "1\n"


def test_templates_beside_and_given_ones_are_included(tmp_path: Path) -> None:
    other = tmp_path / "elsewhere.c"
    other.write_text("machine_OTHER A_\n")
    (tmp_path / "part.c").write_text("part A_\n#include OTHER_\n")
    text = '#include <math.h>\n#include "not_here.h"\n#include "part.c"\n#include NAME_\n'
    found = written(tmp_path, text, A="a", OTHER=other, NAME='"x.h"')
    assert found == (
        '#include <math.h>\n#include "not_here.h"\npart a\ncrane_OTHER a\n#include "x.h"\n'
    )


def test_what_has_no_value_is_an_error(tmp_path: Path) -> None:
    for text in ("A_\n", "/* A_ */\n", "#if A_\n#endif\n", "#include A_\n"):
        with pytest.raises(KeyError, match="A"):
            written(tmp_path, text, B="b")
    with pytest.raises(TypeError, match="A_ wants a text"):
        written(tmp_path, "A_\n", A=True)
