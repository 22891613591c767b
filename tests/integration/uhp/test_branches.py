"""The branch of a workspace, as git says it, wherever it is shown."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from tests.support.live import LiveServer


def repository(folder: Path, branch: str) -> None:
    folder.mkdir()
    who = ("-c", "user.name=me", "-c", "user.email=me@example.com")
    for words in (("init", "-q", "-b", branch), ("commit", "-q", "--allow-empty", "-m", "x")):
        subprocess.run(["git", *who, *words], cwd=folder, check=True)


def shown(live: LiveServer) -> dict[str, Any]:
    found = live.call("session.snapshot")["workspaces"]
    return {workspace["name"]: workspace["branch"] for workspace in found}


def test_a_branch_is_shown_and_another_one_is_announced_once_the_command_is_over(
    live: LiveServer,
) -> None:
    repository(live.home / "api", "main")
    with live.stream("events.subscribe") as events:
        events.line()
        live.call("workspace.open", {"path": str(live.home / "api"), "focus": True})
        events.until("workspace.metadata_reported", workspace="1")
        first = shown(live)
        live.call("pane.run", {"pane": "2", "command": "git checkout -q -b fix-login"})
        events.until("workspace.metadata_reported", workspace="1")
        status = {"pane": "2", "source": "t", "agent": "claude", "status": "working"}
        live.call("agent.report", status)

        told = events.until("pane.agent_status_changed", status="working")["data"]["branch"]

    (agent,) = live.call("agent.list")["agents"]
    assert (first["api"], shown(live)["api"]) == ("main", "fix-login")
    assert (told, agent["branch"]) == ("fix-login", "fix-login")


def test_a_reported_branch_wins_over_what_git_says(live: LiveServer) -> None:
    repository(live.home / "api", "main")
    with live.stream("events.subscribe") as events:
        events.line()
        live.call("workspace.open", {"path": str(live.home / "api"), "focus": True})
        events.until("workspace.metadata_reported", workspace="1")

    live.call("workspace.report_metadata", {"workspace": 1, "branch": "told"})
    reported = shown(live)["api"]
    live.call("workspace.report_metadata", {"workspace": 1, "branch": None})

    assert (reported, shown(live)["api"]) == ("told", "main")
