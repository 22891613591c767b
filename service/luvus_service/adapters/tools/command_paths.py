"""Which files the words of a command name: read, written, or only mentioned.

Errs on the side of naming too many: a path unit inside the project costs nothing, a missed one
would let a denied file be read.
"""

from __future__ import annotations

import fnmatch
import itertools
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from glob import iglob
from typing import Literal, TypeAlias

from luvus_service.adapters.tools.command_tables import INLINE_CODE, base_name, has_flag, is_reader

GLOB_MATCHES = 500
"""Files of one glob that are judged; with more of them the command asks."""
GLOB_SEGMENTS = 3
"""Folders with wildcards in one glob; deeper ones are not followed and ask."""
WALKED = 20_000
"""Entries looked at below the folders that a command reads as a whole."""
PATH_CHARS = 4_096
BRACED = 200
"""Words that braces are followed into."""

Use: TypeAlias = Literal["read", "edit", "name"]

_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_MAGIC = re.compile(r"[*?\[]")
_PATHLESS = frozenset(
    {
        *("echo", "printf", "true", "false", "export", "kill", "sleep", "date", "whoami", "id"),
        *("uname", "type", "which", "pwd", "unset", "set", "exit", "return", "wait", "let"),
        *("local", "declare", "readonly", "shift", "break", "continue", "command"),
    }
)
_PATTERN_FIRST = frozenset(
    {"grep", "egrep", "fgrep", "rg", "ag", "sed", "awk", "gawk", "mawk", "jq", "chmod", "chown",
     "chgrp"}
)  # fmt: skip
_NAME_ONLY = frozenset(
    {"ls", "stat", "test", "basename", "dirname", "realpath", "readlink", "du", "tree", "find"}
)
_GIT_NAME_ONLY = frozenset({"check-ignore", "rm", "status", "ls-files", "update-index"})
_ALL_WRITTEN = frozenset(
    {
        *("rm", "rmdir", "unlink", "touch", "mkdir", "truncate", "shred", "tee", "mv", "chmod"),
        *("chown", "chgrp", "mkfifo"),
    }
)
_LAST_WRITTEN = frozenset({"cp", "install", "rsync", "scp", "ln"})
_OUTPUT_OPTIONS = {
    "curl": ("-o", "--output"),
    "wget": ("-O", "--output-document"),
    "sort": ("-o", "--output"),
    "gcc": ("-o",),
    "find": ("-fprint", "-fprintf", "-fls", "-fprint0"),
}
_LEAVING_OUT = frozenset({"--exclude", "--exclude-dir", "--include", "--glob", "--iglob", "-g"})
_FREE = re.compile(r"/dev/(?:null|zero|stdin|stdout|stderr|tty|fd/[0-9]+)")
_NAMED_IN_CODE = re.compile(r"[\w./~$+-]+")


@dataclass(frozen=True, slots=True)
class Named:
    """A path that a command names."""

    path: str
    use: Use
    sure: bool = True
    """False for a word that may be no path at all: it counts when such a file exists."""


def is_free(path: str) -> bool:
    """Say whether a device is free for everybody."""
    return _FREE.fullmatch(path) is not None


def named_paths(words: Sequence[str]) -> Iterator[Named]:
    """Yield the paths in the words of one command; globs are left as they are."""
    name = base_name(words[0])
    if name in _PATHLESS:
        return
    rest = list(words[1:])
    operands = _operands(name, rest)
    known = is_reader(name) or name in _ALL_WRITTEN or name in _LAST_WRITTEN
    for place, word in enumerate(operands):
        use = _use(name, words, place, len(operands))
        yield Named(word, use, known or use == "edit" or "/" in word)
        if name == "mv" and place < len(operands) - 1:
            # What is moved can be read at its new place.
            yield Named(word, "read")
        yield from _embedded(word, use)
    for word in rest:
        if word.startswith("-"):
            yield from _option_paths(word)
    outputs = _OUTPUT_OPTIONS.get(name, ())
    for index, word in enumerate(rest):
        if word in outputs and index + 1 < len(rest):
            yield Named(rest[index + 1], "edit")
        for option in outputs:
            if word != option and word.startswith(option):
                yield Named(word[len(option) :].lstrip("="), "edit")


def mentioned(text: str) -> Iterator[str]:
    """Yield everything in a text that could be the name of a file."""
    for found in _NAMED_IN_CODE.finditer(text):
        yield found[0]


def code_words(words: Sequence[str]) -> Iterator[str]:
    """Yield those words that are program texts."""
    if base_name(words[0]) in INLINE_CODE:
        yield from (word for word in words[1:] if re.search(r"[\s'\"(]", word))


def reads(words: Sequence[str]) -> bool:
    """Say whether a command that is given files may tell what is in them."""
    return bool(words) and base_name(words[0]) not in _NAME_ONLY | _ALL_WRITTEN - {"mv", "tee"}


def read_places(words: Sequence[str]) -> list[str]:
    """Return the folders that a reader of trees reads; the present one when none is named."""
    operands = _operands(base_name(words[0]), list(words[1:]))
    count = len(operands)
    name = base_name(words[0])
    found = [w for at, w in enumerate(operands) if _use(name, words, at, count) != "edit"]
    return found or ["."]


