"""The whole app, on a session in a fake world, answers what its OpenAPI document says."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import cache
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings

from luvus_service.asgi.app import build_app
from luvus_service.asgi.status import OF_KIND
from luvus_service.codegen.openapi import PREFIX, openapi
from luvus_service.uhp.catalogue import catalogue
from tests.contract.test_schemas_are_kept import as_written
from tests.support.fake_world import Stage

# The first test of a process reads the whole document.
pytestmark = pytest.mark.timeout(90)

EXAMPLES = 8
_PRODUCT = catalogue()
NAMES = sorted(n for n, m in _PRODUCT.methods.items() if not m.stream)


@cache
def published() -> Any:
    """Return the document as schemathesis reads it."""
    document = openapi(_PRODUCT, "1", status_of_kind=OF_KIND, server_sent={})
    return schemathesis.openapi.from_dict(document)


class Player:
    """Calls the app of a session that lives as long as this."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self.stage = self._runner.run(self._make())
        app = build_app(self.stage.dispatcher, openapi=bytes, health=dict, sse={})
        self._transport = httpx.ASGITransport(app=app)

    async def _make(self) -> Stage:
        stage = Stage()
        await stage.workspaces.open_home()
        return stage

    def post(self, name: str, body: Any) -> httpx.Response:
        """Call a method."""

        async def call() -> httpx.Response:
            async with httpx.AsyncClient(transport=self._transport, base_url="http://x") as client:
                return await client.post(PREFIX + name, json=body)

        return self._runner.run(call())

    def close(self) -> None:
        """End the session."""
        self._runner.run(self.stage.close())
        self._runner.close()


@pytest.fixture
def player() -> Iterator[Player]:
    """An app with a session of one workspace."""
    made = Player()
    yield made
    made.close()


def in_no_time(name: str, body: dict[str, Any]) -> Any:
    """Let nothing wait."""
    known = _PRODUCT.methods[name].params.model_fields
    limits = {"timeout_s": 0, "timeout_ms": 1}
    return as_written({**body, **{key: limits[key] for key in limits if key in known}})


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mode", ["POSITIVE", "NEGATIVE"])
def test_every_answer_has_a_documented_status_and_shape(
    player: Player, name: str, mode: str
) -> None:
    operation = published()[PREFIX + name]["POST"]
    cases = operation.as_strategy(generation_mode=schemathesis.GenerationMode[mode])

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases)
    def fits(case: schemathesis.Case[Any]) -> None:
        if not isinstance(case.body, dict):
            return
        answer = player.post(name, in_no_time(name, case.body))
        responses = operation.responses.find_by_status_code(answer.status_code)
        assert responses is not None, (answer.status_code, answer.text)
        assert answer.status_code < 500 or answer.json()["code"] != "internal", answer.text
        case.validate_response(answer, checks=[schemathesis.checks.response_schema_conformance])

    fits()
