"""The live session: its structure, its terminals, its events; the only writer of all three.

Everything runs on the event loop. A change is applied, stored where a crash cannot reach it and
published in one step without an await, so readers never see half of it.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any, Concatenate, ParamSpec

import orjson

from luvus_service.rpc.call import UNGUARDED, check_revision, expect_revision
from luvus_service.uhp.domain import panes as pane_rules
from luvus_service.uhp.domain import ports
from luvus_service.uhp.domain.changes import WorkspaceClosed, WorkspaceCreated
from luvus_service.uhp.domain.geometry import Area
from luvus_service.uhp.domain.selectors import select_pane
from luvus_service.uhp.domain.step import Step
from luvus_service.uhp.domain.structure import PaneRecord
from luvus_service.uhp.domain.structure import Session as Structure
from luvus_service.uhp.domain.topology import Outcome, Topology
from luvus_service.uhp.engine.agent_facts import AgentView, NoAgents
from luvus_service.uhp.engine.causes import asked, unasked
from luvus_service.uhp.engine.counters import Counters, as_counts
from luvus_service.uhp.engine.errors import NotFound, SpawnFailed, refusals
from luvus_service.uhp.engine.events import EventBus
from luvus_service.uhp.engine.fitting import AREA, size_under, sizes
from luvus_service.uhp.engine.notifications import Notifications
from luvus_service.uhp.engine.reviving import revive
from luvus_service.uhp.engine.tasks import Tasks
from luvus_service.uhp.engine.terminal import Terminal
from luvus_service.uhp.engine.terminal_events import Places, TerminalEvents
from luvus_service.uhp.engine.traffic import NoTraffic, Traffic
from luvus_service.uhp.engine.world import World

P = ParamSpec("P")

HISTORY_BYTES = 10_485_760
"""Scrollback of one pane."""
GRACE_S = 2.0
"""Between hang-up and kill of a program that is ended."""


async def _nothing() -> None:
    """Stand in where nobody reacts."""


class Session:
    """One named session of one server process."""

    def __init__(self, name: str, world: World) -> None:
        self.name = name
        self.generation = secrets.token_hex(16)
        self.counters = Counters()
        self.events = EventBus(self.counters.render)
        self.topology = Topology()
        self.terminals: dict[str, Terminal] = {}
        self.world = world
        self.tasks = Tasks()
        self.notifications = Notifications(self.events, world.clock.time)
        self.agents: AgentView = NoAgents()
        self.closers: list[Callable[[], None]] = []
        """Called when the session is let go of, before its background work ends."""
        self.area = AREA
        self.history_bytes = HISTORY_BYTES
        self.panes_at_root = False
        """Whether new panes start in their workspace's folder, not where another pane is."""
        self.on_commit: list[Callable[[bool], None]] = []
        """Called after each change: whether somebody asked for it, or a program's end caused it."""
        self._pane_sizes: dict[int, tuple[int, int]] = {}
        """Sizes of panes that do not follow from the layout now, by pane."""
        self.terminal_streams = 0
        self.groups: dict[str, str] = {}
        """The repository that linked worktrees share, by workspace id."""
        self.branches: dict[str, str | None] = {}
        """What git said last, by workspace id."""
        self.traffic: Callable[[], Traffic] = NoTraffic
        self._places = Places()
        self._told = TerminalEvents(self.events, self.generation, self._places, self.notifications)
        self.on_emptied: Callable[[], Coroutine[Any, Any, None]] = _nothing
        """Called after the last workspace is gone."""
        self.on_opened: Callable[[str], None] = lambda _workspace_id: None
        """Called with each workspace that is opened or found again."""
        self._began = world.clock.monotonic()
        self._stopping = False
        world.host.on_exit(self._exited)

    # -- reading ---------------------------------------------------------------------------------

    @property
    def structure(self) -> Structure:
        """The workspaces, tabs and panes now; a value that stays as it is."""
        return self.topology.session

    @property
    def stopping(self) -> bool:
        """Whether the session is being let go of."""
        return self._stopping

    def uptime_ms(self) -> int:
        """Return the age of this server process."""
        return int((self.world.clock.monotonic() - self._began) * 1000)

    def select_pane(self, pane: int | None) -> int:
        """Return the live pane that is meant; the focused one for None.

        Raises:
            NotFound: No live pane has this id.
            NoSession: There is no workspace.
        """
        with refusals():
            return select_pane(self.structure, pane)

    def record_of(self, pane: int | None) -> PaneRecord:
        """Return what is known of the pane that is meant; raises like `select_pane`."""
        return self.structure.panes[self.select_pane(pane)]

    def terminal_of(self, pane: int | None) -> tuple[int, Terminal]:
        """Return the pane that is meant and its terminal.

        Raises:
            NotFound: No live pane has this id, or it has no terminal.
            NoSession: There is no workspace.
        """
        record = self.record_of(pane)
        terminal = self.terminals.get(record.terminal_id or "")
        if terminal is None:
            raise NotFound(f"pane {record.pane} has no terminal")
        return record.pane, terminal

    def pane_of(self, terminal_id: str) -> int | None:
        """Return the pane that shows a terminal, or None when none does."""
        return self._places.pane_of(terminal_id)

    def cwd_of(self, record: PaneRecord) -> str:
        """Return where a pane's program is now, as far as can be told, else where it began."""
        terminal = self.terminals.get(record.terminal_id or "")
        live = None
        if terminal is not None:
            live = self.world.processes.cwd(terminal.root.pid) or terminal.emulator.cwd()
        return live or record.cwd or self.world.launcher.home

    def performance(self) -> dict[str, int]:
        """Return what the output of this process amounted to, and who follows it now."""
        return {
            **as_counts(self.counters.render),
            "events_published": self.events.sequence,
            "terminals": len(self.terminals),
            "subscribers": self.events.subscribers,
        }

    def folder_beside(self, record: PaneRecord) -> str:
        """Return where a new pane beside this one starts, as the configuration has it."""
        if not self.panes_at_root:
            return self.cwd_of(record)
        return self.structure.locate(record.pane).workspace.cwd

    # -- changing --------------------------------------------------------------------------------

    def commit(
        self,
        operation: Callable[Concatenate[Structure, P], Step],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Outcome:
        """Apply an operation, store the result and publish what changed.

        Raises:
            RpcError: It was refused, or the caller's `if_revision` does not hold; nothing changed.
        """
        check_revision(self.events.sequence)
        with refusals():
            outcome = self.topology.do(operation, *args, **kwargs)
        # The guard was for this change; what the same call does next follows from it.
        expect_revision(UNGUARDED)
        self._places.update(self.structure)
        self.world.host.save_state(self._state())
        self._told.publish(outcome, self.terminals)
        for record in outcome.ended:
            self._end(record)
        self._fit()
        self._follow(outcome)
        for told in self.on_commit:
            told(asked())
        return outcome

    def set_label(self, pane: int, label: str | None) -> None:
        """Give a pane's terminal a label and publish it; the same label again is no change.

        Raises:
            RpcError: No live pane has this id, or the caller's `if_revision` does not hold.
        """
        record = self.record_of(pane)
        self.commit(pane_rules.update_pane, replace(record, label=label))
        terminal = self.terminals.get(record.terminal_id or "")
        if terminal is not None and record.label != label:
            self._told.labelled(terminal, label)

    async def grow(
        self,
        operation: Callable[[Structure, PaneRecord], Step],
        *,
        cwd: str,
        command: tuple[str, ...] | None = None,
        label: str | None = None,
        restore: bool = True,
        started: Callable[[], None] = lambda: None,
    ) -> Outcome:
        """Start a program and give it a pane by an operation that takes the pane's record.

        The operation is tried before anything is started; if it is refused afterwards, because the
        session changed meanwhile, the program is ended again. `started` is called in between, once
        the program runs.

        Raises:
            RpcError: It was refused; nothing is left behind.
        """
        check_revision(self.events.sequence)
        record = PaneRecord(
            pane=self._allocate(),
            terminal_id=secrets.token_hex(16),
            cwd=cwd,
            command=command,
            label=label,
            restore=restore,
        )
        size = size_under(operation, self.structure, record, self.area)
        terminal = await self.start_terminal(record, size)
        started()
        try:
            outcome = self.commit(operation, record)
        except BaseException:
            self._end(record)
            raise
        terminal.start()
        if terminal.hosted.exit is not None:
            # It ended before anybody here knew of it.
            self._exited(terminal.id, terminal.hosted.exit)
        return outcome

    def set_area(self, area: Area) -> None:
        """Lay every tab out in another size and fit the terminals to it."""
        if area != self.area:
            self.area = area
            self._fit()

    def set_history_bytes(self, size: int) -> None:
        """Change the memory for each pane's scrollback; less drops the oldest rows."""
        if size == self.history_bytes:
            return
        self.history_bytes = size
        for terminal in self.terminals.values():
            self.tasks.start(terminal.set_history_bytes(size), "change of a scrollback")

    def set_pane_size(self, pane: int, size: tuple[int, int] | None) -> None:
        """Give a pane's terminal a (cols, rows) of its own, or for None what the layout says."""
        if size is None:
            self._pane_sizes.pop(pane, None)
        else:
            self._pane_sizes[pane] = size
        self._fit()

    # -- living ----------------------------------------------------------------------------------

    def recover(self) -> bool:
        """Take over what an earlier server left with the pty host; say if there was anything."""
        found = {hosted.terminal_id: hosted for hosted in self.world.host.recovered()}
        state = self.world.host.state()
        if state:
            self.topology = Topology.from_state(orjson.loads(state))
        anything = bool(self.structure.workspaces)
        kept = {r.terminal_id for r in self.structure.panes.values()}
        for terminal_id, hosted in found.items():
            if terminal_id in kept:
                make = self.world.make_emulator
                self._adopt(hosted, revive(hosted, make, history_bytes=self.history_bytes))
            else:
                self.tasks.start(self._ending(terminal_id), f"end of stray terminal {terminal_id}")
        self._places.update(self.structure)
        for record in tuple(self.structure.panes.values()):
            if record.kind == "terminal" and record.terminal_id not in found:
                self._drop(record)
        self._begin()
        return anything

    def begin_with(self, structure: Structure) -> None:
        """Begin an empty session with a structure whose terminals were started."""
        self.topology = Topology(structure)
        self._places.update(structure)
        self._begin()

    def request_stop(self) -> None:
        """Ask for the orderly end; returns at once."""
        self.world.stop()

    async def close(self) -> None:
        """Let go of every terminal; what becomes of the programs is the pty host's to decide."""
        self._stopping = True
        for close in self.closers:
            close()
        await self.tasks.close()
        for terminal in tuple(self.terminals.values()):
            await terminal.close()
        self.terminals.clear()

    # -- inside ----------------------------------------------------------------------------------

    def _begin(self) -> None:
        for terminal in tuple(self.terminals.values()):
            terminal.start()
            if terminal.hosted.exit is not None:
                self._exited(terminal.id, terminal.hosted.exit)
        for workspace in self.structure.workspaces:
            self.on_opened(workspace.workspace_id)
        # Whoever had given a terminal another size is gone with the earlier server.
        self._fit()
        self.world.host.save_state(self._state())

    def _allocate(self) -> int:
        with refusals():
            return self.topology.allocate_pane()

    async def start_terminal(self, record: PaneRecord, size: tuple[int, int]) -> Terminal:
        """Start a pane's program, or raise `SpawnFailed`; the caller gives the pane its place."""
        spec = self.world.launcher.spec(
            record.pane,
            str(record.terminal_id),
            cwd=record.cwd or self.world.launcher.home,
            command=record.command,
            size=size,
        )
        try:
            hosted = await self.world.host.spawn(spec)
        except ports.SpawnFailed as error:
            raise SpawnFailed(f"{spec.argv[0]} could not be started: {error}") from error
        emulator = self.world.make_emulator(*size, history_bytes=self.history_bytes)
        return self._adopt(hosted, emulator)

    def _adopt(self, hosted: ports.HostedTerminal, emulator: ports.Emulator) -> Terminal:
        terminal = Terminal(
            hosted,
            emulator,
            executor=self.world.executor,
            on_output=self._told.output,
            on_signals=self._told.signalled,
            counters=self.counters.render,
        )
        self.terminals[terminal.id] = terminal
        return terminal

    def _fit(self) -> None:
        for pane, size in sizes(self.structure, self.area, self._pane_sizes).items():
            terminal = self.terminals.get(self.structure.panes[pane].terminal_id or "")
            if terminal and terminal.wanted != size:
                work = terminal.resize(*size, self.world.set_size)
                self.tasks.start(work, f"resize of pane {pane}")

    def _follow(self, outcome: Outcome) -> None:
        for change in outcome.changes:
            if isinstance(change, WorkspaceCreated):
                self.on_opened(change.workspace_id)
            elif isinstance(change, WorkspaceClosed):
                self.groups.pop(change.workspace_id, None)

    def _end(self, record: PaneRecord) -> None:
        terminal = self.terminals.pop(record.terminal_id or "", None)
        if terminal is not None:
            self.tasks.start(self._ending(terminal.id, terminal), f"end of pane {record.pane}")

    async def _ending(self, terminal_id: str, terminal: Terminal | None = None) -> None:
        if terminal is not None:
            await terminal.close()
        await self.world.host.end(terminal_id, GRACE_S)
        self.world.host.forget(terminal_id)

    def _exited(self, terminal_id: str, status: ports.ExitStatus) -> None:
        terminal = self.terminals.get(terminal_id)
        if terminal is not None and not self._stopping:
            self.tasks.start(self._exiting(terminal, status), f"exit of terminal {terminal_id}")

    async def _exiting(self, terminal: Terminal, status: ports.ExitStatus) -> None:
        await terminal.last_output()
        pane = self._places.pane_of(terminal.id)
        if pane is None or terminal.id not in self.terminals:
            return
        self._told.exited(terminal, status)
        self._drop(self.structure.panes[pane])

    def _drop(self, record: PaneRecord) -> None:
        with unasked():
            outcome = self.commit(pane_rules.close_pane, record.pane)
        if outcome.emptied:
            self.tasks.start(self.on_emptied(), "opening of the home workspace")

    def _state(self) -> bytes:
        return orjson.dumps(self.topology.to_state())
