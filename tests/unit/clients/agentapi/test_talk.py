from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from luvus_client.agentapi import talk as module
from luvus_client.agentapi.pane import NoAgent, PaneAgent
from luvus_client.agentapi.talk import NotReady, Status, Talk
from luvus_client.errors import ConnectionLost, LuvusError
from luvus_client.feed import Event, Resync


class OnePane:
    """A session of one pane, whose agent does nothing until it is told to."""

    def __init__(self) -> None:
        self.status = "idle"
        self.hint: str | None = None
        self.screen = "ready"
        self.over = asyncio.Event()
        self.error: Exception | None = None
        self.prompts: list[str] = []
        self.prompted = asyncio.Event()

    async def call(self, method: str, params: dict[str, object]) -> dict[str, Any]:
        assert "3" in (params.get("pane"), params.get("target"))
        if method == "pane.read":
            return {"text": self.screen}
        if method == "agent.explain":
            evidence = {"blocked_hint": self.hint}
            agent = "claude" if self.status != "none" else None
            return {
                "available": True,
                "agent": agent,
                "status": self.status,
                "state_evidence": evidence,
            }
        assert method == "agent.prompt"
        if self.error is not None:
            raise self.error
        self.prompts.append(str(params["text"]))
        self.prompted.set()
        await self.over.wait()
        return {"matched": True}

    def stream(self, method: str, params: dict[str, object]) -> AsyncIterator[dict[str, Any]]:
        raise NotImplementedError


def event(name: str, **data: Any) -> Event:
    return Event(1, name, data)


def contents(talk: Talk) -> list[str]:
    return [message.content for message in talk.conversation.messages()]


async def test_a_message_without_any_sign_of_life_counts_as_sent_and_as_under_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "START_S", 0.01)
    pane = OnePane()
    async with asyncio.TaskGroup() as group:
        talk = Talk(PaneAgent(pane, "3"), pane.screen, group)
        await talk.say("hello")
        under_way = await talk.status()
        pane.screen = "ready\nhi"
        pane.over.set()
    over = await talk.status()

    assert pane.prompts == ["hello"]
    assert contents(talk) == ["ready", "hello", "hi"]
    assert (under_way, over) == (Status("claude", "running"), Status("claude", "stable"))


async def test_a_message_is_under_way_from_the_event_that_says_so() -> None:
    pane = OnePane()
    async with asyncio.TaskGroup() as group:
        talk = Talk(PaneAgent(pane, "3"), pane.screen, group)
        saying = group.create_task(talk.say("hello"))
        await pane.prompted.wait()
        still = [
            talk.notice(event("pane.agent_status_changed", pane="4", status="working")),
            talk.notice(event("terminal.output_ready", pane_id="3")),
            talk.notice(Resync(1, "gap")),
        ]
        before = contents(talk)
        talk.notice(event("pane.agent_status_changed", pane="3", status="working"))
        after = contents(talk)
        await saying
        pane.over.set()

    assert still == [True, True, True]
    assert (before, after) == (["ready"], ["ready", "hello"])
    assert talk.notice(event("pane.closed", pane="3")) is False


@pytest.mark.parametrize(
    "error",
    [
        LuvusError("agent_not_ready", "the agent asks", {}),
        ConnectionLost("gone", possibly_executed=True),
    ],
)
async def test_a_refused_message_is_no_part_of_the_conversation(error: Exception) -> None:
    pane = OnePane()
    pane.error = error
    async with asyncio.TaskGroup() as group:
        talk = Talk(PaneAgent(pane, "3"), pane.screen, group)
        with pytest.raises(type(error)) as raised:
            await talk.say("hello")

    assert raised.value is error
    assert contents(talk) == ["ready"]
    assert await talk.status() == Status("claude", "stable")


@pytest.mark.parametrize("status", ["working", "blocked", "unknown"])
async def test_an_agent_that_is_not_ready_gets_no_message(status: str) -> None:
    pane = OnePane()
    pane.status = status
    async with asyncio.TaskGroup() as group:
        talk = Talk(PaneAgent(pane, "3"), pane.screen, group)
        with pytest.raises(NotReady, match="nothing was sent"):
            await talk.say("hello")
        pane.status = "idle"
        pane.hint = "2. No"
        with pytest.raises(NotReady, match=r"asks '2\. No'"):
            await talk.say("hello")

    assert pane.prompts == []
    assert await talk.status() == Status("claude", "running")


async def test_a_pane_without_an_agent_is_said_and_never_called_stable() -> None:
    pane = OnePane()
    pane.status = "none"
    async with asyncio.TaskGroup() as group:
        talk = Talk(PaneAgent(pane, "3"), pane.screen, group)
        with pytest.raises(NoAgent, match="pane 3 has no agent"):
            await talk.say("hello")
        await talk.refresh()

    assert talk.shown == Status("", "running")
