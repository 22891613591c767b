"""`luvus session list`: what the folders of this user's home say, without asking any server."""

from __future__ import annotations

import os
from typing import Any

from luvus_client.cli import show
from luvus_client.cli.context import Context
from luvus_client.cli.usage import EXIT_OK, UsageError
from luvus_client.connection import open_socket
from luvus_client.endpoint import (
    DEFAULT_SESSION,
    Endpoint,
    check_session_name,
    discover,
    home_folder,
    validate,
)
from luvus_client.errors import ClientError, InvalidSessionName

SESSIONS_LIMIT = 1000
"""Named sessions that a list shows; `truncated` says when there are more."""


def list_sessions(context: Context, words: list[str]) -> int:
    """Run `luvus session list [--json]`."""
    del context
    if words not in ([], ["--json"]):
        raise UsageError("usage: luvus session list [--json]")
    show.line(listed())
    return EXIT_OK


def listed() -> dict[str, Any]:
    """Return every session of this user, the default one first."""
    names = _named()
    rows = [row(discover(name)) for name in [DEFAULT_SESSION, *names[:SESSIONS_LIMIT]]]
    found: dict[str, Any] = {"type": "session_list", "sessions": rows}
    if len(names) > SESSIONS_LIMIT:
        found["truncated"] = True
    return found


def row(endpoint: Endpoint) -> dict[str, Any]:
    """Return what is known of a session from outside."""
    return {
        "name": endpoint.session,
        "default": endpoint.session == DEFAULT_SESSION,
        "running": is_running(endpoint.address),
        "socket_path": endpoint.socket_path,
        "session_dir": endpoint.session_dir,
        "endpoint": {"transport": "unix_socket", "address": endpoint.address},
    }


def is_running(address: str) -> bool:
    """Return whether a server of this user accepts connections; a busy one counts as running."""
    try:
        open_socket(address, validate(address)).close()
    except BlockingIOError:
        return True
    except ClientError:
        return False
    return True


def _named() -> list[str]:
    try:
        entries = os.scandir(f"{home_folder(os.environ)}/sessions")
    except OSError:
        return []
    with entries:
        return sorted(e.name for e in entries if _is_name(e.name) and e.is_dir())


def _is_name(name: str) -> bool:
    try:
        return check_session_name(name) != DEFAULT_SESSION
    except InvalidSessionName:
        return False
