"""Wires the coding agent into a process of its own: `luxe --rpc` listens on nothing.

What is not needed for the first frame is imported after it was sent.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from luvus_bridge.stdio import Input, Output, guard_stdout, serve_stdio
from luvus_service import __version__
from luvus_service.adapters.clock import SystemClock
from luvus_service.adapters.session_files import FileStore, project_key
from luvus_service.adapters.tools.paths import ProjectPaths
from luvus_service.adapters.tools.toolbox import FixedToolbox
from luvus_service.luxe.domain.limits import CLOSE_S
from luvus_service.luxe.domain.ports import Provider, StoreFailure
from luvus_service.luxe.domain.tool_ports import Toolbox
from luvus_service.luxe.domain.values import ModelRef
from luvus_service.luxe.engine.world import Choices, World
from luvus_service.settings import Settings

_log = logging.getLogger(__name__)

EXIT_INTERNAL, EXIT_USAGE, EXIT_PROJECT, EXIT_MODEL, EXIT_SESSION = 1, 2, 3, 4, 5
EXIT_SLACK_S = 0.5
"""How long the process may outlive the bound of closing."""
PATH = "/rpc"


class StartFault(Exception):
    """The agent cannot start; the text says why and what to do."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def parser() -> argparse.ArgumentParser:
    """Return what reads the command line."""
    words = argparse.ArgumentParser(prog="luxe", description="Luxe, the coding agent of Luvus.")
    add = words.add_argument
    add("--rpc", action="store_true", help="speak JSON frames over stdin and stdout")
    add("--rpc-schema", action="store_true", help="print the JSON Schema of every frame")
    add("--version", action="version", version=f"luxe {__version__}")
    add("--model", help="provider/model[:thinking] of the first model")
    add("--thinking", choices=("off", "minimal", "low", "medium", "high", "xhigh", "ultra"))
    add("--mode", choices=("build", "plan"), default="build")
    add("--permission-mode", type=lambda text: text.replace("-", "_"), default=None)
    add("--read-only", action="store_true", help="change nothing, whatever anybody answers")
    add("--yolo", action="store_true", help="the same as --permission-mode yolo")
    add("--auto-approve", action="store_true", help="approve every prompt; denies still hold")
    add("--trust-project", action="store_true", help="let project configuration count, this once")
    add("--github-writes", action="store_true", help="let the client publish to GitHub")
    add("-c", "--continue", dest="resume_last", action="store_true")
    add("--resume", metavar="ID", help="resume a session by its id or 8 characters of it")
    add("--cwd", default=".", metavar="DIR", help="the project folder")
    add("--add-dir", action="append", default=[], metavar="DIR")
    add("--on-ask", help=argparse.SUPPRESS)
    add("--log-level", default="warning")
    return words


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
    if not options.rpc:
        sys.stderr.write("luxe: use --rpc, or see luxe --help\n")
        return EXIT_USAGE
    stdout = guard_stdout()
    logging.basicConfig(level=options.log_level.upper(), format="luxe: %(levelname)s %(message)s")
    try:
        settings = Settings.from_environment()
        choices = _choices(options, settings)
        world = _world(options, choices, settings, providers, toolbox)
        return asyncio.run(_serve(options, world, choices, stdout))
    except StartFault as fault:
        sys.stderr.write(f"luxe: {fault}\n")
        return fault.code


def _print_schema() -> int:
    import json

    from luvus_service.luxe.catalogue import GROUPS
    from luvus_service.rpc.frames import frame_schema

    sys.stdout.write(json.dumps(frame_schema(GROUPS), indent=2) + "\n")
    return 0


def luxe_home(settings: Settings) -> Path:
    """Return the folder of Luxe's own files."""
    found = settings.env.get("LUXE_HOME")
    return Path(found) if found else Path(settings.env.get("HOME") or "/") / ".luxe"


