"""From a clone to a crane that moves on the screen: one command, how many seconds?

    .venv/bin/python benchmarks/newcomer.py

Clones this repository into an empty folder, without caches of ours, and gives the one command of
the README, ``scripts/open``. The browser that it opens is a headless Chromium here: the time ends
when the load has moved in its picture of the scene. Packages come from pip's cache, if they are in
it; processor time is told beside, because other programs on the machine take theirs.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from browsers import SOFTWARE_3D, Browser, start  # noqa: E402

PATIENCE = 600.0


def main() -> None:
    """Measure once and print."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        begin, marks = time.monotonic(), dict[str, float]()
        subprocess.run(["git", "clone", "--quiet", ROOT, folder / "clone"], check=True)
        marks["cloned"] = time.monotonic() - begin
        server = opened(folder)
        try:
            address = wait_for_file(folder / "address", server)
            marks["installed, the server runs"] = time.monotonic() - begin
            for browser in start(folder / "profile", *SOFTWARE_3D):
                show(browser, address)
                marks["the crane is on the screen"] = time.monotonic() - begin
                wait_until_moved(browser)
                marks["and moves"] = time.monotonic() - begin
        finally:
            os.killpg(server.pid, signal.SIGINT)
            server.wait(20)
    for what, seconds in marks.items():
        print(f"{seconds:7.1f} s  {what}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"{used.ru_utime + used.ru_stime:7.1f} s  of processor time; load {os.getloadavg()[0]:.1f}"
    )


def opened(folder: Path) -> subprocess.Popen[bytes]:
    """Give the one command, with a browser that tells the address, and caches of its own."""
    script = folder / "browser"
    script.write_text(
        f'#!/bin/sh\nprintf %s "$1" > {folder}/part; mv {folder}/part {folder}/address\n'
    )
    script.chmod(0o755)
    # pip's cache is the user's; ours is empty
    pip = subprocess.run(
        [sys.executable, "-m", "pip", "cache", "dir"], capture_output=True, text=True, check=True
    ).stdout.strip()
    own = {"XDG_CACHE_HOME": f"{folder}/cache", "XDG_STATE_HOME": f"{folder}/state"}
    environment = {**os.environ, **own, "PIP_CACHE_DIR": pip, "BROWSER": f"{script} %s"}
    command = [folder / "clone" / "scripts" / "open"]
    return subprocess.Popen(command, env=environment, start_new_session=True)


def wait_for_file(file: Path, server: subprocess.Popen[bytes]) -> str:
    """Return the text of a file as soon as it is there."""
    end = time.monotonic() + PATIENCE
    while not file.exists():
        if server.poll() is not None or time.monotonic() > end:
            raise SystemExit("scripts/open did not open a browser")
        time.sleep(0.05)
    return file.read_text()


def show(browser: Browser, address: str) -> None:
    """Open the page and wait until the crane is drawn."""
    browser.size(1280)
    browser.driver.get(address)
    end = time.monotonic() + PATIENCE
    while not browser.run("return Boolean(window.workbench?.ready && workbench.store.live?.scene)"):
        if time.monotonic() > end:
            raise SystemExit("the crane was not drawn")
        time.sleep(0.05)
    browser.frames()


def wait_until_moved(browser: Browser) -> None:
    """Play, and wait until the picture of the scene is another one."""
    scene = browser.run("return document.querySelector('#view canvas')")
    before = scene.screenshot_as_png
    browser.run("document.getElementById('play').click()")
    end = time.monotonic() + PATIENCE
    while scene.screenshot_as_png == before:
        if time.monotonic() > end:
            raise SystemExit("the crane does not move")


if __name__ == "__main__":
    main()
