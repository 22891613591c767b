"""The host's socket: whoever starts, watches or stops the session connects here.

Tells every watcher the state at once and at each change, and passes on what it asks for. The
connections live until the process ends: their end tells that it has.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

from luvus_service.adapters.ptyhost.reactor import Reactor
from luvus_service.adapters.ptyhost.wire import Channel, Message, WireClosed, peer_uid

WATCHERS_LIMIT = 32
"""Watchers at once; one more is closed without a word."""

ACCEPT_PAUSE_S = 1.0
"""How long nobody is accepted after the system had no descriptor for a connection."""


def bind_owner_only(path: str, backlog: int = WATCHERS_LIMIT) -> socket.socket:
    """Listen on a Unix socket that has mode 0600 from its first instant.

    The caller holds the session's lock, so a socket that is there already belongs to nobody.
    Changes the umask for a moment: call it before there are threads.
    """
    with contextlib.suppress(FileNotFoundError):
        Path(path).unlink()
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    if sys.platform == "linux":
        # There the path takes its mode from the socket, whatever the umask says.
        os.fchmod(sock.fileno(), 0o600)
    before = os.umask(0o177)
    try:
        sock.bind(path)
        sock.listen(backlog)
    except OSError:
        sock.close()
        raise
    finally:
        os.umask(before)
    return sock


class Watchers:
    """The connections to the host's socket; owns the listener."""

    def __init__(
        self,
        reactor: Reactor,
        listener: socket.socket,
        *,
        status: Callable[[], Message],
        ask: Callable[[str], None],
    ) -> None:
        """Serve `listener`; `ask` gets the name of what a watcher wants."""
        self._reactor = reactor
        self._listener = listener
        self._status = status
        self._ask = ask
        self._channels: set[Channel] = set()
        listener.setblocking(False)
        self._listen()

    def broadcast(self) -> None:
        """Tell everyone the state."""
        status = self._status()
        for channel in list(self._channels):
            self._send(channel, status)

    def _listen(self) -> None:
        self._reactor.watch(self._listener.fileno(), self._accept)

    def _accept(self) -> None:
        try:
            sock, _ = self._listener.accept()
        except BlockingIOError:
            return
        except OSError:
            # Out of descriptors: the waiting connection would wake us for ever.
            self._reactor.ignore(self._listener.fileno())
            self._reactor.later(ACCEPT_PAUSE_S, self._listen)
            return
        if len(self._channels) >= WATCHERS_LIMIT or peer_uid(sock) not in (None, os.getuid()):
            sock.close()
            return
        channel = Channel(sock)
        self._channels.add(channel)
        self._reactor.watch(channel.fileno(), lambda: self._receive(channel))
        self._send(channel, self._status())

    def _receive(self, channel: Channel) -> None:
        try:
            messages = channel.receive()
        except WireClosed:
            self._drop(channel)
            return
        for message, fds in messages:
            for fd in fds:
                os.close(fd)
            self._ask(str(message.get("op")))

    def _send(self, channel: Channel, message: Message) -> None:
        try:
            channel.send(message)
        except WireClosed:
            self._drop(channel)
            return
        self._await_room(channel)

    def _flush(self, channel: Channel) -> None:
        try:
            channel.flush()
        except WireClosed:
            self._drop(channel)
            return
        self._await_room(channel)

    def _await_room(self, channel: Channel) -> None:
        writable = (lambda: self._flush(channel)) if channel.wants_write else None
        self._reactor.watch(channel.fileno(), lambda: self._receive(channel), writable)

    def _drop(self, channel: Channel) -> None:
        if channel in self._channels:
            self._channels.discard(channel)
            self._reactor.ignore(channel.fileno())
            channel.close()
