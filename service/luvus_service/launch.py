"""Starts a session: takes its lock, starts the pty host, and waits until the server answers.

Whoever holds the lock serves the session; a server that is slow is waited for, never replaced.
Standard library only.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence

from luvus_service.adapters.ptyhost.command import host_command
from luvus_service.adapters.ptyhost.config import HostConfig
from luvus_service.adapters.ptyhost.lock import is_free, lock_owner, take_lock
from luvus_service.adapters.ptyhost.logfile import log_tail, open_log, trim_log
from luvus_service.adapters.ptyhost.watchers import bind_owner_only
from luvus_service.adapters.ptyhost.wire import Channel, Message, WireClosed
from luvus_service.settings import Settings, SettingsError

START_WAIT_S = 60.0
"""How long a new server may take until it answers."""
JOIN_WAIT_S = 10.0
"""How long somebody who came second waits for a word of the first one's host."""
STOP_WAIT_S = 5.0
"""How long a stop may take until it is reported as failed."""
EXIT_BUSY = 3
"""The exit code of `--foreground` when the session is served already."""
EXIT_INTERRUPTED = 130
_RETRY_S = 0.02
_LOCK_CHECK_S = 0.2


class LaunchError(Exception):
    """The session cannot be started or reached; the text says why and what to do."""


def main(arguments: Sequence[str], *, server_command: Sequence[str] | None = None) -> int:
    """Run `start` or `restart` with `[--session NAME] [--foreground]`; return the exit code.

    `server_command` replaces the program that is run as the server.
    """
    parser = argparse.ArgumentParser(prog="luvus_service")
    parser.add_argument("verb", choices=("start", "restart"))
    parser.add_argument("--session", metavar="NAME")
    parser.add_argument("--foreground", action="store_true", help="stay until the server ends")
    options = parser.parse_args(arguments)
    try:
        settings = Settings.from_environment(options.session)
        settings.prepare_home()
        if options.verb == "restart":
            return restart(settings)
        command = tuple(server_command or _server_command(settings.session))
        return start(settings, command, foreground=bool(options.foreground))
    except (LaunchError, SettingsError) as fault:
        print(f"luvus: {fault}", file=sys.stderr)  # noqa: T201 - this is a command
    except OSError as fault:
        text = f"{fault.filename or 'The session'} cannot be used: {fault.strerror}."
        print(f"luvus: {text}", file=sys.stderr)  # noqa: T201 - this is a command
    return 1


def start(settings: Settings, command: tuple[str, ...], *, foreground: bool) -> int:
    """Start the session, or find that it runs.

    Raises:
        LaunchError: The session is neither running nor can it be started.
    """
    lock = take_lock(settings.lock_path)
    while lock is None:
        joined = _join(settings, foreground=foreground)
        if joined is not None:
            return joined
        lock = take_lock(settings.lock_path)
    trim_log(str(settings.log_path))
    log_start = _size(settings)
    with _Interrupts() as interrupts:
        host = _start_host(settings, command, lock)
        channel = connect(settings)
        if channel is None:
            host.wait(STOP_WAIT_S)
            raise LaunchError(_failure("The pty host ended at once.", settings, log_start))
        state = _await_ready(channel, time.monotonic() + START_WAIT_S, interrupts.fd)
        if state.get("state") != "ready":
            if interrupts.seen():
                stopped = _stay(settings, channel, interrupts, host)
                return stopped if foreground else EXIT_INTERRUPTED
            raise LaunchError(_failure(_reason(state), settings, log_start))
        _announce(settings, state, "is ready")
        if not foreground:
            # It outlives us; nobody here waits for it.
            host.returncode = 0
            return 0
        return _stay(settings, channel, interrupts, host)


def restart(settings: Settings) -> int:
    """Let a new server take the place of the running one; every program goes on.

    Raises:
        LaunchError: Nothing runs, or no new server answers.
    """
    log_start = _size(settings)
    until = frozenset({"ready", "failed"})
    state = ask(settings, "restart", until=until, wait_s=START_WAIT_S)
    if state is None:
        raise LaunchError(f"Session {settings.session!r} is not running; start it first.")
    if state.get("state") != "ready":
        raise LaunchError(_failure(_reason(state), settings, log_start))
    _announce(settings, state, "is ready again")
    return 0


