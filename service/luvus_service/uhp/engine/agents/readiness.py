"""Waits until an agent that was started takes prompts, which is later than its process is there."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack

from luvus_service.uhp.domain.agents.prompts import LINE_READER_S, takes_prompts
from luvus_service.uhp.engine.agents.detector import Detector
from luvus_service.uhp.engine.agents.live import Live
from luvus_service.uhp.engine.terminal import Terminal
from luvus_service.uhp.engine.waits import first


class Readiness:
    """Looks at one pane after every change of its status and of its screen."""

    def __init__(self, detector: Detector, pane: int, terminal: Terminal, kind: str) -> None:
        self._detector = detector
        self._pane = pane
        self._terminal = terminal
        self._kind = kind
        self._loop = asyncio.get_running_loop()
        self._found: asyncio.Future[bool] = self._loop.create_future()
        self._later: asyncio.TimerHandle | None = None

    async def wait(self, timeout_s: float, gone: asyncio.Event) -> bool:
        """Return whether it takes prompts: False when it asks something first or time is over.

        False also when the pane closed or the caller left.

        Raises:
            LimitExceeded: Too many calls follow this pane's output already.
            Unavailable: Too many calls wait already.
        """
        with ExitStack() as stack:
            stack.callback(self._detector.watch(self._pane, lambda _live: self._look()))
            stack.callback(self._terminal.watch(self._look))
            stack.callback(self._stop)
            self._look()
            found = await first(self._found, timeout_s, gone)
            return found is True

    def seen(self) -> Live | None:
        """Return the pane's live state once the agent is there, whether it takes prompts or not."""
        live = self._detector.live(self._pane)
        return live if live is not None and live.identity.agent == self._kind else None

    def _look(self) -> None:
        if self._found.done():
            return
        if self._terminal.closed or self._detector.live(self._pane) is None:
            self._found.set_result(False)
            return
        live = self.seen()
        # While output pours nobody can read the screen; its end is published, and comes here.
        if live is None or not self._terminal.idle:
            return
        if live.machine.published == "blocked":
            # It stays so until somebody presses keys, which whoever waits here cannot.
            self._found.set_result(False)
            return
        evidence = self._detector.read_now(live, self._terminal)
        silent_s = self._loop.time() - live.output_at
        if evidence is not None and takes_prompts(
            evidence.state,
            evidence.source,
            live.machine.published,
            pastes=self._terminal.emulator.modes().bracketed_paste,
            silent_s=silent_s,
        ):
            self._found.set_result(True)
            return
        self._stop()
        if silent_s < LINE_READER_S:
            self._later = self._loop.call_later(LINE_READER_S - silent_s + 0.01, self._look)

    def _stop(self) -> None:
        if self._later is not None:
            self._later.cancel()
            self._later = None
