"""What a host is told when it starts, in a form that fits on a command line."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import asdict, dataclass
from typing import Any, cast

from luvus_service.adapters.ptyhost.journal import JOURNAL_CAPACITY


@dataclass(frozen=True, slots=True)
class HostConfig:
    """One session's places and the command that runs its server."""

    session: str
    session_dir: str
    host_socket: str
    """The bindable address, which may be an alias of the logical path."""
    log_path: str
    server_command: tuple[str, ...]
    journal_capacity: int = JOURNAL_CAPACITY

    def to_json(self) -> str:
        """Return the configuration as one argument."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> HostConfig:
        """Read what `to_json` wrote, leaving out what only a newer version knows."""
        known = {field.name for field in dataclasses.fields(cls)}
        parsed = cast("dict[str, Any]", json.loads(text))
        fields = {name: value for name, value in parsed.items() if name in known}
        fields["server_command"] = tuple(fields["server_command"])
        return cls(**fields)
