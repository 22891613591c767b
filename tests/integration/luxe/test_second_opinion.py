from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest

from tests.support.luxe_client import luxe
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


async def test_a_review_of_nothing_is_refused(tmp_path: Path) -> None:
    async with luxe(tmp_path, ScriptedProvider()) as client:
        client.send("request_review")
        rejected = await client.until("action_rejected")

    assert rejected["code"] == "not_found"
