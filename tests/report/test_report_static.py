from __future__ import annotations

import sys

import pytest

from cranebridge.errors import InputError, MissingDependencyError
from cranebridge.report import write_static


@pytest.mark.parametrize(("ending", "magic"), [("pdf", b"%PDF-"), ("png", b"\x89PNG")])
@pytest.mark.parametrize("tracked", [True, False])
def test_printable_report_is_written(tmp_path, verified, ending, magic, tracked):
    pytest.importorskip("matplotlib")
    solved, tracking = verified("rotary")
    target = tmp_path / f"report.{ending}"
    write_static(
        target,
        scenario=solved.scenario,
        solved=solved,
        tracking=tracking if tracked else None,
    )
    assert target.read_bytes().startswith(magic)
    with pytest.raises(InputError, match="exists"):
        write_static(target, scenario=solved.scenario, solved=solved)


def test_missing_matplotlib_names_the_extra(tmp_path, verified, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    solved, _ = verified("rotary")
    with pytest.raises(MissingDependencyError, match=r"pip install 'cranebridge\[report\]'"):
        write_static(tmp_path / "report.pdf", scenario=solved.scenario, solved=solved)


def test_other_endings_are_refused(tmp_path, verified):
    solved, _ = verified("rotary")
    with pytest.raises(InputError, match=r"\.pdf or a \.png"):
        write_static(tmp_path / "report.docx", scenario=solved.scenario, solved=solved)
