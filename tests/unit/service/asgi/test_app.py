from __future__ import annotations

import asyncio
from typing import Any

import pytest

from luvus_service.asgi.app import build_app
from luvus_service.asgi.sse import SseRoute
from luvus_service.asgi.types import App
from tests.support.toys import ToyService
from tests.support.wires import CONNECT, GONE, Wire, http, request, said, websocket


class Site:
    """The app and how often its document was made."""

    def __init__(self) -> None:
        self.service = ToyService()
        self.made = 0
        self.app: App = build_app(
            self.service.dispatcher,
            openapi=self._openapi,
            health=lambda: {"status": "ok", "made": self.made},
            sse={"toys": SseRoute("toy.watch", "number", "toy.resync_required")},
        )

    async def ask(self, method: str, path: str, *, body: bytes = b"") -> Wire:
        """Send a request and return its wire once it is answered."""
        wire = Wire(request(body))
        async with asyncio.timeout(5):
            await self.app(http(path, method), wire.receive, wire.send)
        return wire

    def _openapi(self) -> bytes:
        self.made += 1
        return b'{"openapi":"3.1.0"}'


@pytest.fixture
async def site() -> Site:
    return Site()


async def test_post_calls_the_method_of_the_path(site: Site) -> None:
    wire = await site.ask("POST", "/uhp/v1/toy.show", body=b'{"number":2}')

    assert (wire.status, wire.json) == (200, {"type": "shown", "number": 2})


@pytest.mark.parametrize("name", ["", "toy", "toy.show/", "../healthz", "a b", "\0"])
async def test_a_path_of_no_method_is_an_unknown_method(site: Site, name: str) -> None:
    wire = await site.ask("POST", f"/uhp/v1/{name}")

    assert (wire.status, wire.json["message"]) == (400, f"unknown method {name!r}")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "HEAD", "OPTIONS"])
async def test_another_verb_is_told_which_to_use(site: Site, method: str) -> None:
    wire = await site.ask(method, "/uhp/v1/toy.add")

    assert wire.status == 405
    assert wire.headers == {
        b"content-type": b"application/json",
        b"allow": b"POST",
        b"content-length": b"%d" % len(wire.body),
    }
    assert wire.json == {
        "code": "invalid_request",
        "message": f"{method} does not call toy.add; send POST with the parameters as JSON",
    }
    assert site.service.toys.calls == []


@pytest.mark.parametrize("name", ["<script>", "x" * 129, "a\nb", ""])
async def test_a_name_that_is_none_is_not_repeated(site: Site, name: str) -> None:
    wire = await site.ask("GET", f"/uhp/v1/{name}")

    assert wire.json["message"].startswith("GET does not call a method;")


async def test_get_of_a_stream_serves_events(site: Site) -> None:
    site.service.toys.frames.put_nowait(b"")

    wire = await site.ask("GET", "/uhp/v1/toys")

    assert (wire.status, wire.body) == (200, b': {"type":"shown","number":0}\n\n')


async def test_a_websocket_on_the_path_of_a_stream_opens_it(site: Site) -> None:
    site.service.toys.frames.put_nowait(b"")
    wire = Wire(CONNECT, said("{}"))

    await site.app(websocket(), wire.receive, wire.send)

    assert wire.texts == [{"result": {"type": "shown", "number": 0}}, 1000]


async def test_a_websocket_elsewhere_is_closed_at_once(site: Site) -> None:
    wire = Wire(CONNECT, GONE)

    await site.app({**websocket(), "path": "/elsewhere"}, wire.receive, wire.send)

    assert [m["type"] for m in wire.sent] == ["websocket.close"]


async def test_the_document_is_made_once_and_health_is_asked_each_time(site: Site) -> None:
    first = await site.ask("GET", "/openapi.json")
    second = await site.ask("GET", "/openapi.json")
    health = await site.ask("GET", "/healthz")

    assert first.json == second.json == {"openapi": "3.1.0"}
    assert health.json == {"status": "ok", "made": 1}
    assert first.headers[b"content-type"] == b"application/json"


async def test_a_path_where_nothing_is_says_where_to_look(site: Site) -> None:
    wire = await site.ask("GET", "/" + "x" * 300)

    assert (wire.status, wire.json) == (
        404,
        {
            "code": "invalid_request",
            "message": f"nothing is at /{'x' * 199}; see /openapi.json",
        },
    )


async def test_the_start_and_the_end_of_the_server_are_noted(site: Site) -> None:
    wire = Wire({"type": "lifespan.startup"}, {"type": "lifespan.shutdown"})
    scope: dict[str, Any] = {"type": "lifespan"}

    await site.app(scope, wire.receive, wire.send)

    assert [m["type"] for m in wire.sent] == [
        "lifespan.startup.complete",
        "lifespan.shutdown.complete",
    ]
