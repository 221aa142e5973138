"""A headless Chromium for tests of pages; without one they are skipped and say so."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
CHROMEDRIVER = shutil.which("chromedriver") or shutil.which("chromium.chromedriver")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
SOFTWARE_3D = ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
# Only what has three dimensions is drawn by that slow means: opened pages take a third of the time.
# Pictures of the docs and benchmarks are made with the whole page drawn the same way.
ONLY_3D_IN_SOFTWARE = (*SOFTWARE_3D, "--disable-gpu-compositing")
# What Chromium then says of itself, because it fetches the picture from there.
FETCHED = "GPU stall due to ReadPixels"


class Browser:
    """A headless Chromium with what these tests ask of it."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, file: Path, width: int = 1280, *, dark: bool = False) -> None:
        """Open a file in a window of the given width and wait for its first picture."""
        self.driver.get_log("browser"), self.driver.get_log("performance")
        self.size(width)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        self.driver.get(file.as_uri())
        self.frames()

    def size(self, width: int) -> None:
        """Give the window a width."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def frames(self, count: int = 3) -> None:
        """Wait until the page was drawn some times."""
        self.driver.execute_async_script(
            "const done = arguments[1]; let n = arguments[0];"
            "const next = () => (n-- > 0 ? requestAnimationFrame(next) : done()); next();",
            count,
        )

    def run(self, script: str, *arguments: Any) -> Any:
        """Run a script in the page and return its value."""
        return self.driver.execute_script(script, *arguments)

    def requests(self) -> list[str]:
        """Return the addresses that were asked for since the page was opened."""
        entries = [json.loads(entry["message"]) for entry in self.driver.get_log("performance")]
        messages = [entry["message"] for entry in entries]
        return [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]

    def complaints(self) -> list[str]:
        """Return what the page complained about on its console."""
        messages = [entry["message"] for entry in self.driver.get_log("browser")]
        return [message for message in messages if FETCHED not in message]


def start(profile: Path, *flags: str) -> Iterator[Browser]:
    selenium = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    if CHROMIUM is None or CHROMEDRIVER is None:
        pytest.skip("no Chromium: apt-get install chromium chromium-driver")
    options = selenium.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, *flags, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    # the driver is named, so that selenium does not look for one in the network
    driver = selenium.Chrome(options=options, service=selenium.ChromeService(CHROMEDRIVER))
    driver.set_script_timeout(60)
    try:
        driver.get("about:blank")  # away from the page of new tabs, which asks for files
        yield Browser(driver)
    finally:
        driver.quit()
