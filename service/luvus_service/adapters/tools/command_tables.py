"""What is known of programs: which only read, which write, which patterns `always` may store.

Tables and the rules that read them, over words after quote removal. Knows no path and no file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import PurePath

SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish", "ash"})
INTERPRETERS = SHELLS | {"python", "node", "perl", "ruby", "php", "deno", "bun", "lua", "osascript"}
INLINE_CODE = INTERPRETERS | {"awk", "gawk", "mawk", "sed", "jq"}
"""Programs whose arguments may be a program text that opens files."""
EVALUATORS = frozenset({"eval", "source", ".", "alias", "trap", "enable", "coproc", "parallel"})
"""What they run cannot be seen in the words."""

_PLAIN_READERS = frozenset(
    {
        *("ls", "pwd", "cat", "head", "tail", "wc", "file", "stat", "du", "df", "tree", "which"),
        *("type", "echo", "printf", "whoami", "id", "uname", "true", "false", "test", "cut", "tr"),
        *("diff", "cmp", "basename", "dirname", "realpath", "readlink", "sha256sum", "md5sum"),
        *("jq", "rg", "grep", "cd", "date", "sort", "uniq", "find", "sed"),
    }
)
_FIXED_OPERANDS = frozenset({"cd", "date", "find", "sed", "tree", "sort", "uniq", "rg"})
"""Readers for which `name *` would allow more than reading."""
_BUILD_TOOLS = frozenset(
    {
        *("pytest", "ruff", "mypy", "tsc", "eslint", "prettier", "jest", "vitest", "rspec"),
        *("mkdir", "touch"),
    }
)
_ACTION_WORDS = {
    **dict.fromkeys(("git", "npm", "pnpm", "yarn", "cargo", "go", "make", "pip", "pip3"), 2),
    **dict.fromkeys(("docker", "podman", "kubectl", "uv", "poetry", "terraform", "bun"), 2),
    **dict.fromkeys(("gh", "aws", "gcloud"), 3),
}
_THREE_WORDS = frozenset(
    {
        *(("npm", "run"), ("pnpm", "run"), ("yarn", "run"), ("bun", "run"), ("git", "remote")),
        *(("git", "stash"), ("git", "worktree"), ("docker", "compose"), ("podman", "compose")),
        *(("uv", "run"), ("poetry", "run"), ("uv", "pip")),
    }
)
_GIT_READING = frozenset(
    {
        *("status", "diff", "log", "show", "blame", "rev-parse", "ls-files", "ls-tree"),
        *("describe", "shortlog", "cat-file", "grep"),
    }
)
_GIT_BRANCH_LISTING = frozenset(
    {
        *("-a", "-r", "-v", "-vv", "--all", "--remotes", "--list", "-l", "--show-current"),
        *("--verbose", "--no-color"),
    }
)
_GH_READING = frozenset(
    {"view", "list", "status", "diff", "checks", "search", "browse", "watch", "verify"}
)
_GH_READING_GROUPS = frozenset({"search", "status", "auth", "config", "help", "version", "browse"})
_GIT_VALUE_OPTIONS = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace"})
_WRITING_OPTIONS = ("-o", "--output", "--output-file")
_SED_PRINTS = re.compile(r"(?:[0-9$]+|/[^/\\]*/)(?:,(?:[0-9$]+|/[^/\\]*/))?[p=]")
_FIND_ACTS = frozenset(
    {
        *("-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf"),
        "-fls",
    }
)


def base_name(word: str) -> str:
    """Return a program's name without its folder and version: `/usr/bin/python3.11` is python."""
    name = PurePath(word).name or word
    return "python" if re.fullmatch(r"python[0-9.]*", name) else name


def has_flag(words: Sequence[str], letters: str, *long: str) -> bool:
    """Say whether a short option of these letters, bundled or not, or a long one is given."""
    for word in words:
        if word.startswith("--"):
            if word.partition("=")[0] in long:
                return True
        elif word.startswith("-") and any(letter in word[1:] for letter in letters):
            return True
    return False


def git_words(words: Sequence[str]) -> tuple[str, ...]:
    """Return git's words without its global options, so that the subcommand stands second."""
    index = 1
    while index < len(words) and words[index].startswith("-"):
        index += 2 if words[index] in _GIT_VALUE_OPTIONS else 1
    return (words[0], *words[index:])


def reads_only(words: Sequence[str]) -> bool:
    """Say whether a command is in the table of those that change nothing; of its words alone."""
    name, rest = words[0], words[1:]
    if name == "git":
        return _git_reads_only(rest)
    if name not in _PLAIN_READERS:
        return False
    special = _LIMITS.get(name)
    return special(rest) if special is not None else True


def _no_output(rest: Sequence[str]) -> bool:
    return not any(
        word in _WRITING_OPTIONS or re.match(r"-[a-zA-Z]*o", word) or word.startswith("--output")
        for word in rest
        if word.startswith("-")
    )


def _sort(rest: Sequence[str]) -> bool:
    plain = not any(word.startswith(("--comp", "--o", "--files0", "-T", "--t")) for word in rest)
    return plain and _no_output(rest)


def _uniq(rest: Sequence[str]) -> bool:
    return sum(not word.startswith("-") for word in rest) <= 1


def _find(rest: Sequence[str]) -> bool:
    return _FIND_ACTS.isdisjoint(rest)


def _sed(rest: Sequence[str]) -> bool:
    """Allow `sed -n` with addresses and printing only: anything else may write or run."""
    if len(rest) < 2 or rest[0] != "-n":
        return False
    plain = _SED_PRINTS.fullmatch(rest[1]) is not None
    return plain and not any(word.startswith("-") for word in rest[2:])


