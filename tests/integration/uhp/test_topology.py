"""Arranging workspaces and tabs, against a real server with real shells."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.arranged import open_folders, plain, structural
from tests.support.live import LiveServer


def names(live: LiveServer) -> list[str]:
    """Return the workspaces' names in the order of their positions."""
    return [row["name"] for row in live.call("workspace.list")["workspaces"]]


def displayed(live: LiveServer) -> list[str]:
    """Return the workspaces' names in the order of the sidebar."""
    rows = live.call("workspace.list")["workspaces"]
    return [row["name"] for row in sorted(rows, key=lambda row: int(row["display_position"]))]


def test_a_pinned_workspace_is_displayed_first_and_keeps_position_and_focus(
    live: LiveServer,
) -> None:
    open_folders(live, "api", "web")

    pinned = plain(live.call("workspace.pin", {"workspace": 2, "pinned": True}))

    assert pinned == {
        "type": "workspace_pin",
        "workspace": "2",
        "name": "web",
        "cwd": str(live.home / "web"),
        "pinned": True,
        "display_position": "0",
    }
    assert names(live) == [live.home.name, "api", "web"]
    assert displayed(live) == ["web", live.home.name, "api"]
    assert live.call("workspace.get")["workspace"] == "0"
    assert live.call("node.pin", {"node": 2, "pinned": False})["display_position"] == "2"


def test_a_moved_workspace_has_the_position_and_the_active_one_stays_active(
    live: LiveServer,
) -> None:
    open_folders(live, "api", "web")
    with live.stream("events.subscribe") as events:
        moved = plain(live.call("workspace.move", {"workspace": "0", "to": 2}))
        told = structural(events, "workspace.moved")

    assert moved == {"type": "workspace_move", "workspace": "0", "to": "2"}
    assert told == [("workspace.moved", {"workspace": "0", "to": "2"})]
    assert names(live) == ["api", "web", live.home.name]
    assert live.call("workspace.get")["workspace"] == "2"


def test_a_workspace_that_is_moved_to_its_own_position_makes_no_event(live: LiveServer) -> None:
    open_folders(live, "api")

    with live.stream("events.subscribe") as events:
        assert events.line()
        live.call("workspace.move", {"workspace": 1, "to": 1})
        live.call("workspace.move", {"workspace": 1, "to": 0})
        told = structural(events, "workspace.moved")

    assert told == [("workspace.moved", {"workspace": "1", "to": "0"})]


def test_a_block_keeps_the_order_that_was_asked_for(live: LiveServer) -> None:
    open_folders(live, "a", "b", "c")
    ids = [row["workspace_id"] for row in live.call("workspace.list")["workspaces"]]
    with live.stream("events.subscribe") as events:
        moved = plain(live.call("workspace.move_block", {"workspaces": [3, "1"], "to": 0}))
        told = structural(events, "workspace.block_moved")

    data = {"workspaces": [3, 1], "positions": [0, 1]}
    assert moved == {"type": "workspace_move_block", **data}
    assert told == [("workspace.block_moved", data)]
    assert names(live) == ["c", "a", live.home.name, "b"]

    live.call("workspace.move_block", {"workspace_ids": [ids[0], ids[1]], "to": 2})

    assert names(live) == ["c", "b", live.home.name, "a"]
    assert live.call("workspace.get")["workspace_id"] == ids[0]


def test_reported_metadata_is_shown_and_what_is_left_out_stays(live: LiveServer) -> None:
    with live.stream("events.subscribe") as events:
        first = live.call("workspace.report_metadata", {"workspace": 0, "branch": "x", "ahead": 3})
        told = structural(events, "workspace.metadata_reported")
    assert told == [("workspace.metadata_reported", {"workspace": "0"})]
    assert (first["branch"], first["ahead"], first["behind"]) == ("x", 3, 0)
    assert first == live.call("workspace.get")

    second = live.call("workspace.report_metadata", {"workspace": 0, "behind": 2**32 - 1})
    assert (second["branch"], second["ahead"], second["behind"]) == ("x", 3, 2**32 - 1)

    cleared = live.call("workspace.report_metadata", {"workspace": 0, "branch": None})
    assert (cleared["branch"], cleared["ahead"], cleared["behind"]) == (None, 3, 2**32 - 1)
    snapshot = live.call("session.snapshot")["workspaces"][0]
    assert snapshot["branch"] is None


@pytest.mark.needs("git")
def test_linked_worktrees_are_displayed_together_and_float_together(live: LiveServer) -> None:
    repository = live.home / "main"
    repository.mkdir()
    git(repository, "init", "-q", "-b", "main")
    git(repository, "commit", "-q", "--allow-empty", "-m", "first")
    git(repository, "worktree", "add", "-q", str(live.home / "linked"))
    live.call("workspace.open", {"path": str(repository)})
    open_folders(live, "other")
    live.call("workspace.open", {"path": str(live.home / "linked")})
    for workspace in (1, 3):
        live.call("workspace.get", {"workspace": workspace})

    assert names(live) == [live.home.name, "main", "other", "linked"]
    assert displayed(live) == [live.home.name, "main", "linked", "other"]

    live.call("workspace.pin", {"workspace": 3, "pinned": True})

    assert displayed(live) == ["main", "linked", live.home.name, "other"]


def git(folder: Path, *words: str) -> None:
    """Run git without anybody's configuration."""
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(
        ["git", "-C", str(folder), *who, *words],
        check=True,
        env={"HOME": "/", "PATH": "/usr/bin:/bin"},
    )


def test_a_tab_moves_to_a_position_or_by_one_step_and_the_active_one_stays_active(
    live: LiveServer,
) -> None:
    live.call("tab.new")
    live.call("tab.new")
    with live.stream("events.subscribe") as events:
        moved = plain(live.call("tab.move", {"tab": "1", "to": 3}))
        told = structural(events, "tab.moved")

    assert moved == {"type": "tab_move", "from": "1", "to": "3", "active": "2"}
    assert told == [("tab.moved", {"workspace": "0", "from": "1", "to": "3", "active": "2"})]
    assert plain(live.call("tab.move", {"direction": "left"})) == {
        "type": "tab_move",
        "from": "2",
        "to": "1",
        "active": "1",
    }
    tab_id = live.call("tab.list")["tabs"][2]["tab_id"]
    back = live.call("tab.move", {"tab_id": tab_id, "direction": "left"})
    assert (back["from"], back["to"], back["active"]) == ("3", "2", "1")


def test_swapped_tabs_exchange_their_positions(live: LiveServer) -> None:
    live.call("tab.new")
    live.call("tab.new")
    before = [row["tab_id"] for row in live.call("tab.list")["tabs"]]
    with live.stream("events.subscribe") as events:
        swapped = plain(live.call("tab.swap", {"tab": 1, "with": "3"}))
        told = structural(events, "tab.moved")

    assert swapped == {"type": "tab_swap", "tab": "1", "with": "3", "active": "1"}
    data = {"workspace": "0", "from": "1", "to": "3", "active": "1", "mode": "swap"}
    assert told == [("tab.moved", data)]
    after = [row["tab_id"] for row in live.call("tab.list")["tabs"]]
    assert after == [before[2], before[1], before[0]]
    by_id = live.call("tab.swap", {"tab_id": before[0], "with_id": before[1]})
    assert (by_id["tab"], by_id["with"]) == ("3", "2")
