"""`workspace.*` and its older name `node.*`."""

from __future__ import annotations

from luvus_service.rpc.declare import family, method
from luvus_service.rpc.errors import InvalidRequest, LimitExceeded
from luvus_service.rpc.models import NoParamsLenient, Spelling
from luvus_service.rpc.scopes import Access, Scope
from luvus_service.uhp.domain import workspaces as rules
from luvus_service.uhp.domain.errors import InvalidRequest as NoSuchPosition
from luvus_service.uhp.engine.errors import NotFound, SpawnFailed
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.workspaces import Workspaces
from luvus_service.uhp.families.workspace import views
from luvus_service.uhp.families.workspace.events import EVENTS
from luvus_service.uhp.families.workspace.examples import EXAMPLES
from luvus_service.uhp.families.workspace.models import (
    Done,
    WorkspaceBlockMoved,
    WorkspaceDetail,
    WorkspaceGet,
    WorkspaceList,
    WorkspaceMove,
    WorkspaceMoveBlock,
    WorkspaceMoved,
    WorkspaceOpen,
    WorkspaceOpened,
    WorkspacePin,
    WorkspacePinned,
    WorkspaceRename,
    WorkspaceRenamed,
    WorkspaceReport,
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
        _, workspace = self._workspaces.select(*params.workspace_selector())
        index, facts = await self._workspaces.git_facts(workspace)
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
        """Make a workspace the active one."""
        position, workspace_id = params.workspace_selector()
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
        "workspace.pin",
        access=Access.WRITE,
        errors=(InvalidRequest, NotFound),
        aliases=("node.pin",),
        spellings=(
            Spelling("workspace pin", {"pinned": True}),
            Spelling("workspace unpin", {"pinned": False}),
        ),
    )
    async def pin(self, params: WorkspacePin) -> WorkspacePinned:
        """Let a workspace float to the top of the sidebar, or no longer.

        Linked worktrees of one repository float together. Positions in the list stay the same,
        and nothing gets or loses the focus.
        """
        index, _ = self._workspaces.select(*params.workspace_selector(), required=True)
        self._session.commit(rules.pin_workspace, index, pinned=params.pinned)
        return views.pinned(self._session, index)

    @method("workspace.move", access=Access.WRITE, errors=(InvalidRequest, NotFound))
    async def move(self, params: WorkspaceMove) -> WorkspaceMoved:
        """Give a workspace another position; the active workspace stays active."""
        index, _ = self._workspaces.select(
            *params.workspace_selector(), required=True, beyond=NoSuchPosition
        )
        self._session.commit(rules.move_workspace, index, params.to)
        return WorkspaceMoved(workspace=str(index), to=str(params.to))

    @method(
        "workspace.move_block",
        access=Access.WRITE,
        errors=(InvalidRequest, LimitExceeded, NotFound),
    )
    async def move_block(self, params: WorkspaceMoveBlock) -> WorkspaceBlockMoved:
        """Put workspaces together in the order given; the active workspace stays active.

        Everything is checked before anything moves.
        """
        block = self._workspaces.block(params.workspaces, params.workspace_ids)
        self._session.commit(rules.move_block, block, params.to)
        positions = [params.to + offset for offset in range(len(block))]
        return WorkspaceBlockMoved(workspaces=[*block], positions=positions)

    @method("workspace.report_metadata", access=Access.WRITE, errors=(InvalidRequest, NotFound))
    async def report_metadata(self, params: WorkspaceReport) -> WorkspaceDetail:
        """Tell what git says of a workspace, in place of what the server finds.

        What is left out stays as it was reported before; of `ahead` and `behind`, one that was
        never reported becomes 0 with the other.
        """
        index, workspace = self._workspaces.select(*params.workspace_selector(), required=True)
        told = params.branch if "branch" in params.model_fields_set else rules.UNSET
        self._session.commit(
            rules.report_metadata, index, branch=told, ahead=params.ahead, behind=params.behind
        )
        index, facts = await self._workspaces.git_facts(workspace)
        return views.detail(self._session, index, facts)

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
