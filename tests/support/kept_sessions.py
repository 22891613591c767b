"""Agent sessions as they are remembered, and one that is live."""

from __future__ import annotations

from luvus_service.luxe_wiring.kept import Kept
from luvus_service.luxe_wiring.rows import RowState, SessionRow


def row(session_id: str = "s1", state: RowState = "idle") -> SessionRow:
    return SessionRow(
        session_id=session_id,
        cwd="/work/app",
        branch="main",
        title="a title",
        model="anthropic/one",
        state=state,
        since_ms=1_000,
        streaming=False,
        activity="idle",
        mode="build",
        permission_mode="ask",
        read_only=False,
        pending_permissions=0,
        pending_questions=0,
        prompts=(),
        error=None,
        viewers=0,
        tokens=10,
        cost_usd=0.5,
        context_percent=1.5,
        started_at="2000-01-01T00:00:00.000Z",
    )


def kept(session_id: str = "s1", state: RowState = "idle", first: str | None = None) -> Kept:
    return Kept(
        row=row(session_id, state),
        first_id=first or session_id,
        started=True,
        thinking="off",
        bound=False,
        add_dirs=("/work/other",),
        worktree=("/w", "branch", "base"),
    )


class Live:
    """A session that is loaded, as the list sees it."""

    def __init__(self, session_id: str) -> None:
        self.id = session_id
        self.first_id = session_id

    def row(self) -> SessionRow:
        return row(self.id)

    def kept(self) -> Kept | None:
        return kept(self.id)
