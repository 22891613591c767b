"""The host's end of the connection to its one server: what the server asks of its terminals."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Sequence
from typing import Protocol

from luvus_service.adapters.ptyhost.reactor import Reactor
from luvus_service.adapters.ptyhost.terminals import Terminal, Terminals, note
from luvus_service.adapters.ptyhost.wire import Channel, FrameTooLarge, Message, WireClosed

GRACE_LIMIT_S = 60.0
"""The longest grace a server may ask for."""


class LinkOwner(Protocol):
    """What the host does with the connection's other news."""

    def greeted(self) -> Message:
        """Take note that the server is there; return what it is told of the session."""
        ...

    def ready(self) -> None:
        """Take note that the server answers."""
        ...

    def leaving(self) -> None:
        """Take note that the server is on its way to an orderly end."""
        ...

    def bye(self, code: int) -> None:
        """Take note of the code that the server will end with."""
        ...

    def state_fd(self) -> int:
        """Return the descriptor of the session's state."""
        ...


class ServerLink:
    """One server's connection; lives as long as that server."""

    def __init__(
        self, reactor: Reactor, sock: socket.socket, terminals: Terminals, owner: LinkOwner
    ) -> None:
        """Take the socket over and begin to listen."""
        self._reactor = reactor
        self._channel = Channel(sock)
        self._terminals = terminals
        self._owner = owner
        self._closing = False
        self._answers: dict[str, Callable[[Message], None]] = {
            "hello": self._hello,
            "spawn": self._spawn,
            "end": self._end,
            "forget": self._forget,
            "ready": lambda _: owner.ready(),
            "leaving": lambda _: owner.leaving(),
            "bye": lambda message: owner.bye(int(message["code"])),
        }
        self._watch()

    def exited(self, terminal: Terminal) -> None:
        """Tell the server that a program ended."""
        code, name = terminal.exit or (None, None)
        self._send({"op": "exit", "id": terminal.id, "code": code, "signal": name})

    def close(self) -> None:
        """Close the connection of a server that has ended.

        What it had sent before is still obeyed, but a program that nobody waits for is not started.
        """
        self._closing = True
        while not self._channel.closed and self._receive():
            pass
        self._shut()

    def _hello(self, _message: Message) -> None:
        # From here on the server reads the terminals, so the host must not any more.
        self._terminals.hand_over()
        terminals = self._terminals.all()
        welcome = {"op": "welcome", "terminals": len(terminals), **self._owner.greeted()}
        self._send(welcome, (self._owner.state_fd(),))
        for terminal in terminals:
            described = {"op": "terminal", **terminal.describe()}
            self._send(described, (terminal.master_fd, terminal.journal_fd))

    def _spawn(self, message: Message) -> None:
        if self._closing:
            return
        request = message["request"]

        def answer(terminal: Terminal | None, text: str) -> None:
            if terminal is None:
                self._send({"op": "refused", "request": request, "reason": text})
                return
            spawned = {"op": "spawned", "request": request, "cwd": text, **terminal.describe()}
            self._send(spawned, (terminal.master_fd, terminal.journal_fd))

        self._terminals.spawn(message, answer)

    def _end(self, message: Message) -> None:
        terminal = self._terminals.get(message["id"])
        done = {"op": "ended", "id": message["id"]}
        if terminal is None:
            self._send(done)
            return
        grace = min(max(float(message["grace"]), 0.0), GRACE_LIMIT_S)
        self._terminals.end(terminal, grace, lambda: self._send(done))

    def _forget(self, message: Message) -> None:
        terminal = self._terminals.get(message["id"])
        if terminal is not None:
            self._terminals.forget(terminal)

    def _receive(self) -> bool:
        """Obey what arrived; False when nothing did."""
        try:
            messages = self._channel.receive()
        except WireClosed:
            self._shut()
            return False
        for message, fds in messages:
            for fd in fds:
                os.close(fd)
            answer = self._answers.get(str(message.get("op")))
            if answer is None:
                note(f"the server sent {message.get('op')!r}, which this host does not know")
                continue
            answer(message)
        return bool(messages)

    def _send(self, message: Message, fds: Sequence[int] = ()) -> None:
        if self._channel.closed:
            return
        try:
            self._channel.send(message, fds)
        except (WireClosed, FrameTooLarge) as fault:
            note(f"the server was not told {message.get('op')!r}: {fault}")
            self._shut()
            return
        self._watch()

    def _flush(self) -> None:
        try:
            self._channel.flush()
        except WireClosed:
            self._shut()
            return
        self._watch()

    def _watch(self) -> None:
        writable = self._flush if self._channel.wants_write else None
        self._reactor.watch(self._channel.fileno(), self._on_readable, writable)

    def _on_readable(self) -> None:
        self._receive()

    def _shut(self) -> None:
        if not self._channel.closed:
            self._reactor.ignore(self._channel.fileno())
            self._channel.close()
