"""How long a client waits for an answer, given what the request itself asks to wait for."""

from __future__ import annotations

from typing import cast

DEFAULT_TIMEOUT_S = 30.0
"""Without a wait in the request: until an answer must be there."""

LONGEST_WAIT_S = 3600.0
"""The longest wait that the protocol grants a request."""

GIVE_UP_AFTER_S = 300.0
"""How long an event feed tries to reach its server again before it raises the last error."""

PARKING_METHODS = frozenset(
    {
        "agent.prompt",
        "agent.start",
        "agent.wait",
        "events.wait",
        "host.update.install",
        "task.merge",
        "terminal.backend.wait_change",
        "terminal.backend.wait_output",
        "wait.output",
    }
)
"""Methods that the server may hold open by its own default when the request names no wait."""


def patience(method: str, params: dict[str, object], timeout: float) -> float:
    """Return the seconds until the answer must have arrived."""
    for field, scale in (("timeout_s", 1.0), ("timeout_ms", 0.001)):
        asked = params.get(field)
        if isinstance(asked, int | float) and not isinstance(asked, bool):
            wait = float(cast("float", asked)) * scale
            return timeout + min(max(wait, 0.0), LONGEST_WAIT_S)
    return timeout + (LONGEST_WAIT_S if method in PARKING_METHODS else 0.0)
