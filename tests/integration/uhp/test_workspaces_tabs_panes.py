"""Opening, arranging, naming and closing, against a real server with real shells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.live import LiveServer, Refused

HEX = "0123456789abcdef"


def folder(live: LiveServer, name: str) -> str:
    """Make a folder and return its path."""
    path = live.home / name
    path.mkdir()
    return str(path)


def test_a_new_server_has_one_workspace_of_one_tab_of_one_shell(live: LiveServer) -> None:
    (workspace,) = live.call("workspace.list")["workspaces"]

    assert set(workspace.pop("workspace_id").removeprefix("workspace_")) <= set(HEX)
    assert workspace == {
        "workspace": "0",
        "name": live.home.name,
        "cwd": str(live.home),
        "terminal_cwd": str(live.home),
        "pinned": False,
        "display_position": "0",
        "active": True,
        "tabs": 1,
    }


def test_opening_a_folder_twice_gives_one_workspace(live: LiveServer) -> None:
    api = folder(live, "api")

    first = live.call("workspace.open", {"path": api})
    live.call("workspace.focus", {"workspace": 0})
    again = live.call("workspace.open", {"path": api + "/."})

    assert (first["workspace"], again["workspace"]) == ("1", "1")
    names = [row["name"] for row in live.call("workspace.list")["workspaces"]]
    assert names == [live.home.name, "api"]


def test_a_workspace_that_is_not_there_is_not_focused_and_nothing_changes(
    served: LiveServer,
) -> None:
    before = served.call("session.snapshot")

    for method in ("workspace.focus", "node.focus"):
        for selector in ({"workspace": 9}, {"workspace_id": "workspace_gone"}):
            assert served.refusal(method, selector)["code"] == "not_found"

    assert served.call("session.snapshot") == before


def test_opening_without_focus_leaves_the_active_workspace(live: LiveServer) -> None:
    opened = live.call("workspace.open", {"path": folder(live, "api"), "focus": False})

    assert opened["workspace"] == "0"
    assert [row["active"] for row in live.call("workspace.list")["workspaces"]] == [True, False]


@pytest.mark.parametrize("path", ["relative", "/no/such/folder", "", "/etc/passwd", "a\0b"])
def test_a_path_that_is_no_folder_is_refused_and_nothing_is_opened(
    served: LiveServer, path: str
) -> None:
    before = served.call("session.snapshot")

    error = served.refusal("workspace.open", {"path": path})

    assert error["code"] == "invalid_request"
    assert served.call("session.snapshot") == before


def test_a_renamed_workspace_shows_its_name_everywhere_and_no_longer_name_is_taken(
    live: LiveServer,
) -> None:
    renamed = live.call("workspace.rename", {"workspace": 0, "name": "  the api  "})
    renamed.pop("revision")

    assert renamed == {
        "type": "workspace_rename",
        "workspace": "0",
        "name": "the api",
        "cwd": str(live.home),
        "pinned": False,
        "display_position": "0",
    }
    assert live.refusal("workspace.rename", {"workspace": 0, "name": "x" * 41})["code"] == (
        "invalid_request"
    )
    assert live.refusal("workspace.rename", {"workspace": 0, "name": "  "})["code"] == (
        "invalid_request"
    )
    assert live.refusal("workspace.rename", {"workspace": 3, "name": "x"})["code"] == "not_found"
    assert live.call("workspace.get")["name"] == "the api"


def test_a_workspace_can_be_named_by_position_by_older_name_or_by_id_but_not_by_two(
    served: LiveServer,
) -> None:
    found = served.call("workspace.get")
    by_id = served.call("workspace.get", {"workspace_id": found["workspace_id"]})

    assert found == by_id == served.call("workspace.get", {"node": "0"})
    for both in ({"workspace": 0, "node": 0}, {"workspace": 0, "workspace_id": "x"}):
        assert served.refusal("workspace.get", both)["code"] == "invalid_request"
    assert served.refusal("workspace.get", {"workspace_id": "x"})["code"] == "not_found"


def test_closing_the_last_workspace_leaves_the_neutral_one_in_the_home_folder(
    live: LiveServer,
) -> None:
    live.extra["HOME"] = str(live.home)
    live.call("workspace.rename", {"workspace": 0, "name": "other"})

    live.call("workspace.close")

    (workspace,) = live.call("workspace.list")["workspaces"]
    assert (workspace["name"], workspace["cwd"]) == (live.home.name, str(live.home))
    assert live.call("pane.current")["pane"] == "2"


def test_tabs_open_at_the_end_are_focused_named_and_closed(live: LiveServer) -> None:
    assert live.call("tab.new")["tab"] == "2"
    live.call("tab.rename", {"tab": 2, "name": "build"})
    live.call("tab.focus", {"tab": "1"})

    rows = live.call("tab.list")["tabs"]
    assert [(r["tab"], r["name"], r["active"], r["kind"]) for r in rows] == [
        ("1", None, True, "panes"),
        ("2", "build", False, "panes"),
    ]

    live.call("tab.close", {"tab": 2})
    assert [r["tab"] for r in live.call("tab.list")["tabs"]] == ["1"]


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("tab.focus", {}, "invalid_request"),
        ("tab.focus", {"tab": 0}, "invalid_request"),
        ("tab.focus", {"tab": 9}, "invalid_request"),
        ("tab.focus", {"tab": "01"}, "invalid_request"),
        ("tab.focus", {"tab_id": "tab_x"}, "not_found"),
        ("tab.focus", {"tab": 1, "tab_id": "tab_x"}, "invalid_request"),
        ("tab.rename", {}, "invalid_request"),
        ("tab.rename", {"name": 7}, "invalid_request"),
        ("tab.rename", {"name": "x" * 41}, "invalid_request"),
        ("tab.rename", {"name": "x", "tab": 9}, "invalid_request"),
        ("tab.get", {"tab": 9}, "not_found"),
        ("tab.get", {"unknown": 1}, "invalid_request"),
        ("tab.close", {"tab": 9}, "invalid_request"),
        ("workspace.close", {"workspace": 9}, "not_found"),
        ("pane.split", {"direction": "left"}, "invalid_request"),
        ("pane.split", {"focus": "no"}, "invalid_request"),
        ("pane.rename", {"name": "Upper"}, "invalid_request"),
        ("pane.rename", {"name": "9lives"}, "invalid_request"),
        ("pane.rename", {}, "invalid_request"),
        ("pane.read", {"lines": 0}, "invalid_request"),
        ("pane.read", {"lines": "5"}, "invalid_request"),
        ("pane.run", {}, "invalid_request"),
        ("pane.send_input", {"text": None}, "invalid_request"),
        ("wait.output", {"match": "x"}, "invalid_request"),
        ("wait.output", {"pane": "9", "match": "x"}, "not_found"),
        ("wait.output", {"pane": "1", "match": ""}, "invalid_request"),
        ("wait.output", {"pane": "1", "match": "x", "timeout_s": 3601}, "invalid_request"),
        ("events.wait", {"event": ""}, "invalid_request"),
        ("events.wait", {"event": "x", "where": {"a": {}}}, "invalid_request"),
        ("events.wait", {"event": "x", "where": {str(i): 1 for i in range(17)}}, "invalid_request"),
    ],
)
def test_a_refused_call_changes_nothing_at_all(
    served: LiveServer, method: str, params: dict[str, Any], code: str
) -> None:
    before = served.call("session.snapshot")

    error = served.refusal(method, params)

    assert error["code"] == code
    assert served.call("session.snapshot") == before


def test_a_split_starts_a_shell_where_the_pane_is_and_focuses_it(live: LiveServer) -> None:
    work = folder(live, "work")
    live.call("pane.run", {"pane": 1, "command": f"cd {work} && echo there"})
    live.wait_text("1", "\nthere")

    split = live.call("pane.split", {"down": True})

    split.pop("revision")
    assert split == {"type": "ok", "pane": "2", "workspace": "0", "tab": "1"}
    current = live.call("pane.current")
    assert (current["pane"], current["cwd"], current["command"]) == ("2", work, "/bin/sh")
    assert live.call("tab.get")["panes"] == ["1", "2"]


def test_a_split_without_focus_keeps_the_focus(live: LiveServer) -> None:
    live.call("pane.split", {"focus": False, "direction": "right"})

    assert live.call("pane.current")["pane"] == "1"


def test_closing_the_last_pane_of_a_tab_closes_the_tab(live: LiveServer) -> None:
    live.call("tab.new")

    live.call("pane.close")

    assert [row["tab"] for row in live.call("tab.list")["tabs"]] == ["1"]
    assert live.call("pane.current")["pane"] == "1"


def test_a_pane_knows_who_and_where_it_is(live: LiveServer) -> None:
    live.call("pane.run", {"pane": 1, "command": 'echo "$LUVUS_ENV,$LUVUS_PANE_ID,$TERM,end"'})
    live.wait_text("1", "\n1,1,xterm-256color,end")
    live.call("pane.run", {"pane": 1, "command": 'echo "$LUVUS_SOCKET_PATH+$LUVUS_API_ADDRESS+"'})

    live.wait_text("1", f"{live.socket}+{live.socket}+")


def test_an_alias_moves_to_the_pane_that_asks_for_it_last(live: LiveServer) -> None:
    live.call("pane.split")
    live.call("pane.rename", {"pane": 1, "name": "tests"})

    assert live.call("pane.rename", {"pane": 2, "name": "tests"})["name"] == "tests"

    assert live.call("pane.get", {"pane": 1})["name"] is None
    assert live.call("pane.get", {"pane": 2})["name"] == "tests"
    assert live.call("pane.rename", {"pane": 2, "name": ""})["name"] is None


def test_a_shell_that_ends_takes_its_pane_along_and_tells_how_it_ended(live: LiveServer) -> None:
    live.call("pane.split")
    with live.stream("events.subscribe") as events:
        assert events.line()

        live.call("pane.run", {"pane": 2, "command": "exit 7"})

        exited = events.until("terminal.exited", pane_id="2")["data"]["detail"]
        closed = events.until("terminal.closed", pane_id="2")["data"]["detail"]
    assert exited == {"exit_code": 7, "signal": None}
    assert closed == {"reason": "exited", "exit_code": 7, "signal": None}
    assert live.call("tab.get")["panes"] == ["1"]


def test_a_shell_that_cannot_start_is_reported_and_leaves_nothing_behind(
    short_tmp: Path,
) -> None:
    broken = short_tmp / "broken-shell"
    broken.write_text("#!/no/such/interpreter\n")
    broken.chmod(0o755)
    live = LiveServer(short_tmp)
    live.extra["LUVUS_SHELL"] = str(broken)
    live.start()

    try:
        assert live.call("workspace.list")["workspaces"] == []
        error = live.refusal("tab.new")
        assert error["code"] == "spawn_failed"
        assert "broken-shell" in error["message"]
        assert live.refusal("pane.list")["code"] == "no_session"
        assert live.call("session.snapshot")["workspaces"] == []
    finally:
        live.stop()


def test_a_change_made_for_an_older_revision_is_refused_with_both_revisions(
    live: LiveServer,
) -> None:
    revision = live.call("tab.list")["revision"]
    assert live.call("tab.new", {"if_revision": revision})["tab"] == "2"

    with pytest.raises(Refused) as refused:
        live.call("tab.new", {"if_revision": revision})

    error = refused.value.error
    assert (error["code"], error["expected"]) == ("revision_conflict", revision)
    assert error["actual"] > revision
    assert len(live.call("tab.list")["tabs"]) == 2
    for never in ("7", None, True):
        error = live.refusal("tab.new", {"if_revision": never})
        assert (error["code"], error["expected"]) == ("revision_conflict", never)
    for given in (7, None):
        assert live.refusal("tab.list", {"if_revision": given})["code"] == "invalid_request"
    assert len(live.call("tab.list")["tabs"]) == 2


def test_of_two_changes_for_one_revision_that_start_shells_only_one_is_made(
    live: LiveServer,
) -> None:
    revision = live.call("tab.list")["revision"]
    request = f'{{"id":"t","method":"tab.new","params":{{"if_revision":{revision}}}}}\n'.encode()

    first, second = live.connect(), live.connect()
    with first, second:
        first.sendall(request)
        second.sendall(request)
        raw = [first.recv(65536), second.recv(65536)]

    assert sorted(b"revision_conflict" in answer for answer in raw) == [False, True]
    assert len(live.call("tab.list")["tabs"]) == 2
