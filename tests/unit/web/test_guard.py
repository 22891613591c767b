"""What never gets past the outermost layer, on each transport, as one table."""

from __future__ import annotations

from typing import Any

import pytest

from luvus_web.guard import Guard
from luvus_web.origins import Origins
from tests.support.asked import HOST, ORIGIN, OWN, Exchange, Recorder, ask, request, web_socket

EVIL = "evil.test:8717"
TRANSPORTS = {
    "a call": lambda headers: request("POST", "/uhp/v1/ping", headers, b"{}"),
    "a login": lambda headers: request("POST", "/login", headers, b"{}"),
    "a page": lambda headers: request("GET", "/", headers),
    "server-sent events": lambda headers: request("GET", "/uhp/v1/events", headers),
    "a web socket": lambda headers: web_socket("/uhp/v1/events.subscribe", headers),
}
FOREIGN: dict[str, dict[str, str | None]] = {
    "a host of another name": {"host": EVIL, "origin": ORIGIN},
    "a name that was pointed at this machine": {"host": EVIL, "origin": f"http://{EVIL}"},
    "no host": {"host": None},
    "a host without its port": {"host": "127.0.0.1", "origin": "http://127.0.0.1"},
    "another origin": {"origin": "http://evil.test"},
    "an origin on another port": {"origin": "http://127.0.0.1:8718"},
    "an origin of another name of this machine": {"origin": "http://localhost:8717"},
    "an opaque origin": {"origin": "null"},
    "a page of another site": {"sec-fetch-site": "cross-site"},
    "a page of the same site on another port": {"sec-fetch-site": "same-site"},
}


def asked(transport: str, changes: dict[str, str | None]) -> Exchange:
    """Return a request of a transport whose headers differ from our page's."""
    headers = {name: value for name, value in {**OWN, **changes}.items() if value is not None}
    return TRANSPORTS[transport](headers)


def refused(exchange: Exchange) -> bool:
    """Say whether an exchange was ended before it began."""
    if exchange.scope["type"] == "websocket":
        return [(m["type"], m["code"]) for m in exchange.sent] == [("websocket.close", 1008)]
    return exchange.status in {403, 421}


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("kind", FOREIGN)
async def test_what_is_not_meant_for_this_server_reaches_nothing_behind_the_guard(
    transport: str, kind: str
) -> None:
    inner = Recorder()

    answered = await ask(Guard(inner, Origins(8717)), asked(transport, FOREIGN[kind]))

    assert refused(answered)
    assert inner.seen == []


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]"])
async def test_what_the_dashboard_s_own_page_asks_goes_through(transport: str, name: str) -> None:
    inner = Recorder()
    own = {
        "host": f"{name}:8717",
        "origin": f"http://{name}:8717",
        "sec-fetch-site": "same-origin",
    }

    await ask(Guard(inner, Origins(8717)), asked(transport, dict(own)))

    assert len(inner.seen) == 1


@pytest.mark.parametrize("transport", ["a call", "a login", "a web socket"])
async def test_what_changes_something_needs_an_origin(transport: str) -> None:
    inner = Recorder()

    answered = await ask(Guard(inner, Origins(8717)), asked(transport, {"origin": None}))

    assert refused(answered)
    assert inner.seen == []


@pytest.mark.parametrize("transport", ["a call", "a login"])
async def test_a_form_is_refused_even_of_our_own_origin(transport: str) -> None:
    inner = Recorder()

    answered = await ask(Guard(inner, Origins(8717)), asked(transport, {"x-luvus": None}))

    assert answered.status == 403
    assert inner.seen == []


@pytest.mark.parametrize("name", ["host", "origin"])
async def test_a_header_that_stands_there_twice_is_none(name: str) -> None:
    inner = Recorder()
    exchange = asked("a call", {})
    exchange.scope["headers"].append((name.encode(), OWN[name].encode()))

    answered = await ask(Guard(inner, Origins(8717)), exchange)

    assert refused(answered)
    assert inner.seen == []


async def test_a_link_on_another_page_may_lead_here() -> None:
    inner = Recorder()
    changes = {"origin": None, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}

    await ask(Guard(inner, Origins(8717)), asked("a page", changes))

    assert len(inner.seen) == 1


@pytest.mark.parametrize("changes", [{}, {"host": EVIL}])
async def test_every_answer_has_a_policy_without_inline_script(changes: Any) -> None:
    answered = await ask(Guard(Recorder(), Origins(8717)), asked("a page", changes))

    policy = dict(p.split(" ", 1) for p in answered.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert policy["connect-src"] == f"'self' ws://{HOST} ws://localhost:8717"
    assert (policy["base-uri"], policy["form-action"]) == ("'none'", "'none'")
    assert answered.headers["x-content-type-options"] == "nosniff"
    assert answered.headers["cross-origin-resource-policy"] == "same-origin"


async def test_what_is_neither_a_request_nor_a_web_socket_is_left_alone() -> None:
    inner = Recorder()
    exchange = Exchange({"type": "lifespan"})

    await ask(Guard(inner, Origins(8717)), exchange)

    assert (inner.seen, exchange.sent) == ([], [])
