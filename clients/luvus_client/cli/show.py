"""What a command prints and exits with: results on standard output, errors on standard error."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

from luvus_client.cli.usage import EXIT_FAILED, EXIT_OK, EXIT_WAIT_OVER
from luvus_client.errors import (
    BadCredential,
    ClientError,
    ConnectionFailure,
    LuvusError,
    NotRunning,
    RequestRefused,
    ServerChanged,
    UnsafeEndpoint,
)

_CODES: tuple[tuple[type[ClientError], str], ...] = (
    (NotRunning, "not_running"),
    (ServerChanged, "server_changed"),
    (UnsafeEndpoint, "unsafe_endpoint"),
    (BadCredential, "bad_credential"),
    (RequestRefused, "invalid_request"),
    (ConnectionFailure, "connection_lost"),
)


# A terminal acts on the C1 controls, and some line readers cut at the Unicode separators.
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029]")


def result(value: dict[str, Any]) -> int:
    """Print a result and return the exit code that it deserves."""
    line(value)
    unmet = value.get("matched") is False and value.get("evidence") != "queued"
    unmet = unmet or (value.get("type") == "agent_start" and value.get("ready") is False)
    return EXIT_WAIT_OVER if unmet else EXIT_OK


def line(value: object, *, indented: bool | None = None) -> None:
    """Print a value; by default indented for a person and on one line for a program."""
    person = sys.stdout.isatty() if indented is None else indented
    separators = None if person else (",", ":")
    text = json.dumps(
        value, ensure_ascii=False, indent=2 if person else None, separators=separators
    )
    write(_UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")


def write(text: str) -> None:
    """Write text to standard output now, whatever encoding the terminal claims to have."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


def failure(error: ClientError) -> int:
    """Print an error as JSON to standard error and return the exit code."""
    sys.stderr.write(json.dumps({"error": described(error)}, ensure_ascii=True) + "\n")
    over = isinstance(error, LuvusError) and error.code == "timeout"
    return EXIT_WAIT_OVER if over else EXIT_FAILED


def described(error: ClientError) -> dict[str, Any]:
    """Return an error as the object that a server would send."""
    if isinstance(error, LuvusError):
        return {"code": error.code, "message": error.message, **error.data}
    code = next((code for kind, code in _CODES if isinstance(error, kind)), "client_error")
    found: dict[str, Any] = {"code": code, "message": str(error)}
    if isinstance(error, ConnectionFailure):
        found["possibly_executed"] = error.possibly_executed
    return found
