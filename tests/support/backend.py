"""Terminals of a live server as the terminal namespace sees them, for integration tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.support.live import LiveServer, Refused

LOCATOR_KEYS = ("server_generation", "terminal_id", "pane_id")


def call(live: LiveServer, name: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
    """Call a method of the namespace by its short name and return its result."""
    return live.call(f"terminal.backend.{name}", params)


def refusal(live: LiveServer, name: str, params: dict[str, Any] | None = None) -> tuple[str, Any]:
    """Call a method that must be refused; return the error's code and its evidence."""
    error = live.refusal(f"terminal.backend.{name}", params)
    assert set(error) <= {"code", "message", "dispatch", "metadata"}, error
    return error["code"], error.get("dispatch")


def create(
    live: LiveServer,
    script: str | None = None,
    *,
    command: Sequence[str] | None = None,
    beside: dict[str, Any] | None = None,
    focus: bool = False,
    **more: Any,
) -> dict[str, Any]:
    """Create a terminal for a shell script and return the whole result."""
    if script is not None:
        command = ["/bin/sh", "-c", script]
    placement: dict[str, Any] = {"kind": "workspace"}
    if beside is not None:
        placement = {"kind": "sibling", "of_terminal": locator(beside)}
    params = {
        "cwd": str(live.folder),
        "placement": placement,
        "focus": focus,
        "command": None if command is None else list(command),
        **more,
    }
    return call(live, "create", params)


def locator(row: dict[str, Any], **other: Any) -> dict[str, Any]:
    """Return the locator in a row or result."""
    return {key: row[key] for key in LOCATOR_KEYS if key in row} | other


def rows(live: LiveServer) -> dict[str, dict[str, Any]]:
    """Return the inventory's rows by terminal id, without the generation."""
    return {row["terminal_id"]: row for row in call(live, "inventory")["terminals"]}


def capture(live: LiveServer, row: dict[str, Any], **other: Any) -> dict[str, Any]:
    """Capture the visible screen as plain text."""
    wanted = {"mode": "visible", "lines": 24, "ansi": False, **other}
    return call(live, "capture", locator(row, **wanted))


def wait_shown(live: LiveServer, row: dict[str, Any], text: str, *, after: int = 0) -> int:
    """Return the revision at which a terminal shows a text."""
    known = capture(live, row, mode="recent_unwrapped", lines=300)
    if text in known["text"]:
        return int(known["content_revision"])
    wanted = {"after_revision": after, "match": text, "timeout_ms": 10_000}
    return int(call(live, "wait_output", locator(row, **wanted))["content_revision"])


def close(live: LiveServer, row: dict[str, Any]) -> None:
    """Close a terminal, if it is still there."""
    try:
        call(live, "close", locator(row))
    except Refused as refused:
        assert refused.code == "stale_terminal", refused.error
