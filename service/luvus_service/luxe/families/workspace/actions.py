"""The project as the dock shows it."""

from __future__ import annotations

from luvus_service.luxe.domain.project_events import WorkspaceUpdated
from luvus_service.luxe.engine.workspace import Workspace
from luvus_service.rpc.frames import action, group


@group("workspace", events=(WorkspaceUpdated,))
class WorkspaceActions:
    """Look at the project."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    @action("refresh_workspace")
    async def refresh(self) -> None:
        """Show the project, its changes, todos and tools."""
        await self._workspace.show()
