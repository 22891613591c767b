"""Starting, naming, forking and resuming agents in real panes."""

from __future__ import annotations

import json
import os
import select
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.integration.agents.conftest import Crew
from tests.support.live import WAIT_S


def test_a_start_splits_a_pane_names_it_and_leaves_the_focus(crew: Crew) -> None:
    started = crew.call(
        "agent.start", {"name": "rev", "kind": "claude", "args": ["--model", "a b"]}
    )

    assert (started["type"], started["kind"], started["name"], started["ready"]) == (
        "agent_start",
        "claude",
        "rev",
        True,
    )
    assert crew.call("pane.current")["pane"] == "1"
    assert crew.call("pane.get", {"pane": started["pane"]})["name"] == "rev"


def test_a_start_in_a_pane_with_an_agent_or_under_a_name_in_use_is_refused(crew: Crew) -> None:
    pane = crew.start()
    before = crew.call("session.snapshot")["workspaces"]

    busy = crew.refusal("agent.start", {"name": "x", "kind": "codex", "pane": pane})
    named = crew.refusal("agent.start", {"name": "rev", "kind": "codex"})
    unknown = crew.refusal("agent.start", {"name": "x", "kind": "nobody"})
    gone = crew.refusal("agent.start", {"name": "x", "kind": "codex", "pane": "400"})

    codes = [error["code"] for error in (busy, named, unknown, gone)]
    assert codes == ["agent_pane_busy", "name_in_use", "unsupported_agent", "not_found"]
    assert crew.call("session.snapshot")["workspaces"] == before


@pytest.mark.parametrize(
    "params",
    [
        {"name": "Upper"},
        {"args": ["a\nb"]},
        {"args": ["x" * 4097]},
        {"args": ["x"] * 65},
        {"args": ["\x1b"]},
        {"timeout_s": 3601},
        {"pane": "1", "anchor": "1"},
        {"direction": "up"},
    ],
)
def test_a_malformed_start_is_refused_and_opens_nothing(
    shared: Crew, params: dict[str, Any]
) -> None:
    before = shared.call("session.snapshot")["workspaces"]

    error = shared.refusal("agent.start", {"name": "x", "kind": "claude", **params})

    assert error["code"] == "invalid_request"
    assert shared.call("session.snapshot")["workspaces"] == before


@pytest.mark.parametrize("kind", ["claude", "gemini"])
def test_an_agent_that_is_ready_takes_a_prompt_at_once(crew: Crew, kind: str) -> None:
    # What gemini waits with is on no rule: there a state has to hold.
    started = crew.call(
        "agent.start", {"name": "slow", "kind": kind, "args": ["--loads=3"], "timeout_s": 20}
    )
    crew.call("agent.prompt", {"target": "slow", "text": "are you there"})

    assert (started["ready"], started["status"]) == (True, "idle")
    crew.server.wait_text(started["pane"], "13 characters: are you there")


def test_an_agent_that_asks_something_first_is_not_ready_and_that_is_said_at_once(
    crew: Crew,
) -> None:
    params = {"name": "shy", "kind": "claude", "args": ["--asks-first"], "timeout_s": 300}
    started = crew.call("agent.start", params)
    refused = crew.refusal("agent.prompt", {"target": "shy", "text": "hello"})
    crew.call("agent.keys", {"target": "shy", "keys": ["1"]})

    assert (started["ready"], started["status"]) == (False, "blocked")
    assert refused["code"] == "agent_not_ready"
    crew.wait(started["pane"], "idle")


def test_an_agent_that_still_loads_when_time_is_over_is_not_ready(crew: Crew) -> None:
    started = crew.call(
        "agent.start", {"name": "slow", "kind": "claude", "args": ["--loads=60"], "timeout_s": 2}
    )

    assert started["ready"] is False


def test_a_start_that_is_not_seen_in_time_says_so_and_keeps_the_pane(crew: Crew) -> None:
    (crew.server.home / "bin" / "grok").unlink()

    started = crew.call("agent.start", {"name": "g", "kind": "grok", "timeout_s": 0.5})

    assert (started["ready"], started["status"]) == (False, None)
    assert crew.call("pane.get", {"pane": started["pane"]})["name"] == "g"


def test_an_alias_is_set_moved_and_cleared_without_an_event(crew: Crew) -> None:
    pane = crew.call("pane.split", {"focus": False})["pane"]
    crew.server.wait_text(pane, "$")
    crew.wait(pane, "idle")
    crew.wait("1", "idle")
    before = crew.call("session.snapshot")["event_sequence"]

    assert crew.call("agent.name", {"pane": pane, "name": "one"})["name"] == "one"
    assert crew.call("agent.name", {"pane": "1", "name": "one"})["name"] == "one"
    assert crew.call("pane.get", {"pane": pane})["name"] is None
    assert crew.call("agent.name", {"pane": "1", "clear": True})["name"] is None
    assert crew.refusal("agent.name", {"pane": "1"})["code"] == "invalid_request"
    assert crew.refusal("agent.name", {"pane": "1", "name": "9x"})["code"] == "invalid_request"

    assert crew.call("session.snapshot")["event_sequence"] == before


