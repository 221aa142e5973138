"""The documentation's table of verdicts has a row for every verdict that there is."""

from __future__ import annotations

import re
from pathlib import Path

from cranebridge.job import verify_scenario
from cranebridge.limits.limits import GROUPS, TRACKING
from cranebridge.scenario import load_scenario

PAGE = Path(__file__).parents[2] / "docs" / "verification.md"
HEAD = "| verdict | what is judged | on | limit, if none is stated | *not judged* means |"
ALL = [
    "limits.u={F_t = 1e6}",
    "limits.q={l = 99.0}",
    "limits.v={s = 99.0}",
    "limits.a={x = 99.0}",
    "limits.jerk={s = 1e6}",
    "limits.power={F_t = 1e6}",
    "limits.rope=0.0",
    'obstacles=[{kind="stack", x=[-9.0, 9.0], height=[-9.0], rope=true}]',
    "plant.variants={same={m=100.0}}",
]


def rows() -> dict[str, list[str]]:
    """Return the table by the names of its first column."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    begin = lines.index(HEAD) + 2
    end = next(i for i in range(begin, len(lines)) if not lines[i].startswith("|"))
    found = {}
    for line in lines[begin:end]:
        first, *cells = (cell.strip() for cell in line.strip("|").split(" | "))
        assert len(cells) == 4, line
        found |= dict.fromkeys(re.findall("`([^`]+)`", first), cells)
    return found


def row_of(name: str, known: dict[str, list[str]]) -> list[str] | None:
    """Return the row of a verdict: NAME and N stand for any, and on a plant it begins with that."""
    for title, cells in known.items():
        pattern = re.escape(title).replace("NAME", ".+").replace(r"\ N", r" \d+")
        if re.fullmatch(f"(plant )?{pattern}", name):
            return cells
    return None


def test_every_verdict_has_a_row_that_says_on_what_it_is_judged() -> None:
    known = rows()
    found = [verdict.name for verdict in verify_scenario(load_scenario("overhead", ALL)).verdicts]
    assert len(found) >= 2 * (len(GROUPS) + 1) + 4 + 3
    loops = [f"closed loop{way} at the start" for way in ("", " with its filter")]
    for name in [*found, *loops, "learning"]:
        cells = row_of(name, known)
        assert cells is not None, f"docs/verification.md has no row for the verdict '{name}'"
        assert not name.startswith("plant ") or "plant" in cells[1], name


def test_default_limit_of_the_table_is_that_of_the_code() -> None:
    assert f"{TRACKING:g}" == "0.001"
    assert rows()["tracking of NAME"][2] == "`limits.tracking`: 1e-3 m or rad"
