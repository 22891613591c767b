"""What programs do to a terminal they name in full: read it, type into it, label it, close it.

Nothing here falls back to the focused pane. Every change checks the locator again after each
wait, so that an input never follows a terminal to another place.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import NoReturn

import orjson

from luvus_service.rpc.errors import LimitExceeded
from luvus_service.uhp.domain import panes as rules
from luvus_service.uhp.domain.locators import Found, Locator, Verdict, judge
from luvus_service.uhp.domain.ports import CaptureMode, Modes
from luvus_service.uhp.engine.backend_waits import Echoes, modes_of, screen_of
from luvus_service.uhp.engine.errors import (
    CaptureTooLarge,
    ControlConflict,
    InputTooLarge,
    ProcessMismatch,
    StaleRoute,
    StaleServer,
    StaleTerminal,
    TerminalGone,
    TerminalNotReady,
)
from luvus_service.uhp.engine.keys import Key, key_bytes
from luvus_service.uhp.engine.limits import FRAME_BYTES, TERMINAL, TERMINAL_STREAMS
from luvus_service.uhp.engine.pasting import pasted
from luvus_service.uhp.engine.process_scans import ProcessScans
from luvus_service.uhp.engine.screens import Screen
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.terminal import Terminal
from luvus_service.uhp.engine.uploads import Uploads
from luvus_service.uhp.engine.workspaces import Workspaces

INPUT_BYTES = TERMINAL["input_bytes"]
DETECTION_ROWS = 14
"""Rows at the end of the screen in which agents are recognised."""
ENVELOPE_BYTES = 4096
"""Room in an answer for everything beside its text."""
_ESCAPING_ADDS = {"\u2028": 3, "\u2029": 3, "\u0085": 4}
"""Bytes by which a character grows that is escaped because some readers split lines at it."""


class Backend:
    """The operations on located terminals."""

    def __init__(
        self, session: Session, workspaces: Workspaces, scans: ProcessScans | None = None
    ) -> None:
        self._session = session
        self._workspaces = workspaces
        self._controlled: set[str] = set()
        self.scans = scans or ProcessScans(session)
        self.echoes = Echoes()
        self.uploads = Uploads(session.world.storage)

    # -- finding ---------------------------------------------------------------------------------

    def verdict(self, locator: Locator) -> Verdict:
        """Say what a locator points at."""
        pane = self._session.pane_of(locator.terminal_id)
        terminal = self._session.terminals.get(locator.terminal_id)
        found = None if pane is None else Found(pane, terminal.root if terminal else None)
        return judge(locator, self._session.generation, found)

    def find(self, locator: Locator) -> Terminal:
        """Return the terminal that is meant.

        Raises:
            RpcError: It is not there, or not as the locator says; nothing was done.
        """
        verdict = self.verdict(locator)
        if verdict is not Verdict.LIVE:
            _refuse(verdict, locator, self._session.generation)
        return self._session.terminals[locator.terminal_id]

    # -- reading ---------------------------------------------------------------------------------

    async def capture(
        self, locator: Locator, mode: CaptureMode, lines: int, *, ansi: bool
    ) -> Screen:
        """Return a terminal's text; sends it nothing.

        Raises:
            RpcError: The locator is stale, or the text does not fit into an answer.
        """
        terminal = self.find(locator)
        try:
            screen = await screen_of(terminal, mode, lines, ansi=ansi)
        except TerminalGone as error:
            raise _stale_terminal(locator) from error
        text = screen.captured.text
        size = len(orjson.dumps(text)) + sum(text.count(c) * n for c, n in _ESCAPING_ADDS.items())
        if size > FRAME_BYTES - ENVELOPE_BYTES:
            raise CaptureTooLarge(
                f"the text takes {size} bytes in an answer of at most {FRAME_BYTES}; "
                "ask for fewer lines, or without `ansi`",
                dispatch="rejected",
            )
        return screen

    # -- writing ---------------------------------------------------------------------------------

    def type_literal(self, locator: Locator, text: str) -> None:
        """Queue a text as it is.

        Raises:
            RpcError: The locator is stale, the text too large or the queue full; nothing was sent.
        """
        data = _input(text)
        self._send(self.find(locator), data)

    async def paste(self, locator: Locator, text: str, *, enter: bool = False) -> None:
        """Queue a paste, with Enter in the same action if wanted; raises like `type_literal`."""
        _input(text)
        bracketed = (await self._modes(locator)).bracketed_paste
        data = pasted(text, bracketed=bracketed) + (b"\r" if enter else b"")
        self._send(self.find(locator), data)

    async def press(self, locator: Locator, key: Key) -> None:
        """Queue one key; raises like `type_literal`."""
        application = (await self._modes(locator)).application_cursor
        self._send(self.find(locator), key_bytes(key, application_cursor=application))

    # -- changing --------------------------------------------------------------------------------

    def set_label(self, locator: Locator, label: str) -> None:
        """Label a terminal; an empty label clears. The program is sent nothing."""
        self.find(locator)
        self._session.set_label(locator.pane, label or None)

    def notify(self, locator: Locator, title: str, body: str) -> None:
        """Add a notification about a terminal to the session's list."""
        self.find(locator)
        self._session.notifications.push(
            title, body, pane=locator.pane, terminal_id=locator.terminal_id, source="client"
        )

    async def close(self, locator: Locator) -> None:
        """Close the pane of a terminal and end its program, whatever waits in its queue."""
        self.find(locator)
        outcome = self._session.commit(rules.close_pane, locator.pane)
        await self._workspaces.after(outcome)

    # -- following -------------------------------------------------------------------------------

    @contextmanager
    def streaming(self, locator: Locator, *, control: bool) -> Generator[Terminal]:
        """Hold a stream's place, and with `control` the terminal's only one of that kind.

        Raises:
            RpcError: The locator is stale, or there is no place.
        """
        session = self._session
        terminal = self.find(locator)
        if session.terminal_streams >= TERMINAL_STREAMS:
            raise LimitExceeded(
                f"{TERMINAL_STREAMS} observe and control streams are open; close one first",
                dispatch="rejected",
            )
        if control and terminal.id in self._controlled:
            raise ControlConflict(
                f"terminal {terminal.id} is controlled by another connection; observe it, or wait",
                dispatch="rejected",
            )
        session.terminal_streams += 1
        if control:
            self._controlled.add(terminal.id)
        try:
            yield terminal
        finally:
            session.terminal_streams -= 1
            if control:
                self._controlled.discard(terminal.id)

    # -- inside ----------------------------------------------------------------------------------

    async def _modes(self, locator: Locator) -> Modes:
        terminal = self.find(locator)
        try:
            return await modes_of(terminal)
        except TerminalGone as error:
            raise _stale_terminal(locator) from error

    def _send(self, terminal: Terminal, data: bytes) -> None:
        terminal.write(data)
        self.echoes.expect(terminal)


