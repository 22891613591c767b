"""Keeps the session's checkpoint in the store, so that it survives a stop and a reboot.

A checkpoint only gets worse when somebody asked for what made it so: panes whose programs ended
stay in it until life has gone on for a while, because a machine that goes down ends the programs
first. Once the server stops, nothing is taken into it any more.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, cast

import orjson

from luvus_service.rpc.errors import Kind, RpcError
from luvus_service.uhp.domain.state import BrokenState, session_from_state, session_to_state
from luvus_service.uhp.domain.storage import Delete, Put, Store, StoreFailed
from luvus_service.uhp.domain.structure import PaneRecord
from luvus_service.uhp.domain.structure import Session as Structure
from luvus_service.uhp.engine.restoring import Restored, SavedScreen, restore
from luvus_service.uhp.engine.screens import Dump
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.tasks import Tasks

SAVE_AFTER_S = 2.0
"""From a change of the session until it is stored."""
SCREENS_EVERY_S = 10.0
"""Between two times at which the screens that have changed are stored."""
RETRY_S = 5.0
"""After a write that failed."""
SETTLE_S = 5.0
"""How long a pane whose program ended by itself stays in the checkpoint."""
SCREEN_BYTES = 262_144
"""Of a pane's screen and newest scrollback, what is stored."""
LAST_SAVE_S = 1.5
"""How long the end of the server waits for the store."""
ATTEMPTS = 2
"""Starts that may end in the middle of coming back; after them the old screens are left out."""
LAYOUT, SCREEN, ATTEMPT = "layout", "screen", "attempt"
_CURRENT, _RESTORED = "current", "restored"

_log = logging.getLogger(__name__)


class PersistenceFailed(RpcError):
    """The change could not be stored, so it was not made; free disk space and try again."""

    code = "persistence_failed"
    kind = Kind.FAILED


async def write_durably(store: Store, changes: Sequence[Put | Delete]) -> None:
    """Store what a method answers for; return once a loss of power cannot undo it.

    Raises:
        PersistenceFailed: Nothing was stored.
    """
    try:
        await store.write(changes)
    except StoreFailed as fault:
        raise PersistenceFailed(f"the change was not made: {fault}") from fault


