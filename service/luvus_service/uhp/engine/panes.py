"""Opening, closing and driving panes."""

from __future__ import annotations

from luvus_service.uhp.domain import panes as rules
from luvus_service.uhp.domain.step import Step
from luvus_service.uhp.domain.structure import PaneRecord
from luvus_service.uhp.domain.structure import Session as Structure
from luvus_service.uhp.domain.topology import Outcome
from luvus_service.uhp.engine.session import Session
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

    async def close(self, pane: int | None) -> None:
        """Close a pane; the last one of a tab takes the tab along, and so on."""
        outcome = self._session.commit(rules.close_pane, self._session.select_pane(pane))
        await self._workspaces.after(outcome)

    async def read(self, pane: int | None, lines: int) -> str:
        """Return the newest lines of a pane, soft wraps joined."""
        _, terminal = self._session.terminal_of(pane)
        screen = await terminal.screen("recent_unwrapped", lines, ansi=False)
        return screen.captured.text

    def run(self, pane: int | None, command: str) -> None:
        """Type a command and Enter into a pane."""
        _, terminal = self._session.terminal_of(pane)
        terminal.write(command.encode() + b"\r")

    async def send(self, pane: int | None, text: str, *, paste: bool) -> None:
        """Type text into a pane as it is, or paste it."""
        _, terminal = self._session.terminal_of(pane)
        if paste:
            await terminal.paste(text)
        else:
            terminal.write(text.encode())
