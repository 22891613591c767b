"""How a hosted session stands, as a row of a list shows it; read off the lines that pass.

Knows no viewer and no socket. A line is looked into only when its kind may change the row.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from luvus_service.luxe.domain.events import PermissionRequested, QuestionAsked
from luvus_service.luxe.engine.session import Session
from luvus_service.luxe_wiring.rows import RowState, SessionRow

_FAILED = frozenset({"error", "context_overflow", "refusal", "max_steps", "max_tokens"})
FOLLOWED = (
    "state_changed",
    "permission_requested",
    "permission_resolved",
    "question_asked",
    "question_resolved",
    "turn_ended",
    "turn_usage",
    "session_usage",
    "context_usage",
    "session_loaded",
    "sessions_refreshed",
    "workspace_updated",
    "message_committed",
    "transcript_rewound",
)
"""Kinds of events after which a row may be another one."""
READ = ("turn_ended", "context_usage", "workspace_updated", "session_loaded")
"""Those of them that are read: the session itself keeps nothing of what they say."""
_FOLLOWED_LINES = tuple(f'{{"kind":"{kind}"'.encode() for kind in FOLLOWED)
_READ_LINES = tuple(f'{{"kind":"{kind}"'.encode() for kind in READ)


@dataclass(frozen=True, slots=True)
class SessionShown:
    """A session with what waits for an answer, in the shapes of the events that asked."""

    session: SessionRow
    permissions: tuple[PermissionRequested, ...]
    questions: tuple[QuestionAsked, ...]


class Standing:
    """What the lines of one session said last."""

    def __init__(self, session: Session, before: SessionRow | None = None) -> None:
        """`before` is how a session stood that comes back, with nothing running in it."""
        self._session = session
        self._id = session.conversation.header.id
        self._last: RowState = before.state if before is not None else "idle"
        self._error = before.error if before is not None else None
        self._branch = before.branch if before is not None else None
        self._percent = before.context_percent if before is not None else None
        self._state: RowState = self._last
        self._since_ms = before.since_ms if before is not None else self._now_ms()

    def note(self, line: bytes) -> bool:
        """Take a line; say whether the row may have changed."""
        if not line.startswith(_FOLLOWED_LINES):
            return False
        if line.startswith(_READ_LINES):
            frame: dict[str, Any] = json.loads(line)
            self._read(frame["kind"], frame["content"])
        self._settle()
        return True

    def row(self, session_id: str, viewers: int) -> SessionRow:
        """Return the row as it is now."""
        self._settle()
        session = self._session
        state, conversation = session.state, session.conversation
        usage = conversation.cost()
        permissions, questions = state.permissions(), state.questions()
        return SessionRow(
            session_id=session_id,
            cwd=session.choices.cwd,
            branch=self._branch,
            title=conversation.folded.title or conversation.summary("").first_message,
            model=f"{state.model.provider}/{state.model.model}" if state.model else None,
            state=self._state,
            since_ms=self._since_ms,
            streaming=state.turn_id is not None,
            activity=state.activity,
            mode=state.mode,
            permission_mode=state.permission_mode,
            read_only=state.read_only,
            pending_permissions=len(permissions),
            pending_questions=len(questions),
            prompts=(*permissions, *questions),
            error=self._error,
            viewers=viewers,
            tokens=usage.total_tokens,
            cost_usd=usage.cost_usd,
            context_percent=self._percent,
            started_at=conversation.header.created_at,
        )

    def shown(self, session_id: str, viewers: int) -> SessionShown:
        """Return the row and what waits for an answer."""
        asked = self._session.prompts.open()
        return SessionShown(
            self.row(session_id, viewers),
            tuple(prompt for prompt in asked if isinstance(prompt, PermissionRequested)),
            tuple(prompt for prompt in asked if isinstance(prompt, QuestionAsked)),
        )

    def _read(self, kind: str, content: dict[str, Any]) -> None:
        match kind:
            case "turn_ended":
                self._ended(content["reason"], content["error"])
            case "context_usage":
                self._percent = content["percent"]
            case "workspace_updated":
                git: dict[str, Any] | None = content["git"]
                self._branch = git["branch"] if git is not None else None
            case _:
                self._loaded(content["session"]["id"])

    def _loaded(self, session_id: str) -> None:
        # The same one again is a look at it: how it stood still holds.
        if session_id != self._id:
            self._id = session_id
            self._last, self._error = "idle", None

    def _ended(self, reason: str, error: dict[str, Any] | None) -> None:
        if reason in _FAILED:
            self._last = "failed"
            self._error = error["message"] if error else f"the turn ended: {reason}"
            return
        self._last = "idle" if reason == "cancelled" else "done"
        self._error = None

    def _settle(self) -> None:
        found = self._found()
        if found != self._state:
            self._state, self._since_ms = found, self._now_ms()

    def _found(self) -> RowState:
        state = self._session.state
        if state.permissions() or state.questions():
            return "blocked"
        if self._session.running:
            return "working"
        return self._last

    def _now_ms(self) -> int:
        return round(self._session.world.clock.time() * 1000)