class Checkpoints:
    """Stores the session's checkpoint and brings the session back from it."""

    def __init__(self, session: Session, store: Store) -> None:
        self.kept_with: Callable[[PaneRecord], Mapping[str, Any] | None] = lambda _record: None
        """What else is to be stored of a pane, such as how to resume its agent; JSON-able."""
        self.on_restored: list[Callable[[Restored], Coroutine[Any, Any, None]]] = []
        """Called for each pane that came back, in the order of the tabs."""
        self._session = session
        self._store = store
        self._tasks = Tasks()
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._look: asyncio.TimerHandle | None = None
        self._settling: asyncio.TimerHandle | None = None
        self._saving = asyncio.Lock()
        self._seen = session.structure
        self._good: Structure | None = None
        self._emptied = False
        self._frozen: bytes | None = None
        self._is_frozen = False
        self._cwds: dict[str, str] = {}
        self._marks: dict[str, tuple[int, int, int]] = {}
        self._stored: set[str] = set()
        self.failure: str | None = None
        """Why the last write failed, or None when it did not."""

    # -- coming back -----------------------------------------------------------------------------

    async def restore(self) -> list[Restored]:
        """Bring an empty session back from its checkpoint; return the panes that came back."""
        try:
            layouts = await self._store.read(LAYOUT)
            stored = _newest(layouts)
            if stored is None or not stored[0].workspaces:
                return []
            attempts = len((await self._store.read(ATTEMPT)).get(_RESTORED, b""))
            bodies = {} if attempts >= ATTEMPTS else await self._store.read(SCREEN)
            marks = [Put(ATTEMPT, _RESTORED, b"x" * (attempts + 1))]
            await self._store.write([*marks, Put(LAYOUT, _RESTORED, stored[2])])
        except StoreFailed as fault:
            _log.error("the session cannot be brought back: %s", fault)
            return []
        back = await restore(self._session, stored[0], _screens(bodies), stored[1])
        with suppress(StoreFailed):
            await self._store.write([Delete(ATTEMPT, _RESTORED)])
        for told in self.on_restored:
            for pane in back:
                await told(pane)
        return back

    # -- following -------------------------------------------------------------------------------

    async def follow(self) -> None:
        """Store the session from now on, whenever it has changed."""
        with suppress(StoreFailed):
            self._stored = await self._store.keys(SCREEN)
        if self._is_frozen:
            return
        self._seen = self._session.structure
        self._session.on_commit.append(self._committed)
        self._look = self._loop.call_later(SCREENS_EVERY_S, self._look_at_screens)
        self.touched()

    def touched(self) -> None:
        """Note that something to be stored has changed."""
        if self._timer is None and not self._is_frozen:
            self._timer = self._loop.call_later(SAVE_AFTER_S, self._due)

    def freeze(self, *, asked: bool) -> None:
        """Take the last checkpoint now; what happens afterwards belongs to the end.

        `asked` says that the session's owner wants the end, so that what ended before was meant.
        """
        if self._is_frozen:
            return
        if asked:
            self._good = None
        structure = self._good or self._session.structure
        self._frozen = self._layout(structure) if self._may_store(structure) else None
        self._is_frozen = True
        for timer in (self._timer, self._look, self._settling):
            if timer is not None:
                timer.cancel()

    async def close(self) -> None:
        """Store the last checkpoint; needs the terminals still there."""
        self.freeze(asked=False)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._last_save(), LAST_SAVE_S)
        await self._tasks.close()

    # -- inside ----------------------------------------------------------------------------------

    def _committed(self, asked: bool) -> None:
        if self._is_frozen:
            return
        now = self._session.structure
        if asked:
            self._settled()
        elif not self._seen.panes.keys() <= now.panes.keys():
            self._good = self._good or self._seen
            if self._settling is not None:
                self._settling.cancel()
            self._settling = self._loop.call_later(SETTLE_S, self._settled)
        if not now.workspaces and self._seen.workspaces:
            self._emptied = asked
        self._seen = now
        self.touched()

    def _settled(self) -> None:
        if self._settling is not None:
            self._settling.cancel()
            self._settling = None
        if self._good is not None:
            self._good = None
            self.touched()

    def _due(self) -> None:
        self._timer = None
        self._tasks.start(self.save(screens=False), "saving of the session")

    def _look_at_screens(self) -> None:
        self._look = self._loop.call_later(SCREENS_EVERY_S, self._look_at_screens)
        if any(self._marks.get(t.id) != t.mark for t in self._session.terminals.values()):
            self._tasks.start(self.save(), "saving of the screens")

    def _may_store(self, structure: Structure) -> bool:
        return bool(structure.workspaces) or self._emptied

    async def save(self, *, screens: bool = True) -> None:
        """Store the session as it is now, as far as it may be stored."""
        async with self._saving:
            # Screens are large and change all the time: not with every change of the session.
            dumps = await self._dumps() if screens else {}
            structure = self._good or self._session.structure
            # Dumping took time; once frozen, the last save does the rest.
            if self._is_frozen or not self._may_store(structure):
                return
            if not await self._write([self._put(self._layout(structure))], dumps, structure):
                self._timer = self._timer or self._loop.call_later(RETRY_S, self._due)

    async def _last_save(self) -> None:
        async with self._saving:
            if self._frozen is None:
                return
            structure = session_from_state(orjson.loads(self._frozen)["session"])
            # The layout first: of the screens there may be too many for the time that is left.
            await self._write([self._put(self._frozen)], {}, structure)
            await self._write([], await self._dumps(), structure)

    async def _dumps(self) -> dict[str, Dump]:
        dumps: dict[str, Dump] = {}
        for record in tuple(self._session.structure.panes.values()):
            terminal = self._session.terminals.get(record.terminal_id or "")
            if terminal is None or not record.restore:
                continue
            if self._marks.get(terminal.id) != terminal.mark:
                dump = await terminal.dump(SCREEN_BYTES)
                if dump is not None:
                    dumps[terminal.id] = dump
        return dumps

    async def _write(
        self, changes: list[Put | Delete], dumps: Mapping[str, Dump], structure: Structure
    ) -> bool:
        now = self._session.world.clock.time()
        wanted = {r.terminal_id for r in structure.panes.values() if r.terminal_id is not None}
        taken = {key: dump for key, dump in dumps.items() if key in wanted}
        changes += [Put(SCREEN, key, _screen_body(dump, now)) for key, dump in taken.items()]
        gone = self._stored - wanted
        changes += [Delete(SCREEN, key) for key in gone]
        try:
            await self._store.write(changes)
        except StoreFailed as fault:
            if self.failure is None:
                _log.error("the session is not stored, and tried again: %s", fault)
            self.failure = str(fault)
            return False
        self.failure = None
        self._stored = (self._stored - gone) | set(taken)
        self._marks = {key: mark for key, mark in self._marks.items() if key in wanted}
        self._marks |= {key: dump.mark for key, dump in taken.items()}
        return True

    def _put(self, layout: bytes) -> Put:
        return Put(LAYOUT, _CURRENT, layout)

    def _layout(self, structure: Structure) -> bytes:
        panes = {pane: self._where(record) for pane, record in structure.panes.items()}
        self._cwds = {r.terminal_id: r.cwd for r in panes.values() if r.terminal_id and r.cwd}
        extras = {
            record.terminal_id: dict(extra)
            for record in panes.values()
            if record.terminal_id is not None and (extra := self.kept_with(record)) is not None
        }
        session = session_to_state(replace(structure, panes=panes))
        return orjson.dumps({"session": session, "extras": extras})

    def _where(self, record: PaneRecord) -> PaneRecord:
        terminal = self._session.terminals.get(record.terminal_id or "")
        if terminal is None or terminal.hosted.exit is not None:
            known = self._cwds.get(record.terminal_id or "")
            return record if known is None else replace(record, cwd=known)
        folder = self._session.cwd_of(record)
        # A folder whose name is no Unicode cannot be written down.
        return replace(record, cwd=folder) if _is_text(folder) else record


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _newest(
    layouts: Mapping[str, bytes],
) -> tuple[Structure, dict[str, dict[str, Any]], bytes] | None:
    for key in (_CURRENT, _RESTORED):
        body = layouts.get(key)
        if body is None:
            continue
        try:
            document = cast("dict[str, Any]", orjson.loads(body))
            return session_from_state(document["session"]), document["extras"], body
        except (BrokenState, ValueError, KeyError, TypeError) as fault:
            _log.error("a stored session cannot be used: %s", fault)
    return None


def _screen_body(dump: Dump, now: float) -> bytes:
    head = {"cols": dump.cols, "rows": dump.rows, "saved_at": now}
    return orjson.dumps(head) + b"\n" + dump.data


def _screens(bodies: Mapping[str, bytes]) -> dict[str, SavedScreen]:
    found: dict[str, SavedScreen] = {}
    for key, body in bodies.items():
        head, _, data = body.partition(b"\n")
        with suppress(ValueError, KeyError, TypeError):
            fields = orjson.loads(head)
            cols, rows = int(fields["cols"]), int(fields["rows"])
            found[key] = SavedScreen(data, cols, rows, float(fields["saved_at"]))
    return found
