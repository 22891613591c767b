"""Runs the coding agent as a process of its own: `luxe --rpc`, `luxe -p`, `luxe acp`.

It listens on nothing. What the first frame does not need is imported after it was sent.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from luvus_bridge.descriptors import guard_stdout
from luvus_service.luxe.engine.ids import uuid7
from luvus_service.luxe_wiring.configuration import configuration
from luvus_service.luxe_wiring.places import luxe_home, places
from luvus_service.luxe_wiring.telling import EXIT_UNREAD, tell
from luvus_service.luxe_wiring.wish import Wish, ready_of, trust_of
from luvus_service.luxe_wiring.words import (
    EXIT_PROJECT,
    EXIT_USAGE,
    StartFault,
    check,
    parser,
    permission_mode,
)
from luvus_service.rpc.frame_lines import event_line
from luvus_service.settings import Settings, quick_imports

if TYPE_CHECKING:
    import argparse

    from luvus_service.luxe.domain.handshake import Ready
    from luvus_service.luxe.domain.ports import Provider
    from luvus_service.luxe.domain.tool_ports import Toolbox
    from luvus_service.luxe_wiring.opening import Opener

EXIT_SLACK_S = 0.5
"""How long the process may outlive the bound of closing."""


def main(
    argv: Sequence[str] | None = None,
    *,
    providers: Sequence[Provider] | None = None,
    toolbox: Toolbox | None = None,
) -> int:
    """Run the words of a command line and return the exit code.

    `providers` and `toolbox` stand in for the configured ones.
    """
    options = parser().parse_args(argv)
    if options.rpc_schema:
        return _print_schema()
    asked = [options.rpc, options.prompt is not None, options.list_models, bool(options.command)]
    if sum(asked) != 1:
        sys.stderr.write("luxe: use one of --rpc, -p, --list-models or acp; see luxe --help\n")
        return EXIT_USAGE
    try:
        stdout = guard_stdout()
    except OSError:
        sys.stderr.write("luxe: standard output is closed; there is nowhere to answer\n")
        return EXIT_USAGE
    try:
        check(options)
        return _run(options, Settings.from_environment(), stdout, providers, toolbox)
    except StartFault as fault:
        sys.stderr.write(f"luxe: {fault}\n")
        return fault.code


def _run(
    options: argparse.Namespace,
    settings: Settings,
    stdout: int,
    providers: Sequence[Provider] | None,
    toolbox: Toolbox | None,
) -> int:
    wish = _wish(options)
    if options.command in {"trust", "distrust"}:
        return _decide_trust(options.command, settings, wish, stdout)
    configured = configuration(luxe_home(settings), options.config)
    if options.rpc and options.model is None and not wish.resumes and options.worktree is None:
        # Nothing can go wrong any more: the client need not wait for what follows.
        wish = replace(wish, session_id=uuid7())
        where = places(luxe_home(settings), wish.cwd)
        trusted = wish.trust_project or trust_of(where) == "trusted"
        assert wish.session_id is not None
        _greet(ready_of(wish, where, wish.session_id, resumed=False, trusted=trusted), stdout)
    import asyncio

    from luvus_service.luxe_wiring.logs import log_to

    log_to(options.log_level, options.log_file)
    with quick_imports():
        from luvus_service.luxe_wiring.opening import Opener
    opener = Opener(settings, providers=providers, toolbox=toolbox, configured=configured)
    return asyncio.run(_serve(options, opener, wish, stdout))


def _wish(options: argparse.Namespace) -> Wish:
    named = options.permission_mode is not None or options.yolo
    return Wish(
        cwd=os.path.realpath(options.cwd or "."),
        model=options.model,
        thinking=options.thinking,
        mode=options.mode,
        permission_mode=permission_mode(options) if named else None,
        read_only=options.read_only,
        auto_approve=options.auto_approve,
        github_writes=options.github_writes,
        trust_project=options.trust_project,
        add_dirs=tuple(os.path.realpath(folder) for folder in options.add_dir),
        no_session=options.no_session,
        resume=options.resume,
        resume_last=options.resume_last,
        moved=options.cwd is not None,
    )


def _greet(ready: Ready, stdout: int) -> None:
    # Without a reader the session closes as soon as it writes its next frame.
    tell(stdout, event_line(ready) + b"\n")


def _print_schema() -> int:
    import json

    from luvus_service.luxe.catalogue import GROUPS
    from luvus_service.rpc.frames import frame_schema

    text = json.dumps(frame_schema(GROUPS), indent=2) + "\n"
    return 0 if tell(1, text.encode()) else EXIT_UNREAD


def _decide_trust(command: str, settings: Settings, wish: Wish, stdout: int) -> int:
    from luvus_service.adapters.trust import Trust
    from luvus_service.luxe_wiring.wish import trust_file

    where = places(luxe_home(settings), wish.cwd)
    trust = Trust(trust_file(where), where.root, where.shared)
    try:
        if command == "trust":
            trust.trust()
        else:
            trust.distrust()
    except OSError as fault:
        raise StartFault(EXIT_PROJECT, f"{where.root} cannot be trusted: {fault}") from fault
    said = f"{where.root}: {trust.standing()}\n"
    return 0 if tell(stdout, said.encode("utf-8", "replace")) else EXIT_UNREAD


async def _serve(options: argparse.Namespace, opener: Opener, wish: Wish, stdout: int) -> int:
    if options.list_models:
        from luvus_service.luxe_wiring.models import print_models

        return await print_models(opener, wish, stdout, as_json=options.output == "json")
    if options.command == "acp":
        from luvus_service.luxe_wiring.editors import serve_editor

        return await serve_editor(opener, wish, stdout)
    if options.worktree is not None:
        from luvus_service.luxe_wiring.linked import entered

        wish = await entered(wish, opener.home, options.worktree or None)
    if options.prompt is not None:
        from luvus_service.luxe_wiring.printing import print_turn

        return await print_turn(opener, wish, options, stdout)
    return await _serve_frames(opener, wish, stdout)


async def _serve_frames(opener: Opener, wish: Wish, stdout: int) -> int:
    import asyncio
    import signal

    from luvus_bridge.stdio import Input, Output, serve_stdio
    from luvus_service.asgi.frames import PATH, frames_app

    opened = await opener.open(wish)
    if wish.session_id is None:
        _greet(opened.ready, stdout)
    source = Input(0)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, source.end)
    opened.session.when_closing(_exit_in_time)
    opened.begin()
    await serve_stdio(frames_app(opened.frames), PATH, source, Output(stdout))
    await opened.session.closed()
    return 0


def _exit_in_time() -> None:
    """End the process even when something keeps it: a client that reads nothing, a stuck thread."""
    import threading

    from luvus_service.luxe.domain.limits import CLOSE_S

    timer = threading.Timer(CLOSE_S + EXIT_SLACK_S, os._exit, (0,))
    timer.daemon = True
    timer.start()
