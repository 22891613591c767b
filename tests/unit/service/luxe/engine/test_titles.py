from __future__ import annotations

from pathlib import Path

from luvus_service.luxe.domain.ports import ProviderFailure
from tests.support.luxe_client import luxe
from tests.support.scripted_provider import ScriptedProvider, says


async def test_a_new_session_is_named_once_after_its_first_turn(tmp_path: Path) -> None:
    provider = ScriptedProvider([says("Hi."), says('"A fine  title"'), says("More.")])

    async with luxe(tmp_path, provider, titles=True) as client:
        await client.turn("submit_user_message", {"text": "hello"})
        listed = await client.until("sessions_refreshed")
        await client.turn("submit_user_message", {"text": "more"})

    assert [item["title"] for item in listed["sessions"]] == ["A fine title"]
    assert [item["purpose"] for item in client.of("turn_usage")] == ["turn", "title", "turn"]


async def test_a_failed_title_changes_nothing(tmp_path: Path) -> None:
    failure = ProviderFailure("auth", "no", provider="script")
    provider = ScriptedProvider([says("Hi."), [failure], says("More.")])

    async with luxe(tmp_path, provider, titles=True) as client:
        await client.turn("submit_user_message", {"text": "hello"})
        await client.turn("submit_user_message", {"text": "more"})

    assert [end["reason"] for end in client.of("turn_ended")] == ["end_turn", "end_turn"]
    assert client.of("error") == []
