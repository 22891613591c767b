"""Mission Control and integrations, against a real server."""

from __future__ import annotations

import json
import sys
from typing import Any

from tests.integration.agents.conftest import Crew


def transcript(crew: Crew, session_id: str) -> None:
    """Write a transcript of two answers, one of them in two records."""
    folder = crew.server.home / ".claude" / "projects" / "-x"
    folder.mkdir(parents=True, exist_ok=True)
    usage = {
        "input_tokens": 10,
        "output_tokens": 20,
        "cache_read_input_tokens": 100,
        "cache_creation_input_tokens": 5,
    }
    model = "claude-sonnet-4-5"
    answers = [
        {"id": "m1", "model": model, "usage": {**usage, "output_tokens": 1}},
        {"id": "m1", "model": model, "usage": usage},
        {"id": "m2", "model": model, "usage": usage},
    ]
    records = [{"cwd": str(crew.server.home)}, *({"message": answer} for answer in answers)]
    text = "".join(json.dumps(record) + "\n" for record in records) + '{"message": {"id'
    (folder / f"{session_id}.jsonl").write_text(text)


def refreshed(crew: Crew) -> dict[str, Any]:
    """Refresh and return the first snapshot that is not refreshing."""
    crew.call("mission.refresh", {"scope": "all"})
    found = crew.call("mission.snapshot", {"scope": "all"})
    while found["refreshing"]:
        found = crew.call("mission.snapshot", {"scope": "all"})
    return found


def test_a_scan_counts_every_answer_once_and_lists_what_could_go_on(crew: Crew) -> None:
    transcript(crew, "abc")
    assert crew.call("mission.snapshot")["rows"] == []

    found = refreshed(crew)

    (row,) = found["rows"]
    usage = row["usage"]
    assert usage.pop("cost_usd") > 0
    assert usage == {
        "model": "claude-sonnet-4-5",
        "tokens_in": 20,
        "tokens_out": 40,
        "cache_tokens": 210,
        "total_tokens": 60,
        "context": 115 / 200_000,
    }
    assert (row["kind"], row["state"], row["location"], row["pane"]) == (
        "resumable",
        "resumable",
        "resumable",
        None,
    )
    assert "abc" not in json.dumps(found)
    again = refreshed(crew)
    assert again["summary"]["burn_usd_per_hour"] == 0.0


def test_a_live_session_is_no_resumable_one_as_well(crew: Crew) -> None:
    transcript(crew, "abc")
    crew.call("pane.report_session", {"pane": "1", "agent": "claude", "session_id": "abc"})

    found = refreshed(crew)

    (row,) = found["rows"]
    assert (row["kind"], row["location"], row["usage"]["total_tokens"]) == ("live", "tab 1", 60)


def test_mission_control_opens_once_in_a_workspace(crew: Crew) -> None:
    crew.call("mission.open")
    first = crew.call("tab.list")["tabs"]
    crew.call("mission.open", {"workspace": 0})

    assert crew.call("tab.list")["tabs"] == first
    assert len(first) == 2
    shown = crew.call("pane.current")
    assert (shown["terminal_id"], shown["command"]) == (None, None)
    assert crew.refusal("mission.open", {"workspace": 7})["code"] == "not_found"
    both = {"workspace": 0, "workspace_id": "x"}
    assert crew.refusal("mission.snapshot", both)["code"] == "invalid_request"


def test_an_integration_is_installed_again_without_effect_and_removed_whole(crew: Crew) -> None:
    settings = crew.server.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    own = {"model": "opus", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say"}]}]}}
    before = json.dumps(own, indent=4) + "\n"
    settings.write_text(before)

    unconfirmed = crew.refusal("integration.install", {"agent": "claude"})
    unknown = crew.refusal("integration.install", {"agent": "nobody", "confirm": True})
    first = crew.call("integration.install", {"agent": "claude", "confirm": True})
    once = settings.read_text()
    crew.call("integration.install", {"agent": "claude", "confirm": True})

    assert (unconfirmed["code"], unknown["code"]) == (
        "confirmation_required",
        "unsupported_agent",
    )
    assert first["installed"] is True
    assert settings.read_text() == once
    status = {row["agent"]: row["installed"] for row in _status(crew)}
    assert status["claude"] is True
    assert sum(status.values()) == 1
    removed = crew.call("integration.uninstall", {"agent": "claude", "confirm": True})
    assert removed["installed"] is False
    assert settings.read_text() == before
    assert sorted(p.name for p in settings.parent.iterdir()) == ["settings.json"]


def test_an_installed_hook_reports_its_session_to_the_right_pane(crew: Crew) -> None:
    crew.call("integration.install", {"agent": "claude", "confirm": True})
    script = crew.server.home / ".claude" / "luvus-agent-hook.sh"
    payload = json.dumps({"session_id": "abc-1", "message": 'say "session_id": "no"'})
    (crew.server.home / "hook.json").write_text(payload)
    wrapper = crew.server.home / "luvus"
    wrapper.write_text(f'#!/bin/sh\nexec {sys.executable} -m luvus_client.cli.main "$@"\n')
    wrapper.chmod(0o755)
    with crew.server.stream("events.subscribe") as events:
        events.line()
        command = f"LUVUS_BIN_PATH={wrapper} sh {script} claude Notification < hook.json"
        crew.call("pane.run", {"pane": "1", "command": command})
        event = events.until("agent.hook")

    assert (event["data"]["pane"], event["data"]["kind"]) == ("1", "Notification")
    assert crew.call("agent.get", {"target": "1"})["session"] == "abc-1"


def _status(crew: Crew) -> list[dict[str, Any]]:
    return list(crew.call("integration.status")["integrations"])
