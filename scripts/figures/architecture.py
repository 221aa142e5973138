"""The floors and rooms of the package, and which floors each imports, drawn from the code.

Every floor is a row, with its rooms; a dot in a column says that it imports from the floor of that
column. All dots lie left of the diagonal: data flows one way.
"""

from __future__ import annotations

import ast
import sys
from html import escape
from pathlib import Path

from marks import DOCS, ROOT, Files

sys.path.insert(0, str(ROOT / "tests"))
from test_architecture import BASE, FOLDERS, ORDER, graph, package, trees

ROW, LEFT, COLUMN, LETTER = 26, 500, 21, 6
BELOW = "base"
STYLE = """\
text { font: 10px sans-serif; fill: #1d2733 }
.floor { font-weight: bold; font-size: 12px }
.room { fill: #e3edf7; stroke: #7d9ab8 }
.step { fill: #f1f3f5; stroke: #ced4da }
.dot { fill: #1f6feb }
"""


def made() -> Files:
    """Return the picture."""
    return {DOCS / "pictures" / "architecture.svg": picture().encode()}


def picture() -> str:
    """Return the drawing."""
    floors = [BELOW, *(name for name in ORDER if name != "__main__")]
    top = 110
    width, height = LEFT + COLUMN * len(floors) + 20, top + ROW * len(floors) + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        "<title>Floors and rooms of cranebridge, and what each floor imports from</title>",
        f'<style>\n{STYLE}</style>\n<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for column, name in enumerate(floors):
        x = LEFT + COLUMN * column + COLUMN / 2
        turned = f'transform="rotate(-60 {x:g} {top - 8})"'
        parts.append(f'<text x="{x:g}" y="{top - 8}" {turned}>{escape(name)}</text>')
    for row, name in enumerate(floors):
        y = top + ROW * row
        parts.append(f'<text class="floor" x="8" y="{y + 17}">{escape(name)}</text>')
        parts += _rooms(name, y)
        x = LEFT + COLUMN * row
        parts.append(
            f'<rect class="step" x="{x}" y="{y + 3}" width="{COLUMN - 2}" height="{ROW - 6}"/>'
        )
        used = imports(name)
        for column, other in enumerate(floors):
            if other in used:
                x = LEFT + COLUMN * column + COLUMN / 2 - 1
                title = f"<title>{escape(name)} imports from {escape(other)}</title>"
                parts.append(f'<circle class="dot" cx="{x:g}" cy="{y + 13}" r="4">{title}</circle>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def floor(module: str) -> str:
    """Return the floor of a module."""
    return BELOW if package(module) in BASE else package(module)


def imports(name: str) -> set[str]:
    """Return the floors that a floor imports from, itself left out."""
    used = {
        floor(target)
        for module, targets in graph().items()
        for target in targets
        if floor(module) == name
    }
    return used - {name}


def rooms(name: str) -> list[str]:
    """Return the rooms of a floor."""
    inner = [module.split(".")[2:] for module in FOLDERS if floor(module) == name]
    return sorted(parts[0] for parts in inner if len(parts) == 1)


def _rooms(name: str, y: int) -> list[str]:
    parts, x = [], 100.0
    for room in rooms(name):
        wide = LETTER * len(room) + 8
        title = f"<title>{purpose(name, room)}</title>"
        parts.append(
            f'<g>{title}<rect class="room" x="{x:g}" y="{y + 4}" width="{wide:g}" height="18" '
            f'rx="3"/><text x="{x + 4:g}" y="{y + 17}">{room}</text></g>'
        )
        x += wide + 4
    if x > LEFT:
        raise SystemExit(f"the rooms of {name} need {x:g} of {LEFT} points: make LEFT larger")
    return parts


def purpose(name: str, room: str) -> str:
    """Return what a room is for: the first sentence of its front."""
    text = ast.get_docstring(trees()[f"cranebridge.{name}.{room}"]) or ""
    return escape(" ".join(text.split("\n\n")[0].split()))


if __name__ == "__main__":
    Path("architecture.svg").write_text(picture(), encoding="utf-8")