def _choices(options: argparse.Namespace, settings: Settings) -> Choices:
    if options.on_ask is not None:
        raise StartFault(EXIT_USAGE, "--on-ask cannot be used with --rpc: your client can answer")
    if options.yolo and options.read_only:
        raise StartFault(EXIT_USAGE, "--yolo and --read-only exclude each other")
    if options.resume_last and options.resume:
        raise StartFault(EXIT_USAGE, "-c and --resume exclude each other")
    mode = options.permission_mode or ("yolo" if options.yolo else "ask")
    if mode not in {"ask", "accept_edits", "read_only", "yolo"}:
        raise StartFault(
            EXIT_USAGE, f"--permission-mode {mode!r}: use ask, accept_edits, read_only or yolo"
        )
    cwd = os.path.realpath(options.cwd)
    if not os.path.isdir(cwd):
        raise StartFault(EXIT_PROJECT, f"the folder {cwd} does not exist")
    ref, level = _model(options.model)
    return Choices(
        luxe_version=__version__,
        cwd=cwd,
        project_key=project_key(cwd),
        is_git=_top_level(Path(cwd)) is not None,
        home=settings.env.get("HOME") or "/",
        model=ref,
        thinking=options.thinking or level or "off",
        mode=options.mode,
        permission_mode=mode,
        read_only=options.read_only,
        auto_approve=options.auto_approve,
        github_writes=options.github_writes,
        trusted=options.trust_project,
    )


def _model(text: str | None) -> tuple[ModelRef | None, Any]:
    if text is None:
        return None, None
    provider, slash, model = text.partition("/")
    if not slash or not provider or not model:
        raise StartFault(EXIT_USAGE, f"--model {text!r}: use provider/model")
    name, colon, level = model.rpartition(":")
    if colon and level in {"off", "minimal", "low", "medium", "high", "xhigh", "ultra"}:
        return ModelRef(provider, name), level
    return ModelRef(provider, model), None


def _top_level(folder: Path) -> Path | None:
    for candidate in (folder, *folder.parents):
        if (candidate / ".git").exists():
            return candidate
    return None


def _world(
    options: argparse.Namespace,
    choices: Choices,
    settings: Settings,
    providers: Sequence[Provider] | None,
    toolbox: Toolbox | None,
) -> World:
    home = luxe_home(settings)
    root = _top_level(Path(choices.cwd)) or Path(choices.cwd)
    return World(
        providers=providers if providers is not None else (),
        toolbox=toolbox or FixedToolbox(),
        store=FileStore(home / "sessions"),
        paths=ProjectPaths(
            str(root),
            choices.cwd,
            home=choices.home,
            extra=options.add_dir,
            protected=[str(home)],
        ),
        clock=SystemClock(),
        environment=settings.env,
    )


async def _serve(options: argparse.Namespace, world: World, choices: Choices, stdout: int) -> int:
    from luvus_service.asgi.frames import frames_app
    from luvus_service.luxe.catalogue import FrameSession, kinds
    from luvus_service.luxe.engine.session import Session
    from luvus_service.luxe.engine.sessions import Sessions, opened

    session = Session(world, choices, kinds())
    if choices.model is not None and session.model(choices.model) is None:
        ref = choices.model
        raise StartFault(EXIT_MODEL, f"there is no model {ref.provider}/{ref.model}")
    session_id = options.resume
    if options.resume_last:
        session_id = await world.store.newest(choices.cwd)
    resumed = session_id is not None
    if session_id is not None:
        try:
            session.conversation = await opened(session, session_id)
        except StoreFailure as failure:
            raise StartFault(EXIT_SESSION, str(failure)) from failure
    source = Input(0)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, source.end)
    session.open(resumed=resumed)
    if options.resume_last and not resumed:
        session.notice(
            "info", "nothing_to_continue", "no session of this folder; this is a new one"
        )
    if resumed:
        Sessions(session).show()
    session.gauge.show(None)
    session.gauge.show_usage()
    frames = FrameSession(session)
    session.when_closing(_exit_in_time)
    await serve_stdio(frames_app(frames), PATH, source, Output(stdout))
    await session.closed()
    return 0


def _exit_in_time() -> None:
    """End the process even when something keeps it: a client that reads nothing, a stuck thread."""

    def leave() -> None:
        os._exit(0)

    timer = threading.Timer(CLOSE_S + EXIT_SLACK_S, leave)
    timer.daemon = True
    timer.start()
