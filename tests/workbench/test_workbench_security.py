"""Who is refused: without the token, from another site, out of the folder, not agreed to."""

from __future__ import annotations

import hashlib
import os
import re
import socket
import subprocess
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from workbench_server import wait_for

from cranebridge import scenario
from cranebridge.errors import InputError
from cranebridge.job.campaign.campaign_work import scenario_work
from cranebridge.job.page.sources import checked_files
from cranebridge.scenario import load_scenario
from cranebridge.workbench import entry as entries
from cranebridge.workbench.entry import TicketExchange, owner_of
from cranebridge.workbench.file_consent import PLACES, FileConsent, NoConsentError
from cranebridge.workbench.security import TOKEN_HEADER, RequestGuard
from cranebridge.workbench.server import make_app

CRANE = """\
from pathlib import Path
from cranebridge.twin.cranes.overhead import OverheadCrane
Path(__file__).with_name("executed").write_text("yes")

class Mine(OverheadCrane):
    name = "mine"
    description = "<script>alert(1)</script> & <img src=x onerror=alert(2)>"
"""


def own_crane(folder, text=CRANE, model="own.py:Mine"):
    (folder / "own.py").write_text(text, encoding="utf-8")
    scenario = (folder / "mine.toml").read_text(encoding="utf-8")
    (folder / "mine.toml").write_text(scenario.replace('"overhead"', f'"{model}"'), "utf-8")


@pytest.mark.parametrize("token", ["", "wrong", "righ", "right2", "rïght"])
@pytest.mark.parametrize("address", ["/api/state", "/api/events"])
def test_wrong_token_is_refused(page, token, address):
    answer = page.client.get(address, headers={TOKEN_HEADER: token.encode()})
    assert answer.status_code == 401
    assert "address" in answer.json()["error"]


@pytest.mark.parametrize("name", ["live", "edit", "text", "open", "save", "agree", "start"])
def test_nothing_is_changed_without_the_token(page, name):
    before = page.bench.session.text
    answer = page.client.post(f"/api/{name}", json={"revision": 0, "text": "", "source": "rotary"})
    assert answer.status_code == 401
    assert (page.bench.session.text, page.bench.session.revision) == (before, 0)


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8642", "127.0.0.1", "0.0.0.0:8642"])
@pytest.mark.parametrize("address", ["/", "/api/state", "/assets/main.js"])
def test_other_host_is_refused(page, host, address):
    assert page.get(address, host=host).status_code == 403


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:9", "https://127.0.0.1:8642"]
)
def test_other_origin_is_refused(page, origin):
    assert page.post("undo", {"revision": 0}, origin=origin).status_code == 403
    assert page.get("/api/state", **{"sec-fetch-site": "cross-site"}).status_code == 403


def test_own_origin_is_served(page):
    headers = {"origin": "http://127.0.0.1:8642", "sec-fetch-site": "same-origin"}
    assert page.get("/api/state", **headers).status_code == 200


@pytest.mark.parametrize(
    "name",
    [
        "../mine.toml",
        "/etc/passwd",
        "sub/mine.toml",
        "..\\mine.toml",
        ".hidden.toml",
        "mine.txt",
        "",
        "link.toml",
        "a\0.toml",
    ],
)
def test_names_that_lead_out_of_the_folder_are_refused(page, folder, tmp_path, name):
    outside = tmp_path / "outside.toml"
    outside.write_text('[crane]\nmodel = "overhead"\n', "utf-8")
    (folder / "link.toml").symlink_to(outside)
    for answer in (
        page.post("open", {"source": name}),
        page.post("save", {"revision": 0, "name": name}),
    ):
        assert answer.status_code == 422, name
    assert outside.read_text("utf-8") == '[crane]\nmodel = "overhead"\n'
    assert page.bench.session.opened.file == "mine.toml"


@pytest.mark.parametrize(
    "name",
    [
        "../bench.py",
        "%2e%2e/bench.py",
        "report/../../report/html.py",
        "..%2fbench.py",
        "report/..%2fhtml.py",
    ],
)
def test_assets_are_no_way_to_other_files(page, name):
    answer = page.client.get(f"/assets/{name}", follow_redirects=False)
    assert answer.status_code == 404
    assert "import" not in answer.text


@pytest.mark.parametrize("body", [b"{", b"[]", b"3", b'{"a": ' * 5000, b"x" * 2_100_000])
def test_bodies_that_are_no_json_object_are_refused(page, body):
    headers = {TOKEN_HEADER: "right", "content-type": "application/json"}
    assert page.client.post("/api/edit", content=body, headers=headers).status_code == 422


def test_form_is_refused(page):
    headers = {TOKEN_HEADER: "right", "content-type": "text/plain"}
    answer = page.client.post("/api/undo", content=b'{"revision": 0}', headers=headers)
    assert answer.status_code == 422


