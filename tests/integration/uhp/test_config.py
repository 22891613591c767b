"""The configuration of a real server, with its file and its lock."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.live import LiveServer


@contextmanager
def held_lock(home: Path) -> Iterator[None]:
    """Hold the configuration's lock as another process would."""
    descriptor = os.open(home / "config.lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(descriptor)


def stored(home: Path) -> dict[str, Any]:
    return dict(json.loads((home / "config.json").read_bytes()))


def test_a_patch_answers_while_the_lock_is_held_and_a_reload_keeps_it(live: LiveServer) -> None:
    with held_lock(live.home):
        config = live.call("config.patch", {"patch": {"layout": {"row_gap": 2}}})["config"]
        assert config["layout"]["row_gap"] == 2
        for _ in range(20):
            live.call("uhp.capabilities")
        # Longer than one attempt for the lock takes.
        assert live.call("server.reload_config")["config"]["layout"]["row_gap"] == 2
        assert not (live.home / "config.json").exists()

    reloaded = live.call("server.reload_config")
    assert (reloaded["type"], reloaded["config"]) == ("config_reloaded", config)
    assert stored(live.home) == config


def test_two_sessions_of_a_home_keep_each_others_changes(live: LiveServer) -> None:
    other = LiveServer(live.home, session="other")
    other.start()
    try:
        live.call("config.patch", {"patch": {"language": "de"}})
        other.call("config.patch", {"patch": {"agents_active_only": True}})
        live.call("server.reload_config")
        other.call("server.reload_config")

        configs = [server.call("server.reload_config")["config"] for server in (live, other)]
        assert configs[0] == configs[1] == stored(live.home)
        assert (configs[0]["language"], configs[0]["agents_active_only"]) == ("de", True)
    finally:
        other.stop()


def test_a_change_is_told_and_survives_a_restart(live: LiveServer) -> None:
    with live.stream("events.subscribe") as events:
        assert events.line()
        live.call("config.patch", {"patch": {"prefix": "f1"}})
        assert events.until("config.changed")["data"] == {}

    live.stop()
    live.start()

    assert live.call("config.get")["config"]["prefix"] == "f1"


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"patch": []},
        {"patch": {"nothing": 1}},
        {"patch": {"layout": {"nothing": 1}}},
        {"patch": {"layout": {"scrollback_bytes": 1}}},
        {"patch": {"prefix": "x"}},
        {"patch": {"direct_keybindings": {"pane.zoom": "z"}}},
        {"patch": {"theme": "missing"}},
        {"patch": {}, "extra": 1},
    ],
)
def test_a_refused_patch_changes_nothing_at_all(served: LiveServer, params: dict[str, Any]) -> None:
    before = served.call("config.get")

    assert served.refusal("config.patch", params)["code"] == "invalid_request"

    assert served.call("config.get") == before
    assert not (served.home / "config.json").exists()


def test_gaps_scrollback_and_the_folder_of_new_panes_follow_at_once(live: LiveServer) -> None:
    (live.home / "deep").mkdir()
    live.call("pane.run", {"pane": 1, "command": "cd deep; echo there"})
    live.wait_text("1", "\nthere")
    live.call("pane.split", {"direction": "right"})

    live.call(
        "config.patch",
        {
            "patch": {
                "layout": {
                    "col_gap": 4,
                    "scrollback_bytes": 2 << 20,
                    "new_pane_to_workspace_root": True,
                }
            }
        },
    )
    live.call("pane.run", {"pane": 1, "command": "stty size"})
    live.wait_text("1", "\n40 58")
    assert live.call("pane.status", {"pane": 1})["history_budget_bytes"] == 2 << 20
    live.call("pane.split", {"pane": 1})
    assert live.call("pane.current")["cwd"] == str(live.home)


def test_a_broken_file_is_kept_aside_and_the_server_starts_with_the_defaults(
    short_tmp: Path,
) -> None:
    (short_tmp / "config.json").write_text("{broken")
    live = LiveServer(short_tmp)
    live.start()
    try:
        assert live.call("config.get")["config"]["theme"] == "quattro-rally"
        assert (short_tmp / "config.json.broken-1").read_text() == "{broken"
        assert "config.json.broken-1" in (short_tmp / "server.log").read_text()

        (short_tmp / "config.json").write_text("{broken again")
        error = live.refusal("server.reload_config")
        assert error["code"] == "invalid_request"
        assert "config.json" in error["message"]
        assert (short_tmp / "config.json").read_text() == "{broken again"
    finally:
        live.stop()
