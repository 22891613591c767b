"""The pty host: brings terminals, server and watchers together and decides when all of it ends."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

from luvus_service.adapters.ptyhost.config import HostConfig
from luvus_service.adapters.ptyhost.journal import create_state_fd
from luvus_service.adapters.ptyhost.link import ServerLink
from luvus_service.adapters.ptyhost.logfile import LOG_CHECK_S, trim_log
from luvus_service.adapters.ptyhost.reactor import Reactor, Timer
from luvus_service.adapters.ptyhost.supervise import (
    FAULT_SIGNALS,
    Backoff,
    ServerEnd,
    ServerProcess,
    judge,
    start_server,
)
from luvus_service.adapters.ptyhost.terminals import Exit, Terminal, Terminals, exit_of, note
from luvus_service.adapters.ptyhost.watchers import Watchers
from luvus_service.adapters.ptyhost.wire import Message

STOP_BUDGET_S = 2.8
"""From the wish to stop until the last program is killed."""
STOP_SERVER_S = 2.0
"""What the server gets of that to store what it has to."""
PANES_GRACE_S = 2.0
"""What the programs get between hang-up and kill."""
FAILED_LINGER_S = 1.0
"""How long a host without server and terminals stays to tell those who wait that it failed."""
_LEAST_GRACE_S = 0.5

State: TypeAlias = Literal["starting", "ready", "waiting", "failed", "stopping", "stopped"]


class Host:
    """One session's host. `run` returns the exit code of the process."""

    def __init__(
        self,
        config: HostConfig,
        reactor: Reactor,
        *,
        listener: socket.socket,
        lock_fd: int,
        open_files: tuple[int, int],
        environment: Callable[[int, int], Mapping[str, str]],
    ) -> None:
        """Own the listener and the lock from now on."""
        self._config = config
        self._reactor = reactor
        self._lock_fd = lock_fd
        self._environment = environment
        self.terminals = Terminals(
            reactor,
            open_files=open_files,
            on_exit=self._terminal_exited,
            capacity=config.journal_capacity,
        )
        self._watchers = Watchers(reactor, listener, status=self.status, ask=self._asked)
        self._state_fd = -1
        self._state: State = "starting"
        self._server: ServerProcess | None = None
        self._link: ServerLink | None = None
        self._backoff = Backoff()
        self._retry: Timer | None = None
        self._starts = 0
        self._ever_ready = False
        self._restart_asked = False
        self._stop_by: float | None = None
        self._last_end: Exit = (None, None)
        self._exit_code = 0

    def run(self) -> int:
        """Start the server, unless one was adopted, and serve until everything has ended."""
        self._reactor.on_signals([signal.SIGCHLD], self._reap)
        self._reactor.on_signals([signal.SIGTERM, signal.SIGINT], self.stop)
        self._reactor.on_signals([signal.SIGHUP], lambda: None)
        self._check_log()
        if self._state_fd < 0:
            self._state_fd = create_state_fd()
        if self._server is None:
            self._start()
        self._reactor.run()
        return self._exit_code

    def status(self) -> Message:
        """Return what watchers are told."""
        return {
            "op": "status",
            "state": self._state,
            "session": self._config.session,
            "host_pid": os.getpid(),
            "server_pid": self._server.pid if self._server else None,
            "restarts": max(self._starts - 1, 0),
            "terminals": len(self.terminals),
            "code": self._last_end[0],
            "signal": self._last_end[1],
        }

    def stop(self) -> None:
        """End the server in order, then every program; all of it within `STOP_BUDGET_S`."""
        if self._stop_by is not None:
            return
        self._stop_by = time.monotonic() + STOP_BUDGET_S
        self._enter("stopping")
        if self._server is None:
            self._end_everything()
            return
        self._signal_server(signal.SIGTERM)
        self._reactor.later(STOP_SERVER_S, lambda: self._signal_server(signal.SIGKILL))

    def adopt(
        self, server: ServerProcess, sock: socket.socket, state_fd: int, kept: list[Terminal]
    ) -> None:
        """Take the place of a host that died: its server, its state, its terminals."""
        self._server, self._state_fd, self._starts = server, state_fd, 1
        self._ever_ready = server.ready
        self._state = "ready" if server.ready else "starting"
        self._link = ServerLink(self._reactor, sock, self.terminals, self)
        self._watch_adopted(server)
        for terminal in kept:
            self.terminals.adopt(terminal)

    def greeted(self) -> Message:
        """Return what the server is told of the session."""
        return {"restarts": max(self._starts - 1, 0), "config": self._config.to_json()}

    def ready(self) -> None:
        """Take note that the server answers."""
        if self._server is not None:
            self._server.ready = self._ever_ready = True
            if self._stop_by is None:
                self._enter("ready")

    def leaving(self) -> None:
        """Tell whoever comes that this server ends, unless another is to take its place."""
        if self._stop_by is None and not self._restart_asked:
            self._enter("stopping")

    def bye(self, code: int) -> None:
        """Take note of the code that the server will end with."""
        if self._server is not None:
            self._server.bye = code

    def state_fd(self) -> int:
        """Return the descriptor of the session's state."""
        return self._state_fd

    def _asked(self, wish: str) -> None:
        if wish == "stop":
            self.stop()
        elif wish == "restart" and self._server is not None and self._stop_by is None:
            self._restart_asked = True
            self._signal_server(signal.SIGTERM)
        elif wish in ("start", "restart") and self._state in ("failed", "waiting"):
            self._start()

    def _enter(self, state: State) -> None:
        self._state = state
        self._watchers.broadcast()

    def _start(self) -> None:
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None
        self._starts += 1
        self._restart_asked = False
        try:
            self._server, sock = start_server(
                self._config.server_command,
                log_path=self._config.log_path,
                lock_fd=self._lock_fd,
                environment=self._environment,
            )
        except OSError as fault:
            note(f"the server cannot be started: {fault}")
            self._fail()
            return
        self._link = ServerLink(self._reactor, sock, self.terminals, self)
        self._enter("starting")

    def _reap(self) -> None:
        while True:
            try:
                pid, wait_status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if self._server is not None and pid == self._server.pid:
                self._server_ended(*exit_of(wait_status))
            else:
                self.terminals.reaped(pid, wait_status)

    def _server_ended(self, code: int | None, name: str | None, *, fault: bool = False) -> None:
        server, self._server = self._server, None
        if self._link is not None:
            self._link.close()
            self._link = None
        if server is None:
            return
        self._last_end = (code, name)
        self.terminals.take_over(fault=fault or name in FAULT_SIGNALS)
        end = ServerEnd(
            code=code,
            signal=name,
            was_ready=server.ready,
            ever_ready=self._ever_ready,
            starts=self._starts,
            keeps_terminals=len(self.terminals) > 0,
            stopping=self._stop_by is not None,
            restart_asked=self._restart_asked,
        )
        verdict = judge(end)
        note(f"the server ended with {name or code}: {verdict}")
        if verdict == "stop":
            self._end_everything()
        elif verdict == "again":
            self._start()
        elif verdict == "later":
            pause = self._backoff.pause(time.monotonic() - server.started)
            self._retry = self._reactor.later(pause, self._start)
            self._enter("waiting")
        else:
            self._fail()

    def _fail(self) -> None:
        """Say that there is no server; without terminals nothing is left to stay for."""
        self._server = None
        self._enter("failed")
        self._reactor.later(FAILED_LINGER_S, self._leave_if_useless)

    def _leave_if_useless(self) -> None:
        if self._state == "failed" and not len(self.terminals):
            self._leave(1)

    def _end_everything(self) -> None:
        now = time.monotonic()
        if self._stop_by is None:
            self._stop_by = now + STOP_BUDGET_S
            self._enter("stopping")
        grace = min(PANES_GRACE_S, max(_LEAST_GRACE_S, self._stop_by - now))
        left = self.terminals.all()
        waiting = {terminal.id for terminal in left}

        def gone(terminal_id: str) -> None:
            waiting.discard(terminal_id)
            if not waiting:
                self._leave(0)

        for terminal in left:
            self.terminals.end(terminal, grace, partial(gone, terminal.id))
        if not left:
            self._leave(0)

    def _leave(self, code: int) -> None:
        self._exit_code = code
        if code == 0:
            self._enter("stopped")
        # Still under the lock, so nobody else's socket can be there.
        with contextlib.suppress(OSError):
            Path(self._config.host_socket).unlink()
        self._reactor.stop()

    def _terminal_exited(self, terminal: Terminal) -> None:
        if self._link is not None:
            self._link.exited(terminal)

    def _signal_server(self, number: int) -> None:
        if self._server is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._server.pid, number)

    def _watch_adopted(self, server: ServerProcess) -> None:
        """Notice the end of a server that is not our child; only `bye` tells its code."""

        def ended() -> None:
            name = "SIGKILL" if server.bye is None else None
            # Why it ended is unknown, so a terminal being fed counts as the possible cause.
            self._server_ended(server.bye, name, fault=server.bye is None)

        def look() -> None:
            try:
                os.kill(server.pid, 0)
            except ProcessLookupError:
                ended()
            else:
                self._reactor.later(0.5, look)

        if not hasattr(os, "pidfd_open"):
            self._reactor.later(0.5, look)
            return
        try:
            pidfd = os.pidfd_open(server.pid)
        except ProcessLookupError:
            self._reactor.later(0, ended)
            return

        def readable() -> None:
            self._reactor.ignore(pidfd)
            os.close(pidfd)
            ended()

        self._reactor.watch(pidfd, readable)

    def _check_log(self) -> None:
        trim_log(self._config.log_path)
        self._reactor.later(LOG_CHECK_S, self._check_log)
