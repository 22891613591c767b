from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest

from luvus_service.adapters.tools.read import ReadTool
from luvus_service.luxe.domain.ports import ProviderFailure, ResultGiven
from luvus_service.luxe.domain.tool_ports import Tool
from luvus_service.luxe.domain.values import ModelRef
from luvus_service.luxe.engine.second_opinion import MODEL_CALLS
from tests.support.luxe_client import luxe
from tests.support.luxe_tools import FakeTool, shell
from tests.support.scripted_provider import ScriptedProvider, calls, says

pytestmark = pytest.mark.needs("git")


def changed_project(folder: Path) -> None:
    project = folder / "project"
    project.mkdir()
    for words in (["init", "-q"], ["commit", "-qm", "first", "--allow-empty"]):
        subprocess.run(["git", "-C", str(project), *words], check=True, capture_output=True)
    (project / "new.py").write_text("print('hello')\n")
    (project / ".env").write_text("SECRET=hunter2\n")


async def test_findings_of_a_review_become_the_next_turn(tmp_path: Path) -> None:
    changed_project(tmp_path)
    finding = {"severity": "high", "path": "new.py", "line": 1, "title": "Loud", "body": "Why?"}
    verdict = {"verdict": "fix", "findings": [finding], "summary": "Not yet."}
    provider = ScriptedProvider([calls(("v1", "review_verdict", verdict)), says("Fixed.")])

    async with luxe(tmp_path, provider) as client:
        client.send("request_review", {"focus": "noise"})
        started = await client.until("review_started")
        finished = await client.until("review_finished")
        turn = await client.until("turn_started")
        await client.until("turn_ended")

    assert (started["files"], started["additions"], started["focus"]) == (1, 1, "noise")
    assert (finished["verdict"], finished["turn_starts"]) == ("fix", True)
    assert finished["findings"][0]["title"] == "Loud"
    assert turn["origin"] == "second_opinion"
    shown = provider.requests[0].messages[0].parts[0].text  # type: ignore[union-attr]
    assert "print('hello')" in shown and "hunter2" not in shown
    assert "Loud" in provider.requests[1].messages[0].parts[0].text  # type: ignore[union-attr]


async def test_the_reviewer_reads_the_project_and_nothing_else(tmp_path: Path) -> None:
    changed_project(tmp_path)
    tools: list[Tool] = [
        ReadTool(),
        FakeTool("bash", "execute", reads_only=False, units=shell),
        FakeTool("mcp__x__look", "mcp"),
    ]
    looks = calls(
        ("r1", "read", {"path": "new.py"}),
        ("r2", "bash", {"command": "rm -rf ."}),
        ("r3", "read", {"path": ".env"}),
        ("r4", "read", {"path": "/etc/hostname"}),
    )
    provider = ScriptedProvider([looks, says("Looks good.")])

    async with luxe(tmp_path, provider, tools, auto_approve=True) as client:
        client.send("request_review")
        finished = await client.until("review_finished")
        await client.until("state_changed", lambda body: body["activity"] == "idle")

    assert (finished["verdict"], finished["summary"]) == ("continue", "Looks good.")
    assert [tool.name for tool in provider.requests[0].tools] == ["read", "review_verdict"]
    results = provider.requests[1].messages[-1].parts
    told = [part.text for part in results if isinstance(part, ResultGiven)]
    assert "print('hello')" in told[0]
    assert [part.is_error for part in results if isinstance(part, ResultGiven)] == [
        False,
        True,
        True,
        True,
    ]
    assert "hunter2" not in told[2]
    assert "permission_requested" not in client.kinds()
    # A review that is over at once may not be shown at all.
    assert {state["activity"] for state in client.of("state_changed")} <= {"idle", "reviewing"}
    assert not any(state["streaming"] for state in client.of("state_changed"))
    usage = client.of("turn_usage")
    assert [item["purpose"] for item in usage] == ["second_opinion", "second_opinion"]
    assert finished["usage"]["prompt_tokens"] == sum(item["prompt_tokens"] for item in usage)


