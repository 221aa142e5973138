"""The open scenario: changes that keep comments, undo, conflicts, files, unsaved work."""

from __future__ import annotations

import asyncio
import io
import socket
import tomllib
import zipfile

import numpy as np
import pytest
from workbench_server import SCENARIO, wait_for

from cranebridge.deliver.formats import FORMATS
from cranebridge.errors import InputError
from cranebridge.job import solve_scenario
from cranebridge.job.delivering import hand_over
from cranebridge.job.ordering import Wishes
from cranebridge.job.page.sources import ready_scenarios, ready_text
from cranebridge.scenario import load_scenario
from cranebridge.workbench.serving import listening
from cranebridge.workbench.toml_edits import Change, changed_tables, changed_text
from further import mostly_further


def test_change_keeps_comments_and_everything_else(page):
    page.edit((["path", "goal"], [5.5, -1.0]), (["limits", "u", "F_t"], 2e5))
    expected = SCENARIO.replace("  5.0,                # far", "  5.5,                # far")
    text = page.bench.session.text
    assert text.splitlines()[:13] == expected.splitlines()[:13]
    assert "# the drive" in text
    assert tomllib.loads(text)["limits"] == {"u": {"F_t": 2e5}}


@pytest.mark.parametrize("name", ready_scenarios())
def test_every_ready_scenario_can_be_changed_and_keeps_its_comments(name):
    text = ready_text(name)
    tables = tomllib.loads(text)
    changes = [
        Change(("crane", "parameters", "m"), 12.5),
        Change(("limits", "u", "new"), [-1.0, 2.0]),
        Change(("obstacles", len(tables.get("obstacles", []))), {"kind": "box", "low": [0.0, 1.0]}),
        Change(("plant", "settle"), 3.0),
    ]
    for key, value in tables["path"].items():
        if isinstance(value, float):
            changes.append(Change(("path", key), value + 0.25))
    result = changed_text(text, changes)
    assert tomllib.loads(result) == changed_tables(tables, changes)
    comments = [line.partition("#")[2] for line in text.splitlines() if "#" in line]
    assert [comment for comment in comments if comment not in result] == []


def test_numbers_keep_their_kind():
    text = "a = 4\nb = 1.5\nc = [1.0, 2]\nd = true\n"
    changes = [Change((key,), value) for key, value in (("a", 3), ("b", 2), ("c", [5, 6, 7]))]
    assert changed_text(text, changes) == "a = 3\nb = 2.0\nc = [5.0, 6, 7]\nd = true\n"
    assert changed_text(text, [Change(("e", "f"), 2)]).endswith("[e]\nf = 2.0\n")


def test_place_that_does_not_exist_is_refused():
    with pytest.raises(InputError, match="no path"):
        changed_text(SCENARIO, [Change(("path", "goal", 7), 1.0)])
    with pytest.raises(InputError, match="no limits"):
        changed_text(SCENARIO, [Change(("limits", "v", "s"), None)])


def test_undo_and_redo_give_the_very_texts_again(page):
    texts = [SCENARIO]
    for duration in (4.0, 5.0):
        page.edit((["path", "duration"], duration))
        texts.append(page.bench.session.text)
    for step, name in ((1, "undo"), (0, "undo"), (1, "redo"), (2, "redo")):
        answer = page.post(name, {"revision": page.bench.session.revision})
        assert answer.json()["text"] == texts[step]
    assert page.post("redo", {"revision": 6}).status_code == 422


def test_change_on_an_older_revision_is_refused_and_destroys_nothing(page):
    assert page.edit((["path", "duration"], 4.0), revision=0).status_code == 200
    answer = page.edit((["path", "duration"], 9.0), revision=0)
    assert (answer.status_code, answer.json()["conflict"]) == (409, True)
    for name in ("undo", "text", "save", "start"):
        body = {"revision": 0, "text": "", "verb": "check"}
        assert page.post(name, body).status_code == 409
    assert page.get("/api/state").json()["content"]["path"]["duration"] == 4.0


def test_preview_on_an_older_revision_is_not_shown_and_is_no_error(page):
    page.edit((["path", "duration"], 2.5))
    answer = page.post("live", {"revision": 0, "changes": []})
    assert (answer.status_code, answer.json()) == (200, {"older": True})
    assert page.post("live", {"revision": 1, "changes": []}).json()["end"] == 2.5


def test_save_writes_the_text_and_reopening_gives_it_again(page, folder):
    page.edit((["path", "duration"], 4.0))
    assert page.get("/api/state").json()["unsaved"]
    assert not page.post("save", {"revision": 1}).json()["unsaved"]
    assert (folder / "mine.toml").read_text("utf-8") == page.bench.session.text
    assert page.post("open", {"source": "mine.toml"}).json()["content"]["path"]["duration"] == 4.0


def test_file_that_somebody_else_changed_is_not_overwritten(page, folder):
    page.edit((["path", "duration"], 4.0))
    (folder / "mine.toml").write_text("# theirs\n" + SCENARIO, "utf-8")
    answer = page.post("save", {"revision": 1})
    assert (answer.status_code, answer.json()["on_disk"]) == (409, True)
    assert (folder / "mine.toml").read_text("utf-8").startswith("# theirs")
    (folder / "other.toml").write_text("x = 1\n", "utf-8")
    assert page.post("save", {"revision": 1, "name": "other.toml"}).status_code == 409
    assert page.post("save", {"revision": 1, "name": "new.toml"}).json()["file"] == "new.toml"


def test_ready_scenario_is_saved_under_a_name_only(opened, folder):
    page = opened("overhead")
    assert page.post("save", {"revision": 0}).status_code == 422
    page.post("save", {"revision": 0, "name": "copy.toml"})
    assert (folder / "copy.toml").read_text("utf-8") == ready_text("overhead")


