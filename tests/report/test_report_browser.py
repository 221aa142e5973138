"""The page in headless Chromium: what it shows, what it asks for, and how it answers."""

from __future__ import annotations

import numpy as np
import pytest

from cranebridge.report.animation.picture import scene

# One scenario a kind of scene, and whether it is driven on its plant: planar and spatial, wheels
# and ropes over a pulley, plates, a jib that bends. Of all cranes: test_report_scene.py.
CRANES = {
    "overhead": True,
    "rotary": True,
    "navy2d": True,
    "navy3d-pulley": False,
    "cablev-rotate": True,
    "flexible-jib-outer": False,
}
FAILED = ("overhead", "plant.model=OverheadCraneReal", "limits.tracking=1")
NOT_JUDGED = ("overhead", "plant.interface=cs", "limits.jerk={x = 20.0}")


def at(times, points, t):
    return [float(np.interp(t, times, column)) for column in points.T]


def middle_of(browser, index):
    """Return the element that is the plotting area of a plot."""
    return browser.run(
        "const over = cranebridge.plots[arguments[0]].over;"
        "over.scrollIntoView({block: 'center'}); return over;",
        index,
    )


def actions(browser):
    from selenium.webdriver import ActionChains

    return ActionChains(browser.driver, duration=20)


@pytest.mark.parametrize("name", CRANES)
def test_page_of_every_kind_of_crane_loads_without_errors_and_without_network(browser, page, name):
    file = page(name, tracked=CRANES[name])
    browser.open(file)
    browser.run("cranebridge.seek(cranebridge.end / 2)")
    browser.frames()
    assert browser.run("return cranebridge.renderer") == "webgl"
    assert browser.complaints() == []
    assert [url for url in browser.requests() if not url.startswith("data:")] == [file.as_uri()]


def test_page_of_a_solution_alone_loads_without_errors(browser, page):
    browser.open(page("rotary", tracked=False))
    assert browser.complaints() == []
    assert "feedforward" in browser.run("return document.querySelector('.key').textContent")


@pytest.mark.parametrize("name", ["rotary", "navy2d", "cablev-rotate"])
def test_animation_moves_everything_as_the_plant_did(browser, page, verified, name):
    scenario, result = verified(name)
    tracking = result.tracking
    picture = scene(scenario.crane, scenario.problem.parameters, tracking.q)
    browser.open(page(name))
    for t in tracking.time[-1] * np.array([0.0, 0.15, 0.36, 0.642, 0.905, 1.0]):
        positions = browser.run("cranebridge.seek(arguments[0]); return cranebridge.positions()", t)
        assert set(positions) == set(picture.points)
        for point, place in positions.items():
            wanted = at(tracking.time, picture.points[point], t)
            np.testing.assert_allclose(place, wanted, atol=5e-6, err_msg=f"{point} at {t} s")


def test_animated_load_follows_the_wanted_path(browser, page, verified):
    scenario, _ = verified("rotary")
    browser.open(page("rotary"))
    for t in np.linspace(0.0, 20.0, 9):
        place = browser.run(
            "cranebridge.seek(arguments[0]); return cranebridge.positions().load", t
        )
        np.testing.assert_allclose(place, scenario.problem.path(t)[:, 0], atol=5e-5)