def _input(text: str) -> bytes:
    data = text.encode()
    if len(data) > INPUT_BYTES:
        raise InputTooLarge(
            f"the text has {len(data)} bytes and one input at most {INPUT_BYTES}; send it in parts",
            dispatch="not_started",
        )
    return data


def _stale_terminal(locator: Locator) -> StaleTerminal:
    return StaleTerminal(
        f"terminal {locator.terminal_id} no longer exists; read the inventory",
        dispatch="rejected",
    )


def _refuse(verdict: Verdict, locator: Locator, generation: str) -> NoReturn:
    if verdict is Verdict.OTHER_SERVER:
        raise StaleServer(
            f"this server is {generation}, not {locator.server_generation}; it has been started "
            "again since: read the inventory",
            dispatch="rejected",
        )
    if verdict is Verdict.OTHER_PANE:
        raise StaleRoute(
            f"terminal {locator.terminal_id} is not in pane {locator.pane}; read the inventory",
            dispatch="rejected",
        )
    if verdict is Verdict.NOT_READY:
        raise TerminalNotReady(
            f"the program of pane {locator.pane} is not started yet; try again in a moment",
            dispatch="rejected",
        )
    if verdict is Verdict.OTHER_PROCESS:
        raise ProcessMismatch(
            f"the first process of terminal {locator.terminal_id} is not the expected one",
            dispatch="rejected",
        )
    raise _stale_terminal(locator)
