"""The first frame: sent before anything heavy is imported, so this imports next to nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

PROTOCOL_VERSION = 2
ACTIONS = (
    "answer_question",
    "cancel",
    "check_worktree_removal",
    "close",
    "compact_now",
    "edit_resend",
    "list_directory",
    "load_file_diff",
    "load_session",
    "new_session",
    "read_project_file",
    "refresh_sessions",
    "refresh_workspace",
    "regenerate",
    "request_context_composition",
    "request_review",
    "respond_permission",
    "retry",
    "select_model",
    "set_mode",
    "set_permission_auto_approve",
    "set_permission_mode",
    "set_thinking_level",
    "steer_turn",
    "submit_user_message",
    "withdraw_steering",
)
"""Every kind of action; a test holds it equal to what the families declare."""


@dataclass(frozen=True, slots=True)
class Thread:
    """An issue or pull request the session was started from."""

    repository: str
    number: int
    title: str
    url: str


@dataclass(frozen=True, slots=True)
class Worktree:
    """The linked worktree the session runs in."""

    path: str
    branch: str
    base: str


@dataclass(frozen=True, slots=True)
class Ready:
    """The handshake: always the first frame. Refuse a `protocol_version` you do not know."""

    frame: ClassVar[str] = "ready"
    protocol_version: int
    luxe_version: str
    session_id: str
    cwd: str
    github_writes: bool
    read_only: bool
    permission_mode: Literal["ask", "accept_edits", "read_only", "yolo"]
    auto_approve: bool
    trusted: bool
    resumed: bool
    is_git: bool
    worktree: Worktree | None
    issue: Thread | None
    pull_request: Thread | None
    actions: tuple[str, ...]
