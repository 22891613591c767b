"""What the first request of a process costs and needs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from luvus_service.adapters.providers.transport import HttpFault, HttpxClient, Waits
from tests.support.provider_server import provider_server

WARMED = """
import asyncio, json, sys
from luvus_service.adapters.providers.transport import HttpxClient

before = sorted(sys.modules)
asyncio.run(HttpxClient().warm())
print(json.dumps([before, sorted(sys.modules)]))
"""


async def get(client: HttpxClient, url: str) -> int:
    async with client.request("GET", url, {}, None, Waits(5, 5)) as reply:
        async for _ in reply.chunks:
            continue
        return reply.status


def test_warming_imports_the_library_and_not_its_command_line() -> None:
    done = subprocess.run([sys.executable, "-c", WARMED], capture_output=True, check=True)

    before, after = map(set, json.loads(done.stdout))
    assert not {"httpx", "httpcore", "luvus_service.adapters.providers.caller"} & before
    assert {"httpx", "luvus_service.adapters.providers.caller"} <= after
    # What the library itself puts off until something is sent.
    assert {"httpcore", "anyio._backends._asyncio"} <= after
    assert not {"httpx._main", "click", "rich", "pygments"} & after


async def test_an_address_without_tls_needs_no_certificates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken.pem"
    broken.write_text("no certificate")
    monkeypatch.setenv("SSL_CERT_FILE", str(broken))
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    client = HttpxClient()
    await client.warm()

    async with provider_server() as server:
        assert await get(client, server.url) == 200
        with pytest.raises(HttpFault, match="certificate of the environment"):
            await get(client, "https://localhost:1/")
        await client.close()


async def test_a_request_before_the_warming_is_done_works_too() -> None:
    client = HttpxClient()

    async with provider_server() as server:
        assert await get(client, server.url) == 200
        await client.warm()
        assert await get(client, server.url) == 200
        await client.close()
        assert server.connections == 1
