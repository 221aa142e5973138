"""Write the tables of keys and choices into docs/scenarios.md, from the schema and the registries.

.venv/bin/python scripts/scenario_docs.py
"""

from __future__ import annotations

from pathlib import Path

from cranebridge.scenario import markdown

TARGET = Path(__file__).parents[1] / "docs" / "scenarios.md"
BEGIN, END = "<!-- made by scripts/scenario_docs.py -->\n", "<!-- end -->\n"


def main() -> None:
    """Replace what stands between the marks."""
    before, _, rest = TARGET.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    TARGET.write_text(f"{before}{BEGIN}{markdown()}{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
