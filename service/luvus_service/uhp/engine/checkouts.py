"""What git says of the folders of workspaces: asked when one opens and after work in it ended.

Nothing asks by a timer: a branch changes because somebody ran something, and then a pane's status
changes as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from luvus_service.uhp.domain.ports import GitFacts
from luvus_service.uhp.domain.structure import Workspace
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.throttle import Throttle

LOOK_GAP_S = 5.0
"""Between two looks at one workspace's folder."""
_AT_REST = frozenset({"idle", "done", "blocked"})


class Checkouts:
    """Keeps the repository and the branch of every open workspace."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._looks: dict[str, Throttle] = {}
        session.on_opened = self.look
        session.closers += [session.events.listen(self._heard), self._close]

    def look(self, workspace_id: str) -> None:
        """Ask git about a workspace that is open; returns at once."""
        # Opening a folder does not wait for git: until it has answered, the workspace is displayed
        # as a group of its own.
        work = self._look(workspace_id)
        self._session.tasks.start(work, f"repository of {workspace_id}")

    def remember(self, workspace_id: str, facts: GitFacts) -> None:
        """Take what git said; another branch is published."""
        session = self._session
        open_now = [w.workspace_id for w in session.structure.workspaces]
        groups = session.groups
        if facts.common_dir is None or workspace_id not in open_now:
            groups.pop(workspace_id, None)
        else:
            groups[workspace_id] = facts.common_dir
        before = session.branches
        told = {**before, workspace_id: facts.branch}
        session.branches = {known: told.get(known) for known in open_now}
        for closed in self._looks.keys() - set(open_now):
            self._looks.pop(closed).close()
        if workspace_id in open_now and facts.branch != before.get(workspace_id):
            data = {"workspace": str(open_now.index(workspace_id))}
            session.events.publish("workspace.metadata_reported", data)

    async def _look(self, workspace_id: str) -> None:
        workspace = self._find(workspace_id)
        if workspace is not None:
            facts = await self._session.world.git.facts(workspace.cwd)
            self.remember(workspace_id, facts)

    def _heard(self, name: str, _sequence: int, data: Mapping[str, Any], _frame: bytes) -> None:
        if name != "pane.agent_status_changed" or data["status"] not in _AT_REST:
            return
        pane = int(data["pane"])
        if pane in self._session.structure.panes:
            self._look_soon(self._session.structure.locate(pane).workspace.workspace_id)

    def _look_soon(self, workspace_id: str) -> None:
        looks = self._looks.get(workspace_id)
        if looks is None:

            def act() -> None:
                made.hold(LOOK_GAP_S)
                self.look(workspace_id)

            looks = made = self._looks[workspace_id] = Throttle(act)
        looks.ask()

    def _find(self, workspace_id: str) -> Workspace | None:
        workspaces = self._session.structure.workspaces
        return next((w for w in workspaces if w.workspace_id == workspace_id), None)

    def _close(self) -> None:
        for looks in self._looks.values():
            looks.close()
        self._looks.clear()


def branch_of(session: Session, workspace: Workspace) -> str | None:
    """Return the branch of a workspace: as reported, else as git said last."""
    if workspace.branch is not None:
        return workspace.branch
    return session.branches.get(workspace.workspace_id)
