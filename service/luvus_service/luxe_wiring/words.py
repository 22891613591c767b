"""The words of `luxe` and what is wrong with them; imports nothing heavy, `ready` waits for it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from luvus_service import __version__

if TYPE_CHECKING:
    from luvus_service.luxe.domain.values import PermissionMode

EXIT_INTERNAL, EXIT_USAGE, EXIT_PROJECT, EXIT_MODEL, EXIT_SESSION = 1, 2, 3, 4, 5
_CODES = (
    "Exit codes: 0 done, 1 failed, 2 wrong words, 3 project or git not usable, 4 no usable model or"
    " credential, 5 session not found or in use; of -p also 6 when a limit or a refusal ended the"
    " turn, 130 cancelled, 141 when nobody takes the output."
)
LEVELS = ("off", "minimal", "low", "medium", "high", "xhigh", "ultra")
PERMISSION_MODES = ("ask", "accept_edits", "read_only", "yolo")
LOG_LEVELS = ("debug", "info", "warning", "error")
ON_ASK = ("deny", "approve")


class StartFault(Exception):
    """The agent cannot start; the text says why and what to do."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def parser() -> argparse.ArgumentParser:
    """Return what reads the command line."""
    words = argparse.ArgumentParser(
        prog="luxe", description="Luxe, the coding agent of Luvus.", epilog=_CODES
    )
    add = words.add_argument
    add("command", nargs="?", choices=("acp", "trust", "distrust"), help=argparse.SUPPRESS)
    add("--rpc", action="store_true", help="speak JSON frames over stdin and stdout")
    add("--rpc-schema", action="store_true", help="print the JSON Schema of every frame")
    add("-p", "--print", dest="prompt", metavar="TEXT", help="run one turn and print its answer")
    add("--output", choices=("text", "json"), default="text", help="what -p prints")
    add("--list-models", action="store_true", help="print the models that can be selected")
    add("--version", action="version", version=f"luxe {__version__}")
    add("--model", help="provider/model[:thinking], or a part of a model's name that is unique")
    add("--thinking", choices=LEVELS)
    add("--mode", choices=("build", "plan"), help="build, if nothing is resumed")
    add("--permission-mode", help=", ".join(PERMISSION_MODES))
    add("--read-only", action="store_true", help="change nothing, whatever anybody answers")
    add("--yolo", action="store_true", help="the same as --permission-mode yolo")
    add("--auto-approve", action="store_true", help="approve every prompt; denies still hold")
    add("--on-ask", metavar="ANSWER", help="how -p answers prompts: deny (the default) or approve")
    add("--trust-project", action="store_true", help="let project configuration count, this once")
    add("--github-writes", action="store_true", help="let the client publish to GitHub")
    add("-c", "--continue", dest="resume_last", action="store_true", help="the newest session here")
    add("--resume", metavar="ID", help="resume a session by its id or 8 characters of it")
    add("--no-session", action="store_true", help="keep the session in memory only")
    add("--worktree", nargs="?", const="", metavar="NAME", help="work in a linked worktree")
    add("--cwd", metavar="DIR", help="the project folder")
    add("--add-dir", action="append", default=[], metavar="DIR")
    add("--config", metavar="FILE", help="read this instead of config.toml")
    add("--log-level", default="warning", choices=LOG_LEVELS)
    add("--log-file", metavar="FILE", help="write the log there instead of to standard error")
    return words


def check(options: argparse.Namespace) -> None:
    """Refuse words that exclude each other.

    Raises:
        StartFault: They do, or name a folder that is not there.
    """
    if options.on_ask is not None and options.prompt is None:
        raise StartFault(EXIT_USAGE, "--on-ask cannot be used with --rpc: your client can answer")
    if options.on_ask not in {None, *ON_ASK}:
        raise StartFault(EXIT_USAGE, f"--on-ask {options.on_ask!r}: use {' or '.join(ON_ASK)}")
    if options.yolo and options.read_only:
        raise StartFault(EXIT_USAGE, "--yolo and --read-only exclude each other")
    if options.resume_last and options.resume:
        raise StartFault(EXIT_USAGE, "-c and --resume exclude each other")
    if options.no_session and (options.resume_last or options.resume):
        raise StartFault(EXIT_USAGE, "--no-session has no session to resume")
    if options.worktree is not None and (options.resume_last or options.resume):
        raise StartFault(EXIT_USAGE, "--worktree begins a session; a resumed one has its own")
    ours = options.worktree is not None or options.resume_last or options.resume
    if options.command == "acp" and ours:
        raise StartFault(
            EXIT_USAGE, "luxe acp takes no -c, --resume or --worktree: an editor opens its sessions"
        )
    if permission_mode(options) not in PERMISSION_MODES:
        known = ", ".join(PERMISSION_MODES)
        raise StartFault(EXIT_USAGE, f"--permission-mode {options.permission_mode!r}: use {known}")
    for folder in (options.cwd or ".", *options.add_dir):
        if not Path(folder).is_dir():
            raise StartFault(EXIT_PROJECT, f"the folder {folder} does not exist")
    if options.config is not None and not Path(options.config).is_file():
        raise StartFault(EXIT_USAGE, f"--config {options.config}: there is no such file")


def permission_mode(options: argparse.Namespace) -> PermissionMode:
    """Return the mode the words ask for."""
    if options.read_only:
        return "read_only"
    named = options.permission_mode or ("yolo" if options.yolo else "ask")
    return cast("PermissionMode", named.replace("-", "_"))


def model_words(text: str) -> tuple[str | None, str, Any]:
    """Return provider, model and thinking level of `--model`; no provider in a part of a name.

    Raises:
        StartFault: It is empty on a side.
    """
    name, colon, written = text.rpartition(":")
    level: Any = written if colon and written in LEVELS else None
    if level is None:
        name = text
    provider, slash, model = name.partition("/")
    if not slash and provider:
        return None, provider, level
    if not provider or not model:
        raise StartFault(EXIT_USAGE, f"--model {text!r}: use provider/model")
    return provider, model, level
