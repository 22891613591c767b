"""The dashboard as a whole: off, on, taken over, off again; with a server that does not listen."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from luvus_web.asgi import App
from luvus_web.dashboard import Dashboard, PortTaken
from luvus_web.saved import load
from tests.support.asked import Exchange, Recorder, ask, request


class FakeServer:
    """Notes whether it runs."""

    def __init__(self, app: App, sock: socket.socket) -> None:
        self.app = app
        self.sock = sock
        self.running = False

    async def start(self) -> None:
        """Begin."""
        self.running = True

    async def stop(self) -> None:
        """End and close the socket."""
        await asyncio.sleep(0)
        self.running = False
        self.sock.close()


class FakeGrants:
    """Gives out a few credentials."""

    def __init__(self, number: int) -> None:
        self.left = number
        self.live: dict[str, bool] = {}

    def grant(self, *, read_only: bool) -> tuple[str, str] | None:
        """Return an id and a secret while there are some."""
        if self.left == 0:
            return None
        self.left -= 1
        self.live[f"g{self.left}"] = read_only
        return f"g{self.left}", f"secret{self.left}"

    def withdraw(self, grant_id: str) -> None:
        """Take one back."""
        del self.live[grant_id]


class Made:
    """Dashboards of one session's folder, and what they started."""

    def __init__(self, folder: Path) -> None:
        self.state = folder / "web.json"
        self.servers: list[FakeServer] = []
        self.grants = FakeGrants(2)
        self.inner = Recorder()

    def dashboard(self) -> Dashboard:
        """Return a dashboard as a new server process makes one."""
        return Dashboard(
            self.inner,
            self.grants,
            serve=self._serve,
            state=self.state,
            now=lambda: 1000.0,
            about=dict,
            folder=self.state.parent / "pages",
        )

    async def enter(self, dashboard: Dashboard, *, read_only: bool = False) -> str:
        """Log a browser in and return its cookie."""
        ticket = dashboard.link(read_only=read_only).partition("#")[2]
        answered = await self.post("/login", json.dumps({"ticket": ticket}).encode())
        return answered.headers["set-cookie"].partition(";")[0]

    async def post(self, path: str, body: bytes, cookie: str = "") -> Exchange:
        """Send a request of the dashboard's own page to what listens now."""
        server = self.servers[-1]
        host = f"127.0.0.1:{server.sock.getsockname()[1]}"
        headers = {"host": host, "origin": f"http://{host}", "x-luvus": "1", "cookie": cookie}
        return await ask(server.app, request("POST", path, headers, body))

    async def token(self, cookie: str) -> str | None:
        """Return the credential with which a browser's call reaches the service."""
        before = len(self.inner.seen)
        answered = await self.post("/uhp/v1/ping", b"{}", cookie)
        if answered.status != 200:
            return None
        assert len(self.inner.seen) == before + 1
        headers = dict(self.inner.seen[-1]["headers"])
        return str(headers[b"authorization"].decode()).removeprefix("Bearer ")

    def _serve(self, app: App, sock: socket.socket) -> FakeServer:
        self.servers.append(FakeServer(app, sock))
        return self.servers[-1]


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Made]:
    made = Made(tmp_path)
    yield made
    for server in made.servers:
        server.sock.close()


@pytest.mark.parametrize(
    "address",
    ["0.0.0.0", "::", "192.168.1.5", "localhost", "127.0.0.2", ""],  # noqa: S104 - refused
)
async def test_nothing_but_the_loopback_is_ever_listened_on(made: Made, address: str) -> None:
    with pytest.raises(ValueError, match=r"127\.0\.0\.1"):
        await made.dashboard().start(address, None)

    assert made.servers == []


async def test_it_is_off_until_it_is_started_and_starts_once(made: Made) -> None:
    dashboard = made.dashboard()
    assert dashboard.url is None
    assert not made.state.exists()

    await asyncio.gather(*(dashboard.start("127.0.0.1", 0) for _ in range(3)))

    (server,) = made.servers
    assert server.running
    assert dashboard.url == f"http://127.0.0.1:{server.sock.getsockname()[1]}"
    nodelay = server.sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    assert nodelay != 0


async def test_a_port_that_is_taken_is_named(made: Made) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]

        with pytest.raises(PortTaken, match=str(port)):
            await made.dashboard().start("127.0.0.1", port)

    assert made.servers == []


async def test_a_new_process_takes_the_address_and_the_logins_over(made: Made) -> None:
    first = made.dashboard()
    await first.start("127.0.0.1", 0)
    cookie = await made.enter(first, read_only=True)
    url = first.url
    await first.close()

    second = made.dashboard()
    await second.resume()

    assert second.url == url
    assert [b.read_only for b in second.browsers()] == [True]
    assert await made.token(cookie) == "secret1"
    await second.close()


async def test_stopping_logs_everybody_out_and_leaves_nothing_to_take_over(made: Made) -> None:
    dashboard = made.dashboard()
    await dashboard.start("127.0.0.1", 0)
    assert await made.token(await made.enter(dashboard)) == "secret1"

    await dashboard.stop()

    assert dashboard.url is None
    assert dashboard.browsers() == ()
    assert made.grants.live == {}
    assert load(made.state) is None
    later = made.dashboard()
    await later.resume()
    assert later.url is None


async def test_a_browser_has_one_credential_with_its_own_rights_until_it_is_logged_out(
    made: Made,
) -> None:
    dashboard = made.dashboard()
    await dashboard.start("127.0.0.1", 0)
    cookies = [await made.enter(dashboard, read_only=only) for only in (True, False, False)]

    given = [await made.token(cookie) for cookie in (*cookies, cookies[0])]

    assert given == ["secret1", "secret0", None, "secret1"]
    assert made.grants.live == {"g1": True, "g0": False}
    assert dashboard.revoke(dashboard.browsers()[0].id)
    assert made.grants.live == {"g0": False}
    await dashboard.close()
