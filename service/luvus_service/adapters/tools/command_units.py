"""Turns a shell text into the units that permission rules judge: commands and paths.

Every simple command is a unit, and so is what a wrapper runs; redirections, operands and globs
become path units. What cannot be split with certainty is one opaque unit. Decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from luvus_service.adapters.tools import command_paths, command_tables, wrappers
from luvus_service.luxe.domain.patterns import escaped
from luvus_service.luxe.domain.permission_units import (
    CommandUnit,
    ParsedShell,
    PathUnit,
    SimpleCommand,
    Unit,
)
from luvus_service.luxe.domain.ports import Paths, ShellParser

NESTED = 6
"""Wrappers and shell texts inside each other; deeper ones are opaque."""
UNITS = 2_000
"""Units of one call; a text that needs more is opaque."""
FOLDERS = 8
"""Folders that `cd` may lead to, each of which relative paths are judged against."""

_DOWNLOADERS = frozenset({"curl", "wget"})
# Their arguments are texts for people, in which the name of a secret file is no use of it.
_TALKERS = frozenset({"commit", "tag", "notes"})
_QUOTED = re.compile(r"[\s'\"\\;&|<>()`]")


def units_of(text: str, parser: ShellParser, paths: Paths, cwd: str | None = None) -> list[Unit]:
    """Return the units of a shell text that would be run in a folder; looks at the disk."""
    judging = _Judging(parser, paths, cwd or paths.cwd, text)
    judging.text(text)
    return judging.units()


@dataclass(frozen=True, slots=True)
class _Context:
    depth: int = 0
    inner: bool = False
    """Inside a wrapper."""
    piped_on: frozenset[str] = frozenset()
    """Names of commands whose output another one reads."""


class _Judging:
    """One text being cut; collects units without doubles."""

    def __init__(self, parser: ShellParser, paths: Paths, cwd: str, text: str) -> None:
        self._parser = parser
        self._paths = paths
        self._folders = [cwd]
        self._whole = text
        self._units: dict[Unit, None] = {}
        self._budget = command_paths.WALKED

    def units(self) -> list[Unit]:
        """Return what was found."""
        if len(self._units) > UNITS:
            kept = [unit for unit in self._units if isinstance(unit, PathUnit) and unit.private]
            return [_opaque(self._whole), *kept[:UNITS]]
        return list(self._units)

    def text(self, text: str, context: _Context | None = None) -> None:
        """Judge a shell text."""
        context = context or _Context()
        if context.depth > NESTED:
            self._doubt(text)
            return
        parsed = self._parser.parse(text)
        if parsed.opaque is not None:
            self._doubt(text)
        piped_on = frozenset(c.piped_from for c in parsed.commands if c.piped_from is not None)
        self._enter_first(text, parsed, context)
        for command in parsed.commands:
            self._command(command, replace(context, piped_on=piped_on))

    def _enter_first(self, text: str, parsed: ParsedShell, context: _Context) -> None:
        """Follow `cd sub && …` at the very beginning: then nothing runs in the old folder."""
        first = parsed.commands[0] if parsed.commands else None
        if first is None or context.depth or first.words[:1] != ("cd",) or len(first.words) != 2:
            return
        after = text.lstrip().removeprefix(first.raw).lstrip(" \t")
        others = any(command.words[:1] == ("cd",) for command in parsed.commands[1:])
        if first.expands or others or first.words[1] == "-" or not after.startswith(("&&", ";")):
            return
        unit = self._paths.locate(first.words[1], "read", cwd=self._folders[0])
        self._add(unit)
        self._folders = [unit.resolved]

    def _command(self, command: SimpleCommand, context: _Context) -> None:
        certain = self._redirections(command)
        writes = any(
            item.writes and not command_paths.is_free(item.target) for item in command.redirections
        )
        if not command.words:
            if command.assignments:
                self._assignments(command)
            return
        if self._is_opaque(command):
            self._doubt(command.raw, writes=writes)
            return
        certain &= self._words(command)
        if command.words[0] == "cd":
            certain &= self._enter(command)
        sure = certain and not command.expands
        self._unit(command, context, writes=writes, sure=sure)
        for alias in _aliases(command.words):
            self._unit(replace(command, words=alias), context, writes=writes, sure=sure)
        self._inside(command, context)

    def _unit(self, command: SimpleCommand, context: _Context, *, writes: bool, sure: bool) -> None:
        words = command.words
        reads = command_tables.reads_only(words) and not command.assignments and sure
        text = _normalised(command)
        doubtful = command.expands and command_tables.is_reader(words[0]) and words[0] not in _SAYS
        unit = CommandUnit(
            text=text,
            words=words,
            read_only=reads and not context.inner,
            # What a reader reads cannot be judged when its operands are not known.
            opaque=doubtful or (not sure and not command.expands and writes),
            github_write=command_tables.writes_github(words),
            writes=writes,
            always=self._always(command, context, text),
        )
        if context.inner and reads:
            unit = replace(unit, read_only=True)
        self._add(unit)

    def _always(self, command: SimpleCommand, context: _Context, text: str) -> str | None:
        words = command.words
        name = command_tables.base_name(words[0])
        never = (
            command.in_substitution
            or command.expands_assignment
            or any(True for _ in wrappers.unwrapped(words))
            or command_tables.runs_inline_code(words)
            or command_tables.destroys(words)
            or command_tables.writes_github(words)
            or (name in _DOWNLOADERS and words[0] in context.piped_on)
            or (command.piped_from or "") in _DOWNLOADERS
        )
        if never or (name in command_tables.INTERPRETERS and command.expands):
            return None
        front = "".join(escaped(item) + " " for item in command.assignments)
        body = command_tables.pattern_body(words, simple=command_tables.reads_only(words))
        if body is None:
            return None if command.expands else escaped(text)
        return front + " ".join(escaped(word) for word in body) + " *"

    def _inside(self, command: SimpleCommand, context: _Context) -> None:
        deeper = replace(context, depth=context.depth + 1, inner=True)
        for found in wrappers.unwrapped(command.words):
            if found.doubtful or context.depth >= NESTED:
                self._doubt(command.raw)
            if found.text is not None:
                self.text(found.text, deeper)
            elif found.words:
                inner = replace(
                    command,
                    words=found.words,
                    raw=" ".join(found.words),
                    assignments=(),
                    redirections=(),
                    expands=command.expands or found.open_ended,
                    name_expands=command.expands and re.search(r"[$`]", found.words[0]) is not None,
                    here_document=False,
                )
                self._command(inner, deeper)

    def _is_opaque(self, command: SimpleCommand) -> bool:
        name = command_tables.base_name(command.words[0])
        if command.name_expands or name in command_tables.EVALUATORS:
            return True
        fed = command.here_document or command.piped_from is not None
        if fed and name in command_tables.INTERPRETERS:
            script = any(not word.startswith("-") for word in command.words[1:])
            return command.here_document or not script
        return False

    def _assignments(self, command: SimpleCommand) -> None:
        text = " ".join(command.assignments)
        always = None if command.expands_assignment or command.in_substitution else escaped(text)
        self._add(CommandUnit(text, (), always=always))
        self._mentions(text)

    def _doubt(self, text: str, *, writes: bool = False) -> None:
        self._add(replace(_opaque(text), writes=writes or ">" in text))
        self._mentions(self._whole)

    # Paths

    def _redirections(self, command: SimpleCommand) -> bool:
        certain = True
        for item in command.redirections:
            certain &= item.certain
            if item.certain and not command_paths.is_free(item.target):
                self._path(item.target, "edit" if item.writes else "read")
        return certain

    def _words(self, command: SimpleCommand) -> bool:
        words = command.words
        certain = True
        for named in command_paths.named_paths(words):
            if not (command.expands and re.search(r"[$`]|^[<>]\(", _without_home(named.path))):
                certain &= self._named(named)
        for code in command_paths.code_words(words):
            self._mentions(code)
        talks = words[0] in {"echo", "printf", "gh"} or (
            words[0] == "git" and any(word in _TALKERS for word in words[1:3])
        )
        if command.expands and not talks:
            self._mentions(self._whole)
            for word in words[1:]:
                for alternative in command_paths.braced(word):
                    self._mentions(alternative)
        if command_tables.base_name(words[0]) == "xargs":
            self._mentions(self._whole)
        acts = any(command_paths.reads(inner.words) for inner in wrappers.unwrapped(words))
        if command_paths.reads_trees(words, acts=acts):
            certain &= self._trees(words)
        return certain

    def _named(self, named: command_paths.Named) -> bool:
        path = named.path
        if not _is_path(path):
            return len(path) < command_paths.PATH_CHARS
        if command_paths.is_free(path):
            return True
        certain = True
        for folder in self._folders:
            matches, all_found = command_paths.expanded(path, folder)
            certain &= all_found
            for match in matches:
                self._path(match, named.use, folder)
        self._path(path, named.use, sure=named.sure)
        return certain

    def _path(
        self, path: str, use: command_paths.Use, folder: str | None = None, *, sure: bool = True
    ) -> None:
        for cwd in [folder] if folder is not None else self._folders:
            unit = self._paths.locate(path, "edit" if use == "edit" else "read", cwd=cwd)
            if use == "name":
                unit = replace(unit, private=False)
            if sure or unit.private or _exists(unit.resolved):
                self._add(unit)

    def _mentions(self, text: str) -> None:
        """Add the secret files that a text names anywhere."""
        for path in command_paths.mentioned(text):
            for cwd in self._folders:
                if len(path) < command_paths.PATH_CHARS:
                    unit = self._paths.locate(path, "read", cwd=cwd)
                    if unit.private:
                        self._add(unit)

    def _trees(self, words: Sequence[str]) -> bool:
        left_out = command_paths.excluded(words)
        for place in command_paths.read_places(words):
            for cwd in self._folders:
                unit = self._paths.locate(place, "read", cwd=cwd)
                files, self._budget = command_paths.walked(unit.resolved, left_out, self._budget)
                self._add_private(files)
                if self._budget < 0:
                    return False
        return True

    def _add_private(self, files: Iterable[str]) -> None:
        for path in files:
            unit = self._paths.locate(path, "read")
            if unit.private:
                self._add(unit)

    def _enter(self, command: SimpleCommand) -> bool:
        """Judge later paths against the folder of a `cd` too; say whether it is known."""
        target = command.words[1] if len(command.words) > 1 else "~"
        if command.expands or target.startswith("-") or len(self._folders) > FOLDERS:
            return False
        new = [self._paths.locate(target, "read", cwd=cwd) for cwd in self._folders]
        for unit in new:
            self._add(unit)
        self._folders = list(dict.fromkeys([*self._folders, *(unit.resolved for unit in new)]))
        return True

    def _add(self, unit: Unit) -> None:
        if len(self._units) <= UNITS or (isinstance(unit, PathUnit) and unit.private):
            self._units[unit] = None


_SAYS = frozenset({"echo", "printf", "true", "false", "cd"})


def _opaque(text: str) -> CommandUnit:
    return CommandUnit(" ".join(text.split()), (), opaque=True)


def _aliases(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return other spellings of the same command, so that no rule is avoided by spelling."""
    found: list[tuple[str, ...]] = []
    plain = words
    if "/" in words[0]:
        plain = (Path(words[0]).name, *words[1:])
        found.append(plain)
    if plain[0] == "git" and plain[1:2] and plain[1].startswith("-"):
        found.append(command_tables.git_words(plain))
    return [alias for alias in found if alias[0]]


def _normalised(command: SimpleCommand) -> str:
    return " ".join((*command.assignments, *(_quoted(word) for word in command.words)))


def _quoted(word: str) -> str:
    if word and not _QUOTED.search(word):
        return word
    if word.startswith(("$(", "`", "<(", ">(")):
        return word
    return "'" + word.replace("'", "'\"'\"'") + "'"


def _without_home(text: str) -> str:
    return text.replace("${HOME}", "").replace("$HOME", "")


def _is_path(text: str) -> bool:
    if not text or len(text) > command_paths.PATH_CHARS or "\0" in text or "\n" in text:
        return False
    return "://" not in text


def _exists(path: str) -> bool:
    try:
        Path(path).lstat()
    except (OSError, ValueError):
        return False
    return True
