"""The project as clients see it: its state in git, its folders, its files and their changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from luvus_service.luxe.domain.handshake import Worktree
from luvus_service.luxe.domain.values import Todo

FileFault = Literal[
    "not_found",
    "not_a_directory",
    "is_a_directory",
    "outside_project",
    "denied",
    "too_large",
    "binary",
    "not_utf8",
    "unreadable",
    "not_git",
    "no_change",
    "timeout",
]


@dataclass(frozen=True, slots=True)
class DirectoryEntry:
    """One entry of a folder."""

    omitted: ClassVar[tuple[str, ...]] = ("ignored", "target", "outside", "denied", "git")
    name: str
    path: str
    kind: Literal["directory", "file", "symlink", "submodule", "other"]
    size: int | None
    modified_at: str | None
    executable: bool
    ignored: Literal[True] | None = None
    target: str | None = None
    outside: Literal[True] | None = None
    denied: Literal[True] | None = None
    git: str | None = None
    """"modified", "added", "deleted", "renamed", "untracked" or "conflicted"."""


@dataclass(frozen=True, slots=True)
class DirectoryListed:
    """One folder's entries: folders first, then files, each by name."""

    frame: ClassVar[str] = "directory_listed"
    prune: ClassVar[bool] = True
    request_id: str
    path: str
    entries: tuple[DirectoryEntry, ...]
    total: int
    truncated: bool


@dataclass(frozen=True, slots=True)
class DirectoryListFailed:
    """A folder could not be listed."""

    frame: ClassVar[str] = "directory_list_failed"
    request_id: str
    path: str
    reason: str
    code: FileFault


@dataclass(frozen=True, slots=True)
class ProjectFileRead:
    """One file's text."""

    frame: ClassVar[str] = "project_file_read"
    request_id: str
    path: str
    text: str
    bytes: int
    lines: int
    encoding: Literal["utf-8"]
    bom: bool
    eol: Literal["lf", "crlf", "mixed", "none"]
    final_newline: bool
    executable: bool
    sha256: str
    modified_at: str


@dataclass(frozen=True, slots=True)
class ProjectFileReadFailed:
    """A file could not be read."""

    frame: ClassVar[str] = "project_file_read_failed"
    omitted: ClassVar[tuple[str, ...]] = ("size",)
    request_id: str
    path: str
    reason: str
    code: FileFault
    size: int | None = None


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a hunk."""

    omitted: ClassVar[tuple[str, ...]] = ("eof",)
    t: Literal[" ", "+", "-"]
    old: int | None
    new: int | None
    text: str
    eof: Literal[True] | None = None
    """The file has no newline after this line."""


@dataclass(frozen=True, slots=True)
class DiffHunk:
    """One hunk of a change."""

    id: str
    header: str
    section: str | None
    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    lines: tuple[DiffLine, ...]


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file's change, in the shape of a review's files."""

    id: str
    path: str
    old_path: str | None
    change: Literal["added", "modified", "deleted", "renamed", "copied", "mode", "type"]
    old_mode: str | None
    new_mode: str | None
    language: str | None
    additions: int
    deletions: int
    binary: bool
    generated: bool
    withheld: bool
    truncated: bool
    similarity: int | None
    submodule: bool
    old_oid: str | None
    new_oid: str | None
    hunks: tuple[DiffHunk, ...]


@dataclass(frozen=True, slots=True)
class FileDiffLoaded:
    """One file's change, outside any review."""

    frame: ClassVar[str] = "file_diff_loaded"
    prune: ClassVar[bool] = True
    request_id: str
    path: str
    base: Literal["HEAD", "empty"]
    file: FileChange


@dataclass(frozen=True, slots=True)
class FileDiffFailed:
    """A file's change could not be shown."""

    frame: ClassVar[str] = "file_diff_failed"
    request_id: str
    path: str
    reason: str
    code: FileFault


@dataclass(frozen=True, slots=True)
class ProjectInfo:
    """The project."""

    name: str
    root: str
    cwd: str
    is_git: bool
    trusted: bool


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file that git shows as changed."""

    path: str
    old_path: str | None
    index: str
    worktree: str
    additions: int | None
    deletions: int | None
    binary: bool
    conflicted: bool


@dataclass(frozen=True, slots=True)
class GitState:
    """Where the repository stands."""

    branch: str | None
    head: str | None
    detached: bool
    unborn: bool
    upstream: str | None
    ahead: int | None
    behind: int | None
    default_branch: str | None
    remote: str | None
    repository: str | None
    operation: Literal["merge", "rebase", "cherry_pick", "revert", "bisect"] | None
    files: tuple[ChangedFile, ...]
    files_total: int
    additions: int
    deletions: int
    stashes: int


@dataclass(frozen=True, slots=True)
class ToolShown:
    """A tool of the agent."""

    name: str
    kind: Literal["builtin", "mcp", "skill"]
    enabled: bool
    server: str | None = None


@dataclass(frozen=True, slots=True)
class McpServer:
    """An MCP server."""

    name: str
    status: Literal["starting", "ready", "failed", "disabled", "untrusted"]
    error: str | None
    tools: int


@dataclass(frozen=True, slots=True)
class InstructionShown:
    """An instruction file in force."""

    path: str
    bytes: int
    truncated: bool


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill the agent may load."""

    name: str
    description: str
    path: str
    source: Literal["user", "project"]


JobState: TypeAlias = Literal["running", "exited", "ended"]
"""`exited` by itself, with a code; `ended` by somebody else."""


@dataclass(frozen=True, slots=True)
class BackgroundJob:
    """A job that outlives its call."""

    id: str
    title: str
    state: JobState
    started_at: str


@dataclass(frozen=True, slots=True)
class WorktreeShown:
    """The worktree of a session as it stands."""

    path: str
    branch: str | None
    base: str | None
    head: str


@dataclass(frozen=True, slots=True)
class TrackedChange:
    """A tracked file that differs from HEAD."""

    path: str
    status: str


@dataclass(frozen=True, slots=True)
class Unpushed:
    """A commit that is on no remote branch and on no other local branch."""

    sha: str
    subject: str


@dataclass(frozen=True, slots=True)
class RemovalTotals:
    """How many there are, shown or not."""

    tracked: int
    untracked: int


@dataclass(frozen=True, slots=True)
class WorktreeRemovalChecked:
    """What removing the session's worktree would lose; Luxe itself never removes one."""

    frame: ClassVar[str] = "worktree_removal_checked"
    worktree: WorktreeShown | None = None
    removable: bool = False
    tracked: tuple[TrackedChange, ...] = ()
    untracked: tuple[str, ...] = ()
    ignored: int = 0
    totals: RemovalTotals = RemovalTotals(0, 0)
    unpushed: tuple[Unpushed, ...] = ()
    unpushed_total: int = 0
    not_on_any_branch: bool = False
    stashes: int = 0
    operation: str | None = None
    locked: bool = False
    processes: int = 0
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class WorkspaceUpdated:
    """The project, its changes, todos and tools: what the dock shows; always the whole."""

    frame: ClassVar[str] = "workspace_updated"
    project: ProjectInfo
    git: GitState | None
    worktree: Worktree | None
    todos: tuple[Todo, ...]
    tools: tuple[ToolShown, ...]
    mcp: tuple[McpServer, ...]
    instructions: tuple[InstructionShown, ...]
    skills: tuple[Skill, ...]
    github: None
    review: None
    background: tuple[BackgroundJob, ...]