def test_page_may_run_no_script_but_its_own_files(page):
    policy = page.client.get("/").headers["content-security-policy"]
    scripts = next(part for part in policy.split(";") if "script-src" in part)
    assert scripts.split() == ["script-src", "'self'"]
    assert "default-src 'none'" in policy
    assert "http" not in policy
    text = page.client.get("/").text
    assert "onclick" not in text
    assert text.count("<script") == text.count("src=") + 1  # and the data that is none


def test_crane_file_is_executed_only_after_agreement_to_its_contents(opened, folder):
    own_crane(folder)
    page = opened("mine.toml")
    state = page.get("/api/state").json()
    assert [file["key"] for file in state["waiting"]] == ["crane.model"]
    assert state["described"] is None
    assert page.post("live", {"revision": 0, "changes": []}).status_code == 403
    assert page.post("start", {"revision": 0, "verb": "check"}).status_code == 403
    assert not (folder / "executed").exists()
    file = state["waiting"][0]
    assert file["sha256"] == hashlib.sha256(CRANE.encode()).hexdigest()
    # another text under the same name was not agreed to
    (folder / "own.py").write_text(CRANE + "\n", "utf-8")
    assert page.post("agree", file).status_code == 422
    (folder / "own.py").write_text(CRANE, "utf-8")
    assert page.post("agree", file).json()["described"]["crane"] == "mine"
    assert (folder / "executed").exists()
    (folder / "own.py").write_text(CRANE + "\n# changed\n", "utf-8")
    assert page.post("live", {"revision": 0, "changes": []}).status_code == 403


OUTSIDE = {
    "plant.model": "../other.mo:Model",
    "plant.fmu": "../other.fmu",
    "campaign.file": "/etc/passwd",
    "crane.model": "../own.py:Mine",
    "learn.target": "../target.csv",
    "learn.first": "/etc/passwd",
}
"""A file outside the folder for each key of a scenario that names one."""


def test_every_key_that_names_a_file_is_asked_about():
    """The keys are those whose files are looked for from a scenario's folder."""
    package = Path(scenario.__file__).parent
    source = "".join(file.read_text(encoding="utf-8") for file in package.glob("*.py"))
    keys = set(re.findall(r"full_path\(f?['\"]([\w.{}]+)['\"]", source))
    keys = keys - {"learn.{key}"} | {"learn.target", "learn.first"}
    motions = "{group}.motion.{name}.file"  # a table for each name: tested below
    assert motions in keys
    keys = keys - {motions}
    assert keys == {".".join(place) for place in PLACES} == set(OUTSIDE)


@pytest.mark.parametrize("table", ["crane", "plant"])
def test_record_of_a_base_outside_the_folder_needs_agreement(table, tmp_path):
    consent = FileConsent(tmp_path)
    inside, outside = ({"kind": "recorded", "file": f} for f in ("heave.csv", "../heave.csv"))
    consent.require({table: {"motion": {"heave": inside}}})
    with pytest.raises(NoConsentError, match=rf"{table}\.motion\.heave\.file = .*heave\.csv"):
        consent.require({table: {"motion": {"heave": outside}}})


@pytest.mark.parametrize(("place", "name"), [(key.split("."), OUTSIDE[key]) for key in OUTSIDE])
def test_scenario_that_names_a_file_outside_the_folder_needs_agreement(page, place, name):
    state = page.edit((place, name)).json()
    assert [file["key"] for file in state["waiting"]] == [".".join(place)]
    assert page.post("live", {"revision": 1, "changes": []}).status_code == 403
    preview = {"revision": 1, "changes": [{"place": place, "value": f"{name}x"}]}
    assert page.post("live", preview).status_code in (403, 422)


def test_preview_cannot_execute_what_was_not_agreed_to(page, folder):
    (folder / "own.py").write_text(CRANE, encoding="utf-8")
    change = {"place": ["crane", "model"], "value": "own.py:Mine"}
    assert page.post("live", {"revision": 0, "changes": [change]}).status_code == 403
    assert not (folder / "executed").exists()


@pytest.mark.parametrize("name", ["report.html", "..%2f..%2fmine.toml", "all.zip"])
def test_results_need_their_key(page, name):
    assert page.get(f"/results/guess/{name}").status_code == 404


