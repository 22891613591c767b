"""The commands that have no method of their own, and the module that runs each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from luvus_client.cli.context import Context


class Builtin(NamedTuple):
    """A command that is written by hand; its module is imported when it runs."""

    words: tuple[str, ...]
    usage: str
    summary: str
    module: str
    function: str

    def run(self, context: Context, words: list[str]) -> int:
        """Run the command with the words after its own."""
        from importlib import import_module

        found = getattr(import_module(self.module), self.function)
        return cast("Callable[[Context, list[str]], int]", found)(context, words)

    @property
    def name(self) -> str:
        """The words as they are typed."""
        return " ".join(self.words)


_CLI = "luvus_client.cli"

BUILTINS = (
    Builtin(
        ("agentapi",),
        "PANE [--port N]",
        "Serve one agent over HTTP with the contract of agentapi.",
        f"{_CLI}.agentapi",
        "serve",
    ),
    Builtin(
        ("attach",),
        "[PANE] [--read-only] [--no-resize] [--detach-key ctrl-\\]",
        "Join this terminal to a pane; ctrl-\\ leaves.",
        f"{_CLI}.attach",
        "attach",
    ),
    Builtin(
        ("call",),
        "METHOD [JSON | - | @FILE]",
        "Call any method with parameters as JSON.",
        f"{_CLI}.run",
        "call_by_name",
    ),
    Builtin(
        ("completion",),
        "bash | zsh | fish",
        "Print a completion script for a shell.",
        f"{_CLI}.completion",
        "print_script",
    ),
    Builtin(
        ("help",),
        "[COMMAND]",
        "Explain a command, or list the commands of a group.",
        f"{_CLI}.help",
        "show_help",
    ),
    Builtin(
        ("mcp",),
        "",
        "Serve this session's agents to an MCP client on standard input and output.",
        f"{_CLI}.mcp",
        "serve",
    ),
    Builtin(("server",), "", "Run the server in the foreground.", f"{_CLI}.server", "foreground"),
    Builtin(
        ("server", "restart"),
        "",
        "Replace the server and keep its panes.",
        f"{_CLI}.server",
        "restart",
    ),
    Builtin(
        ("server", "start"), "", "Start the server in the background.", f"{_CLI}.server", "start"
    ),
    Builtin(("server", "status"), "", "Show whether the server runs.", f"{_CLI}.server", "status"),
    Builtin(
        ("server", "stop"),
        "",
        "Stop the server and wait until it is gone.",
        f"{_CLI}.server",
        "stop",
    ),
    Builtin(
        ("session", "list"),
        "[--json]",
        "List the sessions of this user.",
        f"{_CLI}.sessions",
        "list_sessions",
    ),
    Builtin(
        ("uhp", "proxy"),
        "",
        "Carry a request from standard input to the server and its answer back.",
        f"{_CLI}.proxy",
        "proxy",
    ),
    Builtin(
        ("uhp", "schema"),
        "",
        "Print the whole protocol; needs no server.",
        f"{_CLI}.help",
        "print_schema",
    ),
    Builtin(
        ("web",),
        "[--port N] [--read-only] [--print]",
        "Open Mission Control in a browser.",
        f"{_CLI}.web",
        "open_dashboard",
    ),
)
_BY_WORDS = {builtin.words: builtin for builtin in BUILTINS}
_LONGEST = 2


def find(words: list[str]) -> tuple[Builtin, list[str]] | None:
    """Return the command with the most words at the start of these, and the words left."""
    for count in range(_LONGEST, 0, -1):
        found = _BY_WORDS.get(tuple(words[:count]))
        if found is not None and len(found.words) <= len(words):
            return found, words[len(found.words) :]
    return None


def below(prefix: tuple[str, ...]) -> list[Builtin]:
    """Return the commands that begin with these words."""
    return [b for b in BUILTINS if b.words[: len(prefix)] == prefix]
