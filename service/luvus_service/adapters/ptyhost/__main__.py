"""The pty host's process: `python -P -m luvus_service.adapters.ptyhost --config JSON --lock-fd N`.

Started by the launcher, or by a server whose host died and which hands over what it holds.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import select
import socket
import sys
import time

from luvus_service.adapters.ptyhost.config import HostConfig
from luvus_service.adapters.ptyhost.host import Host
from luvus_service.adapters.ptyhost.reactor import Reactor
from luvus_service.adapters.ptyhost.supervise import ServerProcess
from luvus_service.adapters.ptyhost.terminals import Terminal
from luvus_service.adapters.ptyhost.watchers import bind_owner_only
from luvus_service.adapters.ptyhost.wire import Channel, Message, WireClosed
from luvus_service.settings import server_environment

ADOPT_WAIT_S = 10.0
"""How long the server may take to hand over what it holds."""


def main() -> int:
    """Run the host until its session ends."""
    parser = argparse.ArgumentParser(prog="luvus-pty-host")
    parser.add_argument("--config", required=True, type=HostConfig.from_json)
    parser.add_argument("--lock-fd", required=True, type=int)
    parser.add_argument("--listen-fd", type=int)
    parser.add_argument("--adopt-fd", type=int)
    arguments = parser.parse_args()
    config: HostConfig = arguments.config
    for fd in (arguments.lock_fd, arguments.listen_fd, arguments.adopt_fd):
        if fd is not None:
            os.set_inheritable(fd, False)
    if arguments.adopt_fd is not None and os.fork():
        # The server waits for this process, and its new host is then nobody's child.
        os._exit(0)
    with contextlib.suppress(OSError):
        os.setsid()
    open_files = _raise_open_files()
    _sign_lock(arguments.lock_fd, config)
    if arguments.listen_fd is None:
        listener = bind_owner_only(config.host_socket)
    else:
        listener = socket.socket(fileno=arguments.listen_fd)
    host = Host(
        config,
        Reactor(),
        listener=listener,
        lock_fd=arguments.lock_fd,
        open_files=open_files,
        environment=server_environment,
    )
    if arguments.adopt_fd is not None:
        _adopt(host, socket.socket(fileno=arguments.adopt_fd))
    code = host.run()
    # Before the watchers' connections close: whoever sees that end may start a new session.
    os.close(arguments.lock_fd)
    return code


def _raise_open_files() -> tuple[int, int]:
    """Allow as many descriptors as the system does; return what was allowed before."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (before[1], before[1]))
    return before


def _sign_lock(lock_fd: int, config: HostConfig) -> None:
    text = json.dumps({"pid": os.getpid(), "session": config.session}).encode() + b"\n"
    with contextlib.suppress(OSError):
        os.pwrite(lock_fd, text, 0)
        os.ftruncate(lock_fd, len(text))


def _adopt(host: Host, sock: socket.socket) -> None:
    """Receive the server's terminals, then answer it."""
    channel = Channel(sock)
    deadline = time.monotonic() + ADOPT_WAIT_S
    inbox: list[tuple[Message, list[int]]] = []

    def take(op: str) -> tuple[Message, list[int]]:
        while not inbox:
            patience = deadline - time.monotonic()
            if patience <= 0 or not select.select([channel], [], [], patience)[0]:
                raise WireClosed("the server did not hand over in time")
            inbox.extend(channel.receive())
        message, fds = inbox.pop(0)
        if message.get("op") != op:
            raise WireClosed(f"the server sent {message.get('op')!r} instead of {op!r}")
        return message, fds

    head, (state_fd,) = take("adopt")
    kept = [_adopted_terminal(*take("terminal")) for _ in range(int(head["terminals"]))]
    server = ServerProcess(int(head["server_pid"]), time.monotonic(), ready=bool(head["ready"]))
    channel.send({"op": "adopted"})
    # The channel's socket goes on as the server's link; nothing else of it is needed.
    host.adopt(server, socket.socket(fileno=os.dup(channel.fileno())), state_fd, kept)
    channel.close()


def _adopted_terminal(message: Message, fds: list[int]) -> Terminal:
    ended = message["exit"]
    return Terminal(
        id=message["id"],
        pid=message["pid"],
        marker=message["marker"],
        master_fd=fds[0],
        journal_fd=fds[1],
        exit=None if ended is None else (ended[0], ended[1]),
        suspect=bool(message["suspect"]),
    )


if __name__ == "__main__":
    sys.exit(main())
