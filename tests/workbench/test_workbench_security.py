"""Who is refused: without the token, from another site, out of the folder, not agreed to."""

from __future__ import annotations

import hashlib
import subprocess

import pytest
from workbench_server import wait_for

from cranebridge.workbench.security import TOKEN_HEADER

CRANE = """\
from pathlib import Path
from cranebridge.twin.overhead import OverheadCrane
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


@pytest.mark.parametrize(
    ("place", "name"),
    [
        (["plant", "model"], "../other.mo:Model"),
        (["plant", "fmu"], "../other.fmu"),
        (["campaign", "file"], "/etc/passwd"),
        (["crane", "model"], "../own.py:Mine"),
    ],
)
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


@pytest.mark.parametrize("query", ["", "?pass=", "?pass=wrong", "?pass=right", "?token=right"])
def test_results_need_the_token_or_the_pass_that_is_made_from_it(page, query):
    task = page.post("start", {"revision": 0, "verb": "deliver", "format": "csv"}).json()
    wait_for(lambda: page.get("/api/state").json()["tasks"][0]["status"] == "done")
    (name, *_) = page.get("/api/state").json()["tasks"][0]["files"]
    address = f"/results/{task['key']}/{name}"
    answer = page.client.get(address + query)
    assert answer.status_code == 401
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
