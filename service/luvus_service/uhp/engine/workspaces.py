"""Opening and closing workspaces, with the shells that this starts and ends."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path

from luvus_service.rpc.errors import InvalidRequest, LimitExceeded, RpcError
from luvus_service.uhp.domain import workspaces as rules
from luvus_service.uhp.domain.errors import DomainError
from luvus_service.uhp.domain.errors import NotFound as MissingPlace
from luvus_service.uhp.domain.ports import GitFacts
from luvus_service.uhp.domain.selectors import select_workspace
from luvus_service.uhp.domain.step import Step
from luvus_service.uhp.domain.structure import PaneRecord, Workspace
from luvus_service.uhp.domain.structure import Session as Structure
from luvus_service.uhp.domain.topology import Outcome
from luvus_service.uhp.engine.checkouts import Checkouts
from luvus_service.uhp.engine.errors import refusals
from luvus_service.uhp.engine.session import Session

PATH_BYTES = 4096
EARLY_EXITS = 3
"""A home workspace whose shell ends this often at once is not opened again by itself."""
EARLY_S = 2.0


class Workspaces:
    """What can be done to workspaces."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._home_opened: list[float] = []
        session.on_emptied = self.open_home
        self._checkouts = Checkouts(session)

    def select(
        self,
        index: int | None,
        workspace_id: str | None,
        *,
        required: bool = False,
        beyond: type[DomainError] = MissingPlace,
    ) -> tuple[int, Workspace]:
        """Return the position and the workspace that is meant; the active one by default.

        `beyond` is the refusal of a position past the end.

        Raises:
            RpcError: There is none such.
        """
        structure = self._session.structure
        with refusals():
            found = select_workspace(
                structure, index, workspace_id, required=required, beyond=beyond
            )
        return found, structure.workspaces[found]

    def block(self, indices: Sequence[int] | None, ids: Sequence[str] | None) -> tuple[int, ...]:
        """Return the positions of the workspaces that are meant, in the order given.

        Raises:
            LimitExceeded: They are none or more than a block may have.
            NotFound: One of the ids is not open.
        """
        named = len(indices or ids or ())
        if not 1 <= named <= rules.MAX_BLOCK:
            raise LimitExceeded(f"a block has 1 to {rules.MAX_BLOCK} workspaces, not {named}")
        if indices is not None:
            return tuple(indices)
        return tuple(self.select(None, wanted)[0] for wanted in ids or ())

    async def git_facts(self, workspace: Workspace) -> tuple[int, GitFacts]:
        """Return a workspace's position and what git says of its folder.

        Raises:
            NotFound: It was closed while git was asked.
        """
        facts = await self._session.world.git.facts(workspace.cwd)
        # Positions may have changed meanwhile; the id has not.
        index, _ = self.select(None, workspace.workspace_id)
        self._checkouts.remember(workspace.workspace_id, facts)
        return index, facts

    async def open(self, path: str, *, focus: bool) -> int:
        """Open a folder, or focus it when it is open; return the active position afterwards.

        Raises:
            InvalidRequest: The path names no folder.
            SpawnFailed: The shell could not be started.
        """
        cwd = canonical_folder(path, self._session.world.launcher.home)
        known = rules.find_path(self._session.structure, cwd)
        if known is not None:
            if focus:
                self._session.commit(rules.focus_workspace, known)
        else:
            await self._session.grow(opening(cwd, focus=focus), cwd=cwd)
        return self._session.structure.active_index

    async def new(self) -> int:
        """Open another workspace at the focused pane's folder; return the active position."""
        structure = self._session.structure
        pane = structure.focused
        cwd = self._session.world.launcher.home
        if pane is not None:
            cwd = self._session.cwd_of(structure.panes[pane])
        await self._session.grow(opening(cwd, focus=True, reuse=False), cwd=cwd)
        return self._session.structure.active_index

    async def close(self, index: int) -> Outcome:
        """Close a workspace; after the last one the neutral one is there before this returns."""
        outcome = self._session.commit(rules.close_workspace, index)
        await self.after(outcome)
        return outcome

    async def after(self, outcome: Outcome) -> None:
        """Open the neutral workspace when an operation has left none."""
        if outcome.emptied:
            await self.open_home()

    async def open_home(self) -> None:
        """Open the neutral workspace in the home folder, unless one is open.

        Its shell may be one that ends at once; then the session stays empty after a few tries.
        """
        session = self._session
        if session.structure.workspaces:
            return
        now = session.world.clock.monotonic()
        self._home_opened = [t for t in self._home_opened if now - t < EARLY_S * EARLY_EXITS]
        if len(self._home_opened) >= EARLY_EXITS:
            return
        self._home_opened.append(now)
        home = session.world.launcher.home
        try:
            await session.grow(opening(home, focus=True), cwd=home)
        except RpcError:
            # The server stays, empty: workspace.open, tab.new and pane.split start again.
            return


def opening(
    cwd: str, *, focus: bool, reuse: bool = True
) -> Callable[[Structure, PaneRecord], Step]:
    """Return the operation that opens a folder; its ids are the same each time it is tried."""
    workspace_id = "workspace_" + secrets.token_hex(16)
    tab_id = "tab_" + secrets.token_hex(16)

    def operation(structure: Structure, record: PaneRecord) -> Step:
        return rules.open_workspace(
            structure,
            workspace_id=workspace_id,
            tab_id=tab_id,
            pane=record,
            cwd=cwd,
            focus=focus,
            reuse=reuse,
        )

    return operation


def canonical_folder(path: str, home: str) -> str:
    """Return the real path of a folder; `~` is the home folder.

    Raises:
        InvalidRequest: It is not absolute, too long, or no folder that can be entered.
    """
    if not path or "\0" in path or len(path.encode()) > PATH_BYTES:
        raise InvalidRequest(f"`path` must be 1 to {PATH_BYTES} bytes without NUL")
    if path == "~" or path.startswith("~/"):
        path = home + path[1:]
    if not path.startswith("/"):
        raise InvalidRequest(f"`path` must be absolute, not {path[:200]!r}")
    folder = Path(os.path.realpath(path))
    if not folder.is_dir():
        raise InvalidRequest(f"{path[:200]!r} is no folder; create it first")
    if not os.access(folder, os.X_OK):
        raise InvalidRequest(f"{path[:200]!r} cannot be entered; check its permissions")
    return str(folder)
