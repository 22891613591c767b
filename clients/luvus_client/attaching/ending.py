"""How an attachment ends, in words."""

from __future__ import annotations

from typing import Any, NamedTuple


class End(NamedTuple):
    """Why an attachment ended."""

    text: str
    """For the person, without an end of line."""
    code: int
    """The exit status of the command."""


def closed(pane: str | None, data: dict[str, Any]) -> End:
    """Return the end that a closing frame means."""
    how = f": exit status {data['exit_code']}" if "exit_code" in data else ""
    return End(f"pane {pane} closed" + (f": {data['signal']}" if "signal" in data else how), 0)
