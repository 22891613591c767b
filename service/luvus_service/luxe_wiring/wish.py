"""What a session is asked to be, whoever asks: a command line, a program over HTTP, an editor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from luvus_service import __version__
from luvus_service.luxe.domain.handshake import ACTIONS, PROTOCOL_VERSION, Ready, Worktree
from luvus_service.luxe_wiring.places import Places

if TYPE_CHECKING:
    from pathlib import Path

    from luvus_service.luxe.domain.values import Mode, PermissionMode, ThinkingLevel


@dataclass(frozen=True, slots=True)
class Wish:
    """One session to open; None means that files and defaults decide."""

    cwd: str
    """Real and absolute."""
    model: str | None = None
    thinking: ThinkingLevel | None = None
    mode: Mode | None = None
    permission_mode: PermissionMode | None = None
    read_only: bool = False
    auto_approve: bool = False
    github_writes: bool = False
    trust_project: bool = False
    add_dirs: tuple[str, ...] = ()
    no_session: bool = False
    resume: str | None = None
    resume_last: bool = False
    moved: bool = False
    """Whether `cwd` counts although the resumed session had another folder."""
    worktree: Worktree | None = None
    servers: tuple[Mapping[str, Any], ...] = ()
    """MCP servers that an editor brings, by the names of its protocol."""
    session_id: str | None = None
    """Of a new session whose `ready` has been sent."""

    @property
    def resumes(self) -> bool:
        """Whether an older session may be opened."""
        return self.resume is not None or self.resume_last


def obeyed_mode(wish: Wish, where: Places) -> tuple[PermissionMode, bool]:
    """Return the permission mode with the files' say in it, and whether it is read-only.

    A read-only mode of a file wins over every flag; otherwise a flag wins over a file.
    """
    named = wish.permission_mode
    if wish.read_only or named == "read_only":
        return "read_only", True
    if any(path.exists() for path in where.rules):
        from luvus_service.adapters.rule_files import RuleFiles

        stored = RuleFiles(*where.rules).mode()
        if stored == "read_only":
            return "read_only", True
        named = named or stored
    return named or "ask", False


def trust_of(where: Places) -> str:
    """Return how the user stands to the project's own configuration."""
    stored = trust_file(where)
    if not stored.exists():
        return "unknown"
    from luvus_service.adapters.trust import Trust

    return Trust(stored, where.root, where.shared).standing()


def trust_file(where: Places) -> Path:
    """Return where the decision about a project is stored."""
    return where.state / "trust.json"


def ready_of(
    wish: Wish,
    where: Places,
    session_id: str,
    *,
    resumed: bool,
    trusted: bool,
) -> Ready:
    """Return the first frame of a session."""
    mode, read_only = obeyed_mode(wish, where)
    return Ready(
        protocol_version=PROTOCOL_VERSION,
        luxe_version=__version__,
        session_id=session_id,
        cwd=where.cwd,
        github_writes=wish.github_writes,
        read_only=read_only,
        permission_mode=mode,
        auto_approve=wish.auto_approve,
        trusted=trusted,
        resumed=resumed,
        is_git=where.is_git,
        worktree=wish.worktree,
        issue=None,
        pull_request=None,
        actions=ACTIONS,
    )


def header_worktree(found: Mapping[str, str] | None) -> Worktree | None:
    """Return the worktree that a session's header names."""
    if not found or not all(isinstance(found.get(n), str) for n in ("path", "branch", "base")):
        return None
    return Worktree(found["path"], found["branch"], found["base"])