def test_a_fork_opens_beside_its_agent_with_the_reported_session(crew: Crew) -> None:
    pane = crew.start()
    crew.call("pane.report_session", {"pane": pane, "agent": "claude", "session_id": "s-1"})
    with crew.server.stream("events.subscribe") as events:
        events.line()
        forked = crew.call("agent.fork", {"target": "rev", "name": "twin", "focus": False})
        event = events.until("pane.forked")
    crew.server.wait_text(forked["pane"], "--fork-session")

    assert "claude --resume 's-1' --fork-session" in crew.call(
        "pane.read", {"pane": forked["pane"]}
    )["text"].replace("\n", "")
    assert (forked["from"], forked["agent"], forked["name"], forked["focused"]) == (
        pane,
        "claude",
        "twin",
        False,
    )
    assert event["data"] == {
        "from": pane,
        "to": forked["pane"],
        "agent": "claude",
        "workspace": "0",
        "tab": "1",
    }


def test_a_fork_without_a_known_session_or_command_opens_nothing(crew: Crew) -> None:
    crew.start("cx", "codex")
    crew.start("gm", "gemini")
    before = crew.call("session.snapshot")["workspaces"]

    assert crew.refusal("agent.fork", {"target": "cx"})["code"] == "session_unknown"
    assert crew.refusal("agent.fork", {"target": "gm"})["code"] == "unsupported_agent"

    assert crew.call("session.snapshot")["workspaces"] == before


def test_sessions_on_disk_are_listed_and_go_on_in_a_workspace_of_their_own(crew: Crew) -> None:
    work = crew.server.home / "work"
    work.mkdir()
    folder = crew.server.home / ".claude" / "projects" / "-work"
    folder.mkdir(parents=True)
    lines = [{"type": "summary"}, {"cwd": str(work), "sessionId": "abc-123"}]
    (folder / "abc-123.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))

    listed = crew.call("agent.sessions")
    crew.call("agent.resume", {"session_id": "abc-123"})

    assert listed["sessions"] == [{"agent": "claude", "session_id": "abc-123", "cwd": str(work)}]
    current = crew.call("pane.current")
    crew.server.wait_text(current["pane"], "claude --resume 'abc-123'")
    assert current["cwd"] == str(work)
    assert crew.call("agent.get", {"target": current["pane"]})["session"] == "abc-123"
    assert crew.refusal("agent.resume", {"session_id": "nope"})["code"] == "not_found"
    assert crew.refusal("agent.resume", {"session_id": "a b"})["code"] == "invalid_request"


def test_of_several_who_resume_a_session_at_once_one_opens_it_and_the_others_get_its_pane(
    crew: Crew,
) -> None:
    folder = crew.server.home / ".claude" / "projects" / "-work"
    folder.mkdir(parents=True)
    (folder / "one.jsonl").write_text(json.dumps({"cwd": str(crew.server.home)}) + "\n")

    with ExitStack() as stack:
        streams = [
            stack.enter_context(crew.server.stream("agent.resume", {"session_id": "one"}))
            for _ in range(4)
        ]
        answers = [stream.line() for stream in streams]

    assert all(answer is not None and "result" in answer for answer in answers), answers
    workspaces = crew.call("session.snapshot")["workspaces"]
    assert len(workspaces) == 2
    owner = crew.call("pane.current")["pane"]
    assert crew.call("agent.get", {"target": owner})["session"] == "one"


def test_a_session_goes_on_although_its_folder_has_a_newer_one(crew: Crew) -> None:
    folder = crew.server.home / ".claude" / "projects" / "-work"
    folder.mkdir(parents=True)
    for number, name in enumerate(("older", "newer"), 1):
        path = folder / f"{name}.jsonl"
        path.write_text(json.dumps({"cwd": str(crew.server.home)}) + "\n")
        os.utime(path, (number, number))

    listed = [row["session_id"] for row in crew.call("agent.sessions")["sessions"]]
    crew.call("agent.resume", {"session_id": "older"})

    assert listed == ["newer"]
    crew.server.wait_text(crew.call("pane.current")["pane"], "claude --resume 'older'")


def test_after_a_stop_each_pane_goes_on_with_its_own_session(crew: Crew) -> None:
    panes = ["1", *(crew.call("pane.split", {"focus": False})["pane"] for _ in range(2))]
    for pane, session_id in zip(panes, ("s-a", "s-b", "s-c"), strict=True):
        report = {"pane": pane, "agent": "claude", "session_id": session_id}
        crew.call("pane.report_session", report)
    crew.call("pane.swap", {"pane": panes[0], "with": panes[2]})
    before = _sessions(crew)

    crew.server.stop()
    crew.server.start()

    after = _sessions(crew)
    assert list(after.values()) == list(before.values())
    for pane, session_id in after.items():
        # The agent draws over the typed command at once, so its process tells.
        wait_for_program(pane, crew.server.home, ["--resume", session_id])


def wait_for_program(pane: str, home: Path, last_words: list[str]) -> None:
    """Return when a program with these last words runs in a pane of the server with this home."""
    wanted = {f"LUVUS_PANE_ID={pane}".encode(), f"LUVUS_HOME={home}".encode()}
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        for entry in Path("/proc").iterdir():
            with suppress(OSError):
                words = (entry / "cmdline").read_text().split("\0")[:-1]
                if words[-len(last_words) :] == last_words and wanted <= set(
                    (entry / "environ").read_bytes().split(b"\0")
                ):
                    return
        select.select([], [], [], 0.05)
    raise AssertionError(f"no program with {last_words} in pane {pane}")


def _sessions(crew: Crew) -> dict[str, str]:
    """Return the bound session of each pane, in the order of the layout."""
    (workspace,) = crew.call("session.snapshot")["workspaces"]
    (tab,) = workspace["tabs"]
    return {pane["pane_id"]: pane["agent_session"] for pane in tab["panes"]}