def connect(settings: Settings, wait_s: float = 0.0) -> Channel | None:
    """Connect to the session's host, trying for `wait_s` seconds; None when there is none."""
    deadline = time.monotonic() + wait_s
    while True:
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # A Unix socket connects at once or, with a full backlog, not now: it never waits.
        sock.setblocking(False)
        try:
            sock.connect(settings.host_address)
        except (FileNotFoundError, ConnectionRefusedError, BlockingIOError):
            sock.close()
        except OSError as fault:
            sock.close()
            raise LaunchError(
                f"{settings.host_address} cannot be reached: {fault.strerror}."
            ) from fault
        else:
            return Channel(sock)
        # Between the lock and the socket of a session lie a few instructions of its launcher.
        if time.monotonic() >= deadline:
            return None
        select.select([], [], [], _RETRY_S)


def ask(settings: Settings, wish: str, *, until: frozenset[str], wait_s: float) -> Message | None:
    """Ask the running host for `stop`, `restart` or `start` and wait for one of these states.

    Returns the last status, or None when nothing serves the session.
    """
    channel = connect(settings)
    if channel is None:
        return None
    last: Message = {"state": "stopped"}
    first = True
    with contextlib.suppress(WireClosed):
        channel.send({"op": wish})
    for last in _Statuses(channel, time.monotonic() + wait_s, None):
        # The first one tells how things were before the wish was heard. After the last one the
        # host gives up the lock and then closes the connection: only then is it over.
        if last.get("state") in until and not first and last["state"] != "stopped":
            break
        first = False
    channel.close()
    return last


def status(settings: Settings) -> Message | None:
    """Return the state of the session's host, or None when nothing serves the session."""
    channel = connect(settings)
    if channel is None:
        return None
    found = next(_Statuses(channel, time.monotonic() + JOIN_WAIT_S, None), None)
    channel.close()
    return found


class _Interrupts:
    """SIGTERM and SIGINT as something that can be waited for."""

    def __init__(self) -> None:
        self.fd, self._write = os.pipe()
        self._seen = False

    def __enter__(self) -> _Interrupts:
        os.set_blocking(self._write, False)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        os.close(self.fd)
        os.close(self._write)

    def seen(self) -> bool:
        """Tell whether we were asked to stop."""
        return self._seen

    def _note(self, _number: int, _frame: object) -> None:
        self._seen = True
        with contextlib.suppress(BlockingIOError):
            os.write(self._write, b"!")


def _server_command(session: str) -> tuple[str, ...]:
    return (sys.executable, "-P", "-m", "luvus_service", "serve", "--session", session)


def _start_host(
    settings: Settings, command: tuple[str, ...], lock_fd: int
) -> subprocess.Popen[bytes]:
    """Start the host on a socket that listens already, so that nobody finds none."""
    config = HostConfig(
        session=settings.session,
        session_dir=str(settings.session_dir),
        host_socket=settings.host_address,
        log_path=str(settings.log_path),
        server_command=command,
    )
    listener = bind_owner_only(settings.host_address)
    log = open_log(str(settings.log_path))
    try:
        return subprocess.Popen(
            host_command(config, lock_fd, "--listen-fd", str(listener.fileno())),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(lock_fd, listener.fileno()),
            start_new_session=True,
        )
    except OSError as fault:
        raise LaunchError(f"The pty host cannot be started: {fault.strerror}.") from fault
    finally:
        listener.close()
        os.close(log)
        os.close(lock_fd)


class _Statuses:
    """The states a host tells, until it goes, time is out or `wake_fd` becomes readable."""

    def __init__(self, channel: Channel, deadline: float, wake_fd: int | None) -> None:
        self._channel = channel
        self.deadline = deadline
        self._watched: list[int] = [channel.fileno(), *([] if wake_fd is None else [wake_fd])]
        self._inbox: list[Message] = []
        self.ended = False
        """Whether the host closed the connection."""

    def __iter__(self) -> _Statuses:
        return self

    def __next__(self) -> Message:
        while not self._inbox:
            patience = self.deadline - time.monotonic()
            readable = select.select(self._watched, [], [], max(patience, 0))[0]
            if not readable or readable[0] != self._channel.fileno():
                raise StopIteration
            try:
                self._inbox += [message for message, _ in self._channel.receive()]
            except WireClosed:
                self.ended = True
                raise StopIteration from None
        return self._inbox.pop(0)


def _await_ready(channel: Channel, deadline: float, wake_fd: int | None) -> Message:
    """Return the first status that decides, or the last one heard."""
    last: Message = {}
    for last in _Statuses(channel, deadline, wake_fd):
        if last.get("state") in ("ready", "failed", "stopping", "stopped"):
            break
    return last


