"""Opening, closing and driving panes."""

from __future__ import annotations

import secrets
from collections.abc import Generator
from contextlib import contextmanager

from luvus_service.uhp.domain import panes as rules
from luvus_service.uhp.domain.ports import History
from luvus_service.uhp.domain.selectors import select_tab
from luvus_service.uhp.domain.step import Step
from luvus_service.uhp.domain.structure import PaneRecord, Where
from luvus_service.uhp.domain.structure import Session as Structure
from luvus_service.uhp.domain.topology import Outcome
from luvus_service.uhp.engine.errors import NotFound, refusals
from luvus_service.uhp.engine.feeding import TerminalClosed
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.terminal import Terminal
from luvus_service.uhp.engine.workspaces import Workspaces, opening

READ_LINES = 200
"""Lines that `pane.read` returns when none are asked for."""


class Panes:
    """What can be done to panes."""

    def __init__(self, session: Session, workspaces: Workspaces) -> None:
        self._session = session
        self._workspaces = workspaces

    async def split(
        self, pane: int | None, direction: rules.SplitDirection, *, focus: bool
    ) -> Outcome:
        """Start a shell in a new pane beside one.

        On an empty server a workspace in the home folder is opened instead.

        Raises:
            RpcError: There is no such pane, no room, or no shell.
        """
        session = self._session
        if not session.structure.workspaces and pane is None:
            home = session.world.launcher.home
            return await session.grow(opening(home, focus=True), cwd=home)
        record = session.record_of(pane)

        def operation(now: Structure, new: PaneRecord) -> Step:
            return rules.split_pane(
                now,
                record.pane,
                new,
                direction=direction,
                area=session.area,
                focus=focus,
            )

        return await session.grow(operation, cwd=session.folder_beside(record))

    def place(self, pane: int | None) -> tuple[int, Where]:
        """Return the pane that is meant and where it is.

        Raises:
            NotFound: No live pane has this id.
        """
        found = self._session.select_pane(pane)
        return found, self._session.structure.locate(found)

    def move_to_tab(self, pane: int | None, tab: int | None, tab_id: str | None) -> Outcome:
        """Take a pane to another tab of its own workspace; its program notices nothing.

        Raises:
            RpcError: There is no such pane or tab, or the pane cannot go there.
        """
        found, where = self.place(pane)
        with refusals():
            target = select_tab(
                self._session.structure,
                tab,
                tab_id,
                required=True,
                workspace_index=where.workspace_index,
            )
        return self._session.commit(rules.move_to_tab, found, target, area=self._session.area)

    def move_to_new_tab(self, pane: int | None) -> Outcome:
        """Take a pane to a tab of its own at the end of its workspace.

        Raises:
            RpcError: There is no such pane, or it has its tab for itself already.
        """
        found = self._session.select_pane(pane)
        tab_id = "tab_" + secrets.token_hex(16)
        return self._session.commit(rules.move_to_new_tab, found, tab_id=tab_id)

    async def close(self, pane: int | None) -> None:
        """Close a pane; the last one of a tab takes the tab along, and so on."""
        outcome = self._session.commit(rules.close_pane, self._session.select_pane(pane))
        await self._workspaces.after(outcome)

    async def read(self, pane: int | None, lines: int) -> str:
        """Return the newest lines of a pane, soft wraps joined."""
        found, terminal = self._session.terminal_of(pane)
        with _closing(found):
            screen = await terminal.screen("recent_unwrapped", lines, ansi=False)
        return screen.captured.text

    def run(self, pane: int | None, command: str) -> None:
        """Type a command and Enter into a pane."""
        _, terminal = self._session.terminal_of(pane)
        terminal.write(command.encode() + b"\r")

    async def send(self, pane: int | None, text: str, *, paste: bool) -> None:
        """Type text into a pane as it is, or paste it."""
        found, terminal = self._session.terminal_of(pane)
        if paste:
            with _closing(found):
                await terminal.paste(text)
        else:
            terminal.write(text.encode())


async def history_of(terminal: Terminal) -> History | None:
    """Return the figures of a terminal's scrollback, or None when it was closed meanwhile."""
    try:
        return await terminal.history()
    except TerminalClosed:
        return None


@contextmanager
def _closing(pane: int) -> Generator[None]:
    """Answer for a pane that is closed while its screen is waited for as for one that is gone."""
    try:
        yield
    except TerminalClosed:
        raise NotFound(f"pane {pane} was closed meanwhile") from None