async def test_the_reviewer_sees_tracked_new_and_deleted_files_but_no_secret(
    tmp_path: Path,
) -> None:
    changed_project(tmp_path)
    project = tmp_path / "project"
    for name in ("kept.py", "gone.py", "place"):
        (project / name).write_text(f"old {name}\n")
    git = ["git", "-C", str(project)]
    subprocess.run([*git, "add", "kept.py", "gone.py", "place"], check=True)
    subprocess.run([*git, "commit", "-qm", "second"], check=True)
    (project / "kept.py").write_text("new kept.py\n")
    (project / "gone.py").unlink()
    (project / "place").unlink()
    (project / "place").mkdir()
    (project / "place/.env").write_text("SECRET=hunter3\n")
    subprocess.run([*git, "add", "-Af", "place"], check=True)
    provider = ScriptedProvider([says("Fine.")])

    async with luxe(tmp_path, provider) as client:
        client.send("request_review")
        started = await client.until("review_started")
        await client.until("review_finished")

    shown = provider.requests[0].messages[0].parts[0].text  # type: ignore[union-attr]
    assert started["files"] == 3
    for line in ("-old kept.py", "+new kept.py", "-old gone.py", "+print('hello')"):
        assert line in shown
    assert "hunter" not in shown


async def test_a_reviewer_that_only_reads_is_made_to_give_its_verdict(tmp_path: Path) -> None:
    changed_project(tmp_path)
    reads = [calls((f"r{n}", "read", {"tag": str(n)})) for n in range(MODEL_CALLS - 1)]
    provider = ScriptedProvider([*reads, calls(("v", "review_verdict", {"verdict": "continue"}))])

    async with luxe(tmp_path, provider, [FakeTool("read")]) as client:
        client.send("request_review")
        finished = await client.until("review_finished")

    assert finished["verdict"] == "continue"
    forced = [request.force_tool for request in provider.requests]
    assert forced == [None] * (MODEL_CALLS - 1) + ["review_verdict"]


async def test_a_configured_model_gives_the_second_opinion(tmp_path: Path) -> None:
    changed_project(tmp_path)
    provider = ScriptedProvider([says("Fine.")])
    reviewer = ModelRef("script", "two")

    async with luxe(tmp_path, provider, review_model=reviewer) as client:
        client.send("request_review")
        started = await client.until("review_started")
        finished = await client.until("review_finished")

    assert started["model"] == finished["model"] == {"provider": "script", "model": "two"}
    assert provider.requests[0].model.model == "two"


async def test_a_provider_that_fails_makes_a_review_unavailable(tmp_path: Path) -> None:
    changed_project(tmp_path)
    provider = ScriptedProvider([[ProviderFailure("auth", "no key", provider="script")]])

    async with luxe(tmp_path, provider) as client:
        client.send("request_review")
        finished = await client.until("review_finished")

    assert (finished["verdict"], finished["findings"]) == ("unavailable", [])
    assert finished["error"]["code"] == "auth"


async def test_a_fix_without_findings_is_turned_into_continue(tmp_path: Path) -> None:
    changed_project(tmp_path)
    provider = ScriptedProvider([calls(("v1", "review_verdict", {"verdict": "fix"}))])

    async with luxe(tmp_path, provider) as client:
        client.send("request_review")
        finished = await client.until("review_finished")

    assert (finished["verdict"], finished["findings"]) == ("continue", [])


async def test_a_cancelled_review_is_unavailable_and_turns_go_on(tmp_path: Path) -> None:
    changed_project(tmp_path)
    provider = ScriptedProvider([[asyncio.Event()], says("Yes.")])

    async with luxe(tmp_path, provider) as client:
        client.send("request_review")
        await provider.asked.wait()
        client.send("cancel")
        finished = await client.until("review_finished")
        await client.until("state_changed", lambda body: body["activity"] == "idle")
        await client.turn("submit_user_message", {"text": "still there?"})

    assert (finished["verdict"], finished["turn_starts"]) == ("unavailable", False)
    assert finished["error"]["code"] == "cancelled"


async def test_a_review_of_nothing_is_refused(tmp_path: Path) -> None:
    async with luxe(tmp_path, ScriptedProvider()) as client:
        client.send("request_review")
        rejected = await client.until("action_rejected")

    assert rejected["code"] == "not_found"
