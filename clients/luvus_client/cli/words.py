"""Turns the words after a command into the parameters of its method.

Written by hand because of three things that argparse cannot do: a pane that is left out before
further words, words of a program to run that look like options, and option values that begin with
a dash. A value that only the server can judge is passed on as it is.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Mapping
from typing import cast

from luvus_client.cli.commands import Argument, Command
from luvus_client.cli.usage import HelpWanted, UsageError
from luvus_client.wire import FRAME_LIMIT

_NUMBER = re.compile(r"-?\d+")
_PANE_ID = re.compile(r"[0-9]+")


def parameters(command: Command, words: list[str], environ: Mapping[str, str]) -> dict[str, object]:
    """Return the parameters that these words give to the command's method.

    `environ` fills arguments that were left out, where their declaration names a variable.

    Raises:
        UsageError: The words do not fit the command.
        HelpWanted: They ask for help.
    """
    reader = _Reader(command, words, environ)
    reader.read()
    found = {**command.fixed, **reader.params}
    _assign(command, reader.plain, environ, found)
    for argument in command.arguments:
        if argument.field in found:
            continue
        value = _inherited(argument, environ)
        if value is not None:
            found[argument.field] = convert(argument, value, argument.metavar)
        elif argument.required:
            raise UsageError(_missing(argument))
    return found


class _Reader:
    """Separates options, which it stores at once, from plain words, which it keeps in order."""

    def __init__(self, command: Command, words: list[str], environ: Mapping[str, str]) -> None:
        self.params: dict[str, object] = {}
        self.plain: list[str] = []
        self._words = words
        self._at = 0
        self._options = {w: a for a in command.options for w in a.words}
        self._rest = any(a.kind == "rest" for a in command.positionals)
        self._first_rest = sum(
            a.kind == "positional" and a.required and not _inherited(a, environ)
            for a in command.positionals
        )

    def read(self) -> None:
        """Read all words."""
        while self._at < len(self._words):
            word = self._words[self._at]
            self._at += 1
            if word == "--":
                self.plain += self._words[self._at :]
                return
            name, equals, value = word.partition("=")
            argument = self._options.get(name)
            if argument is not None:
                self._option(argument, name, value if equals else None)
            elif not self._looks_like_option(word):
                self.plain.append(word)
            elif word in ("-h", "--help"):
                raise HelpWanted
            else:
                raise UsageError(
                    f"there is no option {name}; put -- before words to take as they are"
                )

    def _looks_like_option(self, word: str) -> bool:
        if not word.startswith("-") or word == "-" or _NUMBER.fullmatch(word):
            return False
        return not (self._rest and len(self.plain) > self._first_rest)

    def _option(self, argument: Argument, name: str, value: str | None) -> None:
        field = argument.field
        if field in self.params and not argument.repeat:
            raise UsageError(f"{name} sets {field}, which is already given")
        fixed = dict(argument.values)
        if argument.kind in ("flag", "negative") or name in fixed:
            if value is not None:
                raise UsageError(f"{name} takes no value")
            self.params[field] = fixed.get(name, argument.kind == "flag")
        elif argument.repeat:
            values = [value] if value is not None else self._values(name)
            held = cast("list[object]", self.params.setdefault(field, []))
            held.extend(convert(argument, item, name) for item in values)
        else:
            self.params[field] = convert(
                argument, value if value is not None else self._value(name), name
            )

    def _value(self, name: str) -> str:
        if self._at >= len(self._words):
            raise UsageError(f"{name} needs a value")
        word = self._words[self._at]
        if word == "--" or word.partition("=")[0] in self._options:
            raise UsageError(f"{name} needs a value; write {name}={word} if this is the value")
        self._at += 1
        return word

    def _values(self, name: str) -> list[str]:
        values = [self._value(name)]
        while self._at < len(self._words):
            word = self._words[self._at]
            if word == "--" or word in ("-h", "--help") or word.startswith("--"):
                break
            values.append(word)
            self._at += 1
        return values


def _assign(
    command: Command, plain: list[str], environ: Mapping[str, str], found: dict[str, object]
) -> None:
    """Give the plain words to the positional arguments.

    Words that are too few leave out the optional arguments, so `pane send TEXT` is a text for the
    present pane. Before the words of a program only a number is a pane.
    """
    positionals = [a for a in command.positionals if a.field not in found]
    needed = sum(a.required and not _inherited(a, environ) for a in positionals)
    spare = len(plain) - needed
    before_rest = any(a.kind == "rest" for a in positionals)
    left = list(plain)
    _refuse_lone_number(positionals, left, found)
    for argument in positionals:
        if argument.kind == "rest":
            if left:
                words = [convert(argument, word, argument.metavar) for word in left]
                found[argument.field] = words if argument.repeat else " ".join(left)
            left = []
            continue
        optional = not argument.required or _inherited(argument, environ) is not None
        if optional:
            skips = before_rest and argument.env is not None and not _is_pane(left)
            if spare <= 0 or skips:
                continue
            spare -= 1
        if not left:
            raise UsageError(_missing(argument))
        found[argument.field] = convert(argument, left.pop(0), argument.metavar)
    if left:
        raise UsageError(f"{left[0]!r} is one word too many")


def _refuse_lone_number(
    positionals: list[Argument], words: list[str], found: Mapping[str, object]
) -> None:
    """Refuse a number that has nothing behind it where a pane or a workspace may come first.

    `workspace rename 0` would give the name "0" to another workspace than the one that was meant,
    and `pane run 7` would run 7.
    """
    if len(positionals) != 2 or len(words) != 1 or not _is_pane(words):
        return
    first, rest = positionals
    named = f"{first.field}_id" in found
    if rest.kind == "rest" and rest.required and not first.required and not named:
        raise UsageError(f"{_missing(rest)}; {words[0]} alone is the {first.metavar}")


def _is_pane(words: list[str]) -> bool:
    return bool(words) and _PANE_ID.fullmatch(words[0]) is not None


def _inherited(argument: Argument, environ: Mapping[str, str]) -> str | None:
    return (environ.get(argument.env) or None) if argument.env else None


def _missing(argument: Argument) -> str:
    name = argument.names[0] if argument.names else argument.metavar
    inside = " or must be run inside a pane" if argument.env else ""
    return f"{name} is missing{inside}"


def convert(argument: Argument, word: str, name: str) -> object:
    """Return the value that a word stands for.

    Raises:
        UsageError: It cannot be written as the argument's type.
    """
    try:
        return _CONVERSIONS.get(argument.type, str)(word)
    except (ValueError, OSError, RecursionError) as error:
        raise UsageError(
            f"{name}: {word[:200]!r} is not {_WANTED[argument.type]}: {error}"
        ) from error


def _whole(word: str) -> int:
    if _NUMBER.fullmatch(word) is None:
        raise ValueError("use digits only")
    return int(word)


def _finite(word: str) -> int | float:
    if _NUMBER.fullmatch(word) is not None:
        return int(word)
    value = float(word)
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError("it is not finite")
    return value


def _truth(word: str) -> bool:
    if word not in ("true", "false"):
        raise ValueError("use true or false")
    return word == "true"


def read_json(word: str) -> object:
    """Read JSON from a word, from a file named by `@FILE`, or from standard input for `-`."""
    if word == "-":
        text = sys.stdin.read(FRAME_LIMIT + 1)
    elif word.startswith("@"):
        from pathlib import Path

        with Path(word[1:]).open(encoding="utf-8") as file:
            text = file.read(FRAME_LIMIT + 1)
    else:
        text = word
    return cast("object", json.loads(text))


def _whole_path(word: str) -> str:
    # Joined and no more: what `..` leads to is for the one who follows the links.
    if not word or word[0] in "/~":
        return word
    return f"{os.getcwd()}/{word}"  # noqa: PTH109 - pathlib takes long to import


_CONVERSIONS: dict[str, Callable[[str], object]] = {
    "string": str,
    "path": _whole_path,
    "integer": _whole,
    "number": _finite,
    "boolean": _truth,
    "json": read_json,
}
_WANTED = {
    "string": "text",
    "path": "a path",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "a truth value",
    "json": "JSON",
}
