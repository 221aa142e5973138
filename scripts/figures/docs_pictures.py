"""The pictures of README, tutorials and workbench: real pages in headless Chromium.

Needs Debian's packages chromium and chromium-driver.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "pictures"
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "workbench")]
from workbench_server import Server, wait_for  # noqa: E402

from browsers import SOFTWARE_3D, Browser, start  # noqa: E402
from pages import run_page  # noqa: E402

WIDTH, FRAMES, COLOURS = 480, 60, 96


def report_of(scenario: str) -> Path:
    """Do the main job for a ready scenario in the current folder; return its report."""
    from cranebridge.job import run_scenario
    from cranebridge.scenario import load_scenario

    run_scenario(load_scenario(scenario, []), Path(scenario), False, print)
    return Path(scenario, "report.html").absolute()


def report_of_page(page: str, folder: str) -> Path:
    """Run a tutorial in the current folder; return one of the reports that it makes."""
    run_page(ROOT / "docs" / "tutorials" / f"{page}.md", Path.cwd())
    return Path(folder, "report.html").absolute()


def opened(scenario: str, text: str) -> Path:
    """Write a scenario into the current folder, and return it."""
    Path(scenario).write_text(text, encoding="utf-8")
    return Path(scenario).absolute()


def bench_picture(scenario: Path, target: Path) -> None:
    """Write the workbench with a scenario that was changed beside what was pinned before."""
    server = Server(scenario.parent, scenario.name, scenario.parent / "state")
    try:
        with chromium() as browser:
            browser.size(1280)
            browser.driver.get(server.address)
            wait_for(lambda: browser.run("return Boolean(window.workbench?.ready)"))
            browser.run("document.getElementById('pin').click()")
            browser.run(
                "const field = document.querySelector('#sheet input[type=number]');"
                "field.value = 14; field.dispatchEvent(new Event('change'))"
            )
            wait_for(lambda: browser.run("return workbench.store.live.end === 14"))
            at(browser, 0.45)
            picture = Image.open(io.BytesIO(browser.driver.get_screenshot_as_png()))
            picture.convert("RGB").quantize(128).save(target, optimize=True)
    finally:
        server.end()


def at(browser: Browser, part: float) -> None:
    """Move the page to a part of the motion, and let it draw."""
    browser.run(
        "const c = cranebridge; c.seek(c.data.begin + arguments[0] * (c.end - c.data.begin))", part
    )
    browser.frames()


def page_picture(report: Path, target: Path, part: float = 0.45) -> None:
    """Write what a reader sees first of a report."""
    with chromium() as browser:
        browser.open(report, 1280)
        at(browser, part)
        picture = Image.open(io.BytesIO(browser.driver.get_screenshot_as_png()))
        picture.convert("RGB").quantize(128).save(target, optimize=True)


def scene_picture(report: Path, target: Path, part: float = 0.3) -> None:
    """Write the scene of a report at one time."""
    with chromium() as browser:
        browser.open(report, 1280)
        at(browser, part)
        view(browser).quantize(128).save(target, optimize=True)


def animation(report: Path, target: Path) -> None:
    """Write the scene of a report as a moving picture."""
    with chromium() as browser:
        browser.open(report, 1280)
        frames = []
        for i in range(FRAMES):
            at(browser, i / (FRAMES - 1))
            frame = view(browser)
            size = (WIDTH, round(WIDTH * frame.height / frame.width))
            frames.append(frame.resize(size, Image.Resampling.LANCZOS))
    # one palette for all, so that what stands still does not flicker and costs nothing
    best = Image.Quantize.MAXCOVERAGE  # keeps the few pixels of path and load
    palette = frames[FRAMES // 2].quantize(COLOURS, method=best, dither=Image.Dither.NONE)
    small = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    times = [1000, *[80] * (FRAMES - 2), 2000]  # ms
    small[0].save(target, save_all=True, append_images=small[1:], duration=times, loop=0)


def view(browser: Browser) -> Image.Image:
    """Return the picture of the scene, without the buttons on it."""
    browser.run("document.querySelector('.view-buttons').style.visibility = 'hidden'")
    element = browser.run("return document.getElementById('view')")
    return Image.open(io.BytesIO(element.screenshot_as_png)).convert("RGB")


@contextmanager
def chromium() -> Iterator[Browser]:
    """Give a browser with a profile of its own."""
    with tempfile.TemporaryDirectory() as profile:
        yield from start(Path(profile), *SOFTWARE_3D, "--hide-scrollbars")


TOWER = """\
[crane]
model = "rotary"

[path]
kind = "waypoints"
points = [[5.0, 0.0, -5.0], [3.0, 3.0, -3.0], [-2.0, 2.0, -2.0]]
duration = 20.0

[limits]
u = { M_b = 150.0 }
"""
PICTURES = {
    "workbench.png": (partial(opened, "tower.toml", TOWER), bench_picture),
    "report.png": (partial(report_of, "rotary"), page_picture),
    "rotary.gif": (partial(report_of, "rotary"), animation),
    "around-a-stack.png": (partial(report_of_page, "around-a-stack", "around"), scene_picture),
    "own-gantry.png": (partial(report_of_page, "own-gantry", "my_gantry"), scene_picture),
}


def made(name: str) -> dict[Path, bytes]:
    """Return a picture, made in a folder of its own."""
    make_report, draw = PICTURES[name]
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        try:
            draw(make_report(), Path(work, name))
            return {FOLDER / name: Path(work, name).read_bytes()}
        finally:
            os.chdir(before)
