"""From a pointer that moves to the curves that follow, measured in the page.

Headless Chromium drags the goal of the rotary crane in the plan view; each move is answered by a
solution at 601 times. Counted is the time from the page's pointer event to the curves on their
canvases (`performance.now()`), all in one run: median and slowest tenth, beside the server's part
alone (the same request sent to the server without a browser) and the processor time that it takes,
which other work on the machine does not change. Needs chromium and chromedriver.

    python benchmarks/workbench.py [SCENARIO] [MOVES]
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
import urllib.request
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "workbench")]

from workbench_server import Server, wait_for  # noqa: E402

from browsers import SOFTWARE_3D, start  # noqa: E402


def row(name: str, times: list[float]) -> float:
    ordered = sorted(times)
    median = statistics.median(ordered)
    slow = ordered[int(0.9 * len(ordered))]
    print(f"{name:34} median {median:6.1f} ms, 90 % below {slow:6.1f} ms, {len(times)} times")
    return median


def server_alone(address: str, moves: int) -> list[float]:
    base, _, token = address.partition("#token=")
    times = []
    for k in range(moves + 3):
        change = {"place": ["path", "goal"], "value": [-2.0 + 0.01 * k, 2.0, -2.0]}
        body = json.dumps({"revision": 0, "changes": [change], "scene": False}).encode()
        headers = {"content-type": "application/json", "x-cranebridge-token": token}
        request = urllib.request.Request(f"{base}api/live", body, headers)
        begin = time.perf_counter()
        urllib.request.urlopen(request).read()
        times.append(1e3 * (time.perf_counter() - begin))
    return times[3:]


def processor_time(process: int) -> float:
    """Return what a process has used until now, in ms."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return 1e3 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def dragged(address: str, profile: Path, moves: int) -> tuple[list[float], int]:
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.by import By

    with closing(start(profile, *SOFTWARE_3D)) as started:
        browser = next(started)
        browser.driver.set_window_size(1280, 900)
        browser.driver.get(address)
        wait_for(lambda: browser.run("return Boolean(window.workbench?.ready)"))
        goal = browser.driver.find_element(By.CSS_SELECTOR, "[data-name=Goal]")
        browser.run("arguments[0].scrollIntoView({block: 'center'})", goal)
        mouse = ActionChains(browser.driver, duration=20)
        mouse.move_to_element(goal).click_and_hold().perform()
        for k in range(moves + 5):
            count = browser.run("return workbench.timings.length")
            mouse = ActionChains(browser.driver, duration=0)
            mouse.move_by_offset(3 if k % 2 else -3, 2 if k % 4 < 2 else -2).perform()
            wait_for(lambda seen=count: browser.run("return workbench.timings.length") > seen, 5)
        points = browser.run("return cranebridge.plots[0].data[0].length")
        return browser.run("return workbench.timings")[5:], points


def main() -> None:
    source = sys.argv[1] if len(sys.argv) > 1 else "rotary"
    moves = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        server = Server(place, source, place / "state")
        try:
            alone = row("server alone, without scene", server_alone(server.address, moves))
            before = processor_time(server.process.pid)
            server_alone(server.address, moves)
            used = (processor_time(server.process.pid) - before) / (moves + 3)
            print(f"{'processor time of the server':34} {used:13.1f} ms a move")
            times, points = dragged(server.address, place / "profile", moves)
            whole = row(f"pointer to curves, {points} points", times)
        finally:
            server.end()
    print(f"pointer to curves / server alone: {whole / alone:.2f}; asked: below 50 ms")


if __name__ == "__main__":
    main()
