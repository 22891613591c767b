"""What a call wants to touch, cut into the units that permission rules judge one by one.

A tool declares its units before it runs; the shell's units are made of a parsed command. Nothing
here decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

UnitAction: TypeAlias = Literal[
    "read",
    "edit",
    "bash",
    "web_fetch",
    "mcp",
    "task",
    "github_write",
    "doom_loop",
]


@dataclass(frozen=True, slots=True)
class PathUnit:
    """A file or folder that is read or written; made by `Paths.locate`, never by hand.

    A deny on any of the three forms counts; an allow needs `resolved`.
    """

    action: Literal["read", "edit"]
    written: str
    """As the model or the command wrote it."""
    relative: str | None
    """Relative to the project root with `/`; None when it is outside the project."""
    resolved: str
    """Absolute, links of the deepest existing ancestor followed."""
    inside: bool
    """Whether `resolved` is inside the project or one of its extra folders."""
    private: bool = False
    """Whether it is a secret by kind (`.env` family, private keys): reading it is always denied."""
    protected: bool = False
    """Whether writing it is always denied: `.git`, permission files, Luxe's own folders."""
    folder: bool = False
    """Whether `resolved` is a folder now."""


@dataclass(frozen=True, slots=True)
class CommandUnit:
    """One simple command of a shell text, or the text itself when it cannot be split."""

    text: str
    """Normalised: words joined by one blank, quoted where needed; assignments in front."""
    words: tuple[str, ...]
    """The words after quote removal; empty when opaque."""
    read_only: bool = False
    """Whether the table of read-only commands lets it run without asking."""
    opaque: bool = False
    """Cannot be split with certainty: always asks, and denies match any run of its words."""
    github_write: bool = False
    """Changes something on GitHub (`git push`, `gh pr create`, …)."""
    writes: bool = False
    """Has a redirection that writes a file; plan mode denies it."""
    always: str | None = None
    """The pattern that `always` would store; None when none may be offered."""


@dataclass(frozen=True, slots=True)
class NamedUnit:
    """A host, an MCP `server/tool`, a kind of sub-agent, or a call that repeats itself."""

    action: Literal["web_fetch", "mcp", "task", "doom_loop"]
    name: str
    reads_only: bool = False
    """For MCP: the server says that the tool changes nothing; for a task: an exploring one."""


Unit: TypeAlias = PathUnit | CommandUnit | NamedUnit


@dataclass(frozen=True, slots=True)
class Redirection:
    """A redirection to or from a file name."""

    operator: str
    """Such as ">", ">>", "&>", "<"."""
    target: str
    certain: bool = True
    """Whether the target holds no expansion."""

    @property
    def writes(self) -> bool:
        """Whether it may change the file."""
        return ">" in self.operator


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """One simple command found anywhere in a shell text, in reading order."""

    words: tuple[str, ...]
    """After quote removal."""
    raw: str
    """As written."""
    assignments: tuple[str, ...] = ()
    """Leading `NAME=value`, as written."""
    redirections: tuple[Redirection, ...] = ()
    expands: bool = False
    """A word holds an expansion, so that `words` are not what will be run."""
    expands_assignment: bool = False
    name_expands: bool = False
    """The command's own name comes from an expansion: opaque."""
    in_substitution: bool = False
    """Stands inside `$(...)`, backticks or `<(...)`."""
    piped_from: str | None = None
    """The first word of the command whose output it reads."""
    here_document: bool = False


@dataclass(frozen=True, slots=True)
class ParsedShell:
    """A shell text as its simple commands; `opaque` names why it cannot be trusted."""

    commands: tuple[SimpleCommand, ...]
    opaque: str | None = None