def test_unsaved_work_is_offered_after_the_server_was_killed(opened):
    first = opened("mine.toml")
    first.edit((["path", "duration"], 4.5))
    text = first.bench.session.text
    second = opened("mine.toml")
    state = second.get("/api/state").json()
    assert (state["recovery"], state["text"]) == (True, SCENARIO)
    # other work first does not destroy it
    second.edit((["path", "duration"], 7.0))
    assert second.post("restore", {"revision": 1}).json()["text"] == text
    second.post("save", {"revision": 2})
    assert not opened("mine.toml").get("/api/state").json()["recovery"]


def test_text_that_is_no_toml_is_refused_and_a_wrong_scenario_is_told(page):
    answer = page.post("text", {"revision": 0, "text": "[crane"})
    assert answer.status_code == 422
    assert page.bench.session.revision == 0
    state = page.post("text", {"revision": 0, "text": '[crane]\nmodel = "overhed"\n[path]\n'})
    assert "Did you mean 'overhead'" in state.json()["error"]


def test_live_curves_are_those_of_the_solution(page, folder):
    data = page.post("live", {"revision": 0, "changes": []}).json()
    solved = solve_scenario(load_scenario(str(folder / "mine.toml")))
    assert [row["status"] for row in data["verdicts"]] == [v.status for v in solved.verdicts]
    times = floats(data["time"])
    panel = next(one for one in data["panels"] if one["title"] == "Controls")
    factor = data["panel_keys"][data["panels"].index(panel)][1]
    exact = solved.feedforward.controls(times.astype(float))
    column = [part.name for part in solved.feedforward.problem.crane.inputs].index(
        panel["curves"][0]["label"]
    )
    shown = floats(panel["curves"][0]["values"]) / factor
    # 32-bit floats are right to 6e-8, times included
    np.testing.assert_allclose(shown, exact[:, column], atol=1e-6 * np.abs(exact).max())


def test_curves_of_signals_with_limits_have_the_names_that_limits_know_them_by(page):
    limits = [{"place": ["limits", "power", "F_t"], "value": 1e9}]
    data = page.post("live", {"revision": 0, "changes": limits}).json()
    named = {curve["signal"] for panel in data["panels"] for curve in panel["curves"]}
    assert {"u.F_t", "q.s", "v.s", "rope.T_cable", "power.F_t"} <= named


def test_limit_that_is_broken_turns_its_verdict(page):
    def status(most):
        change = {"place": ["limits", "u", "F_t"], "value": most}
        rows = page.post("live", {"revision": 0, "changes": [change]}).json()["verdicts"]
        return next(row["status"] for row in rows if row["name"] == "u.F_t")

    assert (status(1e6), status(1.0)) == ("passed", "failed")


def test_delivery_of_the_page_is_that_of_the_command_line(page, folder, tmp_path):
    order = {"revision": 0, "verb": "deliver", "format": "modelica", "allow_violations": True}
    key = page.post("start", order).json()["key"]

    def done():
        return [t for t in page.get("/api/state").json()["tasks"] if t["status"] != "running"]

    task = wait_for(done, 60)[0]
    assert task["status"] == "done"
    assert sorted(task["files"]) == ["overhead_feedforward.mo", "overhead_feedforward.txt"]
    answer = page.get(f"/results/{key}/overhead_feedforward.txt")
    assert "attachment" in answer.headers["content-disposition"]
    scenario = load_scenario(str(folder / "mine.toml"))
    (file,) = hand_over(scenario, Wishes("modelica", tmp_path / "mine.txt", allow_violations=True))
    assert same_numbers(answer.text) == same_numbers(file.read_text("utf-8"))
    archive = zipfile.ZipFile(io.BytesIO(page.get(f"/results/{key}/all.zip").content))
    assert archive.read("overhead_feedforward.txt") == answer.content


@pytest.mark.parametrize("form", mostly_further(FORMATS, "csv", "parquet", "generator", "fmu"))
def test_every_format_can_be_downloaded(opened, folder, form):
    scenario = (folder / "mine.toml").read_text("utf-8") + '\n[plant]\nmodel = "OverheadCrane"\n'
    (folder / "mine.toml").write_text(scenario, "utf-8")
    page = opened("mine.toml")
    assert form in page.get("/api/state").json()["choices"]["formats"]
    order = {"revision": 0, "verb": "deliver", "format": form, "allow_violations": True}
    key = page.post("start", order).json()["key"]

    def ended():
        task = page.get("/api/state").json()["tasks"][0]
        return task["status"] != "running" and task

    task = wait_for(ended, 120)
    assert (task["status"], task["error"]) == ("done", "")
    assert task["files"]
    archive = zipfile.ZipFile(io.BytesIO(page.get(f"/results/{key}/all.zip").content))
    assert all(info.file_size for info in archive.infolist())
    assert {name.split("/")[0] for name in archive.namelist()} == set(task["files"])


def same_numbers(text):
    """Return all but the header, which tells when it was made."""
    return [line for line in text.splitlines() if not line.startswith("#")]


def floats(text):
    import base64

    return np.frombuffer(base64.b64decode(text), dtype="<f4")


def test_answers_are_sent_at_once():
    """Nagle's algorithm waits for the other side: 40 ms on every small answer."""
    found: asyncio.Queue[int] = asyncio.Queue()

    async def look(reader, writer):
        opened = writer.get_extra_info("socket")
        await found.put(opened.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    async def connect(listener):
        async with await asyncio.start_server(look, sock=listener):
            _, writer = await asyncio.open_connection(*listener.getsockname())
            writer.close()
            return await asyncio.wait_for(found.get(), 10)

    with listening(0) as listener:
        assert asyncio.run(connect(listener)) != 0
