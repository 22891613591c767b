"""The project as the dock shows it: sent when asked for, and once a second while it changes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from luvus_service.luxe.domain.project_events import (
    InstructionShown,
    ProjectInfo,
    ToolShown,
    WorkspaceUpdated,
)

if TYPE_CHECKING:
    from luvus_service.luxe.engine.session import Session

GAP_S = 1.0


class Workspace:
    """Shows the project of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._reading = False
        self._again = False
        self._late = False
        self._task: asyncio.Task[None] | None = None

    def changed(self) -> None:
        """Show the project soon; several changes within a second are shown once."""
        if self._session.closing:
            return
        if self._reading:
            self._again = True
            return
        self._reading = True
        self._task = self._session.tasks.start(self._show_and_wait(), "workspace")

    async def show(self) -> None:
        """Send the project now."""
        session = self._session
        project = session.world.project
        git = await project.state()
        if session.closing:
            return
        if project.late and not self._late:
            session.notice("warning", "git_slow", "git is slow; the changes shown are older")
        self._late = project.late
        paths = session.world.paths
        equipment = session.world.equipment()
        enabled = {tool.name for tool in session.tools()}
        session.emit(
            WorkspaceUpdated(
                project=ProjectInfo(
                    name=paths.root.rstrip("/").rpartition("/")[2] or paths.root,
                    root=paths.root,
                    cwd=session.choices.cwd,
                    is_git=git is not None,
                    trusted=session.choices.trusted,
                ),
                git=git,
                worktree=session.choices.worktree,
                todos=session.conversation.folded.todos,
                tools=tuple(
                    _shown(tool.name, enabled=tool.name in enabled)
                    for tool in session.world.toolbox.tools()
                ),
                mcp=equipment.mcp,
                instructions=tuple(
                    InstructionShown(item.path, item.bytes, item.truncated)
                    for item in session.world.instructions()
                ),
                skills=equipment.skills,
                github=None,
                review=None,
                background=equipment.background,
            )
        )

    async def _show_and_wait(self) -> None:
        try:
            while True:
                self._again = False
                await self.show()
                await asyncio.sleep(GAP_S)
                if not self._again:
                    return
        finally:
            self._reading = False


def _shown(name: str, *, enabled: bool) -> ToolShown:
    if name == "skill":
        return ToolShown(name, "skill", enabled)
    if name.startswith("mcp__"):
        return ToolShown(name, "mcp", enabled, name.split("__")[1])
    return ToolShown(name, "builtin", enabled)
