"""Looks at the operating system's processes: what runs in each terminal, and where.

On Linux /proc is read by hand; elsewhere psutil answers when it is installed. What cannot be
seen is reported as not observed, never as no processes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from luvus_service.adapters import procfs
from luvus_service.uhp.domain.ports import ProcessFacts, RootProcess

COMMANDS_LIMIT = 128
"""Command lines looked at for one terminal."""
NAMES_LIMIT = 256
"""Names reported for one terminal."""
NAME_LENGTH = 512
"""Characters of one name."""
PATH_LENGTH = 1024
"""Characters of one program's path."""
COMMAND_BYTES = 4096
"""Bytes of one command line that are read; its first words are what matters."""
INTERPRETERS = frozenset(
    {
        *("node", "nodejs", "bun", "deno", "npx", "pnpm", "yarn"),
        *("python", "python3", "py", "uv", "uvx", "ruby", "perl"),
        *("env", "sh", "bash", "zsh", "fish"),
    }
)
"""Programs that say nothing by their own name: the first word that is no flag counts too."""

UNOBSERVED = ProcessFacts(observed=False)


def executable_names(commands: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Return the names of the programs behind these command lines, each once, in order."""
    names: dict[str, None] = {}
    for number, words in enumerate(commands):
        if number >= COMMANDS_LIMIT or len(names) >= NAMES_LIMIT:
            break
        for name in _names(words):
            names.setdefault(name[:NAME_LENGTH])
    return tuple(names)[:NAMES_LIMIT]


def program_paths(commands: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Return the path of the program of each command line, or of the script that it runs."""
    paths: dict[str, None] = {}
    for number, words in enumerate(commands):
        if number >= COMMANDS_LIMIT:
            break
        if not words:
            continue
        path = words[0].lstrip("-")
        if _base_name(path).lower() in INTERPRETERS:
            path = _script(words)
        if path:
            paths.setdefault(path[:PATH_LENGTH])
    return tuple(paths)


def _script(words: Sequence[str]) -> str:
    rest = iter(words[1:])
    for word in rest:
        # `python -m package.module` names its program in the word after.
        if word == "-m":
            return next(rest, "")
        if not word.startswith("-"):
            return word
    return ""


def _names(words: Sequence[str]) -> list[str]:
    name = _base_name(words[0]) if words else ""
    if not name:
        return []
    script = ""
    if name.lower() in INTERPRETERS:
        script = next((_base_name(word) for word in words[1:] if not word.startswith("-")), "")
    return [name, script] if script else [name]


def _base_name(word: str) -> str:
    # A path may come from anywhere, so both separators count.
    name = word.replace("\\", "/").rstrip("/").rpartition("/")[2].lstrip("-")
    return name[:-4] if name.lower().endswith(".exe") else name


class LinuxProcessTable:
    """The process table as /proc tells it; implements the engine's `ProcessTable`."""

    def scan(self, roots: Mapping[str, RootProcess]) -> dict[str, ProcessFacts]:
        """Return the facts of each terminal's processes, by terminal id; blocking.

        A terminal's processes are the descendants of its root, and those whose parent has gone
        but which are still in its session.
        """
        stats = procfs.all_stats()
        if stats is None:
            return dict.fromkeys(roots, UNOBSERVED)
        by_pid = {stat.pid: stat for stat in stats}
        children: dict[int, list[int]] = {}
        sessions: dict[int, list[int]] = {}
        for stat in stats:
            children.setdefault(stat.parent, []).append(stat.pid)
            sessions.setdefault(stat.session, []).append(stat.pid)
        facts: dict[str, ProcessFacts] = {}
        for terminal_id, root in roots.items():
            if not _is_root(by_pid.get(root.pid), root):
                facts[terminal_id] = UNOBSERVED
                continue
            pids = _below(root.pid, children, sessions.get(root.pid, []))
            commands = [words for pid in pids if (words := _command(pid))]
            facts[terminal_id] = ProcessFacts(
                observed=True,
                executables=executable_names(commands),
                cwd=self.cwd(root.pid),
                programs=program_paths(commands),
            )
        return facts

    def cwd(self, pid: int) -> str | None:
        """Return a process's working folder, or None when unknown; quick."""
        try:
            folder = os.readlink(f"/proc/{pid}/cwd")  # noqa: PTH115 - the text is the answer
        except OSError:
            return None
        return None if folder.endswith(" (deleted)") else folder

    def start_marker(self, pid: int) -> str | None:
        """Return what tells this process from a later one of the same pid, or None."""
        return procfs.start_marker(pid)


class PsutilProcessTable:
    """The process table as psutil tells it, for systems without /proc."""

    def __init__(self, psutil: Any) -> None:
        """Take the imported library; see `process_table`."""
        self._psutil = psutil

    def scan(self, roots: Mapping[str, RootProcess]) -> dict[str, ProcessFacts]:
        """Return the facts of each terminal's processes, by terminal id; blocking."""
        return {terminal_id: self._facts(root) for terminal_id, root in roots.items()}

    def cwd(self, pid: int) -> str | None:
        """Return a process's working folder, or None when unknown."""
        try:
            return str(self._psutil.Process(pid).cwd()) or None
        except self._psutil.Error:
            return None

    def start_marker(self, pid: int) -> str | None:
        """Return what tells this process from a later one of the same pid, or None."""
        try:
            return f"psutil:{self._psutil.Process(pid).create_time():.3f}"
        except self._psutil.Error:
            return None

    def _facts(self, root: RootProcess) -> ProcessFacts:
        marker = self.start_marker(root.pid)
        if marker is None or root.start_marker not in (None, marker):
            return UNOBSERVED
        try:
            process = self._psutil.Process(root.pid)
            family = [process, *process.children(recursive=True)]
        except self._psutil.Error:
            return UNOBSERVED
        commands: list[list[str]] = []
        for member in family[:COMMANDS_LIMIT]:
            try:
                commands.append(list(member.cmdline()))
            except self._psutil.Error:
                continue
        return ProcessFacts(
            observed=True,
            executables=executable_names(commands),
            cwd=self.cwd(root.pid),
            programs=program_paths(commands),
        )


class BlindProcessTable:
    """Sees nothing and says so."""

    def scan(self, roots: Mapping[str, RootProcess]) -> dict[str, ProcessFacts]:
        """Report every terminal as not observed."""
        return dict.fromkeys(roots, UNOBSERVED)

    def cwd(self, pid: int) -> str | None:
        """Return None."""
        return None

    def start_marker(self, pid: int) -> str | None:
        """Return None."""
        return None


def process_table() -> LinuxProcessTable | PsutilProcessTable | BlindProcessTable:
    """Return the best table this system has."""
    if procfs.read_stat(os.getpid()) is not None:
        return LinuxProcessTable()
    try:
        import psutil  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        return BlindProcessTable()
    return PsutilProcessTable(psutil)


def _is_root(stat: procfs.Stat | None, root: RootProcess) -> bool:
    return stat is not None and root.start_marker in (None, f"linux:{stat.started}")


def _below(root: int, children: Mapping[int, list[int]], session: Sequence[int]) -> list[int]:
    """Return the root, its descendants breadth first, then the rest of its session."""
    found = {root: None}
    queue = [root]
    for pid in queue:
        for child in children.get(pid, ()):
            if child not in found:
                found[child] = None
                queue.append(child)
    for pid in session:
        found.setdefault(pid)
    return list(found)[:COMMANDS_LIMIT]


def _command(pid: int) -> list[str]:
    raw = procfs.read_small(f"/proc/{pid}/cmdline", COMMAND_BYTES) or b""
    text = raw.decode("utf-8", "replace").rstrip("\0")
    return text.split("\0") if text else []
