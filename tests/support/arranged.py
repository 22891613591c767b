"""Short ways to look at the topology of a live server, for tests that change it."""

from __future__ import annotations

from typing import Any

from tests.support.live import LineStream, LiveServer


def open_folders(live: LiveServer, *names: str) -> None:
    """Open folders as workspaces without leaving the first one."""
    for name in names:
        (live.home / name).mkdir()
        live.call("workspace.open", {"path": str(live.home / name), "focus": False})


def plain(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result without its revision."""
    result.pop("revision")
    return result


def structural(events: LineStream, until: str) -> list[tuple[str, Any]]:
    """Return the events, except those of terminals' output, up to the first of this name."""
    found: list[tuple[str, Any]] = []
    for line in events.lines():
        if line.get("event") not in (None, "terminal.output_ready"):
            found.append((line["event"], line["data"]))
            if line["event"] == until:
                break
    return found
