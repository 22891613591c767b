"""The server's side of the pty host: starts and ends programs, and finds those left by others.

Lives on the event loop. Owns the master descriptors and journals of its terminals until `forget`.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import socket
from collections.abc import Callable, Sequence

from luvus_service.adapters.ptyhost.config import HostConfig
from luvus_service.adapters.ptyhost.journal import JournalDamaged, StateSlot, TerminalJournal
from luvus_service.adapters.ptyhost.replace import hang_up_without_host, start_replacement
from luvus_service.adapters.ptyhost.wire import Channel, FrameTooLarge, Message, WireClosed
from luvus_service.uhp.domain.ports import (
    ExitStatus,
    HostedTerminal,
    RootProcess,
    SpawnFailed,
    SpawnSpec,
)

CONNECT_WAIT_S = 10.0
"""How long the host may take to hand over every terminal."""
SPAWN_WAIT_S = 15.0
"""How long one start may take; the host itself gives a program 10 s."""
END_MARGIN_S = 5.0
"""What the host gets on top of the grace time to report an end."""
SPAWNS_LIMIT = 32
"""Starts under way at once; more wait for their turn."""

_UNKNOWN_EXIT = ExitStatus(None, None)


class HostGone(Exception):
    """The pty host ended or does not speak our language."""


class PtyHostClient:
    """The connection to the host that started this server; implements the engine's `PtyHost`."""

    def __init__(self, sock: socket.socket, lock_fd: int | None) -> None:
        """Use `connect`."""
        self._loop = asyncio.get_running_loop()
        self._lock_fd = lock_fd
        self._terminals: dict[str, HostedTerminal] = {}
        self._journal_fds: dict[str, int] = {}
        self._recovered: tuple[HostedTerminal, ...] = ()
        self._state_fd = -1
        self._slot: StateSlot | None = None
        self._requests = itertools.count(1)
        self._spawning: dict[int, asyncio.Future[HostedTerminal]] = {}
        self._turns = asyncio.Semaphore(SPAWNS_LIMIT)
        self._ending: dict[str, asyncio.Future[None]] = {}
        self._on_exit: list[Callable[[str, ExitStatus], None]] = []
        self._on_lost: list[Callable[[], None]] = []
        self._awaited: int | None = None
        self._handed_over: asyncio.Future[None] = self._loop.create_future()
        self._drained: asyncio.Future[None] | None = None
        self._said_ready = False
        self._leaving = False
        self.restarts = 0
        self.config: HostConfig | None = None
        self._channel = Channel(sock)
        self._watch()

    @classmethod
    async def connect(cls, host_fd: int, *, lock_fd: int | None = None) -> PtyHostClient:
        """Greet the host over the descriptor it gave us and take over every terminal it keeps.

        From then on the host does not read them any more. `lock_fd` is the session's lock; it is
        kept open, and a replacement of a lost host inherits it.

        Raises:
            HostGone: There is no host at that descriptor.
        """
        os.set_inheritable(host_fd, False)
        client = cls(socket.socket(fileno=host_fd), lock_fd)
        if lock_fd is not None:
            os.set_inheritable(lock_fd, False)
        try:
            client._send({"op": "hello", "pid": os.getpid()})
            await asyncio.wait_for(asyncio.shield(client._handed_over), CONNECT_WAIT_S)
        except TimeoutError as fault:
            client.close()
            raise HostGone(f"The pty host did not answer within {CONNECT_WAIT_S:.0f} s.") from fault
        return client

    @property
    def connected(self) -> bool:
        """Whether the host is there."""
        return not self._channel.closed

    def recovered(self) -> tuple[HostedTerminal, ...]:
        """Return the terminals that an earlier server left, in the order they were started."""
        return self._recovered

    def state(self) -> bytes:
        """Return what `save_state` stored last, perhaps by an earlier server; empty at first."""
        return b"" if self._slot is None else self._slot.load()

    def save_state(self, state: bytes) -> None:
        """Keep the session's description where a crash of the server cannot reach it."""
        if self._slot is not None:
            self._slot.save(state)

    def on_exit(self, callback: Callable[[str, ExitStatus], None]) -> None:
        """Call back on the event loop when a program ends."""
        self._on_exit.append(callback)

    def on_host_lost(self, callback: Callable[[], None]) -> None:
        """Call back on the event loop when the host dies; then call `replace_host`."""
        self._on_lost.append(callback)

    def ready(self) -> None:
        """Tell the host that the server answers, so that whoever started it is told."""
        self._said_ready = True
        with contextlib.suppress(HostGone):
            self._send({"op": "ready"})

    def leaving(self) -> None:
        """Tell the host that an orderly end has begun: whoever comes now must not join it."""
        with contextlib.suppress(HostGone):
            self._send({"op": "leaving"})

    async def bye(self, code: int) -> None:
        """Announce an orderly exit with `code`: 0 ends the session, 75 starts a new server."""
        self._leaving = True
        with contextlib.suppress(HostGone):
            self._send({"op": "bye", "code": code})
            if self._channel.wants_write:
                self._drained = self._loop.create_future()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._drained, 1.0)

    async def spawn(self, spec: SpawnSpec) -> HostedTerminal:
        """Start a program in a new terminal.

        Cancelling does not leave a terminal behind.

        Raises:
            SpawnFailed: The program could not be started, or the host is gone.
        """
        message: Message = {
            "op": "spawn",
            "id": spec.terminal_id,
            "argv": list(spec.argv),
            "cwd": spec.cwd,
            "env": dict(spec.env),
            "cols": spec.cols,
            "rows": spec.rows,
        }
        async with self._turns:
            request = next(self._requests)
            future: asyncio.Future[HostedTerminal] = self._loop.create_future()
            self._spawning[request] = future
            try:
                self._send({**message, "request": request})
                return await asyncio.wait_for(future, SPAWN_WAIT_S)
            except TimeoutError as fault:
                raise SpawnFailed(f"No terminal came within {SPAWN_WAIT_S:.0f} s.") from fault
            except HostGone as fault:
                raise SpawnFailed(str(fault)) from fault
            except FrameTooLarge as fault:
                text = "The program's arguments and environment are too large. "
                raise SpawnFailed(text + str(fault)) from fault
            finally:
                self._spawning.pop(request, None)
                if future.done() and not future.cancelled():
                    future.exception()

    async def end(self, terminal_id: str, grace_s: float) -> ExitStatus:
        """Hang up a program and everything in its terminal, then kill what is left.

        Returns at once when nothing runs there any more. Ending twice waits for the same end.
        """
        terminal = self._terminals.get(terminal_id)
        if terminal is None:
            return _UNKNOWN_EXIT
        with contextlib.suppress(HostGone, TimeoutError):
            self._send({"op": "end", "id": terminal_id, "grace": grace_s})
            done = self._ending.setdefault(terminal_id, self._loop.create_future())
            await asyncio.wait_for(asyncio.shield(done), grace_s + END_MARGIN_S)
        if terminal.exit is None and not self.connected:
            await asyncio.to_thread(hang_up_without_host, terminal.root, grace_s)
        return terminal.exit or _UNKNOWN_EXIT

    def forget(self, terminal_id: str) -> None:
        """Release the terminal's descriptors and journal here and in the host.

        The caller must have stopped watching the master descriptor: it is closed here.
        """
        terminal = self._terminals.pop(terminal_id, None)
        if terminal is None:
            return
        with contextlib.suppress(HostGone):
            self._send({"op": "forget", "id": terminal_id})
        self._release(terminal)

    async def replace_host(self) -> None:
        """Start a new host after the old one was lost and hand everything over to it.

        Exit codes of the programs that run now cannot be known any more.

        Raises:
            HostGone: No new host could be started.
        """
        if self.connected:
            return
        if self.config is None or self._lock_fd is None:
            raise HostGone("A new pty host cannot be started without the session's lock.")
        try:
            sock = await start_replacement(self.config, self._lock_fd)
        except OSError as fault:
            raise HostGone(f"No new pty host can be started: {fault}.") from fault
        self._handed_over = self._loop.create_future()
        self._channel = Channel(sock)
        self._watch()
        head = {"terminals": len(self._terminals), "ready": self._said_ready}
        self._send({"op": "adopt", "server_pid": os.getpid(), **head}, (self._state_fd,))
        for terminal in self._terminals.values():
            self._send(
                {
                    "op": "terminal",
                    "id": terminal.terminal_id,
                    "pid": terminal.root.pid,
                    "marker": terminal.root.start_marker,
                    "exit": terminal.exit and (terminal.exit.code, terminal.exit.signal),
                    "suspect": terminal.suspect,
                },
                (terminal.master_fd, self._journal_fds[terminal.terminal_id]),
            )
        try:
            await asyncio.wait_for(asyncio.shield(self._handed_over), CONNECT_WAIT_S)
        except TimeoutError as fault:
            self._lose("it did not take over in time")
            raise HostGone("The new pty host did not take over in time.") from fault

    def close(self) -> None:
        """Close the connection and every terminal's descriptors here; the host keeps its own."""
        self._leaving = True
        self._lose("the server closed the connection")
        for terminal in list(self._terminals.values()):
            self._release(terminal)
        self._terminals.clear()
        if self._slot is not None:
            self._slot.close()
            self._slot = None
            os.close(self._state_fd)
        if self._lock_fd is not None:
            os.close(self._lock_fd)
            self._lock_fd = None

    def _release(self, terminal: HostedTerminal) -> None:
        if isinstance(terminal.journal, TerminalJournal):
            terminal.journal.close()
        os.close(terminal.master_fd)
        os.close(self._journal_fds.pop(terminal.terminal_id))

    def _receive(self) -> None:
        try:
            messages = self._channel.receive()
        except WireClosed as fault:
            self._lose(str(fault))
            return
        try:
            for message, fds in messages:
                self._obey(message, fds)
        except JournalDamaged as fault:
            self._lose(str(fault))

    def _obey(self, message: Message, fds: list[int]) -> None:
        match message.get("op"):
            case "exit":
                self._exited(message["id"], ExitStatus(message["code"], message["signal"]))
            case "ended":
                done = self._ending.pop(message["id"], None)
                if done is not None and not done.done():
                    done.set_result(None)
            case "spawned":
                self._spawned(message, fds)
            case "refused":
                future = self._spawning.pop(message["request"], None)
                if future is not None and not future.done():
                    future.set_exception(SpawnFailed(message["reason"]))
            case "welcome":
                self._state_fd = fds[0]
                self._slot = StateSlot(fds[0])
                self.restarts = message["restarts"]
                self.config = HostConfig.from_json(message["config"])
                self._awaited = message["terminals"]
            case "terminal":
                self._recovered += (self._keep(message, fds),)
            case _:
                # A newer host may say more than we understand; nothing of it is kept.
                for fd in fds:
                    os.close(fd)
        if self._awaited == len(self._recovered) or message.get("op") == "adopted":
            self._awaited = None
            if not self._handed_over.done():
                self._handed_over.set_result(None)

    def _keep(self, message: Message, fds: list[int]) -> HostedTerminal:
        ended = message["exit"]
        terminal = HostedTerminal(
            terminal_id=message["id"],
            root=RootProcess(message["pid"], message["marker"]),
            master_fd=fds[0],
            journal=TerminalJournal(fds[1]),
            cols=message["cols"],
            rows=message["rows"],
            exit=None if ended is None else ExitStatus(*ended),
            suspect=message["suspect"],
        )
        self._terminals[terminal.terminal_id] = terminal
        self._journal_fds[terminal.terminal_id] = fds[1]
        return terminal

    def _spawned(self, message: Message, fds: list[int]) -> None:
        future = self._spawning.pop(message["request"], None)
        terminal = self._keep(message, fds)
        if future is None or future.done():
            # Whoever asked has gone away; nobody else will ever end this program.
            self.forget(terminal.terminal_id)
        else:
            future.set_result(terminal)

    def _exited(self, terminal_id: str, status: ExitStatus) -> None:
        terminal = self._terminals.get(terminal_id)
        if terminal is not None and terminal.exit is None:
            terminal.exit = status
            for callback in self._on_exit:
                callback(terminal_id, status)

    def _send(self, message: Message, fds: Sequence[int] = ()) -> None:
        try:
            self._channel.send(message, fds)
        except WireClosed as fault:
            self._lose(str(fault))
            raise HostGone("The pty host is gone.") from fault
        self._watch_writable()

    def _flush(self) -> None:
        try:
            self._channel.flush()
        except WireClosed as fault:
            self._lose(str(fault))
            return
        self._watch_writable()

    def _watch(self) -> None:
        self._loop.add_reader(self._channel.fileno(), self._receive)

    def _watch_writable(self) -> None:
        if self._channel.wants_write:
            self._loop.add_writer(self._channel.fileno(), self._flush)
            return
        self._loop.remove_writer(self._channel.fileno())
        if self._drained is not None and not self._drained.done():
            self._drained.set_result(None)

    def _lose(self, reason: str) -> None:
        if self._channel.closed:
            return
        self._loop.remove_reader(self._channel.fileno())
        self._loop.remove_writer(self._channel.fileno())
        self._channel.close()
        gone = HostGone(f"The pty host is gone: {reason}.")
        for future in self._spawning.values():
            if not future.done():
                future.set_exception(gone)
        for done in self._ending.values():
            if not done.done():
                done.set_result(None)
        self._ending.clear()
        if not self._handed_over.done():
            self._handed_over.set_exception(gone)
            self._handed_over.exception()
        if not self._leaving:
            for callback in self._on_lost:
                callback()
