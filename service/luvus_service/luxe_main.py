"""Wires the coding agent into a process of its own: `luxe --rpc` listens on nothing.

What the first frame does not need is imported after it was sent.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from luvus_bridge.descriptors import guard_stdout
from luvus_service import __version__
from luvus_service.luxe.domain.handshake import ACTIONS, PROTOCOL_VERSION, Ready
from luvus_service.luxe.engine.ids import uuid7
from luvus_service.rpc.frame_lines import event_line
from luvus_service.settings import Settings

if TYPE_CHECKING:
    from luvus_service.luxe.domain.ports import Provider
    from luvus_service.luxe.domain.tool_ports import Toolbox
    from luvus_service.luxe.domain.values import PermissionMode
    from luvus_service.luxe.engine.conversation import Conversation
    from luvus_service.luxe.engine.world import Choices, World

EXIT_INTERNAL, EXIT_USAGE, EXIT_PROJECT, EXIT_MODEL, EXIT_SESSION = 1, 2, 3, 4, 5
EXIT_SLACK_S = 0.5
"""How long the process may outlive the bound of closing."""
LEVELS = ("off", "minimal", "low", "medium", "high", "xhigh", "ultra")
PERMISSION_MODES = ("ask", "accept_edits", "read_only", "yolo")


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
    add("--thinking", choices=LEVELS)
    add("--mode", choices=("build", "plan"), default="build")
    add("--permission-mode", help=", ".join(PERMISSION_MODES))
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
    add("--log-level", default="warning", choices=("debug", "info", "warning", "error"))
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
    try:
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
    _check(options)
    cwd = os.path.realpath(options.cwd)
    rules = _rule_paths(settings, cwd)
    if any(path.exists() for path in rules):
        _obey_mode(options, rules)
    session_id: str | None = None
    if options.model is None and not options.resume and not options.resume_last:
        # Nothing can go wrong any more: the client need not wait for what follows.
        session_id = uuid7()
        _greet(options, cwd, session_id, stdout, resumed=False)
    import asyncio
    import logging

    logging.basicConfig(level=options.log_level.upper(), format="luxe: %(levelname)s %(message)s")
    choices = _choices(options, settings, cwd)
    world = _world(options, choices, settings, providers, toolbox)
    return asyncio.run(_serve(options, world, choices, stdout, session_id))


def _check(options: argparse.Namespace) -> None:
    if options.on_ask is not None:
        raise StartFault(EXIT_USAGE, "--on-ask cannot be used with --rpc: your client can answer")
    if options.yolo and options.read_only:
        raise StartFault(EXIT_USAGE, "--yolo and --read-only exclude each other")
    if options.resume_last and options.resume:
        raise StartFault(EXIT_USAGE, "-c and --resume exclude each other")
    if _permission_mode(options) not in PERMISSION_MODES:
        known = ", ".join(PERMISSION_MODES)
        raise StartFault(EXIT_USAGE, f"--permission-mode {options.permission_mode!r}: use {known}")
    if not Path(options.cwd).is_dir():
        raise StartFault(EXIT_PROJECT, f"the folder {options.cwd} does not exist")


def _rule_paths(settings: Settings, cwd: str) -> tuple[Path, Path, Path]:
    """Return where the user's, the project's and the stored permission rules are."""
    home = luxe_home(settings)
    root = _top_level(Path(cwd)) or Path(cwd)
    shared = _common_folder(root)
    state = home / "state" / hashlib.sha256(os.fsencode(shared)).hexdigest()[:16]
    return home / "permissions.toml", root / ".luxe/permissions.toml", state / "permissions.toml"


def _common_folder(root: Path) -> Path:
    """Return the repository that all worktrees of a folder share, or the folder itself."""
    sign = root / ".git"
    if sign.is_dir():
        return sign.resolve()
    try:
        link = Path(sign.read_text(encoding="utf-8").removeprefix("gitdir:").strip())
        linked = root / link
        return (linked / (linked / "commondir").read_text(encoding="utf-8").strip()).resolve()
    except (OSError, UnicodeDecodeError):
        return root


def _obey_mode(options: argparse.Namespace, paths: tuple[Path, Path, Path]) -> None:
    """Let a read-only mode of a file win over the command line, and fill what it leaves open."""
    from luvus_service.adapters.rule_files import RuleFiles

    mode = RuleFiles(*paths).mode()
    if mode == "read_only":
        options.read_only = True
    elif options.permission_mode is None and not options.yolo:
        options.permission_mode = mode


def _permission_mode(options: argparse.Namespace) -> PermissionMode:
    if options.read_only:
        return "read_only"
    named = options.permission_mode or ("yolo" if options.yolo else "ask")
    return cast("PermissionMode", named.replace("-", "_"))


def _greet(
    options: argparse.Namespace, cwd: str, session_id: str, stdout: int, *, resumed: bool
) -> None:
    mode = _permission_mode(options)
    ready = Ready(
        protocol_version=PROTOCOL_VERSION,
        luxe_version=__version__,
        session_id=session_id,
        cwd=cwd,
        github_writes=options.github_writes,
        read_only=mode == "read_only",
        permission_mode=mode,
        auto_approve=options.auto_approve,
        trusted=options.trust_project,
        resumed=resumed,
        is_git=_top_level(Path(cwd)) is not None,
        worktree=None,
        issue=None,
        pull_request=None,
        actions=ACTIONS,
    )
    os.write(stdout, event_line(ready) + b"\n")


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


def _choices(options: argparse.Namespace, settings: Settings, cwd: str) -> Choices:
    from luvus_service.adapters.session_files import project_key
    from luvus_service.luxe.domain.values import ModelRef
    from luvus_service.luxe.engine.world import Choices

    provider, model, level = _model(options.model)
    return Choices(
        luxe_version=__version__,
        cwd=cwd,
        project_key=project_key(cwd),
        is_git=_top_level(Path(cwd)) is not None,
        home=settings.env.get("HOME") or "/",
        model=ModelRef(provider, model) if provider else None,
        thinking=options.thinking or level or "off",
        mode=options.mode,
        permission_mode=_permission_mode(options),
        read_only=options.read_only,
        auto_approve=options.auto_approve,
        github_writes=options.github_writes,
        trusted=options.trust_project,
    )


def _model(text: str | None) -> tuple[str, str, Any]:
    if text is None:
        return "", "", None
    provider, _, model = text.partition("/")
    if not provider or not model:
        raise StartFault(EXIT_USAGE, f"--model {text!r}: use provider/model")
    name, colon, level = model.rpartition(":")
    if colon and level in LEVELS:
        return provider, name, level
    return provider, model, None


def _top_level(folder: Path) -> Path | None:
    return next((f for f in (folder, *folder.parents) if (f / ".git").exists()), None)


def _world(
    options: argparse.Namespace,
    choices: Choices,
    settings: Settings,
    providers: Sequence[Provider] | None,
    toolbox: Toolbox | None,
) -> World:
    from luvus_service.adapters.clock import SystemClock
    from luvus_service.adapters.project import LocalProject
    from luvus_service.adapters.rule_files import RuleFiles
    from luvus_service.adapters.session_files import FileStore
    from luvus_service.adapters.tools.paths import ProjectPaths
    from luvus_service.adapters.tools.toolbox import FixedToolbox
    from luvus_service.luxe.engine.world import World

    home = luxe_home(settings)
    root = _top_level(Path(choices.cwd)) or Path(choices.cwd)
    rules = RuleFiles(*_rule_paths(settings, choices.cwd))
    paths = ProjectPaths(
        str(root),
        choices.cwd,
        home=choices.home,
        extra=options.add_dir,
        protected=[str(home)],
        env_allowed=rules.env_allowed(),
    )
    return World(
        providers=providers if providers is not None else (),
        toolbox=toolbox or FixedToolbox(),
        store=FileStore(home / "sessions"),
        paths=paths,
        project=LocalProject(paths),
        rules=rules,
        clock=SystemClock(),
        environment=settings.env,
    )


async def _serve(
    options: argparse.Namespace,
    world: World,
    choices: Choices,
    stdout: int,
    session_id: str | None,
) -> int:
    import asyncio
    import signal

    from luvus_bridge.stdio import Input, Output, serve_stdio
    from luvus_service.asgi.frames import PATH, frames_app
    from luvus_service.luxe.engine.session import Session

    resumed = await _resumed(options, world, choices)
    session = Session(world, choices, resumed, session_id)
    if choices.model is not None and session.models.find(choices.model) is None:
        ref = choices.model
        raise StartFault(EXIT_MODEL, f"there is no model {ref.provider}/{ref.model}")
    if session_id is None:
        found = session.conversation.header.id
        _greet(options, choices.cwd, found, stdout, resumed=resumed is not None)
    source = Input(0)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, source.end)
    session.open()
    session.when_closing(_exit_in_time)
    # The rest of the first frames and of the imports follow what is already on its way.
    from luvus_service.luxe.catalogue import FrameSession

    frames = FrameSession(session)
    if options.resume_last and resumed is None:
        session.notice("info", "nothing_to_continue", "this folder has no session yet; a new one")
    frames.welcome(resumed=resumed is not None)
    await serve_stdio(frames_app(frames), PATH, source, Output(stdout))
    await session.closed()
    return 0


async def _resumed(
    options: argparse.Namespace, world: World, choices: Choices
) -> Conversation | None:
    from luvus_service.luxe.domain.store_ports import StoreFailure
    from luvus_service.luxe.engine.conversation import opened

    found = options.resume
    if options.resume_last:
        found = await world.store.newest(choices.cwd)
    if not found:
        return None
    try:
        return await opened(world, found)
    except StoreFailure as failure:
        raise StartFault(EXIT_SESSION, str(failure)) from failure


def _exit_in_time() -> None:
    """End the process even when something keeps it: a client that reads nothing, a stuck thread."""
    import threading

    from luvus_service.luxe.domain.limits import CLOSE_S

    timer = threading.Timer(CLOSE_S + EXIT_SLACK_S, os._exit, (0,))
    timer.daemon = True
    timer.start()
