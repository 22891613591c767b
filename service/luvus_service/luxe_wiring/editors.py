"""`luxe acp`: the Agent Client Protocol on standard input and output, over the same sessions."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, cast

from acp import run_agent

from luvus_service.adapters.session_files import FileStore
from luvus_service.luxe_acp.agent import EditorAgent
from luvus_service.luxe_acp.ports import (
    AgentSession,
    Asked,
    Choice,
    Listed,
    Refusal,
    SessionFault,
)
from luvus_service.luxe_wiring.opening import Opened, Opener
from luvus_service.luxe_wiring.wish import Wish
from luvus_service.luxe_wiring.words import StartFault
from luvus_service.rpc.refusals import Refused

LINE_BYTES: Final = 50 * 1024 * 1024
"""The longest message of an editor; pictures are inside."""


class EditedSession:
    """An opened session in the terms of the editor's side."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened

    @property
    def session_id(self) -> str:
        """Its id."""
        return self._opened.ready.session_id

    def choices(self) -> Sequence[Choice]:
        """Return the models that can be called."""
        session = self._opened.session
        usable = [p for p in session.world.providers if p.missing_credential() is None]
        return [Choice(m.provider, m.model, m.name) for p in usable for m in p.models()]

    def begin(self) -> None:
        """Let the first frames come."""
        self._opened.begin()

    def lines(self) -> AsyncIterator[bytes]:
        """Yield the frames."""
        return self._opened.frames.lines()

    async def perform(self, kind: str, content: Any = None) -> None:
        """Do an action.

        Raises:
            Refusal: It was refused.
        """
        try:
            await self._opened.frames.perform(kind, content)
        except Refused as refused:
            raise Refusal(refused.code, refused.reason) from refused

    async def close(self) -> None:
        """Close the session."""
        await self._opened.session.closed()


class EditedSessions:
    """Opens sessions as the command line's words say, in the folders that the editor names."""

    def __init__(self, opener: Opener, wish: Wish) -> None:
        self._opener = opener
        self._wish = wish

    async def open(self, asked: Asked) -> AgentSession:
        """Open a session.

        Raises:
            SessionFault: It cannot be opened.
        """
        wish = await asyncio.to_thread(self._of, asked)
        try:
            return EditedSession(await self._opener.open(wish))
        except StartFault as fault:
            raise SessionFault(str(fault)) from fault

    async def listed(self, cwd: str | None) -> Sequence[Listed]:
        """Return the stored sessions of a folder."""
        folder = await asyncio.to_thread(os.path.realpath, cwd or self._wish.cwd)
        found = await FileStore(self._opener.home / "sessions").listed(folder, None)
        return [Listed(s.id, s.cwd, s.title or s.first_message, s.updated_at) for s in found]

    def _of(self, asked: Asked) -> Wish:
        for folder in (asked.cwd, *asked.add_dirs):
            if not Path(folder).is_absolute() or not Path(folder).is_dir():
                raise SessionFault(f"{folder[:200]!r} is no absolute folder that exists")
        extra = tuple(os.path.realpath(folder) for folder in asked.add_dirs)
        return replace(
            self._wish,
            cwd=os.path.realpath(asked.cwd),
            add_dirs=(*self._wish.add_dirs, *extra),
            resume=asked.resume,
            servers=tuple(asked.mcp_servers),
            moved=True,
        )


async def serve_editor(opener: Opener, wish: Wish, stdout: int) -> int:
    """Serve one editor until it hangs up."""
    agent = EditorAgent(EditedSessions(opener, wish))
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=LINE_BYTES)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(0, "rb"))
    transport, protocol = await loop.connect_write_pipe(
        asyncio.streams.FlowControlMixin, os.fdopen(stdout, "wb")
    )
    writer = asyncio.StreamWriter(transport, protocol, reader, loop)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, reader.feed_eof)
    try:
        with suppress(ConnectionError):
            await run_agent(cast("Any", agent), writer, reader, use_unstable_protocol=True)
    finally:
        await agent.close()
    return 0
