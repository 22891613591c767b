"""Brings a stored session back: new shells in their folders, below the screens that were there."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from luvus_service.uhp.domain.geometry import terminal_sizes
from luvus_service.uhp.domain.panes import close_pane
from luvus_service.uhp.domain.ports import Emulator
from luvus_service.uhp.domain.restoring import kept, renewed
from luvus_service.uhp.domain.structure import PaneRecord, Workspace
from luvus_service.uhp.domain.structure import Session as Structure
from luvus_service.uhp.engine.errors import SpawnFailed
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.terminal import Terminal

CHECKPOINT_BYTES = 262_144
"""Of a screen that came back, what a crash of the server keeps."""

_log = logging.getLogger(__name__)

# What the program of the old screen may have switched on and the new shell does not expect.
_MODES_OFF = (
    *(1, 5, 6, 9, 66, 69, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016),
    *(2004, 2026, 2031, 2048),
)
_RESET = (
    b"\x1b[4l\x1b[20l"
    + b"".join(b"\x1b[?%dl" % mode for mode in _MODES_OFF)
    + b"\x1b[?7h\x1b[?25h\x1b>\x1b[<99u\x1b[=0;1u\x1b[>4;0m\x1b[0 q"
    + b"\x1b[r\x1b[m\x1b(B\x0f\x1b]2;\x07"
)
_CANCEL = b"\x18"
_LEAVE_OTHER_SCREEN = b"\x1b[?1049l"


@dataclass(frozen=True, slots=True)
class SavedScreen:
    """A stored screen: a dump and the size it was made at."""

    data: bytes
    cols: int
    rows: int
    saved_at: float
    """Unix seconds."""


@dataclass(frozen=True, slots=True)
class Restored:
    """A pane that came back."""

    pane: int
    """Its new id."""
    before: PaneRecord
    """What it was; `terminal_id` is the key of everything stored about it."""
    extra: Mapping[str, Any]
    """What else was stored of it."""


async def restore(
    session: Session,
    stored: Structure,
    screens: Mapping[str, SavedScreen],
    extras: Mapping[str, Mapping[str, Any]],
) -> list[Restored]:
    """Fill an empty session from a stored structure; return the panes that came back.

    The session changes only when all shells have been started, so a crash before leaves it empty.
    A pane whose shell cannot be started is left out.
    """
    fresh = renewed(kept(stored), lambda: secrets.token_hex(16))
    structure = _settled(fresh.session, session.world.launcher.home)
    terminals = await _start_all(session, structure)
    back: list[Restored] = []
    for pane, before in fresh.before.items():
        terminal = terminals.get(pane)
        key = before.terminal_id or ""
        if terminal is not None:
            if key in screens:
                show_old_screen(terminal, screens[key])
            back.append(Restored(pane, before, extras.get(key, {})))
        elif before.kind == "terminal":
            structure = close_pane(structure, pane).session
    session.begin_with(structure)
    return back


def show_old_screen(terminal: Terminal, screen: SavedScreen) -> None:
    """Put a stored screen and a line that separates it above what a new program will put out.

    Must come before the terminal is started. Replies to what is replayed are thrown away.
    """
    emulator, journal = terminal.emulator, terminal.hosted.journal
    size = emulator.size()
    journal.mark_feeding(True)
    emulator.resize(screen.cols, screen.rows)
    emulator.feed(screen.data)
    emulator.feed(_CANCEL)
    if emulator.modes().alternate_screen:
        emulator.feed(_LEAVE_OTHER_SCREEN)
    row = emulator.cursor().y + 1
    emulator.feed(_RESET)
    emulator.feed(_below(emulator, row, screen.saved_at))
    emulator.resize(*size)
    # A crash of this server must not lose what only the emulator knows.
    budget, position = CHECKPOINT_BYTES, journal.head
    while not journal.checkpoint(emulator.dump(budget), position) and budget:
        budget //= 4
    journal.mark_feeding(False)


def _below(emulator: Emulator, cursor_row: int, saved_at: float) -> bytes:
    cols, rows = emulator.size()
    text = emulator.capture("visible", rows, ansi=False, max_bytes=1 << 20).text
    last = max(cursor_row, text.count("\n") + 1) if text else 1
    when = datetime.fromtimestamp(saved_at).astimezone().strftime("%Y-%m-%d %H:%M")
    line = f"── restored from {when} "[: cols - 1].ljust(min(cols - 1, 60), "─")
    start = b"\x1b[%d;1H" % min(last, rows) + (b"\r\n" if text else b"")
    return start + b"\x1b[2m" + line.encode() + b"\x1b[m\r\n"


def _settled(structure: Structure, home: str) -> Structure:
    """Return the structure with folders that are there."""
    panes: dict[int, PaneRecord] = dict(structure.panes)
    for workspace in structure.workspaces:
        for tab in workspace.tabs:
            for pane in tab.panes:
                folder = _folder(structure.panes[pane], workspace, home)
                panes[pane] = replace(structure.panes[pane], cwd=folder)
    return replace(structure, panes=panes)


def _folder(record: PaneRecord, workspace: Workspace, home: str) -> str:
    for folder in (record.cwd, workspace.cwd):
        if folder is not None and Path(folder).is_dir() and os.access(folder, os.X_OK):
            return folder
    return home


async def _start_all(session: Session, structure: Structure) -> dict[int, Terminal]:
    sizes = {
        pane: size
        for workspace in structure.workspaces
        for tab in workspace.tabs
        for pane, size in terminal_sizes(tab.tree, session.area, tab.zoomed).items()
    }
    started: dict[int, Terminal] = {}

    async def start(record: PaneRecord) -> None:
        try:
            started[record.pane] = await session.start_terminal(record, sizes[record.pane])
        except SpawnFailed as error:
            _log.error("a pane does not come back: %s", error.message)

    async with asyncio.TaskGroup() as group:
        for record in structure.panes.values():
            if record.kind == "terminal":
                group.create_task(start(record))
    return started
