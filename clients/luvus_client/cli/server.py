"""`luvus server`: starts, stops and shows the server of a session.

Starting is the job of the service's own program, which this one runs or becomes.
"""

from __future__ import annotations

import os
import select
import sys
from time import monotonic
from typing import Any

from luvus_client.caller import Caller
from luvus_client.cli import show
from luvus_client.cli.context import Context
from luvus_client.cli.sessions import is_running
from luvus_client.cli.usage import EXIT_FAILED, EXIT_OK, UsageError
from luvus_client.connection import Connection
from luvus_client.endpoint import Endpoint
from luvus_client.errors import ConnectionFailure, ConnectionLost, NotRunning
from luvus_client.wire import read_answer, request_frame

SERVICE = "luvus_service"
STOP_LIMIT_S = 5.0
_LOOK_EVERY_S = 0.05


def foreground(context: Context, words: list[str]) -> int:
    """Run `luvus server`: become the server of the session."""
    _no_words(words, "server")
    argv = _service("start", context, "--foreground")
    sys.stdout.flush()
    os.execv(sys.executable, argv)  # noqa: S606 - a list, no shell, and our own interpreter


def start(context: Context, words: list[str]) -> int:
    """Run `luvus server start`: start the server unless it runs, and say where it is."""
    _no_words(words, "server start")
    endpoint = context.endpoint()
    if not is_running(endpoint.address):
        # The service's own program ends when the server answers, or says why it does not.
        code = _run(_service("start", context))
        if code:
            return code
    return status(context, [])


def stop(context: Context, words: list[str]) -> int:
    """Run `luvus server stop`: ask the server to stop and wait until it is gone."""
    _no_words(words, "server stop")
    endpoint = context.endpoint()
    try:
        answer = context.caller().call("server.stop", {})
    except ConnectionLost:
        # A stopping server may be gone before its answer is read; what counts is that it goes.
        answer = {"type": "ok"}
    if not _gone(endpoint, STOP_LIMIT_S):
        raise ConnectionFailure(f"the server still runs after {STOP_LIMIT_S:g} s")
    show.line(answer)
    return EXIT_OK


def status(context: Context, words: list[str]) -> int:
    """Run `luvus server status`; not running is an exit code of its own kind, 1."""
    _no_words(words, "server status")
    endpoint = context.endpoint()
    found: dict[str, Any] = {
        "running": False,
        "session": endpoint.session,
        "socket_path": endpoint.socket_path,
        "address": endpoint.address,
        "http_address": endpoint.http_address,
    }
    try:
        found.update(_ask(context.caller()))
    except NotRunning:
        show.line(found)
        return EXIT_FAILED
    show.line(found)
    return EXIT_OK


def restart(context: Context, words: list[str]) -> int:
    """Run `luvus server restart`: the service hands its panes from the old server to a new one."""
    _no_words(words, "server restart")
    code = _run(_service("restart", context))
    return code or status(context, [])


def _ask(caller: Caller) -> dict[str, Any]:
    connection: Connection = caller.connect()
    try:
        connection.send(request_frame("ping", {}), caller.timeout)
        answer = read_answer(connection.answer(caller.timeout))
        known = {key: value for key, value in answer.items() if key not in ("type", "revision")}
        return {"running": True, "pid": connection.server_pid, **known}
    finally:
        connection.close()


def _no_words(words: list[str], command: str) -> None:
    if words:
        raise UsageError(f"usage: luvus [--session NAME] {command}")


def _service(verb: str, context: Context, *options: str) -> list[str]:
    session = context.endpoint().session
    # -P: a folder that happens to be current must not lend its modules to the server.
    return [sys.executable, "-P", "-m", SERVICE, verb, "--session", session, *options]


def _run(argv: list[str]) -> int:
    """Run the service's own program to its end; what it says goes to standard error."""
    sys.stdout.flush()
    onto_stderr = [(os.POSIX_SPAWN_DUP2, 2, 1)]
    pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=onto_stderr)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) and EXIT_FAILED


def _gone(endpoint: Endpoint, limit: float) -> bool:
    deadline = monotonic() + limit
    # Whatever holds the terminals ends last; until then a new start would find the old session.
    while is_running(endpoint.address) or is_running(endpoint.host_address):
        if monotonic() >= deadline:
            return False
        select.select([], [], [], _LOOK_EVERY_S)
    return True
