"""`workspace.*` and its older name `node.*`."""

from __future__ import annotations

from luvus_service.rpc.declare import family, method
from luvus_service.rpc.errors import InvalidRequest, LimitExceeded
from luvus_service.rpc.models import NoParamsLenient
from luvus_service.rpc.scopes import Access, Scope
from luvus_service.uhp.domain import workspaces as rules
from luvus_service.uhp.engine.errors import NotFound, SpawnFailed
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.workspaces import Workspaces
from luvus_service.uhp.families.workspace import views
from luvus_service.uhp.families.workspace.events import EVENTS
from luvus_service.uhp.families.workspace.examples import EXAMPLES
from luvus_service.uhp.families.workspace.models import (
    Done,
    WorkspaceDetail,
    WorkspaceGet,
    WorkspaceList,
    WorkspaceOpen,
    WorkspaceOpened,
    WorkspaceRename,
    WorkspaceRenamed,
    WorkspaceTarget,
)


@family("workspace", scope=Scope.WORKSPACE, title="Workspaces", events=EVENTS, examples=EXAMPLES)
class WorkspaceMethods:
    """Open, find, name and close workspaces: folders with their tabs of panes.

    A workspace is named by its 0-based position, which changes as others come and go, or by its
    `workspace_id`, which never changes.
    """

    def __init__(self, session: Session, workspaces: Workspaces) -> None:
        self._session = session
        self._workspaces = workspaces

    @method("workspace.list", access=Access.READ, aliases=("node.list",))
    async def list(self, params: NoParamsLenient) -> WorkspaceList:
        """List all workspaces in the order of their positions."""
        return WorkspaceList(workspaces=views.rows(self._session))

    @method("workspace.get", access=Access.READ, errors=(NotFound,))
    async def get(self, params: WorkspaceGet) -> WorkspaceDetail:
        """Describe one workspace; the active one by default."""
        index, _ = self._workspaces.select(*params.workspace_selector())
        facts = await self._workspaces.git_facts(index)
        return views.detail(self._session, index, facts)

    @method(
        "workspace.open",
        access=Access.WRITE,
        errors=(InvalidRequest, LimitExceeded, SpawnFailed),
        aliases=("node.open",),
    )
    async def open(self, params: WorkspaceOpen) -> WorkspaceOpened:
        """Open a folder as a workspace with one shell, or focus it when it is open."""
        active = await self._workspaces.open(params.path, focus=params.focus)
        return WorkspaceOpened(workspace=str(active))

    @method(
        "workspace.new",
        access=Access.WRITE,
        errors=(LimitExceeded, SpawnFailed),
        aliases=("node.new",),
    )
    async def new(self, params: NoParamsLenient) -> WorkspaceOpened:
        """Open another workspace at the folder where the focused pane's program is."""
        return WorkspaceOpened(workspace=str(await self._workspaces.new()))

    @method("workspace.focus", access=Access.WRITE, errors=(NotFound,), aliases=("node.focus",))
    async def focus(self, params: WorkspaceTarget) -> Done:
        """Make a workspace the active one; a position past the end changes nothing."""
        position, workspace_id = params.workspace_selector()
        if position is None or position < len(self._session.structure.workspaces):
            index, _ = self._workspaces.select(position, workspace_id)
            self._session.commit(rules.focus_workspace, index)
        return Done()

    @method(
        "workspace.rename",
        access=Access.WRITE,
        errors=(InvalidRequest, NotFound),
        aliases=("node.rename",),
    )
    async def rename(self, params: WorkspaceRename) -> WorkspaceRenamed:
        """Change the name that people see; the folder on disk stays as it is."""
        index, _ = self._workspaces.select(*params.workspace_selector(), required=True)
        self._session.commit(rules.rename_workspace, index, params.name)
        return views.renamed(self._session, index)

    @method(
        "workspace.close",
        access=Access.WRITE,
        errors=(NotFound, SpawnFailed),
        aliases=("node.close",),
    )
    async def close(self, params: WorkspaceTarget) -> Done:
        """Close a workspace and end the programs in it.

        After the last one a neutral workspace with one shell in the home folder is there.
        """
        index, _ = self._workspaces.select(*params.workspace_selector())
        await self._workspaces.close(index)
        return Done()
