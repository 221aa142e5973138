"""The documentation as a site: built without a warning, whole in itself, nothing from elsewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from browsers import Browser, start

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    strict = ("--quiet", "--fail-on-warning", "--keep-going")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *strict, DOCS, folder], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    yield from start(tmp_path_factory.mktemp("profile"), "--disable-gpu")


class Page(HTMLParser):
    """The addresses and the anchors of a page."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {key: value or "" for key, value in attrs}
        self.anchors |= {values[key] for key in ("id", "name") if key in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif "src" in values:
            self.loaded.append(values["src"])
        elif tag == "link" and values.get("rel") not in ("next", "prev", "index", "search"):
            self.loaded.append(values["href"])


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {file: Page(file) for file in site.rglob("*.html")}


def test_every_page_of_the_folder_is_in_the_site(pages: dict[Path, Page], site: Path) -> None:
    written = {file.relative_to(site).with_suffix("").as_posix() for file in pages}
    sources = {file.relative_to(DOCS).with_suffix("").as_posix() for file in DOCS.rglob("*.md")}
    assert sources <= written


def test_links_lead_to_pages_and_headings_that_are_there(pages: dict[Path, Page]) -> None:
    wrong = []
    for file, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            known = pages.get(target)
            anchor = unquote(parts.fragment)
            missing = known is not None and anchor and anchor not in known.anchors
            if not target.is_file() or missing:
                wrong.append(f"{file.name}: {link}")
    assert wrong == []


def test_addresses_elsewhere_have_the_form_of_one(pages: dict[Path, Page]) -> None:
    # whether they answer is not asked: tests need no network
    links = {link for page in pages.values() for link in page.links if urlsplit(link).scheme}
    assert [link for link in links if not re.fullmatch(r"https://[\w.-]+\.\w+(/\S*)?", link)] == []


def test_nothing_is_loaded_from_elsewhere(pages: dict[Path, Page], site: Path) -> None:
    for file, page in pages.items():
        for address in page.loaded:
            parts = urlsplit(address)
            assert not parts.scheme or parts.scheme == "data", f"{file.name}: {address}"
            assert not parts.netloc, f"{file.name}: {address}"
            assert (file.parent / unquote(parts.path)).is_file(), f"{file.name}: {address}"
    for sheet in site.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        assert not re.search(r"@import|url\(\s*[\"']?(https?:)?//", text), sheet.name


def test_every_verb_and_its_options_are_in_the_reference(site: Path) -> None:
    text = (site / "command-line.html").read_text(encoding="utf-8")
    shown = subprocess.run(
        [Path(sys.executable).with_name("cranebridge"), "--help"], capture_output=True, text=True
    ).stdout
    verbs = set(re.findall(r"^[ │|]+([a-z]+)  +[A-Z]", shown, re.MULTILINE))
    assert {"list", "check", "solve", "verify", "run", "deliver"} <= verbs
    for verb in verbs:
        assert f'id="{verb}"' in text
    assert "--allow-violations" in text


@pytest.mark.parametrize(("name", "width"), [("index", 1280), ("methods", 390), ("cranes", 390)])
@pytest.mark.parametrize("dark", [False, True])
def test_page_asks_for_nothing_and_fits(
    browser: Browser, site: Path, name: str, width: int, dark: bool
) -> None:
    browser.open(site / f"{name}.html", width, dark=dark)
    assert browser.complaints() == []
    asked = browser.requests()
    assert asked
    assert [address for address in asked if not address.startswith(("file://", "data:"))] == []
    # nothing reaches over the right edge; what is too wide scrolls in its own box
    assert browser.run("return document.documentElement.scrollWidth") <= width
