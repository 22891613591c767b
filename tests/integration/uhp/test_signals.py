"""Bells, notifications and titles of programs reach those who follow the events."""

from __future__ import annotations

from tests.support.live import LiveServer


def test_a_bell_and_desktop_notifications_of_a_program_are_events(live: LiveServer) -> None:
    with live.stream("events.subscribe") as events:
        events.line()
        said = r"printf '\a\033]9;done\033\\\033]777;notify;Build;all green\033\\'"
        live.call("pane.run", {"pane": "1", "command": said})

        bell = events.until("pane.bell")["data"]
        first = events.until("pane.notified")["data"]
        second = events.until("pane.notified")["data"]

    assert bell == {"pane": "1", "count": 1}
    told = {"pane": "1", "source": "program", "dropped": 0}
    assert first == {**told, "title": "", "body": "done"}
    assert second == {**told, "title": "Build", "body": "all green"}


def test_a_flood_of_signals_is_few_events_and_all_bells_are_counted(live: LiveServer) -> None:
    many = r"for i in $(seq 300); do printf '\a\033]9;%s\007' $i; done"
    flood = many + r"; sleep 1; printf '\033]9;last\007'"
    told: list[str] = []
    bells = missed = 0
    with live.stream("events.subscribe") as events:
        events.line()
        live.call("pane.run", {"pane": "1", "command": flood})
        for line in events.lines():
            if line.get("event") == "pane.bell":
                bells += line["data"]["count"]
            if line.get("event") == "pane.notified":
                told.append(line["data"]["body"])
                missed += line["data"]["dropped"]
                if told[-1] == "last":
                    break

    assert (bells, len(told) <= 20, missed > 0) == (300, True, True)


def test_a_notification_of_a_client_is_an_event_too(live: LiveServer) -> None:
    found = live.call("terminal.backend.inventory")
    locator = {
        "server_generation": found["server_generation"],
        "terminal_id": found["terminals"][0]["terminal_id"],
        "pane_id": "1",
    }
    with live.stream("events.subscribe") as events:
        events.line()
        live.call("terminal.backend.notify", {**locator, "title": "CI", "body": "passed"})

        told = events.until("pane.notified")["data"]

    assert told == {
        "pane": "1",
        "title": "CI",
        "body": "passed",
        "source": "client",
        "dropped": 0,
    }


def test_the_snapshot_says_since_when_and_about_what_an_agent_works(live: LiveServer) -> None:
    report = {"pane": "1", "source": "t", "agent": "claude", "status": "working"}
    with live.stream("events.subscribe") as events:
        events.line()
        live.call("agent.report", report)
        title = r"printf '\033]2;\342\234\263 Fix the login\007'"
        live.call("pane.run", {"pane": "1", "command": title})
        changed = events.until("pane.title_changed")["data"]

    def shown() -> tuple[object, object]:
        pane = live.call("session.snapshot")["workspaces"][0]["tabs"][0]["panes"][0]
        return pane["agent_title"], pane["agent_status_since_ms"]

    assert changed == {"pane": "1", "title": "Fix the login"}
    title_now, since = shown()
    assert title_now == "Fix the login"
    assert isinstance(since, int)
    live.call("agent.report", report)
    assert shown() == (title_now, since)
    live.call("agent.report", {**report, "status": "blocked"})
    assert shown()[1] != since
