"""A browser's side of the dashboard without a browser: HTTP, server-sent events, WebSockets.

Headers are spelled out, so that a test can send what no well-behaved browser would.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

WAIT_S = 10.0


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole HTTP response."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """Return the body read as JSON."""
        return json.loads(self.body)


class Visitor:
    """Somebody who sends requests to a dashboard."""

    def __init__(self, url: str) -> None:
        self.port = urlsplit(url).port or 0
        self.host = f"127.0.0.1:{self.port}"
        self.cookie: str | None = None

    @property
    def origin(self) -> str:
        """The origin of the dashboard's own pages."""
        return f"http://{self.host}"

    def request(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Send a request with these headers, `Host` and the cookie."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT_S)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in {**self._own(), **(headers or {})}.items():
                connection.putheader(name, value)
            connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, found, response.read())
        finally:
            connection.close()

    def post(self, path: str, value: Any, headers: Mapping[str, str] | None = None) -> Answer:
        """Send JSON as the dashboard's own pages do."""
        own = {"Origin": self.origin, "X-Luvus": "1", "Content-Type": "application/json"}
        return self.request("POST", path, json.dumps(value).encode(), {**own, **(headers or {})})

    def call(self, method: str, params: Any = None) -> Answer:
        """Call a method of the protocol."""
        return self.post(f"/uhp/v1/{method}", params or {})

    def log_in(self, link: str) -> Answer:
        """Use a login link and keep the cookie."""
        answer = self.post("/login", {"ticket": link.partition("#")[2]})
        if answer.status == 200:
            self.cookie = answer.headers["set-cookie"].partition(";")[0]
        return answer

    @contextmanager
    def socket(
        self, method: str, params: Any = None, headers: Mapping[str, str] | None = None
    ) -> Generator[ClientConnection]:
        """Open a stream of the protocol, or one at a path, which gets no parameters."""
        wanted = {"Origin": self.origin, **self._own(), **(headers or {})}
        with connect(
            f"ws://127.0.0.1:{self.port}{_path(method)}",
            additional_headers={k: v for k, v in wanted.items() if k not in {"Host", "Origin"}},
            origin=Origin(wanted["Origin"]),
            open_timeout=WAIT_S,
            compression=None,
            user_agent_header=None,
        ) as stream:
            if not method.startswith("/"):
                stream.send(json.dumps(params or {}))
            yield stream

    def handshake(self, method: str, headers: Mapping[str, str]) -> Answer:
        """Ask for a WebSocket with exactly these headers beside those of the handshake."""
        asked = {
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        }
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT_S)
        try:
            connection.putrequest("GET", _path(method), skip_host=True, skip_accept_encoding=True)
            for name, value in {**self._own(), **asked, **headers}.items():
                connection.putheader(name, value)
            connection.endheaders()
            response = connection.getresponse()
            body = b"" if response.status == 101 else response.read()
            return Answer(response.status, dict(response.getheaders()), body)
        finally:
            connection.close()

    def _own(self) -> dict[str, str]:
        own = {"Host": self.host}
        return own if self.cookie is None else {**own, "Cookie": self.cookie}


def _path(method: str) -> str:
    return method if method.startswith("/") else f"/uhp/v1/{method}"


def message(stream: ClientConnection, timeout_s: float = WAIT_S) -> dict[str, Any]:
    """Return the next frame of a stream."""
    return dict(json.loads(stream.recv(timeout_s)))
