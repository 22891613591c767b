"""A running server with its dashboard on."""

from __future__ import annotations

import pytest

from tests.support.browsers import Visitor
from tests.support.live import LiveServer


@pytest.fixture
def visitor(live: LiveServer) -> Visitor:
    """Somebody who is logged in and may do everything."""
    answer = live.call("web.start", {"port": free_port()})
    someone = Visitor(answer["url"])
    assert someone.log_in(answer["link"]).status == 200
    return someone


@pytest.fixture
def stranger(visitor: Visitor) -> Visitor:
    """Somebody who knows the address and nothing else."""
    return Visitor(visitor.origin)


def free_port() -> int:
    """Return a port that nobody listens on now."""
    import socket

    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])
