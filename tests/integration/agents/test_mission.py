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


def usage(*, tokens_in: int, cost: float, at: int) -> dict[str, Any]:
    """Return what an integration may report."""
    none = dict.fromkeys(("tokens_out", "cache_read", "cache_write"), 0)
    return {**none, "model": "opus", "tokens_in": tokens_in, "cost": cost, "updated_at": at}


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


def test_figures_that_change_are_announced_and_nothing_has_to_be_asked_again(crew: Crew) -> None:
    transcript(crew, "abc")
    with crew.server.stream("events.subscribe") as events:
        events.line()
        crew.call("pane.report_session", {"pane": "1", "agent": "claude", "session_id": "abc"})
        events.until("mission.changed")

        (row,) = crew.call("mission.snapshot", {"scope": "all"})["rows"]

    assert row["usage"]["total_tokens"] == 60
    assert [sample["tokens"] for sample in row["history"]] == [60, 60]
    assert row["burn_usd_per_hour"] == 0.0


def test_reported_usage_is_announced_and_makes_burn_and_a_chart(crew: Crew) -> None:
    report = {"pane": "1", "agent": "claude", "session_id": "abc"}
    used = usage(tokens_in=100, cost=0.5, at=1)
    with crew.server.stream("events.subscribe") as events:
        events.line()
        crew.call("pane.report_session", {**report, "usage": used})
        events.until("mission.changed")
        more = usage(tokens_in=300, cost=1.5, at=2)
        crew.call("pane.report_session", {**report, "usage": more})
        events.until("mission.changed")

    (row,) = crew.call("mission.snapshot")["rows"]

    tokens = [sample["tokens"] for sample in row["history"]]
    assert (tokens[0], tokens[-1]) == (100, 300)
    assert row["burn_usd_per_hour"] > 0


def test_a_session_that_goes_on_did_not_use_just_now_what_it_used_before(crew: Crew) -> None:
    transcript(crew, "abc")
    other = str(crew.call("pane.split")["pane"])
    crew.call("pane.report_session", {"pane": "1", "agent": "claude", "session_id": "abc"})
    mine = {"pane": other, "agent": "opencode", "session_id": "o"}
    crew.call("pane.report_session", {**mine, "usage": usage(tokens_in=5, cost=0.1, at=1)})

    rows = refreshed(crew)["rows"]

    (old,) = (row for row in rows if row["pane"] == "1")
    assert old["usage"]["total_tokens"] == 60
    assert {sample["tokens"] for sample in old["history"]} == {60}


def test_the_budget_is_the_configured_one_at_once(crew: Crew) -> None:
    before = crew.call("mission.snapshot")["summary"]["budget_usd"]

    crew.call("config.patch", {"patch": {"mission_budget": 12.5}})

    assert (before, crew.call("mission.snapshot")["summary"]["budget_usd"]) == (None, 12.5)


def test_a_pane_that_failed_is_remembered_with_its_last_lines_and_its_cost(crew: Crew) -> None:
    pane = crew.call("pane.split")["pane"]
    crew.call("agent.name", {"pane": pane, "name": "breaker"})
    spent = usage(tokens_in=7, cost=0.25, at=1)
    session = {"pane": pane, "agent": "claude", "session_id": "s"}
    crew.call("pane.report_session", {**session, "usage": spent})
    report = {"pane": pane, "source": "t", "agent": "claude", "status": "working"}
    crew.call("agent.report", report)
    with crew.server.stream("events.subscribe") as events:
        events.line()
        crew.call("pane.run", {"pane": pane, "command": "echo out of lu''ck; exit 3"})
        events.until("pane.closed", pane=pane)
        events.until("mission.changed")

    (ended,) = crew.call("mission.snapshot", {"scope": "all"})["ended"]

    assert "out of luck" in ended.pop("text")
    assert ended.pop("at_ms") > 1_600_000_000_000
    assert ended.pop("workspace_id")
    assert ended.pop("usage")["cost_usd"] == 0.25
    assert ended == {
        "pane": pane,
        "agent": "claude",
        "name": "breaker",
        "title": None,
        "workspace_name": crew.server.home.name,
        "cwd": str(crew.server.home),
        "branch": None,
        "exit_code": 3,
        "signal": None,
    }


def test_a_shell_that_ends_by_itself_is_no_failure(crew: Crew) -> None:
    pane = crew.call("pane.split")["pane"]
    with crew.server.stream("events.subscribe") as events:
        events.line()
        crew.call("pane.run", {"pane": pane, "command": "exit 3"})
        events.until("pane.closed", pane=pane)

    assert crew.call("mission.snapshot", {"scope": "all"})["ended"] == []


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
