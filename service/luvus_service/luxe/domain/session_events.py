"""The events of a session around its turns: handshake, state, usage, context, notices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from luvus_service.luxe.domain.records import Linked, SessionSummary
from luvus_service.luxe.domain.values import (
    Activity,
    CallUsage,
    Credits,
    ErrorInfo,
    Message,
    Mode,
    Model,
    ModelRef,
    PermissionMode,
    PlanWindow,
    ThinkingLevel,
    Todo,
)

Trigger = Literal["manual", "threshold", "overflow"]


@dataclass(frozen=True, slots=True)
class StateChanged:
    """The whole state, each time something of it changed."""

    frame: ClassVar[str] = "state_changed"
    model: Model | None
    streaming: bool
    mode: Mode
    thinking: ThinkingLevel
    session_id: str
    turn_id: str | None
    activity: Activity
    permission_mode: PermissionMode
    auto_approve: bool
    read_only: bool
    pending_permissions: tuple[str, ...]
    pending_questions: tuple[str, ...]
    pending_steering: int


@dataclass(frozen=True, slots=True)
class ActionRejected:
    """Your frame was refused and nothing happened."""

    frame: ClassVar[str] = "action_rejected"
    omitted: ClassVar[tuple[str, ...]] = ("request_id",)
    kind: str | None
    """None when the line was not JSON, not an object, or had no string `kind`."""
    reason: str
    code: str
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to show; nothing ended."""

    frame: ClassVar[str] = "notice"
    level: Literal["info", "warning"]
    code: str
    message: str
    details: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class PlanWritten:
    """Plan mode wrote its file."""

    frame: ClassVar[str] = "plan_written"
    path: str
    title: str | None
    bytes: int
    turn_id: str
    call_id: str
    replaced: bool


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """What one model of the session cost."""

    provider: str
    model: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cached_prompt_tokens: int
    cache_write_tokens: int
    reasoning_tokens: int
    total_tokens: int
    cost_usd: float | None
    cost_source: Literal["priced", "reported", "unknown"]


@dataclass(frozen=True, slots=True)
class SessionUsage:
    """What the session cost so far: the sum of its `turn_usage`."""

    frame: ClassVar[str] = "session_usage"
    prompt_tokens: int
    completion_tokens: int
    cached_prompt_tokens: int
    cache_write_tokens: int
    reasoning_tokens: int
    total_tokens: int
    cost_usd: float | None
    cost_source: Literal["priced", "reported", "unknown"]
    calls: int
    turns: int
    unpriced_calls: int
    by_model: tuple[ModelUsage, ...]
    started_at: str


@dataclass(frozen=True, slots=True)
class PlanUsageShown:
    """What a subscription has left."""

    frame: ClassVar[str] = "plan_usage"
    provider: str
    plan: str | None
    windows: tuple[PlanWindow, ...]
    credits: Credits | None
    updated_at: str


@dataclass(frozen=True, slots=True)
class ContextUsage:
    """How full the context window is."""

    frame: ClassVar[str] = "context_usage"
    used_tokens: int
    context_window: int
    percent: float
    compact_at_tokens: int
    source: Literal["reported", "estimated"]
    model: ModelRef | None


@dataclass(frozen=True, slots=True)
class CompositionItem:
    """One piece of a category."""

    label: str
    tokens: int
    path: str | None = None


@dataclass(frozen=True, slots=True)
class CompositionCategory:
    """One kind of content of the context window."""

    name: str
    label: str
    tokens: int
    percent: float
    items: tuple[CompositionItem, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextComposition:
    """What fills the context window; the categories add up to `total_tokens`."""

    frame: ClassVar[str] = "context_composition"
    total_tokens: int
    context_window: int
    free_tokens: int
    reserved_tokens: int
    model: ModelRef | None
    source: Literal["reported", "estimated"]
    categories: tuple[CompositionCategory, ...]


@dataclass(frozen=True, slots=True)
class CompactionStarted:
    """Older messages are being summarised."""

    frame: ClassVar[str] = "compaction_started"
    trigger: Trigger
    focus: str | None
    tokens_before: int


@dataclass(frozen=True, slots=True)
class CompactionDone:
    """A summary stands for the older messages, or everything is as before."""

    frame: ClassVar[str] = "compaction_done"
    ok: bool
    trigger: Trigger
    focus: str | None
    summary: str | None
    tokens_before: int
    tokens_after: int | None
    messages_summarized: int
    error: ErrorInfo | None


@dataclass(frozen=True, slots=True)
class SessionLoaded:
    """A transcript was restored, or a new session began."""

    frame: ClassVar[str] = "session_loaded"
    session: SessionSummary
    messages: tuple[Message, ...]
    model: Model | None
    thinking: ThinkingLevel
    mode: Mode
    todos: tuple[Todo, ...]
    linked_pull_request: Linked | None
    repaired: bool
    truncated: bool


@dataclass(frozen=True, slots=True)
class SessionsRefreshed:
    """The sessions of this directory, newest first."""

    frame: ClassVar[str] = "sessions_refreshed"
    sessions: tuple[SessionSummary, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Finding:
    """One remark of the second opinion."""

    id: str
    severity: Literal["high", "medium", "low"]
    path: str | None
    line: int | None
    end_line: int | None
    title: str
    body: str


@dataclass(frozen=True, slots=True)
class ReviewStarted:
    """A requested second opinion began."""

    frame: ClassVar[str] = "review_started"
    model: ModelRef
    review_request_id: str
    focus: str | None
    files: int
    additions: int
    deletions: int


@dataclass(frozen=True, slots=True)
class ReviewFinished:
    """The second opinion came back; on `fix` its findings become the next turn."""

    frame: ClassVar[str] = "review_finished"
    verdict: Literal["continue", "fix", "unavailable"]
    findings: tuple[Finding, ...]
    review_request_id: str
    model: ModelRef
    summary: str | None
    error: ErrorInfo | None
    duration_ms: int
    usage: CallUsage | None
    turn_starts: bool
