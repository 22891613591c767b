"""Reports with authority, sessions and hook events, against a real server."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.agents.conftest import Crew

REPORT = {"pane": "1", "source": "fx/plugin", "agent": "fx-new", "status": "working"}


@pytest.fixture
def released(shared: Crew) -> Any:
    yield
    shared.server.answer("agent.release", {"pane": "1", "source": "fx/plugin"})


@pytest.mark.usefixtures("released")
def test_a_prompt_to_an_agent_that_asks_without_saying_what_is_refused_in_words(
    shared: Crew,
) -> None:
    shared.call("agent.report", {**REPORT, "status": "blocked"})

    refusals = [
        shared.refusal(method, {"target": "1", "text": "go on"})
        for method in ("agent.prompt", "agent.send")
    ]

    said = "the agent in pane 1 asks something; answer with agent.keys first. Nothing was sent"
    assert refusals == [{"code": "agent_not_ready", "message": said}] * 2


@pytest.mark.usefixtures("released")
def test_a_report_counts_at_once_and_is_explained(shared: Crew) -> None:
    with shared.server.stream("events.subscribe") as events:
        started = events.line()
        assert started is not None
        answer = shared.call(
            "agent.report",
            {**REPORT, "status": "blocked", "message": "approval required", "sequence": 12},
        )
        reported = events.until("agent.authority_reported")
        changed = events.until("pane.agent_status_changed", pane="1")

    answer.pop("revision")
    assert answer == {
        "type": "agent_report",
        "pane": "1",
        "agent": "fx-new",
        "status": "blocked",
        "source": "fx/plugin",
        "sequence": 12,
        "ttl_s": 3600,
    }
    assert reported["sequence"] > started["result"]["sequence"]
    assert reported["data"] == {key: answer[key] for key in reported["data"]}
    assert (changed["data"]["status"], changed["data"]["authority"]) == (
        "blocked",
        "integration_report",
    )
    explained = shared.call("agent.explain", {"pane": "1"})
    assert 0 < explained["authority"].pop("expires_in_ms") <= 3_600_000
    assert explained["authority"] == {
        "source": "fx/plugin",
        "sequence": 12,
        "message": "approval required",
    }
    assert explained["state_evidence"]["confidence"] == "authoritative"
    assert explained["state_evidence"]["blocked_hint"] == "approval required"
    row = shared.row("1")
    assert (row["agent"], row["status"], row["state_source"]) == (
        "fx-new",
        "blocked",
        "integration_report",
    )


@pytest.mark.usefixtures("released")
def test_one_source_owns_a_pane_and_its_sequences_rise(shared: Crew) -> None:
    shared.call("agent.report", REPORT)
    second = shared.call("agent.report", REPORT)

    assert second["sequence"] == 2
    stale = shared.refusal("agent.report", {**REPORT, "sequence": 2})
    foreign = shared.refusal("agent.report", {**REPORT, "source": "other"})
    not_theirs = shared.refusal("agent.release", {"pane": "1", "source": "other"})
    assert [error["code"] for error in (stale, foreign, not_theirs)] == [
        "stale_report",
        "authority_conflict",
        "authority_conflict",
    ]
    assert shared.call("agent.release", {"pane": "1", "source": "fx/plugin"})["type"] == (
        "agent_release"
    )
    assert shared.refusal("agent.release", {"pane": "1", "source": "fx/plugin"})["code"] == (
        "not_found"
    )


def test_a_wait_is_answered_by_a_report_and_a_lease_ends_by_itself(shared: Crew) -> None:
    with shared.server.stream("events.subscribe") as events:
        events.line()
        shared.call("agent.report", {**REPORT, "ttl_s": 1})
        waited = shared.call("agent.wait", {"pane": "1", "statuses": ["blocked", "working"]})
        ended = events.until("agent.authority_released")

    assert (waited["matched"], waited["status"]) == (True, "working")
    assert ended["data"] == {"pane": "1", "source": "fx/plugin", "reason": "expired"}
    assert shared.call("agent.explain", {"pane": "1"})["authority"] is None


@pytest.mark.usefixtures("released")
def test_a_reported_agent_gets_prompts_unless_it_is_blocked(shared: Crew) -> None:
    shared.call("agent.report", {**REPORT, "status": "blocked"})
    refused = shared.refusal("agent.prompt", {"target": "1", "text": "echo one"})
    shared.call("agent.report", {**REPORT, "status": "idle"})
    sent = shared.call("agent.prompt", {"target": "1", "text": "echo two"})

    assert (refused["code"], sent["evidence"]) == ("agent_not_ready", "queued")
    shared.server.wait_text("1", "two")


@pytest.mark.parametrize(
    "params",
    [
        {"source": "9x"},
        {"source": "a\n"},
        {"source": ""},
        {"source": "x" * 65},
        {"agent": ""},
        {"agent": "a\x1b"},
        {"status": "busy"},
        {"message": "x" * 4097},
        {"session_id": "a b"},
        {"sequence": -1},
        {"ttl_s": 0},
        {"ttl_s": 86_401},
        {"pane": "01"},
        {"extra": 1},
    ],
)
def test_a_malformed_report_is_refused_and_changes_nothing(
    shared: Crew, params: dict[str, Any]
) -> None:
    assert shared.refusal("agent.report", {**REPORT, **params})["code"] == "invalid_request"
    assert shared.call("agent.explain", {"pane": "1"})["authority"] is None
    assert shared.refusal("agent.report", {**REPORT, "pane": "4000"})["code"] == "not_found"


def test_a_session_belongs_to_one_pane_and_marks_its_agent(crew: Crew) -> None:
    report = {"pane": "1", "agent": "hermes-agent", "session_id": "session_123"}
    other = crew.call("pane.split", {"focus": False})["pane"]

    assert crew.call("pane.report_session", report)["type"] == "ok"

    crew.wait("1", "idle")
    row = crew.row("1")
    assert (row["agent"], row["session"]) == ("hermes", "session_123")
    explained = crew.call("agent.explain", {"pane": "1"})
    assert explained["session"] == {"agent": "hermes", "id": "session_123"}
    assert crew.refusal("pane.report_session", {**report, "pane": other})["code"] == "conflict"
    assert crew.refusal("pane.report_session", {**report, "agent": "nobody"})["code"] == (
        "invalid_request"
    )
    crew.server.kill()
    crew.server.start()
    assert crew.call("agent.get", {"target": "1"})["session"] == "session_123"


@pytest.mark.parametrize("first", ["agent.report", "pane.report_session"])
@pytest.mark.parametrize("second", ["agent.report", "pane.report_session"])
def test_no_second_pane_gets_a_session_whichever_way_it_is_reported(
    crew: Crew, first: str, second: str
) -> None:
    other = crew.call("pane.split", {"focus": False})["pane"]

    def said(method: str, pane: str) -> dict[str, Any]:
        report = {**REPORT, "agent": "hermes-agent", "session_id": "session_9", "pane": pane}
        if method == "agent.report":
            return report
        return {key: report[key] for key in ("pane", "agent", "session_id")}

    crew.call(first, said(first, "1"))
    crew.wait("1", "idle", "working")
    refused = crew.refusal(second, said(second, other))
    crew.call(second, said(second, "1"))

    assert refused["code"] == "conflict"
    assert refused["message"] == "pane 1 has the session session_9 of hermes"
    assert crew.call("agent.explain", {"pane": other})["authority"] is None
    assert crew.call("agent.explain", {"pane": "1"})["session"] == {
        "agent": "hermes",
        "id": "session_9",
    }


def test_usage_that_is_reported_counts_once_and_never_goes_back(crew: Crew) -> None:
    usage = {
        "model": "anthropic/claude-sonnet-4",
        "tokens_in": 1200,
        "tokens_out": 340,
        "cache_read": 800,
        "cache_write": 40,
        "cost": 0.42,
        "updated_at": 1788330000000,
    }
    report = {"pane": "1", "agent": "opencode", "session_id": "ses_123", "usage": usage}

    crew.call("pane.report_session", report)
    crew.call("pane.report_session", report)
    stale = crew.refusal(
        "pane.report_session", {**report, "usage": {**usage, "updated_at": 1788320000000}}
    )
    snapshot = crew.call("mission.snapshot", {"scope": "all"})

    assert stale["code"] == "stale_report"
    (row,) = snapshot["rows"]
    assert row["usage"] == {
        "model": "anthropic/claude-sonnet-4",
        "tokens_in": 1200,
        "tokens_out": 340,
        "cache_tokens": 840,
        "total_tokens": 1540,
        "context": None,
        "cost_usd": 0.42,
    }
    assert snapshot["summary"] == {
        "agents": 1,
        "tokens": 1540,
        "cost_usd": 0.42,
        "burn_usd_per_hour": None,
        "budget_usd": None,
    }
    crew.call("pane.report_session", {**report, "session_id": "ses_124", "usage": None})
    assert crew.call("mission.snapshot")["rows"][0]["usage"] is None


def test_a_hook_event_is_published_as_it_came(shared: Crew) -> None:
    data = {"agent": "claude", "kind": "Notification", "message": "needs you", "tool": "Bash"}
    with shared.server.stream("events.subscribe") as events:
        events.line()
        shared.call("pane.report_event", {"pane": 1, **data})
        event = events.until("agent.hook")

    assert event["data"] == {"pane": "1", **data}
    assert shared.refusal("pane.report_event", {"pane": 4000})["code"] == "not_found"


def test_processes_are_named_without_their_arguments(shared: Crew) -> None:
    found = shared.call("pane.processes", {"pane": "1"})

    assert found["executables"] == ["sh"]
    assert (found["scan"], found["arguments_exposed"]) == ("observed", False)
    assert found["root_process"]["pid"] > 1
