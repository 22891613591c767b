"""Help and usage texts, made from what the protocol and the built-in commands declare."""

from __future__ import annotations

import json
import shlex
from typing import Any, cast

from luvus_client.cli import builtin, show
from luvus_client.cli import commands as declared
from luvus_client.cli.commands import Argument, Command, Commands
from luvus_client.cli.context import Context
from luvus_client.cli.usage import EXIT_OK, UsageError

WIDTH = 96
_COLUMN = 30
_HEAD = """\
usage: luvus [--session NAME] [--token-file FILE | --token-env NAME] COMMAND ...

Mission control for AI coding agents. Results are JSON on standard output, errors are JSON on
standard error. Inside a pane commands go to the pane's own server.

exit codes: 0 done, 1 refused or no server, 2 wrong usage, 3 a wait ran out
"""
_TAIL = """
examples:
  luvus server start
  luvus pane split --down
  luvus --session review agent list
  luvus help pane split
"""


def show_help(context: Context, words: list[str]) -> int:
    """Run `luvus help [COMMAND]`: a command's page, a group's list, or the overview."""
    del context
    commands = declared.load()
    prefix = tuple(words)
    command = commands.exact(prefix)
    hand_made = next((b for b in builtin.BUILTINS if b.words == prefix), None)
    if not words:
        show.write(overview(commands))
    elif command is not None and hand_made is None:
        show.write(page(command))
    else:
        text = f"usage: luvus {hand_made.name} {hand_made.usage}".rstrip() if hand_made else ""
        summary = f"\n\n{hand_made.summary}\n" if hand_made else ""
        below = _below(commands, prefix)
        if not below and not hand_made:
            refuse_unknown(words)
        listed = _table(below) if [name for name, _ in below] != [" ".join(words)] else ""
        listing = f"\ncommands:\n{listed}" if listed else ""
        show.write(f"{text}{summary}{listing}".lstrip())
    return EXIT_OK


def print_schema(context: Context, words: list[str]) -> int:
    """Run `luvus uhp schema`."""
    del context
    if words:
        raise UsageError("usage: luvus uhp schema")
    from pathlib import Path

    show.write(Path(declared.PROTOCOL_FILE).read_text(encoding="utf-8"))
    return EXIT_OK


def refuse_unknown(words: list[str]) -> None:
    """Refuse words that begin no command, naming what comes close.

    Raises:
        UsageError: They do not.
    """
    commands = declared.load()
    if _below(commands, tuple(words)):
        return
    known = 0
    while known < len(words) and _below(commands, tuple(words[: known + 1])):
        known += 1
    wrong, before = words[known], words[:known]
    below = (name.split() for name, _ in _below(commands, tuple(before)))
    near = sorted({name[known] for name in below if len(name) > known})
    where = f" after `{' '.join(before)}`" if before else ""
    raise UsageError(f"there is no command {wrong!r}{where}{_suggestion(wrong, near)}")


