"""Which names a server answers to."""

from __future__ import annotations

import pytest

from luvus_web.origins import Origins

ORIGINS = Origins(8717)


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8717", "[::1]:8717", "localhost:8717", "LOCALHOST:8717"]
)
def test_a_loopback_name_with_the_port_is_this_server(host: str) -> None:
    assert ORIGINS.allows_host(host)
    assert ORIGINS.allows_origin(f"http://{host}", host)


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "127.0.0.1",
        "127.0.0.1:8718",
        "127.0.0.1:8717.evil.test",
        "127.0.0.1.evil.test:8717",
        "evil.test:8717",
        "localhost.:8717",
        "0.0.0.0:8717",
        "127.0.0.1:8717\n",
        "127.0.0.1:8717, evil.test",
        "127.1:8717",
    ],
)
def test_any_other_name_is_another_server(host: str | None) -> None:
    assert not ORIGINS.allows_host(host)


@pytest.mark.parametrize(
    "origin",
    [None, "null", "", "http://localhost:8717", "https://127.0.0.1:8717", "http://127.0.0.1:87170"],
)
def test_a_page_of_any_other_origin_is_foreign(origin: str | None) -> None:
    assert not ORIGINS.allows_origin(origin, "127.0.0.1:8717")
