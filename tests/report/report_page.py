"""A report's page taken apart: its texts, its tables and the numbers inside."""

from __future__ import annotations

import base64
import json
import re
from html import unescape
from html.parser import HTMLParser

import numpy as np

VOID = {"meta", "link", "input", "br", "img", "hr"}


class Page(HTMLParser):
    """Tags, attributes and texts of a page; refuses tags that do not match."""

    def __init__(self, text):
        super().__init__()
        self.open, self.attributes, self.ids, self.scripts = [], [], [], []
        self.words = self.header = ""
        self.feed(text)
        self.close()
        assert self.open == []
        self.words, self.header = plain(self.words), plain(self.header)

    def handle_starttag(self, tag, attrs):
        self.attributes += attrs
        self.ids += [value for name, value in attrs if name == "id"]
        if tag == "script":
            self.scripts.append(dict(attrs))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not {"script", "style"} & set(self.open):
            self.words += data
        if "header" in self.open:
            self.header += data


def plain(text):
    """Return text with single ordinary spaces."""
    return " ".join(text.replace("\u00a0", " ").split())


def embedded(text):
    """Return the data that the page's scripts read."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    return json.loads(found[1])


def numbers(text):
    """Return an encoded array."""
    return np.frombuffer(base64.b64decode(text), dtype="<f4")


def arrays(data):
    """Yield all encoded arrays among the page's data."""
    yield from (numbers(data["time"]), numbers(data["scene"]["time"]))
    for panel in data["panels"]:
        yield from (numbers(curve["values"]) for curve in panel["curves"])
    for entry in (*data["readings"], *data["ropes"]):
        yield numbers(entry["values"])
    for group in ("points", "forces"):
        yield from (numbers(values) for values in data["scene"][group].values())
    yield from (numbers(data["scene"][key]) for key in ("wanted", "achieved"))


def rows(text, heading):
    """Return the rows of the tables of a section: texts and classes of their cells."""
    section = re.search(rf"<h2>{heading}.*?</section>", text, re.DOTALL)[0]
    found = []
    for row in re.findall(r"<tr[^>]*>(.*?)</tr>", section, re.DOTALL):
        cells = re.findall(r"<td([^>]*)>(.*?)</td>", row, re.DOTALL)
        if cells:
            texts = [plain(unescape(re.sub(r"<[^>]*>", "", cell))) for _, cell in cells]
            kinds = [re.findall(r'class="([^"]*)"', attributes) for attributes, _ in cells]
            found.append((texts, [kind[0] if kind else "" for kind in kinds]))
    return found
