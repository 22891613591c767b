"""What the first request needs is got before it, and never in the way of anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from luvus_service.adapters.providers.transport import HttpFault, HttpxClient, Waits
from tests.support.provider_server import provider_server


async def test_a_warmed_client_answers_like_any_other_and_is_made_again_after_it_closed() -> None:
    async with provider_server() as server:
        client = HttpxClient()
        await client.warm()
        await client.warm()

        answers = []
        for _ in range(2):
            url = f"{server.url}/v1/models"
            async with client.request("GET", url, {}, None, Waits()) as reply:
                answers.append((reply.status, bool([chunk async for chunk in reply.chunks])))
            await client.close()

    assert answers == [(200, True), (200, True)]


async def test_a_certificate_that_cannot_be_read_is_told_to_the_first_request_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "missing.pem"))
    client = HttpxClient()

    await client.warm()

    with pytest.raises(HttpFault) as caught:
        async with client.request("GET", "https://127.0.0.1:1/", {}, None, Waits()):
            pass
    assert caught.value.kind == "address"