def _join(settings: Settings, *, foreground: bool) -> int | None:
    """Wait until the running session answers; None when it ended meanwhile."""
    if foreground:
        owner = lock_owner(settings.lock_path)
        who = "another process" if owner is None else f"process {owner}"
        text = f"Session {settings.session!r} is served by {who} already; stop that one first."
        print(f"luvus: {text}", file=sys.stderr)  # noqa: T201 - this is a command
        return EXIT_BUSY
    log_start = _size(settings)
    state: Message | None = None
    deadline = time.monotonic() + JOIN_WAIT_S
    while state is None and time.monotonic() < deadline:
        channel = connect(settings, _LOCK_CHECK_S)
        told, state = (False, None) if channel is None else _join_host(channel)
        if told:
            # Only a word gives it more time: one that has no place left hangs up on everybody.
            deadline = time.monotonic() + JOIN_WAIT_S
        # A host that goes away was stopping, or a new one has taken its place: who holds the lock
        # tells which.
        if state is None:
            if is_free(settings.lock_path):
                return None
            select.select([], [], [], _RETRY_S)
    if state is None:
        owner = lock_owner(settings.lock_path)
        raise LaunchError(
            f"Session {settings.session!r} is held by process {owner or 'unknown'}, whose pty host "
            f"did not answer within {JOIN_WAIT_S:.0f} s. Nothing was changed."
        )
    if state.get("state") != "ready":
        raise LaunchError(_failure(_reason(state), settings, log_start))
    _announce(settings, state, "is running")
    return 0


def _join_host(channel: Channel) -> tuple[bool, Message | None]:
    """Return whether the host said anything, and the state that decides, or the last one in time.

    The state is None when the host went away.
    A server that is still starting gets as long as from whoever started it: slow is not dead.
    """
    # A host whose server failed keeps the panes and tries again when somebody asks.
    with contextlib.suppress(WireClosed):
        channel.send({"op": "start"})
    statuses = _Statuses(channel, time.monotonic() + JOIN_WAIT_S, None)
    state: Message = {}
    for number, state in enumerate(statuses):
        if number == 0:
            statuses.deadline = time.monotonic() + START_WAIT_S
        if state.get("state") == "ready" or (state.get("state") == "failed" and number):
            break
    channel.close()
    return bool(state), None if statuses.ended else state


def _stay(
    settings: Settings,
    channel: Channel,
    interrupts: _Interrupts,
    host: subprocess.Popen[bytes],
) -> int:
    """Wait until the session ends; a signal to us stops it."""
    asked = False
    last: Message = {}
    while True:
        patience = STOP_WAIT_S if asked else START_WAIT_S
        statuses = _Statuses(channel, time.monotonic() + patience, None if asked else interrupts.fd)
        for last in statuses:
            if last.get("state") == "stopped":
                break
        if last.get("state") == "stopped":
            channel.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                host.wait(STOP_WAIT_S)
            return 0
        if statuses.ended:
            channel.close()
            again = None if is_free(settings.lock_path) else connect(settings, JOIN_WAIT_S)
            if again is None:
                return 1
            # The host died and the server has put another in its place.
            channel = again
        elif asked:
            raise LaunchError(f"The session did not stop within {STOP_WAIT_S:.0f} s.")
        if interrupts.seen():
            asked = True
            with contextlib.suppress(WireClosed):
                channel.send({"op": "stop"})


def _size(settings: Settings) -> int:
    try:
        return settings.log_path.stat().st_size
    except OSError:
        return 0


def _reason(state: Message) -> str:
    match state.get("state"):
        case "failed":
            how = state.get("signal") or f"code {state.get('code')}"
            return f"The server ended with {how} before it answered."
        case "starting" | "waiting":
            return "The server has not answered yet; it goes on starting."
        case "stopping" | "stopped":
            return "The session is being stopped."
        case _:
            return "The pty host went away before the server answered."


def _failure(text: str, settings: Settings, log_start: int) -> str:
    tail = log_tail(str(settings.log_path), log_start).rstrip()
    return f"{text}\n{tail}\n(log: {settings.log_path})" if tail else text


def _announce(settings: Settings, state: Message, what: str) -> None:
    text = (
        f"luvus: session {settings.session} {what} (server {state.get('server_pid')}), "
        f"socket {settings.socket_path}, http {settings.http_path}"
    )
    print(text, flush=True)  # noqa: T201 - this is a command