def test_slider_moves_animation_and_the_cursors_of_all_plots(browser, page):
    browser.open(page("rotary"))
    browser.run(
        "const slider = document.getElementById('slider'); slider.value = 12.5;"
        "slider.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    assert browser.run("return cranebridge.time()") == 12.5
    cursors = browser.run("return cranebridge.cursors()")
    assert len(cursors) == browser.run("return document.querySelectorAll('.plot').length")
    np.testing.assert_allclose(cursors, 12.5, atol=1e-6)
    legends = browser.run(
        "return [...document.querySelectorAll('.u-legend .u-series:first-child .u-value')]"
        ".map((cell) => cell.textContent)"
    )
    assert set(legends) == {"12.50"}


def test_pointing_at_a_plot_moves_the_animation(browser, page):
    browser.open(page("rotary"))
    over = middle_of(browser, 3)
    actions(browser).move_to_element(over).perform()
    browser.frames()
    hovered = browser.run("return cranebridge.time()")
    assert hovered == pytest.approx(11.0, abs=0.2)
    actions(browser).move_to_element_with_offset(over, 100, 0).click().perform()
    browser.frames()
    clicked = browser.run("return cranebridge.time()")
    assert clicked > hovered + 1.0
    np.testing.assert_allclose(browser.run("return cranebridge.cursors()"), clicked, atol=1e-6)
    slider = float(browser.run("return document.getElementById('slider').value"))
    assert slider == pytest.approx(clicked)


def test_dragging_zooms_all_plots_and_double_click_shows_everything(browser, page):
    browser.open(page("rotary"))
    over = middle_of(browser, 1)
    chain = actions(browser).move_to_element_with_offset(over, -100, 0).click_and_hold()
    chain.move_by_offset(60, 0).move_by_offset(60, 0).release().perform()
    browser.frames(5)
    low, high = browser.run("return cranebridge.span()")
    assert 0.0 < low < high < 22.0
    scales = "return cranebridge.plots.map((plot) => [plot.scales.x.min, plot.scales.x.max])"
    np.testing.assert_allclose(browser.run(scales), [[low, high]] * len(browser.run(scales)))
    actions(browser).double_click(over).perform()
    browser.frames(5)
    np.testing.assert_allclose(browser.run(scales), [[0.0, 22.0]] * len(browser.run(scales)))
    browser.run("cranebridge.seek(4); document.getElementById('zoom-in').click()")
    browser.frames(5)
    np.testing.assert_allclose(browser.run(scales)[-1], [2.0, 13.0])
    assert browser.complaints() == []


def test_space_plays_and_pauses(browser, page):
    from selenium.webdriver.common.keys import Keys

    browser.open(page("rotary"))
    slow_down(browser)
    before = browser.run("return cranebridge.positions().load")
    actions(browser).send_keys(Keys.SPACE).perform()
    assert browser.run("return cranebridge.playing()")
    assert browser.run("return document.getElementById('play').textContent") == "Pause"
    browser.frames(15)
    actions(browser).send_keys(Keys.SPACE).perform()
    assert not browser.run("return cranebridge.playing()")
    assert 0.0 < browser.run("return cranebridge.time()") < 22.0
    browser.run("cranebridge.seek(10)")
    after = browser.run("return cranebridge.positions().load")
    assert np.linalg.norm(np.subtract(after, before)) > 1e-3


def slow_down(browser):
    """Play at a tenth of real time: a test that has to wait does not miss the end."""
    browser.run(
        "const speed = document.getElementById('speed'); speed.value = '0.1';"
        "speed.dispatchEvent(new Event('change'))"
    )


def test_speed_is_a_multiple_of_the_frames_time(browser, page):
    browser.open(page("rotary"))
    browser.run(
        "const speed = document.getElementById('speed'); speed.value = '0.25';"
        "speed.dispatchEvent(new Event('change')); cranebridge.play()"
    )
    frames = browser.driver.execute_async_script(
        "const done = arguments[0], found = []; const next = (now) => {"
        "  found.push([now / 1000, cranebridge.time()]);"
        "  if (found.length < 12) requestAnimationFrame(next); else done(found); };"
        "requestAnimationFrame(next);"
    )
    now, shown = np.array(frames).T
    # frames longer than 0.1 s count as 0.1 s: a page that slept does not jump
    wanted = 0.25 * np.minimum(np.diff(now), 0.1)
    np.testing.assert_allclose(np.diff(shown), wanted, atol=1e-9)
    assert wanted.sum() > 0.0


def test_animation_ends_and_starts_again(browser, page):
    browser.open(page("rotary"))
    slow_down(browser)
    browser.run("cranebridge.seek(21.9999); cranebridge.play()")
    browser.frames(20)
    assert browser.run("return [cranebridge.time(), cranebridge.playing()]") == [22.0, False]
    browser.run("document.getElementById('play').click()")
    browser.frames(5)
    assert browser.run("return cranebridge.time()") < 5.0


def test_picture_changes_with_time(browser, page):
    browser.open(page("rotary"))
    view = browser.run("return document.getElementById('view')")
    pictures = set()
    for t in (0.0, 10.0, 20.0):
        browser.run("cranebridge.seek(arguments[0])", t)
        browser.frames()
        pictures.add(view.screenshot_as_base64)
    assert len(pictures) == 3


def test_rope_that_would_push_is_named_while_it_does(browser, page):
    browser.open(page("navy2d"))
    texts = [
        browser.run("cranebridge.seek(arguments[0]);"
                    "return document.getElementById('now').textContent", t)
        for t in (1.0, 2.0, 2.8)
    ]  # fmt: skip
    assert ["T_cable1_A would have to push" in text for text in texts] == [False, True, False]


@pytest.mark.parametrize("settings", [FAILED, NOT_JUDGED])
def test_what_did_not_pass_is_seen_first_and_in_its_colour(browser, page, settings):
    browser.open(page(*settings))
    assert browser.complaints() == []
    word = browser.run("return document.querySelector('.verdict .word').textContent")
    assert word == "failed"
    kind = "nok" if settings == FAILED else "open"
    finding = browser.run(
        "const found = document.querySelector(`.findings .${arguments[0]}`);"
        "return [found.getBoundingClientRect().bottom, getComputedStyle(found).color]",
        kind,
    )
    assert finding[0] < 900  # in the first window
    colours = browser.run(
        "return ['ok', 'nok', 'open'].map((kind) => {"
        "  const cell = document.createElement('span'); cell.className = kind;"
        "  document.body.append(cell); return getComputedStyle(cell).color; })"
    )
    assert len(set(colours)) == 3
    assert finding[1] == colours[("ok", "nok", "open").index(kind)]


def test_limits_are_drawn_as_lines_across_the_plots(browser, page):
    """Where a limit is, half of the plot's width has the colour of limits: the line is dashed."""
    browser.open(page("overhead", "limits.u={F_t = 600.0}"))
    shares = browser.run(
        """
        const bad = document.createElement("canvas").getContext("2d");
        bad.fillStyle = cranebridge.colour("--bad");
        bad.fillRect(0, 0, 1, 1);
        const [r, g, b] = bad.getImageData(0, 0, 1, 1).data;
        return cranebridge.data.panels.map((panel, i) => {
          const plot = cranebridge.plots[i], { left, width } = plot.bbox;
          return panel.limits.map(([, value]) => {
            const y = Math.round(plot.valToPos(value, "y", true));
            const rows = [-1, 0, 1].map((k) => plot.ctx.getImageData(left, y + k, width, 1).data);
            let found = 0;
            for (let x = 0; x < width; x++) {
              found += rows.some((row) => {
                const [red, green, blue, alpha] = row.slice(4 * x, 4 * x + 4);
                return alpha > 90 && Math.hypot(red - r, green - g, blue - b) < 120;
              });
            }
            return found / width;
          });
        });
        """
    )
    titles = browser.run("return cranebridge.data.panels.map((panel) => panel.title)")
    assert len(shares[titles.index("Controls")]) == 2
    drawn = [share for panel in shares for share in panel]
    assert len(drawn) == 3  # both bounds of F_t, and the rope's
    assert min(drawn) > 0.5


@pytest.mark.parametrize(
    ("name", "width", "dark"),  # each with each of the others
    [
        ("rotary", 1280, False),
        ("rotary", 390, True),
        ("cablev-rotate", 1280, True),
        ("cablev-rotate", 390, False),
    ],
)
def test_page_fits_its_width(browser, page, name, width, dark):
    browser.open(page(name), width, dark=dark)
    browser.frames(5)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    outside = browser.run(
        "return [...document.querySelectorAll('main *')].filter((part) =>"
        "  part.getBoundingClientRect().right > innerWidth + 1"
        "  && !part.closest('.u-wrap, .view, .scroll'))"
        ".map((part) => part.outerHTML.slice(0, 80))"
    )
    assert outside == []


def test_controls_can_be_named_and_reached(browser, page):
    browser.open(page("rotary"))
    nameless = browser.run(
        "return [...document.querySelectorAll('button, input, select')].filter((part) =>"
        " !(part.textContent.trim() || part.getAttribute('aria-label') || part.labels?.length))"
        ".length"
    )
    assert nameless == 0
    assert browser.run("return document.documentElement.lang") == "en"


def test_without_webgl_the_crane_is_drawn_as_svg(plain_browser, page, verified):
    tracking = verified("rotary")[1].tracking
    plain_browser.open(page("rotary"))
    assert plain_browser.run("return cranebridge.renderer") == "svg"
    pictures = []
    for t in (0.0, 10.0):
        place = plain_browser.run(
            "cranebridge.seek(arguments[0]); return cranebridge.positions().load", t
        )
        np.testing.assert_allclose(place, at(tracking.time, tracking.achieved, t), atol=5e-6)
        plain_browser.frames()
        pictures.append(plain_browser.run("return document.querySelector('#view svg').innerHTML"))
    assert pictures[0] != pictures[1]
    assert min(len(picture) for picture in pictures) > 1000
    assert plain_browser.complaints() == []


def test_report_of_the_main_job_moves_the_load_as_tracking_csv_says(browser, tmp_path):
    import csv

    from cranebridge.job import run_scenario
    from cranebridge.scenario import load_scenario

    folder = tmp_path / "run"
    run_scenario(load_scenario("rotary"), folder)
    with (folder / "tracking.csv").open() as file:
        rows = {float(row["time"]): row for row in csv.DictReader(file)}
    browser.open(folder / "report.html")
    for t in (0.0, 2.5, 7.5, 12.34, 17.5, 20.0):
        row = rows[min(rows, key=lambda time: abs(time - t))]
        place = browser.run(
            "cranebridge.seek(arguments[0]); return cranebridge.positions().load", t
        )
        wanted = [float(row[f"y.{axis}"]) for axis in "xyz"]
        np.testing.assert_allclose(place, wanted, atol=5e-5)
    assert browser.complaints() == []
    assert [url for url in browser.requests() if not url.startswith("data:")] == [
        (folder / "report.html").as_uri()
    ]


def test_legend_follows_a_theme_that_changes(browser, page):
    """The legend's mark has the colour of its curve, before and after."""
    script = (
        "const plot = cranebridge.plots[0], colour = (value) => {"
        " const one = document.createElement('i'); one.style.color = value;"
        " document.body.append(one); const found = getComputedStyle(one).color; one.remove();"
        " return found; };"
        "const mark = plot.root.querySelectorAll('.u-legend .u-marker')[1];"
        "return [getComputedStyle(mark).borderTopColor, colour(cranebridge.colour('--c0'))]"
    )
    browser.open(page("overhead"))
    light = browser.run(script)
    assert light[0] == light[1]
    scheme = {"name": "prefers-color-scheme", "value": "dark"}
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    browser.frames()
    dark = browser.run(script)
    assert dark[0] == dark[1] != light[1]
