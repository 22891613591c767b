"""The files of a project that git would not ignore: from git, or from a walk outside git."""

from __future__ import annotations

import asyncio
import fnmatch
import os
import time
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from luvus_service.adapters.git_run import GitTimeout, git

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

FILES = 200_000
"""Files of one listing."""
LISTING_S = 15.0
PATTERN_CHARS = 512
BRACE_WORDS = 64


@dataclass(frozen=True, slots=True)
class Listing:
    """Files below a folder, relative to it."""

    files: list[str] = field(default_factory=list[str])
    whole: bool = True
    """False when a limit was reached."""


async def project_files(folder: str) -> Listing:
    """Return the files below a folder that are not ignored, tracked or not."""
    try:
        answer = await git(
            folder,
            *("-c", "core.fsmonitor=false", "ls-files", "-z", "--cached", "--others"),
            *("--exclude-standard", "--deduplicate", "--", "."),
            timeout=LISTING_S,
        )
    except GitTimeout:
        return Listing([], whole=False)
    if answer.code:
        return await asyncio.to_thread(_walk, folder)
    names = [os.fsdecode(name) for name in answer.out.split(b"\0") if name]
    return Listing(names[:FILES], len(names) <= FILES)


async def ignored(folder: str, names: list[str]) -> set[str]:
    """Return those of the paths, relative to a folder, that git ignores.

    Names of folders end in `/`. Outside git the .gitignore files in and below the folder count.

    Raises:
        GitTimeout: Git is too slow.
    """
    if not names:
        return set()
    feed = b"\0".join(os.fsencode(name) for name in names) + b"\0"
    if (await git(folder, "rev-parse", "--is-inside-work-tree")).code:
        return await asyncio.to_thread(_ignored_by_files, folder, names)
    answer = await git(folder, "check-ignore", "-z", "--stdin", feed=feed, timeout=LISTING_S)
    return {os.fsdecode(name) for name in answer.out.split(b"\0") if name}


def matcher(pattern: str) -> Matcher:
    """Return what matches paths against a glob: `**` across folders, `{a,b}` for either."""
    return Matcher(tuple(braced(pattern[:PATTERN_CHARS])))


@dataclass(frozen=True, slots=True)
class Matcher:
    """A glob; one without `/` matches names at any depth."""

    patterns: tuple[str, ...]

    def __call__(self, path: str) -> bool:
        """Say whether a relative path matches."""
        parts = tuple(path.split("/"))
        return any(self._matches(pattern, parts) for pattern in self.patterns)

    def _matches(self, pattern: str, parts: tuple[str, ...]) -> bool:
        if "/" not in pattern:
            return fnmatch.fnmatchcase(parts[-1], pattern)
        wanted = tuple(part for part in pattern.split("/") if part not in {"", "."})
        # Row by row: reached[i] says that the parts so far are matched by the first i pieces.
        reached = [True, *[False] * len(wanted)]
        for index, piece in enumerate(wanted):
            reached[index + 1] = reached[index] and piece == "**"
        for part in parts:
            row = [False] * (len(wanted) + 1)
            for index, piece in enumerate(wanted):
                if piece == "**":
                    row[index + 1] = reached[index + 1] or row[index] or reached[index]
                else:
                    row[index + 1] = reached[index] and _fits(part, piece)
            reached = row
        return reached[-1]


@lru_cache(maxsize=65_536)
def _fits(name: str, piece: str) -> bool:
    return fnmatch.fnmatchcase(name, piece)


def braced(pattern: str) -> list[str]:
    """Return the patterns that braces stand for, at most `BRACE_WORDS`."""
    done: list[str] = []
    waiting = [pattern]
    while waiting and len(done) < BRACE_WORDS:
        current = waiting.pop(0)
        close = current.find("}")
        start = current.rfind("{", 0, close) if close >= 0 else -1
        if start < 0:
            done.append(current)
            continue
        inside = current[start + 1 : close].split(",")
        waiting[:0] = [current[:start] + word + current[close + 1 :] for word in inside]
        del waiting[BRACE_WORDS:]
    return done


def _walk(folder: str) -> Listing:
    """Walk a folder outside git and obey its .gitignore files."""
    found: list[str] = []
    deadline = time.monotonic() + LISTING_S
    specs: dict[str, GitIgnoreSpec | None] = {}
    for place, folders, names in os.walk(folder):
        if len(found) > FILES or time.monotonic() > deadline:
            return Listing(found[:FILES], whole=False)
        here = os.path.relpath(place, folder)
        prefix = "" if here == "." else here + "/"
        specs[prefix] = _spec(place) if ".gitignore" in names else None
        folders[:] = [
            name for name in folders if name != ".git" and not _out(prefix + name + "/", specs)
        ]
        found += [prefix + name for name in names if not _out(prefix + name, specs)]
    return Listing(found)


def _ignored_by_files(folder: str, names: list[str]) -> set[str]:
    specs: dict[str, GitIgnoreSpec | None] = {}
    found: set[str] = set()
    for name in names:
        above = [""]
        for part in name.rstrip("/").split("/")[:-1]:
            above.append(f"{above[-1]}{part}/")
        for prefix in above:
            if prefix not in specs:
                specs[prefix] = _spec(os.path.join(folder, prefix))  # noqa: PTH118 - "" is itself
        # What is in an ignored folder is ignored with it.
        if any(_out(place, specs) for place in [*above[1:], name]):
            found.add(name)
    return found


def _spec(place: str) -> GitIgnoreSpec | None:
    # Imported here: inside git, which is nearly everywhere, it is never needed.
    from pathspec import GitIgnoreSpec

    try:
        text = (Path(place) / ".gitignore").read_text("utf-8", "replace")
    except OSError:
        return None
    return GitIgnoreSpec.from_lines(text.splitlines())


def _out(path: str, specs: dict[str, GitIgnoreSpec | None]) -> bool:
    prefix = ""
    verdict = False
    for part in ["", *path.rstrip("/").split("/")[:-1]]:
        prefix = f"{prefix}{part}/" if part else ""
        spec = specs.get(prefix)
        if spec is not None:
            include = spec.check_file(path[len(prefix) :]).include
            verdict = verdict if include is None else include
    return verdict
