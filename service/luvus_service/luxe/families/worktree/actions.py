"""The linked worktree a session runs in."""

from __future__ import annotations

from dataclasses import replace

from luvus_service.luxe.domain.project_events import WorktreeRemovalChecked
from luvus_service.luxe.engine.session import Session
from luvus_service.rpc.frames import action, group


@group("worktree", events=(WorktreeRemovalChecked,))
class WorktreeActions:
    """Look at the session's worktree before somebody removes it."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @action("check_worktree_removal")
    async def check_removal(self) -> None:
        """Show what removing the session's worktree would lose; nothing is removed."""
        session = self._session
        worktree = session.choices.worktree
        if worktree is None:
            text = "this session runs in no worktree of its own"
            session.emit(WorktreeRemovalChecked(refusal=text))
            return
        checked = await session.world.project.removal(worktree)
        background = session.world.equipment().background
        jobs = sum(job.state == "running" for job in background) + (session.turn is not None)
        removable = checked.removable and not jobs
        session.emit(replace(checked, processes=jobs, removable=removable))
