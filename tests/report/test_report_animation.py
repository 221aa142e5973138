"""The animation alone, as notebooks show it, in headless Chromium."""

from __future__ import annotations

from cranebridge.face.animation import Animation
from cranebridge.report.html import render_animation


def test_animation_in_a_frame_plays_without_errors_and_without_network(
    browser, verified, tmp_path
) -> None:
    scenario, found = verified("overhead")
    page = Animation(scenario.name, render_animation(scenario, found))
    file = tmp_path / "notebook.html"
    file.write_text(f"<!DOCTYPE html><title>notebook</title>{page._repr_html_()}", encoding="utf-8")
    browser.open(file)
    browser.driver.switch_to.frame(0)
    browser.run("cranebridge.seek(cranebridge.end)")
    browser.frames()
    assert browser.run("return cranebridge.renderer") == "webgl"
    load = browser.run("return cranebridge.positions().load")
    assert abs(load[0] - found.tracking.achieved[-1, 0]) < 1e-4  # 32-bit numbers
    assert "error" in browser.run("return document.getElementById('now').textContent")
    assert browser.complaints() == []
    asked = [url for url in browser.requests() if not url.startswith(("data:", "about:"))]
    assert asked == [file.as_uri()]
