"""An agent session as a list shows it; known before the agent itself is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

RowState: TypeAlias = Literal["blocked", "working", "done", "idle", "failed"]


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session as a list shows it."""

    session_id: str
    cwd: str
    branch: str | None
    title: str | None
    """Its name, or the beginning of its first message."""
    model: str | None
    """`provider/model`."""
    state: RowState
    since_ms: int
    """When it got into this state, in milliseconds since 1970."""
    streaming: bool
    activity: str
    mode: str
    permission_mode: str
    read_only: bool
    pending_permissions: int
    pending_questions: int
    prompts: tuple[str, ...]
    """The ids of what waits for an answer, oldest first."""
    error: str | None
    """Why its last turn failed."""
    viewers: int
    tokens: int
    cost_usd: float | None
    context_percent: float | None
    started_at: str