def test_results_need_the_token_or_the_pass_that_is_made_from_it(page):
    task = page.post("start", {"revision": 0, "verb": "deliver", "format": "csv"}).json()
    wait_for(lambda: page.get("/api/state").json()["tasks"][0]["status"] == "done")
    (name, *_) = page.get("/api/state").json()["tasks"][0]["files"]
    address = f"/results/{task['key']}/{name}"
    for query in ("", "?pass=", "?pass=wrong", "?pass=right", "?token=right"):
        answer = page.client.get(address + query)
        assert answer.status_code == 401, query
        assert "address" in answer.json()["error"]
    by_token = page.get(address)
    # HMAC-SHA256 with the token as key, by another program
    command = ["openssl", "dgst", "-sha256", "-hmac", "right", "-r"]
    made = subprocess.run(command, input=b"results", check=True, capture_output=True).stdout
    by_pass = page.client.get(f"{address}?pass={made.decode().split()[0]}")
    assert by_token.status_code == by_pass.status_code == 200
    assert by_token.content == by_pass.content
    # the pass opens results and nothing else
    assert page.client.get(f"/api/state?pass={made.decode().split()[0]}").status_code == 401


@pytest.mark.parametrize("address", ["/api/events", "/", "/socket"])
@pytest.mark.parametrize("token", ["", "right"])
def test_web_socket_is_refused(page, address, token):
    headers = {TOKEN_HEADER: token, "origin": "http://evil.example"}
    with (
        pytest.raises(WebSocketDisconnect),
        page.client.websocket_connect(address, headers=headers),
    ):
        pass


@pytest.mark.parametrize(
    "address", ["/", "/assets/main.js", "/api/state", "/nowhere", "/results/a/b"]
)
@pytest.mark.parametrize("token", ["right", "wrong"])
def test_every_answer_keeps_addresses_and_contents_to_itself(page, address, token):
    """What was refused, too: no referrer, no frame, no guess of types, nothing kept."""
    headers = page.client.get(address, headers={TOKEN_HEADER: token}).headers
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "access-control-allow-origin" not in headers


DEEP = 4000


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * DEEP + "]" * DEEP,
        "a = " + "{b = " * DEEP + "1" + "}" * DEEP,
        ".".join(["a"] * DEEP) + " = 1",
        "[" + ".".join(["a"] * DEEP) + "]",
        "a = " + "9" * DEEP,
        "# \ud800",
    ],
    ids=["lists", "tables", "dotted key", "dotted table", "digits", "half a character"],
)
def test_text_that_is_made_to_hurt_is_refused_and_destroys_nothing(page, folder, text):
    before = page.bench.session.text
    answer = page.post("text", {"revision": 0, "text": text})
    assert answer.status_code == 422
    assert (page.bench.session.text, page.bench.session.revision) == (before, 0)
    assert page.get("/api/state").json()["error"] == ""
    # the same in a file that is opened
    (folder / "evil.toml").write_bytes(text.encode("utf-8", "surrogatepass"))
    assert page.post("open", {"source": "evil.toml"}).status_code == 422
    assert page.bench.session.opened.file == "mine.toml"


def nested(depth, value=1.0):
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (["path", "x"], nested(400)),
        (["path", *["x"] * 400], 1.0),
        (["path", "duration"], 10**400),
        (["path", "kind"], "\ud800"),
        (["path", True], 1.0),
    ],
    ids=["value", "place", "digits", "half a character", "no key"],
)
def test_change_that_is_made_to_hurt_is_refused(page, place, value):
    before = page.bench.session.text
    assert page.edit((place, value)).status_code == 422
    assert page.bench.session.text == before
    preview = {"revision": 0, "changes": [{"place": place, "value": value}]}
    answer = page.post("live", preview)
    assert answer.status_code == 422 or "error" in answer.json()


def test_what_is_no_file_is_not_read(page, folder):
    """Neither a pipe, which never ends, nor a device: as a scenario, or named by one."""
    os.mkfifo(folder / "pipe.toml")
    assert page.post("open", {"source": "pipe.toml"}).status_code == 422
    os.mkfifo(folder / "pipe.fmu")
    for place, name in ((["campaign", "file"], "/dev/zero"), (["plant", "fmu"], "pipe.fmu")):
        state = page.edit((place, name)).json()
        assert [file["sha256"] for file in state["waiting"]] == [""]  # nothing to agree to
        assert page.post("agree", state["waiting"][0]).status_code == 422
        page.post("undo", {"revision": page.bench.session.revision})


@pytest.mark.parametrize("place", [["campaign", "file"], ["plant", "model"], ["crane", "model"]])
def test_link_inside_the_folder_that_leads_out_needs_agreement(page, folder, tmp_path, place):
    (tmp_path / "outside").mkdir()
    for name in ("own.py", "own.mo", "runs.csv"):
        (tmp_path / "outside" / name).write_text("secret", encoding="utf-8")
    (folder / "sub").symlink_to(tmp_path / "outside")
    names = {"campaign": "sub/runs.csv", "plant": "sub/own.mo:M", "crane": "sub/own.py:M"}
    waiting = page.edit((place, names[place[0]])).json()["waiting"]
    assert [file["key"] for file in waiting] == [".".join(place)]
    assert "outside the folder" in waiting[0]["why"]
    assert waiting[0]["path"].startswith(str(tmp_path / "outside"))


