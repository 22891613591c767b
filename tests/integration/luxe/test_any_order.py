"""Actions in any order, answers of any kind: what must hold of the frames holds."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from luvus_service.luxe.domain.ports import (
    AnswerEnded,
    BlockDelta,
    BlockEnded,
    BlockStarted,
    CallGiven,
    Delta,
    ModelRequest,
    ProviderFailure,
    ResultGiven,
    TokensCounted,
)
from luvus_service.luxe.domain.values import CallUsage
from tests.support.luxe_client import LuxeClient, luxe
from tests.support.luxe_tools import AskingTool, FakeTool, shell
from tests.support.luxe_trace import faults
from tests.support.scripted_provider import ScriptedProvider, Step, calls, says

AGAIN = ProviderFailure("overloaded", "busy", provider="script", retryable=True, retry_after_s=0.0)
BROKEN = ProviderFailure("invalid_request", "no", provider="script")
LIMIT_S = 20.0


@dataclass
class StrictProvider(ScriptedProvider):
    """Notes every request that a provider would refuse."""

    refused: list[str] = field(default_factory=list[str])

    async def answer(self, request: ModelRequest) -> AsyncIterator[Delta]:
        for index, message in enumerate(request.messages):
            made = [p.call_id for p in message.parts if isinstance(p, CallGiven)]
            after = request.messages[index + 1].parts if index + 1 < len(request.messages) else ()
            got = [p.call_id for p in after if isinstance(p, ResultGiven)]
            if made and made != got:
                self.refused.append(f"calls {made} with results {got}")
            if not message.parts:
                self.refused.append("a message without parts")
        if request.messages[-1].role != "user":
            self.refused.append("the last word is the model's")
        async for delta in super().answer(request):
            yield delta


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("look", {"tag": "a"}),
    ("look", {"tag": "held", "hold": True}),
    ("look", {"refuse": "not so"}),
    ("look", {"burst": True}),
    ("bash", {"command": "make all"}),
    ("question", {"questions": ["One?", "Two?"]}),
    ("nothing", {}),
]


def tool_calls() -> st.SearchStrategy[list[Step]]:
    several = st.lists(st.sampled_from(CALLS), min_size=1, max_size=3)
    return several.map(lambda m: calls(*((f"c{i}", n, g) for i, (n, g) in enumerate(m)), text="t"))


ANSWERS: st.SearchStrategy[Sequence[Step]] = st.one_of(
    st.just(says("Done and well done.")),
    tool_calls(),
    st.just([AGAIN]),
    st.just([TokensCounted(CallUsage(prompt_tokens=5)), AGAIN]),
    st.just([BROKEN]),
    st.just([BlockStarted(0, "text"), BlockDelta(0, "half"), AGAIN]),
    st.just([BlockStarted(0, "text"), BlockDelta(0, "half"), asyncio.Event]),
    st.just([BlockStarted(0, "thinking"), BlockDelta(0, "hm"), BlockEnded(0, "sig"), BROKEN]),
    st.just(
        [
            BlockStarted(0, "tool_call", "c0", "look"),
            BlockDelta(0, '{"tag": "cu'),
            BlockEnded(0),
            AnswerEnded("max_tokens"),
        ]
    ),
    st.just([BlockStarted(0, "text"), BlockDelta(0, "I will not."), AnswerEnded("refusal")]),
)
ACTIONS: st.SearchStrategy[tuple[str, Any]] = st.sampled_from(
    [
        ("submit_user_message", {"text": "go"}),
        ("submit_user_message", {"text": "go on"}),
        ("steer_turn", {"text": "left"}),
        ("steer_turn", {"text": "right"}),
        ("withdraw_steering", None),
        ("cancel", None),
        ("retry", None),
        ("regenerate", None),
        ("edit_resend", {"text": "instead"}),
        ("respond", "once"),
        ("respond", "always"),
        ("respond", "reject"),
        ("answer", {"answered": ["yes"]}),
        ("answer", "cancelled"),
        ("set_permission_auto_approve", True),
        ("set_permission_auto_approve", False),
        ("set_mode", "plan"),
        ("set_mode", "build"),
        ("select_model", {"provider": "script", "model": "two"}),
        ("set_thinking_level", "high"),
        ("request_context_composition", None),
        ("compact_now", None),
        ("nosuch", None),
        ("release", None),
    ]
)


async def act(client: LuxeClient, tools: Sequence[FakeTool], kind: str, content: Any) -> None:
    """Do one step; prompts are answered by the oldest that is open."""
    prompts = client.session.prompts
    if kind == "respond":
        target = next(iter(prompts.permissions), "perm:none")
        client.send("respond_permission", {"id": target, "reply": content})
    elif kind == "answer":
        target = next(iter(prompts.questions), "ask:none")
        client.send("answer_question", {"id": target, "reply": content})
    elif kind == "release":
        tools[0].running.gate("held").set()
    else:
        client.send(kind, content)


async def play(
    folder: Path, answers: Sequence[Sequence[Any]], steps: Sequence[tuple[tuple[str, Any], int]]
) -> None:
    scripts: list[Sequence[Step]] = [
        [asyncio.Event() if step is asyncio.Event else step for step in answer]
        for answer in answers
    ]
    provider = StrictProvider(scripts)
    tools = [
        FakeTool("look"),
        FakeTool("bash", "execute", reads_only=False, units=shell),
        AskingTool("question", "question"),
    ]
    async with luxe(folder, provider, tools) as client:
        for (kind, content), turns in steps:
            await act(client, tools, kind, content)
            for _ in range(turns):
                await asyncio.sleep(0)
        client.send("cancel")
        if client.session.running:
            await client.until("state_changed", lambda _body: not client.session.running)
        provider.scripts.clear()
        client.send("set_mode", "build")
        await client.turn("submit_user_message", {"text": "the last one"})
        await asyncio.sleep(0)

    assert provider.refused == []
    assert faults(client.seen) == []


@settings(max_examples=60, deadline=None)
@given(
    answers=st.lists(ANSWERS, max_size=6),
    steps=st.lists(st.tuples(ACTIONS, st.sampled_from([0, 1, 3, 10, 40])), max_size=14),
)
def test_whatever_is_asked_the_frames_keep_their_rules(
    answers: list[Any], steps: list[tuple[tuple[str, Any], int]]
) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(LIMIT_S):
            with tempfile.TemporaryDirectory(prefix="lxo-") as folder:
                await play(Path(folder), answers, steps)

    asyncio.run(bounded())
