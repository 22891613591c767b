"""Sending input to agents and waiting for what comes of it.

What is sent is decided and queued in one step while the screen cannot change, so that an agent
that has just begun to ask something is never answered by chance.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from luvus_service.rpc.call import check_revision
from luvus_service.uhp.domain.agents.keys import encode
from luvus_service.uhp.domain.agents.prompts import Evidence, Turn, check_prompt
from luvus_service.uhp.domain.agents.states import State, WaitState
from luvus_service.uhp.domain.ports import CaptureMode
from luvus_service.uhp.engine.agents.errors import (
    AgentNotReady,
    AgentNotRunning,
    AgentPromptBusy,
    ContentRevisionConflict,
)
from luvus_service.uhp.engine.agents.live import Live
from luvus_service.uhp.engine.agents.roster import Roster
from luvus_service.uhp.engine.errors import NotFound, refusals
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.terminal import Terminal
from luvus_service.uhp.engine.waits import first

SETTLE_S = 0.1
"""Between a paste and Enter: agents that fold pastes need a moment to see its end."""
READ_LINES = 200


@dataclass(frozen=True, slots=True)
class Fence:
    """The terminal, and perhaps the screen, that an input is meant for."""

    terminal_id: str | None = None
    revision: int | None = None
    strict: bool = False
    """Whether it takes positive evidence that the agent waits for a prompt."""


@dataclass(frozen=True, slots=True)
class Prompted:
    """What came of a prompt."""

    pane: int
    evidence: Evidence
    status: State | None
    baseline: int
    revision: int


NO_FENCE = Fence()


class Driving:
    """Drives agents."""

    def __init__(self, session: Session, roster: Roster) -> None:
        self._session = session
        self._roster = roster
        self._waiting: set[int] = set()

    async def send(self, target: str, text: str, fence: Fence = NO_FENCE) -> Live:
        """Submit a text to an agent and return at once.

        Raises:
            RpcError: It was refused; no byte was sent.
        """
        with refusals():
            check_prompt(text)
        live, terminal = self._roster.agent(target)
        await self._submit(live, terminal, text, fence)
        return live

    async def prompt(self, target: str, text: str, fence: Fence = NO_FENCE) -> Prompted:
        """Submit a prompt without waiting for what comes of it."""
        with refusals():
            check_prompt(text)
        live, terminal = self._roster.agent(target)
        baseline = await self._submit(live, terminal, text, fence)
        return Prompted(live.pane, "queued", live.machine.published, baseline, baseline)

    async def prompt_and_wait(
        self,
        target: str,
        text: str,
        until: Sequence[WaitState],
        timeout_s: float,
        gone: asyncio.Event,
        fence: Fence = NO_FENCE,
    ) -> Prompted:
        """Submit a prompt and wait until the agent is in one of the states because of it.

        Raises:
            AgentPromptBusy: Another prompt waits for this pane; no byte was sent.
            AgentNotRunning: The pane closed meanwhile.
            RpcError: It was refused; no byte was sent.
        """
        with refusals():
            check_prompt(text)
        live, terminal = self._roster.agent(target)
        if live.pane in self._waiting:
            raise AgentPromptBusy(f"a prompt waits for pane {live.pane} already; nothing was sent")
        self._waiting.add(live.pane)
        try:
            turn = Turn(0)
            with ExitStack() as stack:
                wake = asyncio.Event()
                closed = asyncio.Event()
                self._follow(stack, live, terminal, turn, wake, closed)
                submitted = await self._submit(live, terminal, text, fence, turn)
                evidence = await self._outcome(live, turn, until, timeout_s, gone, wake, closed)
        finally:
            self._waiting.discard(live.pane)
        if evidence is None:
            raise self._lost(live, turn, terminal)
        status = live.machine.published
        return Prompted(live.pane, evidence, status, submitted, terminal.revision)

    async def keys(self, target: str, keys: Sequence[str], fence: Fence = NO_FENCE) -> int:
        """Press keys; the whole batch or none of it.

        Raises:
            RpcError: It was refused; no byte was sent.
        """
        with refusals():
            encode(keys)
        live, terminal = self._roster.agent(target)

        def press() -> None:
            if fence.revision is not None:
                terminal.flush()
            self._check(live, terminal, fence)
            cursor = terminal.emulator.modes().application_cursor
            terminal.write(encode(keys, application_cursor=cursor))

        await terminal.exclusive(press)
        return live.pane

    async def read(self, target: str, lines: int, *, visible: bool) -> tuple[int, str, int, str]:
        """Return pane, text, content revision and terminal of the newest lines."""
        pane, terminal = self._session.terminal_of(self._roster.find(target))
        mode: CaptureMode = "visible" if visible else "recent_unwrapped"
        screen = await terminal.screen(mode, lines, ansi=False)
        return pane, screen.captured.text, screen.revision, terminal.id

    async def wait(
        self, pane: int, states: Sequence[WaitState], timeout_s: float, gone: asyncio.Event
    ) -> State | None:
        """Return the state once it is one of these; None when time is over or the pane closes.

        Raises:
            NotFound: No such pane.
            Unavailable: Too many wait already.
        """
        chosen, _ = self._session.terminal_of(pane)
        live = self._roster.live(chosen)
        if live.machine.published in states:
            return live.machine.published
        found: asyncio.Future[State | None] = asyncio.get_running_loop().create_future()

        def look(now: Live | None) -> None:
            if found.done():
                return
            if now is None:
                found.set_result(None)
            elif now.machine.published in states:
                found.set_result(now.machine.published)

        # Nothing is awaited between the comparison above and this: no change can fall in between.
        stop = self._roster.detector.watch(chosen, look)
        try:
            return await first(found, timeout_s, gone)
        finally:
            stop()

    # -- inside ----------------------------------------------------------------------------------

    def _check(self, live: Live, terminal: Terminal, fence: Fence) -> None:
        if terminal.closed or self._roster.detector.live(live.pane) is not live:
            raise NotFound(f"pane {live.pane} closed")
        if fence.terminal_id not in (None, terminal.id):
            raise AgentNotReady(f"pane {live.pane} has another terminal now; nothing was sent")
        if fence.revision not in (None, terminal.revision):
            raise ContentRevisionConflict(
                f"the screen of pane {live.pane} is at revision {terminal.revision}, "
                f"not {fence.revision}; read it again. Nothing was sent",
                expected=fence.revision,
                actual=terminal.revision,
            )

    async def _submit(
        self,
        live: Live,
        terminal: Terminal,
        text: str,
        fence: Fence,
        turn: Turn | None = None,
    ) -> int:
        def submit() -> int:
            terminal.flush()
            self._check(live, terminal, fence)
            check_revision(self._session.events.sequence)
            evidence = self._roster.detector.read_now(live, terminal)
            if evidence is None:
                raise AgentNotReady(f"pane {live.pane} has no agent any more; nothing was sent")
            if "blocked" in (evidence.state, live.machine.published):
                asked = "something" if evidence.hint is None else repr(evidence.hint)
                raise AgentNotReady(
                    f"the agent in pane {live.pane} asks {asked}; answer with agent.keys first. "
                    "Nothing was sent"
                )
            if fence.strict and evidence.source not in ("manifest_rule", "integration_report"):
                raise AgentNotReady(
                    f"nothing shows that the agent in pane {live.pane} waits for a prompt; "
                    "nothing was sent"
                )
            terminal.submit(text, SETTLE_S)
            baseline = terminal.revision
            if turn is not None:
                turn.baseline = turn.revision = baseline
                turn.observed = None
            return baseline

        return await terminal.exclusive(submit)

    def _follow(
        self,
        stack: ExitStack,
        live: Live,
        terminal: Terminal,
        turn: Turn,
        wake: asyncio.Event,
        closed: asyncio.Event,
    ) -> None:
        loop = asyncio.get_running_loop()

        def status_changed(now: Live | None) -> None:
            if now is None:
                closed.set()
            else:
                turn.saw(now.machine.published)
            wake.set()

        def output_changed() -> None:
            turn.changed(terminal.revision, loop.time())
            wake.set()

        stack.callback(self._roster.detector.watch(live.pane, status_changed))
        stack.callback(terminal.watch(output_changed))

    async def _outcome(
        self,
        live: Live,
        turn: Turn,
        until: Sequence[WaitState],
        timeout_s: float,
        gone: asyncio.Event,
        wake: asyncio.Event,
        closed: asyncio.Event,
    ) -> Evidence | None:
        """Return the evidence, or None when the pane closed."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout_s
        leaving = loop.create_task(gone.wait())
        leaving.add_done_callback(lambda _: wake.set())
        try:
            while not gone.is_set():
                wake.clear()
                if closed.is_set():
                    return None
                now = loop.time()
                evidence = turn.evidence(live.machine.published, until, now)
                if evidence is not None:
                    return evidence
                if now >= deadline:
                    break
                settles = turn.settles_at()
                later = [deadline, *([settles] if settles is not None and settles > now else [])]
                await _until(wake, min(later))
        finally:
            leaving.cancel()
        return "timeout"

    def _lost(self, live: Live, turn: Turn, terminal: Terminal) -> AgentNotRunning:
        return AgentNotRunning(
            f"pane {live.pane} closed while the prompt waited; do not send it again unseen",
            data={
                "pane": str(live.pane),
                "queued": True,
                "submitted": True,
                "observed_state": turn.observed,
                "reason": "pane_closed",
                "baseline_revision": turn.baseline,
                "content_revision": terminal.revision,
            },
        )


async def _until(wake: asyncio.Event, when: float) -> None:
    try:
        async with asyncio.timeout_at(when):
            await wake.wait()
    except TimeoutError:
        return
