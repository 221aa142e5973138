from __future__ import annotations

import hashlib
import re
from importlib import resources

VENDOR = resources.files("cranebridge.report").joinpath("assets", "vendor")
ROW = re.compile(r"^\| `([^`]+)` \| `([0-9a-f]{64})` \|", re.MULTILINE)


def test_bundled_libraries_are_those_that_the_readme_names():
    rows = dict(ROW.findall(VENDOR.joinpath("README.md").read_text("utf-8")))
    assert set(rows) == {"uPlot.iife.min.js", "uPlot.min.css", "three.min.js"}
    for name, stated in rows.items():
        assert hashlib.sha256(VENDOR.joinpath(name).read_bytes()).hexdigest() == stated


def test_bundled_libraries_have_their_licences_beside_them():
    for name in ("LICENSE-uPlot.txt", "LICENSE-three.txt"):
        assert "MIT License" in VENDOR.joinpath(name).read_text("utf-8")


def test_no_script_can_end_the_element_that_holds_it():
    for folder in (VENDOR, resources.files("cranebridge.report").joinpath("assets")):
        for file in folder.iterdir():
            if file.name.endswith(".js"):
                assert "</script" not in file.read_text("utf-8").lower()
                assert "<!--" not in file.read_text("utf-8")