def _suggestion(wrong: str, known: list[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(wrong, known, n=3)
    if close:
        return f"; did you mean {' or '.join(close)}?"
    return f"; there are: {', '.join(known)}" if len(known) <= 24 else "; see luvus --help"


def overview(commands: Commands) -> str:
    """Return the text of `luvus --help`."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for name, summary in _below(commands, ()):
        first, _, rest = name.partition(" ")
        groups.setdefault(first, []).append((rest.partition(" ")[0], summary))
    lines: list[str] = []
    for first, below in groups.items():
        seconds = sorted({second for second, _ in below if second})
        lines += _row(first, ", ".join(seconds) if seconds else below[0][1])
    return f"{_HEAD}\ncommands:\n" + "\n".join(lines) + "\n" + _TAIL


def page(command: Command) -> str:
    """Return the help page of a command."""
    parts = [f"usage: {usage(command)}", command.summary, command.description.strip()]
    named = [a for a in command.options if a not in command.positionals]
    for title, arguments in (("arguments", command.positionals), ("options", named)):
        rows = [line for a in arguments for line in _row(_spelling(a), _meaning(a))]
        if rows:
            parts.append(f"{title}:\n" + "\n".join(rows))
    examples = [spelled for e in command.examples if (spelled := spell(command, e["params"]))]
    if examples:
        parts.append("examples:\n" + "\n".join(f"  {example}" for example in examples))
    parts.append(f"method: {command.method}")
    return "\n\n".join(part for part in parts if part) + "\n"


def usage(command: Command) -> str:
    """Return the usage line of a command."""
    words = ["luvus", *command.words]
    named = [a for a in command.options if a not in command.positionals]
    for argument in (*command.positionals, *named):
        text = _spelling(argument)
        if argument.kind == "rest":
            text += "..."
        words.append(text if argument.required and not argument.env else f"[{text}]")
    return " ".join(words)


def _spelling(argument: Argument) -> str:
    if argument.kind in ("positional", "rest"):
        return " | ".join([argument.metavar, *argument.words])
    if argument.kind in ("flag", "negative"):
        return argument.names[0]
    value = f" {argument.metavar}{'...' if argument.repeat else ''}"
    named = [name + value for name in argument.names]
    return " | ".join([*named, *(flag for flag, _ in argument.values)])


def _meaning(argument: Argument) -> str:
    parts = [argument.help.rstrip(".")]
    if argument.choices:
        parts.append("one of " + ", ".join(str(choice) for choice in argument.choices))
    if argument.env:
        parts.append(f"inside a pane ${argument.env}")
    if argument.default not in (None, False, True, [], {}, ""):
        parts.append(f"default {json.dumps(argument.default, ensure_ascii=False)}")
    return "; ".join(part for part in parts if part)


def spell(command: Command, params: dict[str, Any]) -> str | None:
    """Return the command line that makes these parameters, or None when words cannot."""
    head: list[str] = []
    tail: list[str] = []
    by_field = {argument.field: argument for argument in command.arguments}
    if any(name not in params or params[name] != fixed for name, fixed in command.fixed.items()):
        return None
    if any(field not in by_field and field not in command.fixed for field in params):
        return None
    for argument in command.arguments:
        if argument.field in params:
            words = _words_of(argument, params[argument.field])
            (head if argument.kind in ("positional", "rest") else tail).extend(words)
    return shlex.join(["luvus", *command.words, *head, *tail])


def _words_of(argument: Argument, value: object) -> list[str]:
    if argument.kind in ("flag", "negative"):
        return [argument.names[0]] if value is (argument.kind == "flag") else []
    for flag, stands_for in argument.values:
        if stands_for == value:
            return [flag]
    items: list[object] = [value]
    if argument.repeat and isinstance(value, list):
        items = cast("list[object]", value)
    texts = [
        item if isinstance(item, str) and argument.type != "json" else json.dumps(item)
        for item in items
    ]
    if argument.kind in ("positional", "rest") or not argument.names:
        return texts
    return [word for text in texts for word in (argument.names[0], text)]


def _below(commands: Commands, prefix: tuple[str, ...]) -> list[tuple[str, str]]:
    found = {command.name: command.summary for command in commands.below(prefix)}
    found.update({b.name: b.summary for b in builtin.below(prefix)})
    return sorted(found.items())


def _table(rows: list[tuple[str, str]]) -> str:
    return "\n".join(line for name, summary in rows for line in _row(name, summary)) + "\n"


def _row(name: str, text: str) -> list[str]:
    from textwrap import wrap

    lines = wrap(text, WIDTH - _COLUMN) or [""]
    head = f"  {name}"
    indent = " " * _COLUMN
    if len(head) < _COLUMN - 1:
        return [f"{head:<{_COLUMN}}{lines[0]}".rstrip(), *(indent + line for line in lines[1:])]
    return [head, *(indent + line for line in lines if line)]
