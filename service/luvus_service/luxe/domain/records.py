"""The records of a session's file: each is one JSON object with its `type`, field by field.

Knows nothing of files. A record of an unknown type is read as `Foreign` and has no effect.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from luvus_service.luxe.domain.values import (
    CallPurpose,
    CallUsage,
    Message,
    Mode,
    ModelRef,
    ThinkingLevel,
    Todo,
    TurnEnd,
    TurnOrigin,
)

# `type` stands first in every record, so that a reader can tell lines without parsing them.

FORMAT = 1
"""The version of the file; a reader refuses a higher one."""


@dataclass(frozen=True, slots=True)
class SessionHeader:
    """The first line of a file."""

    type: Literal["session"] = field(default="session", kw_only=True)
    id: str
    created_at: str
    cwd: str
    """The real path of the working folder."""
    project_key: str
    luxe_version: str
    worktree: Mapping[str, str] | None = None
    parent: str | None = None
    version: int = FORMAT


@dataclass(frozen=True, slots=True)
class Entry:
    """A message of the transcript, with what only its provider understands."""

    type: Literal["message"] = field(default="message", kw_only=True)
    message: Message
    opaque: Mapping[str, str] = field(default_factory=dict[str, str])
    """By index of the part, in decimal."""


@dataclass(frozen=True, slots=True)
class Rewound:
    """Everything after a message was taken back; None for the whole transcript."""

    type: Literal["rewind"] = field(default="rewind", kw_only=True)
    to_message_id: str | None
    cause: Literal["edit_resend", "retry", "regenerate"]


@dataclass(frozen=True, slots=True)
class Compacted:
    """Before the model, a summary stands for the messages before `first_kept`.

    Of those only `kept_user`, the last one that a person wrote, is still seen in full.
    """

    type: Literal["compaction"] = field(default="compaction", kw_only=True)
    summary: str
    first_kept: str | None
    tokens_before: int
    tokens_after: int
    at: str
    kept_user: str | None = None


@dataclass(frozen=True, slots=True)
class ModelChosen:
    """The model from here on."""

    type: Literal["model"] = field(default="model", kw_only=True)
    model: ModelRef


@dataclass(frozen=True, slots=True)
class ThinkingChosen:
    """The thinking level from here on."""

    type: Literal["thinking"] = field(default="thinking", kw_only=True)
    level: ThinkingLevel


@dataclass(frozen=True, slots=True)
class ModeChosen:
    """The mode from here on."""

    type: Literal["mode"] = field(default="mode", kw_only=True)
    mode: Mode


@dataclass(frozen=True, slots=True)
class TodosSet:
    """The agent's list from here on."""

    type: Literal["todo"] = field(default="todo", kw_only=True)
    todos: tuple[Todo, ...]


@dataclass(frozen=True, slots=True)
class PlanSaved:
    """Where the agent's plan is from here on.

    Relative to the project's root; absolute when a read-only session keeps it in its own folder.
    """

    type: Literal["plan"] = field(default="plan", kw_only=True)
    path: str


@dataclass(frozen=True, slots=True)
class Titled:
    """The session's title."""

    type: Literal["title"] = field(default="title", kw_only=True)
    title: str


@dataclass(frozen=True, slots=True)
class Used:
    """One finished provider call."""

    type: Literal["usage"] = field(default="usage", kw_only=True)
    model: ModelRef
    usage: CallUsage
    purpose: CallPurpose
    turn_id: str | None


@dataclass(frozen=True, slots=True)
class Linked:
    """The pull request that this session works on."""

    type: Literal["link"] = field(default="link", kw_only=True)
    repository: str
    number: int
    url: str


@dataclass(frozen=True, slots=True)
class TurnMark:
    """A turn began or ended."""

    type: Literal["turn"] = field(default="turn", kw_only=True)
    turn_id: str
    state: Literal["start", "end"]
    at: str
    origin: TurnOrigin | None = None
    reason: TurnEnd | None = None


@dataclass(frozen=True, slots=True)
class Moved:
    """The session belongs to another working folder from here on, and to no worktree."""

    type: Literal["moved"] = field(default="moved", kw_only=True)
    cwd: str
    project_key: str


@dataclass(frozen=True, slots=True)
class Foreign:
    """A record of a newer version of Luxe."""

    data: Mapping[str, Any]


Record: TypeAlias = (
    Entry
    | Rewound
    | Compacted
    | ModelChosen
    | ThinkingChosen
    | ModeChosen
    | TodosSet
    | PlanSaved
    | Titled
    | Used
    | Linked
    | TurnMark
    | Moved
    | Foreign
)


def moved(header: SessionHeader, record: Moved) -> SessionHeader:
    """Return what a header says once its session belongs to another folder."""
    return replace(header, cwd=record.cwd, project_key=record.project_key, worktree=None)


@dataclass(frozen=True, slots=True)
class PullRequestName:
    """A pull request by repository and number."""

    repository: str
    number: int


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """A session as a list shows it."""

    id: str
    title: str | None
    first_message: str | None
    cwd: str
    created_at: str
    updated_at: str
    messages: int
    turns: int
    model: ModelRef | None
    branch: str | None
    cost_usd: float | None
    size_bytes: int
    current: bool
    locked: bool
    pull_request: PullRequestName | None = None
