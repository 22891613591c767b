from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from luvus_service.luxe.domain.ports import ProviderFailure
from luvus_service.luxe.domain.tool_ports import InputRefused, Outcome, PreparedCall, Preview
from luvus_service.luxe.domain.values import Input, Mode, ToolKind
from tests.support.luxe_client import luxe
from tests.support.luxe_tools import FakeTool, Prepared, shell
from tests.support.scripted_provider import ScriptedProvider, calls, says


@dataclass
class TaskTool:
    """Hands its prompt to a sub-agent."""

    name: str = "task"
    kind: ToolKind = "task"
    reads_only: bool = True
    description: str = "A tool of a test."
    parameters: Mapping[str, Any] = field(default_factory=lambda: {"type": "object"})
    modes: frozenset[Mode] = frozenset({"build", "plan"})

    async def prepare(self, given: Input, bench: Any) -> PreparedCall:
        async def work(_progress: Any) -> Outcome:
            try:
                text = await bench.delegate(
                    given["prompt"], kind=given.get("kind", "general"), description="try"
                )
            except InputRefused as refusal:
                return Outcome(str(refusal), "failed")
            return Outcome(text)

        return Prepared(Preview("task"), work)


def tools() -> list[Any]:
    bash = FakeTool("bash", "execute", reads_only=False, units=shell)
    return [TaskTool(), FakeTool("read"), bash, FakeTool("question", "question")]


TASK = calls(("t1", "task", {"prompt": "Look around."}))


async def test_its_last_text_is_the_result_and_its_cost_counts(tmp_path: Path) -> None:
    provider = ScriptedProvider(
        [TASK, calls(("s1", "read", {"path": "a"})), says("Found it."), says("Done.")]
    )

    async with luxe(tmp_path, provider, tools()) as client:
        await client.turn("submit_user_message", {"text": "go"})

    output = {item["call_id"]: item["output"] for item in client.of("tool_completed")}
    assert output == {"t1": "Found it."}
    assert [item["purpose"] for item in client.of("turn_usage")] == ["turn", "task", "task", "turn"]
    assert client.of("session_usage")[-1]["calls"] == 4
    offered = [tool.name for tool in provider.requests[1].tools]
    assert offered == ["read", "bash"]
    assert len(provider.requests[1].messages) == 1
    assert len(client.session.conversation.entries) == 4


async def test_a_reading_one_is_offered_nothing_that_changes(tmp_path: Path) -> None:
    task = calls(("t1", "task", {"prompt": "Look.", "kind": "explore"}))
    provider = ScriptedProvider([task, says("Seen."), says("Done.")])

    async with luxe(tmp_path, provider, tools()) as client:
        await client.turn("submit_user_message", {"text": "go"})

    assert [tool.name for tool in provider.requests[1].tools] == ["read"]


async def test_its_prompts_carry_the_call_that_started_it(tmp_path: Path) -> None:
    provider = ScriptedProvider(
        [TASK, calls(("s1", "bash", {"command": "make x"})), says("Ran."), says("Done.")]
    )

    async with luxe(tmp_path, provider, tools()) as client:
        client.send("submit_user_message", {"text": "go"})
        asked = await client.until("permission_requested")
        client.send("respond_permission", {"id": asked["id"], "reply": "reject"})
        await client.until("turn_ended")

    assert (asked["call_id"], asked["title"]) == ("t1", "bash bash?")
    result = provider.requests[2].messages[-1].parts[0]
    assert "rejected" in result.text  # type: ignore[union-attr]


async def test_a_failed_model_call_fails_the_call_and_not_the_turn(tmp_path: Path) -> None:
    failure = ProviderFailure("auth", "no key", provider="script")
    provider = ScriptedProvider([TASK, [failure], says("Done.")])

    async with luxe(tmp_path, provider, tools()) as client:
        await client.turn("submit_user_message", {"text": "go"})

    assert client.of("tool_ended")[0]["status"] == "failed"
    assert client.of("turn_ended")[0]["reason"] == "end_turn"


@pytest.mark.parametrize("ending", ["well", "failed", "cancelled"])
async def test_what_it_changed_counts_for_the_turn_however_it_ends(
    tmp_path: Path, ending: str
) -> None:
    edits = calls(
        ("s1", "edit", {"changes": ["a", "b"]}),
        ("s2", "edit", {"changes": ["b"], "hold": ending == "cancelled", "tag": "last"}),
    )
    failure = ProviderFailure("auth", "no key", provider="script")
    last = says("Done.") if ending == "well" else [failure]
    mine = calls(("t1", "task", {"prompt": "x"}), ("t2", "edit", {"changes": ["c"]}))
    provider = ScriptedProvider([mine, edits, last, says("All done.")])
    edit = FakeTool("edit", "edit", reads_only=False)

    async with luxe(tmp_path, provider, [TaskTool(), edit]) as client:
        client.send("submit_user_message", {"text": "go"})
        if ending == "cancelled":
            await edit.running.begun("last").wait()
            client.send("cancel")
        end = await client.until("turn_ended")

    assert end["files_changed"] == (2 if ending == "cancelled" else 3)


async def test_cancelling_the_turn_ends_it_too(tmp_path: Path) -> None:
    provider = ScriptedProvider([TASK, [asyncio.Event()]])

    async with luxe(tmp_path, provider, tools()) as client:
        client.send("submit_user_message", {"text": "go"})
        await client.until("tool_activity_updated", lambda body: body["state"] == "running")
        client.send("cancel")
        end = await client.until("turn_ended")

    assert end["reason"] == "cancelled"
    assert client.of("tool_ended")[0]["status"] == "cancelled"
