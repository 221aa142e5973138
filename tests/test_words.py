"""Words that the package must not use: what is cited has a short name in docs/references.md."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "python" / "cranebridge"
REFERENCES = (ROOT / "docs" / "references.md").read_text(encoding="utf-8")

# Names for the works that the project began with; nobody else knows what they mean.
UNKNOWN_WORK = re.compile(r"\b[Ss]eeds?\b|\b[Dd]igests? of\b|\bAssumption \d")
# Seeds of random numbers, and of directional derivatives (FMI's word).
OTHER_SEEDS = re.compile(
    r"\b(random seeds?|seed of (the )?random|seed vectors?|seed : int)\b"
    r"|`seed`|\bseed = \d|\"seed\""
)

SOURCES = {
    file.relative_to(PACKAGE).as_posix(): file.read_text(encoding="utf-8")
    for file in sorted(PACKAGE.rglob("*.py"))
}


def texts(source: str) -> list[str]:
    """Return docstrings, messages and comments: what a reader reads, without identifiers."""
    found = [
        node.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    return found + re.findall(r"#.*", source)


def bad_words(source: str) -> list[str]:
    return [
        match[0]
        for text in texts(source)
        for match in UNKNOWN_WORK.finditer(OTHER_SEEDS.sub("", text))
    ]


def test_bad_words_are_found_and_seeds_of_random_numbers_are_not() -> None:
    assert bad_words('"""As in the seeds."""\n') == ["seeds"]
    assert bad_words("x = 1  # seed 001, (3.2)\n") == ["seed"]
    assert bad_words('raise ValueError(f"Assumption 2 fails for {x}")\n') == ["Assumption 2"]
    assert not bad_words("def f(seed: int) -> None:\n    g(seed)\n")
    assert not bad_words('"""seed : int\n        The random seed."""\n')


def test_no_text_speaks_of_works_by_names_that_only_we_know() -> None:
    found = {name: words for name, source in SOURCES.items() if (words := bad_words(source))}
    assert SOURCES
    assert found == {}


DOCUMENTS = sorted(file for file in (ROOT / "docs").rglob("*.md") if file.parent.name != "api")


def test_no_document_speaks_of_them() -> None:
    found = {
        document.name: words
        for document in DOCUMENTS
        if (words := UNKNOWN_WORK.findall(OTHER_SEEDS.sub("", document.read_text("utf-8"))))
    }
    assert DOCUMENTS
    assert found == {}


SHORT_NAMES = {
    "thesis": r"\bthesis\b",
    "paper": r"\bpaper\b",
    "reference": r"\breference,? Sections?\b",
    "Uhlar 2009": r"\bUhlar\b",
    "Reichl 2011": r"\bReichl\b",
    "Spencer 2004": r"\bSpencer\b",
    "Gonzalez 1996": r"\bGonzalez\b",
    "Arnold and Bruels 2007": r"\bBruels\b",
    "Eich 1993": r"\bEich\b",
    "Pryce 2001": r"\bPryce\b",
    "Griewank and Walther": r"\bGriewank\b",
    "Duff and Reid 1978": r"\bDuff\b",
    "Golub and Van Loan": r"\bGolub\b",
    "Hairer and Wanner II": r"\bHairer\b",
}


@pytest.mark.parametrize("name", sorted(SHORT_NAMES))
def test_short_name_is_explained_and_used(name: str) -> None:
    assert f"**{name}**" in REFERENCES
    assert any(re.search(SHORT_NAMES[name], source) for source in SOURCES.values())


def test_every_year_behind_a_name_is_explained() -> None:
    # "Uhlar 2009", "Blajer and Kolodziejczyk 2011": a citation without a line in the references
    cited = {
        match[0]
        for source in SOURCES.values()
        for match in re.finditer(r"\b[A-Z][a-z]+ (?:19|20)\d\d\b", source)
    }
    assert cited
    assert {name for name in cited if name not in REFERENCES} == set()