def test_file_that_changes_between_agreement_and_execution_is_not_executed(
    opened, folder, monkeypatch
):
    """The race: what `require` looked at is not what is read to be executed."""
    own_crane(folder)
    page = opened("mine.toml")
    file = page.get("/api/state").json()["waiting"][0]
    original = FileConsent.require

    def then_changed(self, content):
        original(self, content)
        (folder / "own.py").write_text(CRANE.replace("executed", "attacked"), "utf-8")

    monkeypatch.setattr(FileConsent, "require", then_changed)
    state = page.post("agree", file).json()
    assert state["described"] is None
    assert [one["sha256"] for one in state["waiting"]] != [file["sha256"]]
    # and in a task, whose process reads it later: it was changed after the task was ordered
    (folder / "own.py").write_text(CRANE, "utf-8")
    task = page.post("start", {"revision": 0, "verb": "check"}).json()

    def ended():
        one = page.get("/api/state").json()["tasks"][0]
        return one["status"] != "running" and one

    found = wait_for(ended)
    assert (found["key"], found["status"]) == (task["key"], "failed")
    assert "not used before you agree" in found["error"]
    assert not (folder / "attacked").exists()


def test_campaign_hands_no_other_contents_to_its_workers(folder):
    """Workers are processes of their own: what they execute is looked at before it is sent."""
    own_crane(folder)
    scenario = load_scenario(str(folder / "mine.toml"), ["plant.model=OverheadCrane"])
    file, agreed = folder / "own.py", FileConsent(folder)
    agreed.agree(str(file), hashlib.sha256(file.read_bytes()).hexdigest())
    with checked_files(agreed.check):
        assert scenario_work(scenario).files["crane.py"] == file.read_bytes()
        file.write_text(CRANE.replace("executed", "attacked"), "utf-8")
        with pytest.raises(NoConsentError, match="own"):
            scenario_work(scenario)


def test_module_in_the_folder_does_not_take_the_place_of_a_library(page, folder, monkeypatch):
    """A numpy.py beside a scenario is a program that nobody agreed to."""
    for name in ("numpy", "casadi", "cranebridge", "json"):
        text = f"open({str(folder / 'executed')!r}, 'w').close(); raise SystemExit"
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.chdir(folder)  # as `cranebridge open mine.toml` was started there
    page.post("start", {"revision": 0, "verb": "check"})
    status = lambda: page.get("/api/state").json()["tasks"][0]["status"]  # noqa: E731
    wait_for(lambda: status() != "running")
    assert status() == "done"
    assert not (folder / "executed").exists()


def test_agreement_holds_for_contents_wherever_they_are_executed(tmp_path):
    file = tmp_path / "own.py"
    sha256 = hashlib.sha256(b"1").hexdigest()
    agreements = FileConsent(tmp_path, [(str(file), sha256)])
    agreements.check(file, b"1")
    agreements.check(tmp_path / "copy" / "crane.py", b"1")
    with pytest.raises(NoConsentError):
        agreements.check(file, b"2")


# ---------------------------------------------------------------------------- the ticket


def test_ticket_is_changed_for_the_token_once(page):
    entry = TicketExchange("right", 8642)
    app = make_app(page.bench, RequestGuard(8642, "right"), entry)
    client = TestClient(app, base_url="http://127.0.0.1:8642")
    for wrong in ("", "x", "right", 3, None):
        assert client.post("/enter", json={"ticket": wrong}).status_code == 401
    headers = {"origin": "http://evil.example"}
    assert client.post("/enter", json={"ticket": entry.ticket}, headers=headers).status_code == 403
    assert client.get("/enter").status_code == 405
    assert client.post("/enter", json={"ticket": entry.ticket}).json() == {"token": "right"}
    again = client.post("/enter", json={"ticket": entry.ticket})
    assert again.status_code == 401
    assert "address" in again.json()["error"]


def test_ticket_of_another_user_is_refused(monkeypatch):
    entry = TicketExchange("right", 8642)
    monkeypatch.setattr(entries, "owner_of", lambda port, other: os.getuid() + 1)
    with pytest.raises(InputError, match="closed"):
        entry.enter(entry.ticket, 50000)
    monkeypatch.setattr(entries, "owner_of", lambda port, other: os.getuid())
    assert entry.enter(entry.ticket, 50000) == "right"


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="only Linux tells")
@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_owner_of_a_connection_is_told_by_the_system(family):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        with socket.socket(family) as client:
            try:
                client.connect(
                    ("127.0.0.1" if family == socket.AF_INET else "::ffff:127.0.0.1", port)
                )
            except OSError:
                pytest.skip("no IPv6 here")
            number = client.getsockname()[1]
            assert owner_of(number, port) == os.getuid()
            assert owner_of(port, port) is None
        assert owner_of(number, port) is None
