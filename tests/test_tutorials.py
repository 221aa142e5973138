"""Each tutorial is run from beginning to end in an empty folder, and does what its page says."""

from __future__ import annotations

from pathlib import Path

import pytest

from pages import run_page

DOCS = Path(__file__).parents[1] / "docs"
TUTORIALS = sorted((DOCS / "tutorials").glob("*.md"))


@pytest.mark.parametrize("page", [DOCS / "start.md", *TUTORIALS], ids=lambda page: page.stem)
def test_page_does_what_it_says(page: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(page, tmp_path)
