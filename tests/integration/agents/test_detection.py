"""Who is there and how it is doing, told of real processes in real panes."""

from __future__ import annotations

from tests.integration.agents.conftest import Crew


def test_list_get_explain_snapshot_and_pane_methods_agree(crew: Crew) -> None:
    pane = crew.start()

    row = crew.row(pane)
    found = crew.call("agent.get", {"target": "rev"})
    explained = crew.call("agent.explain", {"target": "rev"})
    status = crew.call("pane.status", {"pane": pane})
    detail = crew.call("pane.get", {"pane": pane})
    snapshot = crew.call("session.snapshot")
    (shown,) = [
        p
        for w in snapshot["workspaces"]
        for t in w["tabs"]
        for p in t["panes"]
        if p["pane_id"] == pane
    ]

    assert (row["agent"], row["status"], row["authority"]) == ("claude", "idle", "process_tree")
    revisions = {row_source["revision"] for row_source in (found, explained, status, detail)}
    assert revisions == {snapshot["event_sequence"]}
    for place in (found, status):
        assert (place["agent"], place["status"]) == ("claude", "idle")
        assert (place["authority"], place["state_source"]) == (
            row["authority"],
            row["state_source"],
        )
    assert (detail["agent"], detail["status"]) == ("claude", "idle")
    assert (shown["agent"], shown["agent_status"], shown["agent_authority"]) == (
        "claude",
        "idle",
        "process_tree",
    )
    assert shown["agent_name"] == "rev"
    assert (explained["identity"], explained["status"]) == (
        {"source": "process_tree", "confidence": "authoritative"},
        "idle",
    )


def test_a_plain_shell_is_no_agent_whatever_its_screen_says(crew: Crew) -> None:
    crew.call("pane.run", {"pane": "1", "command": "printf '%s\\n' claude 'esc to interrupt'"})
    crew.server.wait_text("1", "esc to interrupt")
    crew.wait("1", "idle")

    assert crew.call("agent.list")["agents"] == []
    assert crew.call("pane.status", {"pane": "1"})["agent"] == ""
    assert crew.refusal("agent.prompt", {"target": "1", "text": "x"})["code"] == "agent_not_ready"
    assert crew.refusal("agent.get", {"target": "claude"})["code"] == "not_found"


def test_an_agent_that_ends_leaves_a_plain_shell(crew: Crew) -> None:
    pane = crew.start()

    with crew.server.stream("events.subscribe") as events:
        events.line()
        crew.call("agent.send", {"target": "rev", "text": "quit"})
        changed = events.until("pane.agent_status_changed", pane=pane, agent="")

    assert changed["data"]["authority"] is None
    assert crew.call("agent.list")["agents"] == []


def test_working_blocked_and_done_are_published_with_what_is_asked(crew: Crew) -> None:
    pane = crew.start()
    with crew.server.stream("events.subscribe") as events:
        events.line()
        crew.call("agent.send", {"target": "rev", "text": "work 0.5"})
        seen = [events.until("pane.agent_status_changed", pane=pane) for _ in range(2)]
        crew.call("agent.send", {"target": "rev", "text": "ask"})
        seen.append(events.until("pane.agent_status_changed", pane=pane))

    assert [event["data"]["status"] for event in seen] == ["working", "done", "blocked"]
    evidence = crew.call("agent.explain", {"target": "rev"})["state_evidence"]
    assert evidence == {
        "source": "manifest_rule",
        "confidence": "high",
        "rule_priority": 300,
        "rule_region": "screen",
        "blocked_hint": "Do you want to proceed?",
    }


def test_focusing_a_finished_agent_makes_it_idle(crew: Crew) -> None:
    pane = crew.start()
    crew.call("agent.send", {"target": "rev", "text": "work 0.2"})
    crew.wait(pane, "done")

    crew.call("pane.focus", {"pane": pane})

    assert crew.wait(pane, "idle", timeout_s=1) == "idle"


def test_the_focused_agent_goes_to_idle_without_done(crew: Crew) -> None:
    pane = crew.start()
    crew.call("pane.focus", {"pane": pane})
    with crew.server.stream("events.subscribe") as events:
        events.line()
        crew.call("agent.send", {"target": "rev", "text": "work 0.2"})
        seen = [events.until("pane.agent_status_changed", pane=pane) for _ in range(2)]

    assert [event["data"]["status"] for event in seen] == ["working", "idle"]


def test_an_agent_that_flickers_stays_working(crew: Crew) -> None:
    pane = crew.start()
    with crew.server.stream("events.subscribe") as events:
        events.line()
        crew.call("agent.send", {"target": "rev", "text": "flicker 3"})
        first = events.until("pane.agent_status_changed", pane=pane)
        crew.server.wait_text(pane, "flickered")
        second = events.until("pane.agent_status_changed", pane=pane)

    assert (first["data"]["status"], second["data"]["status"]) == ("working", "done")


def test_a_resize_while_working_changes_nothing(crew: Crew) -> None:
    pane = crew.start()
    crew.call("agent.send", {"target": "rev", "text": "work 2"})
    crew.wait(pane, "working")
    with crew.server.stream("events.subscribe") as events:
        events.line()
        crew.call("pane.split", {"pane": pane, "focus": False})
        changed = events.until("pane.agent_status_changed", pane=pane)

    assert changed["data"]["status"] == "done"


def test_a_server_that_starts_again_finds_its_agents(crew: Crew) -> None:
    pane = crew.start()
    crew.server.kill()
    crew.server.start()

    crew.wait(pane, "idle")

    assert crew.row(pane)["agent"] == "claude"
    assert crew.row(pane)["name"] == "rev"


def test_manifests_of_the_user_are_read_again_when_asked(crew: Crew) -> None:
    pane = crew.start()
    before = crew.call("server.agent_manifests")
    folder = crew.server.home / "manifests"
    (folder / "mine.toml").write_text(
        'agent = "claude"\n[[rule]]\nstate = "blocked"\npriority = 999\nany = ["? for shortcuts"]\n'
    )
    (folder / "bad.toml").write_text("agent = [")

    reloaded = crew.call("manifest.reload")

    assert reloaded["rules"] == before["rules"] + 1
    assert crew.wait(pane, "blocked") == "blocked"
    assert crew.call("agent.explain", {"pane": pane})["state_evidence"]["rule_priority"] == 999
    assert (folder / "example.toml.txt").is_file()
    (folder / "new.toml").write_text('agent = "helper"\n[identity]\n')
    crew.call("server.reload_agent_manifests")
    assert crew.call("server.agent_manifests")["agents"][-1] == "helper"
