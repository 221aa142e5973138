"""The table of benchmarks/README.md: the first paragraph of every benchmark's head."""

from __future__ import annotations

import ast

from marks import ROOT, Files, page_with


def made() -> Files:
    """Return the page with its table."""
    rows = ["| file | what it measures |", "|---|---|"]
    for file in sorted((ROOT / "benchmarks").glob("*.py")):
        head = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
        rows.append(f"| `{file.name}` | {' '.join(head.split(chr(10) * 2)[0].split())} |")
    return page_with("\n".join(rows) + "\n", "../benchmarks/README.md", "benchmarks_table")
