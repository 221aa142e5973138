"""Fixtures of the workbench's tests: an application in memory, and a real server with a browser."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from workbench_server import SCENARIO

from cranebridge.workbench.bench import Bench
from cranebridge.workbench.security import TOKEN_HEADER, RequestGuard
from cranebridge.workbench.server import make_app

PORT, TOKEN = 8642, "right"


class Page:
    """What a page does, without a browser."""

    def __init__(self, client: TestClient, bench: Bench) -> None:
        self.client, self.bench = client, bench

    def get(self, address: str, **headers: str) -> Any:
        return self.client.get(address, headers={TOKEN_HEADER: TOKEN, **headers})

    def post(self, name: str, body: object, **headers: str) -> Any:
        kind = {TOKEN_HEADER: TOKEN, "content-type": "application/json", **headers}
        return self.client.post(f"/api/{name}", content=json.dumps(body), headers=kind)

    def edit(self, *changes: tuple[list[object], object], revision: int | None = None) -> Any:
        rows = [{"place": place, "value": value} for place, value in changes]
        now = self.bench.session.revision if revision is None else revision
        return self.post("edit", {"revision": now, "changes": rows, "label": "test"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a scenario."""
    place = tmp_path / "work"
    place.mkdir()
    (place / "mine.toml").write_text(SCENARIO, encoding="utf-8")
    return place


@pytest.fixture
def opened(folder: Path, tmp_path: Path) -> Iterator[Callable[[str], Page]]:
    """Open a scenario of the folder in an application in memory."""
    clients = []

    def make(source: str = "mine.toml") -> Page:
        bench = Bench(folder, source, tmp_path / "kept")
        client = TestClient(
            make_app(bench, RequestGuard(PORT, TOKEN)), base_url=f"http://127.0.0.1:{PORT}"
        )
        clients.append(client.__enter__())
        return Page(client, bench)

    yield make
    for client in clients:
        client.__exit__(None, None, None)


@pytest.fixture
def page(opened: Callable[[str], Page]) -> Page:
    """The page of mine.toml."""
    return opened("mine.toml")