def _date(rest: Sequence[str]) -> bool:
    return all(word.startswith(("+", "-u", "-I", "--utc", "--iso", "--rfc", "-R")) for word in rest)


def _rg(rest: Sequence[str]) -> bool:
    return not any(
        word.startswith(("--pre", "--hostname-bin", "--search-zip")) or word == "-z"
        for word in rest
    )


def _tree(rest: Sequence[str]) -> bool:
    return _no_output(rest) and "-R" not in rest


_LIMITS: dict[str, Callable[[Sequence[str]], bool]] = {
    "sort": _sort,
    "uniq": _uniq,
    "find": _find,
    "sed": _sed,
    "date": _date,
    "rg": _rg,
    "tree": _tree,
    "diff": _no_output,
    "file": lambda rest: not has_flag(rest, "C", "--compile"),
    "printf": lambda rest: list(rest[:1]) != ["-v"],
    "cd": lambda rest: list(rest) != ["-"],
}


def _git_reads_only(rest: Sequence[str]) -> bool:
    # Global options (`-c`, `--exec-path`, `-C`) may run programs or leave the project.
    if not rest or rest[0].startswith("-"):
        return False
    action, left = rest[0], tuple(rest[1:])
    risky = ("--ext-diff", "--textconv", "--output", "--open-files-in-pager", "--no-index")
    if any(word.startswith(risky) for word in left):
        return False
    if action == "grep" and has_flag(left, "O"):
        return False
    if action in _GIT_READING:
        return True
    listing = {
        "branch": lambda: set(left) <= _GIT_BRANCH_LISTING,
        "remote": lambda: left in {(), ("-v",)} or left[:1] == ("show",),
        "stash": lambda: left[:1] == ("list",),
        "tag": lambda: left in {(), ("-l",), ("--list",)} or left[:1] in {("-l",), ("--list",)},
        "worktree": lambda: left[:1] == ("list",),
        "config": lambda: left[:1] in {("--get",), ("get",)},
    }
    return action in listing and listing[action]()


def writes_github(words: Sequence[str]) -> bool:
    """Say whether a command changes something on GitHub or another remote."""
    name, rest = words[0], words[1:]
    if name == "git":
        return git_words(words)[1:2] in {("push",), ("send-pack",)}
    if name == "gh":
        return _gh_writes(rest)
    if name in {"curl", "wget"} and any("api.github.com" in word for word in rest):
        sends = any(
            word.startswith(("-d", "--data", "-F", "--form", "-T", "--post", "--json"))
            for word in rest
        )
        return sends or _other_method(rest, ("-X", "--request", "--method"))
    return False


def _gh_writes(rest: Sequence[str]) -> bool:
    plain = [word for word in rest if not word.startswith("-")]
    if not plain or plain[0] in _GH_READING_GROUPS:
        return False
    if plain[0] == "api":
        fields = any(
            word.startswith(("-f", "-F", "--field", "--raw-field", "--input")) for word in rest
        )
        if any(word.startswith(("-X", "--method")) for word in rest):
            return _other_method(rest, ("-X", "--method"))
        return fields
    if tuple(plain[:2]) in {("pr", "checkout"), ("repo", "clone"), ("run", "download")}:
        return False
    return len(plain) < 2 or plain[1] not in _GH_READING


def _other_method(rest: Sequence[str], options: tuple[str, ...]) -> bool:
    for index, word in enumerate(rest):
        for option in options:
            value = None
            if word == option:
                value = rest[index + 1] if index + 1 < len(rest) else ""
            elif word.startswith(option):
                value = word[len(option) :].lstrip("=")
            if value is not None and value.upper() not in {"GET", "HEAD"}:
                return True
    return False


def destroys(words: Sequence[str]) -> bool:
    """Say whether a command is too dangerous to be allowed by a pattern."""
    name, rest = words[0], words[1:]
    if name == "rm":
        return has_flag(rest, "rR", "--recursive")
    if name in {"chmod", "chown", "chgrp"}:
        return has_flag(rest, "R", "--recursive")
    if name == "git":
        action = git_words(words)[1:]
        return action[:1] == ("clean",) or (action[:1] == ("reset",) and "--hard" in action)
    return name in {"dd", "shred"} or name.startswith("mkfs")


def runs_inline_code(words: Sequence[str]) -> bool:
    """Say whether an interpreter gets its program as an argument, or from its input."""
    name, rest = base_name(words[0]), words[1:]
    if name not in INTERPRETERS:
        return False
    if not rest or "-" in rest:
        return True
    letters = "c" if name in SHELLS or name == "python" else "epr"
    return has_flag(rest, letters, "--eval", "--print", "--command") or rest[0] == "eval"


def pattern_body(words: Sequence[str], *, simple: bool) -> tuple[str, ...] | None:
    """Return the words a stored pattern begins with, or None when only the exact text may be.

    `simple` says that the command is in the read-only table as it stands.
    """
    name = words[0]
    wanted = _ACTION_WORDS.get(name)
    if wanted is not None:
        if tuple(words[:2]) in _THREE_WORDS:
            wanted = 3
        action: list[str] = []
        for word in words[:wanted]:
            if word.startswith("-") or not re.fullmatch(r"[\w.:@+-]+", word):
                break
            action.append(word)
        if len(words) == 1 or len(action) == wanted or (len(action) == len(words) > 1):
            return tuple(action)
        return None
    if name in _BUILD_TOOLS:
        return (name,)
    if name in _PLAIN_READERS - _FIXED_OPERANDS and simple:
        return (name,)
    return None


def is_reader(name: str) -> bool:
    """Say whether a program is in the read-only table, whatever its options."""
    return name in _PLAIN_READERS
