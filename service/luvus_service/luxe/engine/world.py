"""What a session is started with: the outside world as ports, and the choices of its caller."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from luvus_service.luxe.domain.handshake import Thread, Worktree
from luvus_service.luxe.domain.permissions import Grant, Rule
from luvus_service.luxe.domain.ports import Clock, InstructionFile, Paths, Provider
from luvus_service.luxe.domain.project_events import BackgroundJob, McpServer, Skill
from luvus_service.luxe.domain.project_ports import Project
from luvus_service.luxe.domain.store_ports import SessionStore
from luvus_service.luxe.domain.tool_ports import Toolbox
from luvus_service.luxe.domain.values import Mode, ModelRef, PermissionMode, ThinkingLevel

Given: TypeAlias = Literal["model", "thinking", "mode"]
"""What a caller may name when it opens a session."""


class RuleBook(Protocol):
    """The permission rules of all files, read again when a file changes."""

    def rules(self) -> Sequence[Rule]:
        """Return the rules in force now, those of this session left out."""
        ...

    def mode(self) -> PermissionMode | None:
        """Return the mode a file sets, or None."""
        ...

    def save(self, grants: Sequence[Grant]) -> str | None:
        """Store allow rules for the project; return why it failed, or None."""
        ...


@dataclass(frozen=True, slots=True)
class Equipment:
    """What stands beside the tools: MCP servers, skills, jobs in the background."""

    mcp: tuple[McpServer, ...] = ()
    skills: tuple[Skill, ...] = ()
    background: tuple[BackgroundJob, ...] = ()


class RuleNoFiles:
    """Rules where there are no files of them."""

    def rules(self) -> Sequence[Rule]:
        """Return nothing."""
        return ()

    def mode(self) -> PermissionMode | None:
        """Return None."""
        return None

    def save(self, grants: Sequence[Grant]) -> str | None:
        """Say that nothing can be stored."""
        return f"{len(grants)} rules hold for this session only: there is no file for them"


async def nothing_to_warm() -> None:
    """Do nothing: models that are called without a network need no preparation."""


def _none_beside(_paths: Sequence[str], _told: set[str]) -> Sequence[InstructionFile]:
    return ()


@dataclass(frozen=True, slots=True)
class World:
    """Everything outside."""

    providers: Sequence[Provider]
    toolbox: Toolbox
    store: SessionStore
    paths: Paths
    clock: Clock
    project: Project
    rules: RuleBook = field(default_factory=RuleNoFiles)
    instructions: Callable[[], Sequence[InstructionFile]] = tuple
    beside: Callable[[Sequence[str], set[str]], Sequence[InstructionFile]] = _none_beside
    """Returns instructions of the folders of real paths, and adds them to those told already."""
    reread: Callable[[], None] = lambda: None
    """Lets the instructions be read from their files again."""
    equipment: Callable[[], Equipment] = Equipment
    start: Callable[[], None] = lambda: None
    """Starts what outlives calls, such as MCP servers; on the running loop, once."""
    warm: Callable[[], Coroutine[Any, Any, None]] = nothing_to_warm
    """Prepares the first call of a model while nobody waits for it."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    """For children of tools."""
    random: Callable[[], float] = lambda: 0.5
    """Between 0 and 1, for the spread of retries."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What the command line or the client that opened the session decided."""

    luxe_version: str
    cwd: str
    project_key: str
    is_git: bool = False
    home: str = "/"
    model: ModelRef | None = None
    thinking: ThinkingLevel = "off"
    mode: Mode = "build"
    given: frozenset[Given] = frozenset()
    """Which of them the caller named: these count before what a resumed session stored."""
    permission_mode: PermissionMode = "ask"
    read_only: bool = False
    auto_approve: bool = False
    github_writes: bool = False
    trusted: bool = False
    worktree: Worktree | None = None
    issue: Thread | None = None
    pull_request: Thread | None = None
    review_model: ModelRef | None = None
    """Gives second opinions; None for the session's own."""
    auto_compact: bool = True
    titles: bool = False
    """Whether a model call names each new session."""
    max_model_calls: int = 200
    max_repeats: int = 3