def reads_trees(words: Sequence[str], *, acts: bool) -> bool:
    """Say whether a command reads whatever lies below its folders; `acts` is of `find`."""
    name, rest = base_name(words[0]), words[1:]
    if name in {"grep", "egrep", "fgrep"}:
        return has_flag(rest, "rR", "--recursive", "--dereference-recursive", "--directories")
    if name in {"rg", "ag"}:
        return has_flag(rest, "u.", "--hidden", "--unrestricted", "--no-ignore")
    if name in {"cp", "scp"}:
        return has_flag(rest, "rRa", "--recursive", "--archive")
    if name == "diff":
        return has_flag(rest, "r", "--recursive")
    return name in {"rsync", "tar", "zip"} or (name == "find" and acts)


def excluded(words: Sequence[str]) -> tuple[str, ...]:
    """Return the file-name patterns that a reader of trees is told to leave out."""
    found: list[str] = []
    for index, word in enumerate(words):
        option, equals, value = word.partition("=")
        if option in {"--exclude", "--exclude-dir"}:
            found.append(value if equals else "".join(words[index + 1 : index + 2]))
    return tuple(pattern.strip("/") for pattern in found if pattern)


def expanded(word: str, folder: str) -> tuple[list[str], bool]:
    """Return a glob's files as bash would find them, and whether all were found."""
    if not _MAGIC.search(word) or len(word) > PATH_CHARS or "\0" in word:
        return [], True
    magic = sum(1 for part in word.split("/") if _MAGIC.search(part))
    if magic > GLOB_SEGMENTS:
        return [], False
    pattern = os.path.expanduser(word)  # noqa: PTH111 - a pattern, no path
    matches = iglob(pattern, root_dir=folder)  # noqa: PTH207 - bash's own rules for hidden files
    found = list(itertools.islice(matches, GLOB_MATCHES + 1))
    return found[:GLOB_MATCHES], len(found) <= GLOB_MATCHES


def braced(word: str) -> Iterator[str]:
    """Yield what braces make of a word, as far as `BRACED` allows; nothing without braces."""
    waiting = [word]
    for _ in range(BRACED):
        if not waiting:
            return
        current = waiting.pop()
        found = _BRACES.search(current)
        if found is None:
            if current != word:
                yield current
        else:
            before, after = current[: found.start()], current[found.end() :]
            waiting.extend(before + part + after for part in found[1].split(","))


def walked(folder: str, left_out: Sequence[str], budget: int) -> tuple[list[str], int]:
    """Return the files below a folder, and how many entries may still be looked at."""
    files: list[str] = []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != ".git" and not _out(name, left_out)]
        budget -= len(folders) + len(names)
        if budget < 0:
            return files, budget
        files.extend(f"{place}/{name}" for name in names if not _out(name, left_out))
    return files, budget


def _out(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def _operands(name: str, rest: Sequence[str]) -> list[str]:
    found: list[str] = []
    pattern_given = any(
        word.startswith(("-e", "-f", "--regexp", "--file", "--expression")) for word in rest
    )
    skip_first = name in _PATTERN_FIRST and not pattern_given
    only_names = name == "find"
    skipping = False
    for index, word in enumerate(rest):
        if skipping:
            skipping = False
        elif only_names and word in {"-name", "-iname", "-path", "-regex", "-type", "-newer"}:
            skipping = word != "-newer"
        elif word in _LEAVING_OUT:
            skipping = True
        elif word.startswith("-") and word != "-" and "--" not in rest[:index]:
            continue
        elif skip_first:
            skip_first = False
        elif word not in {"-", "--", "{}", ";", "+", "(", ")", "!"}:
            found.append(word)
    return found


def _use(name: str, words: Sequence[str], place: int, count: int) -> Use:
    if name in _ALL_WRITTEN or (name == "sed" and has_flag(words[1:], "i", "--in-place")):
        return "edit"
    if name == "find" and "-delete" in words:
        return "edit"
    if name in _LAST_WRITTEN and place == count - 1 and count > 1:
        return "edit"
    if name == "ln" and place == count - 1:
        return "edit"
    if name in _NAME_ONLY:
        return "name"
    if name == "git" and any(word in _GIT_NAME_ONLY for word in words[1:3]):
        return "name"
    return "read"


def _embedded(word: str, use: Use) -> Iterator[Named]:
    """Yield paths inside a word: `HEAD:.env`, `@.env`, `if=.env`."""
    if "://" in word:
        return
    if word.startswith("@"):
        yield Named(word[1:], use, sure=False)
    for sign in ":=":
        if sign in word:
            left, _, right = word.rpartition(sign)
            written = left in {"of", "DESTDIR"}
            yield Named(right, "edit" if written else use, sure="/" in right or written)
            if "@" in right:
                yield Named(right.rpartition("@")[2], use, sure=False)


def _option_paths(word: str) -> Iterator[Named]:
    option, equals, value = word.partition("=")
    if option in _LEAVING_OUT:
        return
    if equals and value:
        yield Named(value.removeprefix("@"), "read", sure="/" in value)
    elif not option.startswith("--") and len(option) > 2:
        # `-f.env`, and `-d@.env` of curl.
        yield Named(option[2:].removeprefix("@"), "read", sure=False)
