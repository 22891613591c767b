from __future__ import annotations

from pathlib import Path

import pytest

from luvus_service.luxe.domain.tool_ports import Preview
from luvus_service.luxe.engine.prompts import question_of
from tests.support.luxe_client import luxe
from tests.support.luxe_tools import AskingTool, FakeTool, shell
from tests.support.scripted_provider import ScriptedProvider, calls, says


async def test_a_permission_is_asked_and_answered_by_id(tmp_path: Path) -> None:
    provider = ScriptedProvider(
        [
            calls(("c1", "bash", {"command": "make all"})),
            calls(("c2", "bash", {"command": "make more"})),
            calls(("c3", "bash", {"command": "rm x"})),
            says("Done."),
        ]
    )
    tools = [FakeTool("bash", "execute", reads_only=False, units=shell)]

    async with luxe(tmp_path, provider, tools) as client:
        client.send("submit_user_message", {"text": "go"})
        asked = await client.until("permission_requested")
        client.send("respond_permission", {"id": "perm:none", "reply": "once"})
        client.send("respond_permission", {"id": asked["id"], "reply": "always"})
        second = await client.until("permission_requested")
        client.send(
            "respond_permission", {"id": second["id"], "reply": "reject", "message": "keep x"}
        )
        await client.until("turn_ended")

    assert asked["call_id"] == "c1" and asked["always_patterns"] == ["make *"]
    assert asked["replies"] == ["once", "always", "always_persist", "reject"]
    assert second["call_id"] == "c3"
    assert [r["reply"] for r in client.of("permission_resolved")] == ["always", "reject"]
    assert [e["status"] for e in client.of("tool_ended")] == ["completed", "completed", "rejected"]
    assert "keep x" in provider.requests[3].messages[-1].parts[0].text  # type: ignore[union-attr]
    assert [r["reason"] for r in client.of("action_rejected")] == [
        "respond_permission: no open prompt `perm:none`"
    ]


async def test_an_open_prompt_is_settled_when_the_turn_is_cancelled(tmp_path: Path) -> None:
    provider = ScriptedProvider([calls(("c1", "bash", {"command": "make"}))])
    tools = [FakeTool("bash", "execute", reads_only=False, units=shell)]

    async with luxe(tmp_path, provider, tools) as client:
        client.send("submit_user_message", {"text": "go"})
        asked = await client.until("permission_requested")
        client.send("cancel")
        await client.until("turn_ended")
        client.send("respond_permission", {"id": asked["id"], "reply": "once"})
        await client.until("action_rejected")

    assert client.of("permission_resolved") == [
        {"id": asked["id"], "reply": "cancelled", "by": "cancel", "patterns_added": []}
    ]
    assert client.of("tool_completed") == []


async def test_auto_approve_settles_open_prompts_and_asks_no_more(tmp_path: Path) -> None:
    provider = ScriptedProvider(
        [
            calls(("c1", "bash", {"command": "make"})),
            calls(("c2", "bash", {"command": "make"})),
            says("Done."),
        ]
    )
    tools = [FakeTool("bash", "execute", reads_only=False, units=shell)]

    async with luxe(tmp_path, provider, tools) as client:
        client.send("submit_user_message", {"text": "go"})
        await client.until("permission_requested")
        client.send("set_permission_auto_approve", True)
        await client.until("turn_ended")

    assert len(client.of("permission_requested")) == 1
    assert client.of("permission_resolved")[0]["by"] == "auto_approve"
    assert [e["status"] for e in client.of("tool_ended")] == ["completed", "completed"]


async def test_questions_come_one_by_one_and_declining_is_no_consent(tmp_path: Path) -> None:
    provider = ScriptedProvider(
        [
            calls(("c1", "question", {"questions": ["one?", "two?"]})),
            calls(("c2", "question", {"questions": ["three?", "four?"]})),
            says("Done."),
        ]
    )

    async with luxe(tmp_path, provider, [AskingTool("question", "question")]) as client:
        client.send("submit_user_message", {"text": "go"})
        for answer in ("a", "b"):
            asked = await client.until("question_asked")
            reply = {"answered": [answer]}
            client.send("answer_question", {"id": asked["id"], "reply": reply})
        third = await client.until("question_asked")
        client.send("answer_question", {"id": third["id"], "reply": "cancelled"})
        await client.until("turn_ended")

    asked = client.of("question_asked")
    assert [(q["question"], q["index"], q["total"]) for q in asked] == [
        ("one?", 0, 2),
        ("two?", 1, 2),
        ("three?", 0, 2),
    ]
    outputs = [e["output"] for e in client.of("tool_completed")]
    assert outputs == ["[('a',), ('b',)]", "declined"]
    assert client.of("question_resolved")[2]["reply"] == "cancelled"


@pytest.mark.parametrize(
    ("preview", "action", "question"),
    [
        (Preview("make x", command="make  x\n"), "bash", "Run `make x`?"),
        (Preview("Edit src/a.py"), "edit", "Edit src/a.py?"),
        (
            Preview("Read /etc/hosts"),
            "external_directory",
            "Read /etc/hosts, which is outside the project?",
        ),
        (
            Preview("push", command="git push"),
            "github_write",
            "Run `git push`, which changes something on GitHub?",
        ),
        (Preview("Read a"), "doom_loop", "Read a, the same as just before?"),
        (Preview("docs/search {}"), "mcp", "Call docs/search {}?"),
        (Preview("Really?"), "task", "Really?"),
    ],
)
def test_a_permission_prompt_is_a_whole_question(
    preview: Preview, action: str, question: str
) -> None:
    assert question_of(preview, action) == question


def test_a_long_command_still_ends_as_a_question() -> None:
    question = question_of(Preview("x", command="echo " + "y" * 500), "github_write")

    assert len(question) <= 200
    assert question.endswith("y…`, which changes something on GitHub?")
