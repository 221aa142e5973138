"""The requests that the page sends, as a Starlette application."""

from __future__ import annotations

import json
import mimetypes
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, FunctionLoader
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from cranebridge.errors import CranebridgeError, InputError
from cranebridge.job.page import PAGE
from cranebridge.workbench.bench import Bench
from cranebridge.workbench.entry import TicketExchange
from cranebridge.workbench.file_consent import NoConsentError
from cranebridge.workbench.scenario_folder import ChangedOnDiskError
from cranebridge.workbench.security import HEADERS, POLICY, REPORT_POLICY, RequestGuard
from cranebridge.workbench.session import ConflictError
from cranebridge.workbench.toml_edits import read_changes

LARGEST = 2_000_000
"""Bytes of a request's body."""
_ASSETS = {
    "": resources.files("cranebridge.workbench").joinpath("assets"),
    "report": resources.files("cranebridge.report").joinpath("assets"),
}

Answer = dict[str, Any]
Ask = Callable[[Bench, Answer], Answer | Awaitable[Answer]]


def make_app(bench: Bench, guard: RequestGuard, entry: TicketExchange | None = None) -> ASGIApp:
    """Return the application, guarded; `entry` lets the browser in that the server opens."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        del app
        yield
        await bench.tasks.close()

    routes = [
        Route("/", _page()),
        Route("/assets/{name:path}", _asset()),
        Route("/api/state", _get(lambda: bench.state())),
        Route("/api/events", _events(bench)),
        Route("/results/{key}/{name}", _result(bench)),
        *([] if entry is None else [Route("/enter", _enter(entry), methods=["POST"])]),
        *(Route(f"/api/{name}", _post(bench, ask), methods=["POST"]) for name, ask in ASKS.items()),
    ]
    return GuardedApplication(Starlette(routes=routes, lifespan=lifespan), guard)


# ---------------------------------------------------------------------- what is asked


def _live(bench: Bench, body: Answer) -> Answer:
    if body.get("revision") != bench.session.revision:
        return {"older": True}  # an edit was faster: that is no fault, and changes nothing
    changes = read_changes(body.get("changes"))
    try:
        return bench.live(changes, body.get("scene") is not False)
    except NoConsentError:
        raise
    except CranebridgeError as error:  # a place that cannot be reached is no fault of the page
        return {"error": str(error)}


def _edit(bench: Bench, body: Answer) -> Answer:
    changes = read_changes(body.get("changes"))
    bench.session.edit(body.get("revision"), changes, _text(body, "label", 80))
    return bench.state()


def _replace_text(bench: Bench, body: Answer) -> Answer:
    bench.session.replace_text(body.get("revision"), _text(body, "text", LARGEST))
    return bench.state()


def _move(steps: int) -> Ask:
    def ask(bench: Bench, body: Answer) -> Answer:
        bench.session.move(body.get("revision"), steps)
        return bench.state()

    return ask


def _open(bench: Bench, body: Answer) -> Answer:
    bench.session.open(_text(body, "source", 255))
    return bench.state()


def _save(bench: Bench, body: Answer) -> Answer:
    name = None if body.get("name") is None else _text(body, "name", 255)
    bench.session.save(body.get("revision"), name)
    return bench.state()


def _restore(bench: Bench, body: Answer) -> Answer:
    if body.get("discard") is True:
        bench.session.discard()
    else:
        bench.session.restore(body.get("revision"))
    return bench.state()


def _agree(bench: Bench, body: Answer) -> Answer:
    bench.agreements.agree(_text(body, "path", 4096), _text(body, "sha256", 64))
    return bench.state()


async def _start(bench: Bench, body: Answer) -> Answer:
    bench.session.require(body.get("revision"))
    more = {}
    if "format" in body:
        allow = body.get("allow_violations") is True
        more = {"format": _text(body, "format", 40), "allow_violations": allow}
    task = await bench.start(_text(body, "verb", 40), more)
    return task.as_dict()


async def _cancel(bench: Bench, body: Answer) -> Answer:
    task = bench.tasks.find(_text(body, "key", 80))
    await bench.tasks.cancel(task)
    return task.as_dict()


ASKS: dict[str, Ask] = {
    "live": _live,
    "edit": _edit,
    "text": _replace_text,
    "undo": _move(-1),
    "redo": _move(1),
    "open": _open,
    "save": _save,
    "restore": _restore,
    "agree": _agree,
    "start": _start,
    "cancel": _cancel,
}
"""By the last part of the address: what is done with a JSON object."""


def _text(body: Answer, key: str, longest: int) -> str:
    value = body.get(key)
    if not isinstance(value, str) or len(value) > longest:
        raise InputError(f"{key} must be a text of at most {longest} characters")
    return value


# ---------------------------------------------------------------------- requests and answers


def _post(bench: Bench, ask: Ask) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        try:
            body = await _body(request)
            if ask in (_start, _cancel):
                found: Any = await ask(bench, body)  # type: ignore[misc]
            else:
                found = await run_in_threadpool(ask, bench, body)
            return JSONResponse(found)
        except CranebridgeError as error:
            return _refused(error)

    return endpoint


def _refused(error: CranebridgeError) -> JSONResponse:
    content: Answer = {"error": str(error)}
    status = 422
    if isinstance(error, ConflictError):
        status, content["conflict"] = 409, True
    elif isinstance(error, ChangedOnDiskError):
        status, content["on_disk"] = 409, True
    elif isinstance(error, NoConsentError):
        status, content["waiting"] = 403, [file.as_dict() for file in error.files]
    return JSONResponse(content, status)


async def _body(request: Request) -> Answer:
    """Return the JSON object of a request."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if kind != "application/json":
        raise InputError("a request's body must be JSON")
    text = bytearray()
    async for part in request.stream():
        text += part
        if len(text) > LARGEST:
            raise InputError("the request is too large")
    try:
        body = json.loads(bytes(text))
        # halves of characters can be written in JSON, and nowhere else
        json.dumps(body, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise InputError("a request's body must be a JSON object")
    return body


def _enter(entry: TicketExchange) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        try:
            ticket = _text(await _body(request), "ticket", 80)
            port = request.client.port if request.client else 0
            return JSONResponse({"token": await run_in_threadpool(entry.enter, ticket, port)})
        except CranebridgeError as error:
            return JSONResponse({"error": str(error)}, 401)

    return endpoint


def _get(ask: Callable[[], Answer]) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        del request
        return JSONResponse(await run_in_threadpool(ask))

    return endpoint


def _events(bench: Bench) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        del request

        async def lines() -> AsyncIterator[str]:
            async for event in bench.events():
                yield f"data: {json.dumps(event)}\n\n" if event else ": still here\n\n"

        return StreamingResponse(lines(), media_type="text/event-stream")

    return endpoint


def _page() -> Callable[[Request], Awaitable[Response]]:
    """Return what answers with the page itself; it shares the player with the report."""
    loaders = [
        FunctionLoader(lambda name, place=place: _text_of(place / name))  # type: ignore[misc]
        for place in _ASSETS.values()
    ]
    text = Environment(loader=ChoiceLoader(loaders), autoescape=True).get_template("index.html")
    page = text.render()

    async def endpoint(request: Request) -> Response:
        del request
        return Response(page, media_type="text/html", headers={"content-security-policy": POLICY})

    return endpoint


def _text_of(file: Traversable) -> str | None:
    return file.read_text(encoding="utf-8") if file.is_file() else None


def _asset() -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        name = request.path_params["name"]
        place, _, rest = name.partition("/") if name.startswith("report/") else ("", "", name)
        parts = rest.split("/")
        if any(part in ("", ".", "..") or "\\" in part for part in parts):
            return Response("no such file", 404)
        file = _ASSETS[place].joinpath(*parts)
        if not file.is_file():
            return Response("no such file", 404)
        kind = mimetypes.guess_type(rest)[0] or "text/plain"
        headers = {"content-security-policy": POLICY}
        return Response(file.read_bytes(), media_type=kind, headers=headers)

    return endpoint


def _result(bench: Bench) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        name = request.path_params["name"]
        try:
            task = bench.tasks.find(request.path_params["key"])
            if name == "all.zip":
                return _download(task.archive(), f"{task.verb}.zip")
            content = Path(task.file(name)).read_bytes()
        except (CranebridgeError, OSError) as error:
            return Response(str(error), 404)
        if name.endswith(".html"):
            policy = {"content-security-policy": REPORT_POLICY}
            return Response(content, media_type="text/html", headers=policy)
        if name == PAGE:
            return Response(content, media_type="application/json")
        return _download(content, name)

    return endpoint


def _download(content: bytes, name: str) -> Response:
    safe = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in name)
    headers = {"content-disposition": f'attachment; filename="{safe}"'}
    return Response(content, media_type="application/octet-stream", headers=headers)


class GuardedApplication:
    """An application whose requests are looked at first, and whose answers carry safe headers."""

    def __init__(self, app: ASGIApp, guard: RequestGuard) -> None:
        self._app, self._guard = app, guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no web sockets here, and nobody asks their origin
            await send({"type": "websocket.close", "code": 1008})
            return
        given = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        address = f"{scope['path']}?{scope['query_string'].decode('latin-1')}"
        refusal = self._guard.refusal(given, address)

        async def sending(message: Any) -> None:
            if message["type"] == "http.response.start":
                names = {name for name, _ in message["headers"]}
                added = {"content-security-policy": "default-src 'none'", **HEADERS}
                message["headers"] += [
                    (name.encode(), value.encode())
                    for name, value in added.items()
                    if name.encode() not in names
                ]
            await send(message)

        if refusal is None:
            await self._app(scope, receive, sending)
        else:
            status, reason = refusal
            await JSONResponse({"error": reason}, status)(scope, receive, sending)
