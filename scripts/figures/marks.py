"""Parts of pages that scripts write: what is between two marks."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
BEGIN, END = "<!-- made by scripts/figures/{}.py -->\n", "<!-- end -->\n"

Files = dict[Path, bytes]
"""What a script makes: the contents of whole files, by their place."""


def page_with(made: str, page: str, script: str) -> Files:
    """Return a page of the documentation, with what a script made between its marks."""
    file = (DOCS / page).resolve()
    before, begin, rest = file.read_text(encoding="utf-8").partition(BEGIN.format(script))
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise SystemExit(f"docs/{page} has no marks of {script}")
    return {file: f"{before}{begin}{made}{end}{after}".encode()}
