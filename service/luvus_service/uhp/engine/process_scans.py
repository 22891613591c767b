"""One scan of the process table for all who ask: cached, off the loop, never two at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from luvus_service.uhp.domain.ports import ProcessFacts
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.throttle import Throttle

FRESH_S = 2.0
"""Age up to which a scan answers without another being started."""
HURRY_S = 0.5
"""Between the beginnings of two scans that changes in panes ask for."""
STALE_S = 10.0
"""Age up to which a scan answers at all, while another one runs."""
SCAN_WAIT_S = 2.0
"""How long a first answer waits for a scan."""

UNKNOWN = ProcessFacts(observed=False)


class ProcessScans:
    """What the last scan saw of each terminal's processes."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._facts: dict[str, ProcessFacts] = {}
        self._at = float("-inf")
        self.began = float("-inf")
        """When the last finished scan began, on the loop's clock."""
        self.on_scanned: Callable[[], None] = lambda: None
        """Called after each scan."""
        self._started = float("-inf")
        self._running: asyncio.Future[None] | None = None
        self._soon = Throttle(self._begin)
        self._again = False
        self._closed = False

    def known(self, terminal_id: str) -> ProcessFacts | None:
        """Return what the last scan saw of a terminal; None when none has looked at it yet."""
        return self._facts.get(terminal_id)

    def request(self) -> None:
        """Ask for a scan that begins from now on; several requests share one."""
        if self._running is not None:
            self._again = True
        else:
            self._soon.ask()

    def close(self) -> None:
        """Start no more scans."""
        self._closed = True
        self._soon.close()

    async def facts(self, terminal_id: str) -> ProcessFacts:
        """Return what is known of a terminal's processes; not observed when nothing is.

        Waits, at most `SCAN_WAIT_S`, only when no scan of the last `STALE_S` saw the terminal.
        """
        age = self._session.world.clock.monotonic() - self._at
        known = self._facts.get(terminal_id)
        if known is not None and age <= STALE_S:
            if age > FRESH_S:
                self._begin()
            return known
        try:
            async with asyncio.timeout(SCAN_WAIT_S):
                # A scan under way may have begun before this terminal was there.
                for _ in range(2):
                    await self._next()
                    if terminal_id in self._facts:
                        break
        except TimeoutError:
            return UNKNOWN
        return self._facts.get(terminal_id, UNKNOWN)

    def _begin(self) -> None:
        if self._running is None and not self._closed:
            loop = asyncio.get_running_loop()
            self._started = loop.time()
            self._soon.hold(HURRY_S)
            self._running = loop.create_future()
            self._session.tasks.start(self._scan(self._running), "scan of the process table")

    async def _next(self) -> None:
        self._begin()
        if self._running is not None:
            # Shielded: one caller who leaves must not end the scan that all wait for.
            await asyncio.shield(self._running)

    async def _scan(self, done: asyncio.Future[None]) -> None:
        world = self._session.world
        roots = {terminal.id: terminal.root for terminal in self._session.terminals.values()}
        loop = asyncio.get_running_loop()
        try:
            began = world.clock.monotonic()
            self._facts = await loop.run_in_executor(world.executor, world.processes.scan, roots)
            self._at = began
            self.began = self._started
        finally:
            self._running = None
            done.set_result(None)
        if self._again:
            self._again = False
            self.request()
        self.on_scanned()
