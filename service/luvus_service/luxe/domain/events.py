"""The events of a turn, its tools and its prompts, in the shapes clients read.

`frame` is the event's kind on the wire. Fields in `omitted` are left out while they are None.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from luvus_service.luxe.domain.values import (
    CallPurpose,
    CallUsage,
    ErrorCode,
    ErrorInfo,
    Image,
    Input,
    Message,
    ToolKind,
    ToolStatus,
    TurnEnd,
    TurnOrigin,
)


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """A turn began; exactly one `turn_ended` follows."""

    frame: ClassVar[str] = "turn_started"
    turn_id: str
    origin: TurnOrigin
    message_id: str | None


@dataclass(frozen=True, slots=True)
class TokenDelta:
    """More of the reply. `block` orders all blocks of the turn and never goes back."""

    frame: ClassVar[str] = "token_delta"
    block: int
    delta: str
    turn_id: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """More of the reasoning."""

    frame: ClassVar[str] = "thinking_delta"
    block: int
    delta: str
    turn_id: str


@dataclass(frozen=True, slots=True)
class ToolCallComposing:
    """The model is writing a tool call; a client may never rely on this."""

    frame: ClassVar[str] = "tool_call_composing"
    block: int
    call_id: str
    name: str | None
    delta: str
    chars: int
    path: str | None = None


@dataclass(frozen=True, slots=True)
class MessageCommitted:
    """A complete message is in the transcript and on the disk."""

    frame: ClassVar[str] = "message_committed"
    message: Message


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A call was taken up, before any prompt for it."""

    frame: ClassVar[str] = "tool_started"
    omitted: ClassVar[tuple[str, ...]] = ("input_truncated",)
    call_id: str
    name: str
    turn_id: str
    message_id: str
    input: Input
    title: str
    kind: ToolKind
    paths: tuple[str, ...]
    input_truncated: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class ToolProgress:
    """Output of a running call, at most ten times a second."""

    frame: ClassVar[str] = "tool_progress"
    omitted: ClassVar[tuple[str, ...]] = ("dropped_bytes",)
    call_id: str
    delta: str
    stream: Literal["stdout", "stderr", "status"]
    elapsed_ms: int
    bytes_total: int
    dropped_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class ToolCompleted:
    """A call ran to an end of its own; this is what the model gets."""

    frame: ClassVar[str] = "tool_completed"
    call_id: str
    name: str
    output: str
    is_error: bool
    truncated: bool
    output_path: str | None
    exit_code: int | None
    diff: str | None
    additions: int | None
    deletions: int | None
    images: tuple[Image, ...]
    duration_ms: int


@dataclass(frozen=True, slots=True)
class ToolEnded:
    """A call is over; exactly one for every `tool_started`."""

    frame: ClassVar[str] = "tool_ended"
    call_id: str
    name: str
    status: ToolStatus
    reason: str | None
    duration_ms: int


@dataclass(frozen=True, slots=True)
class ToolActivityUpdated:
    """The whole card of a call; the newest replaces the older."""

    frame: ClassVar[str] = "tool_activity_updated"
    call_id: str
    title: str
    body: str
    body_format: Literal["text", "diff", "markdown"]
    state: str
    """"composing", "queued", "awaiting_permission", "awaiting_answer", "running" or a status."""
    started_at: str | None
    ended_at: str | None
    elapsed_ms: int
    kind: ToolKind
    paths: tuple[str, ...]
    additions: int | None = None
    deletions: int | None = None


@dataclass(frozen=True, slots=True)
class ProviderRetrying:
    """The provider failed before it answered; it is tried again."""

    frame: ClassVar[str] = "provider_retrying"
    provider: str
    model: str
    attempt: int
    """Of the coming try; 2 for the first retry."""
    max_attempts: int
    delay_ms: int
    status: int | None
    reason: str
    retry_at: str


@dataclass(frozen=True, slots=True)
class TurnUsage:
    """What one provider call cost."""

    frame: ClassVar[str] = "turn_usage"
    prompt_tokens: int
    completion_tokens: int
    cached_prompt_tokens: int
    cache_write_tokens: int
    reasoning_tokens: int
    total_tokens: int
    cost_usd: float | None
    cost_source: Literal["priced", "reported", "unknown"]
    turn_id: str | None
    provider: str
    model: str
    call_index: int
    purpose: CallPurpose
    duration_ms: int
    first_token_ms: int | None


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The turn is over; the last frame about it."""

    frame: ClassVar[str] = "turn_ended"
    reason: TurnEnd
    turn_id: str
    duration_ms: int
    model_calls: int
    tool_calls: int
    usage: CallUsage
    error: ErrorInfo | None
    undelivered_steering: tuple[str, ...]
    files_changed: int


@dataclass(frozen=True, slots=True)
class ErrorShown:
    """Something failed that ends the turn."""

    frame: ClassVar[str] = "error"
    code: ErrorCode
    message: str
    retryable: bool
    status: int | None
    provider: str | None
    turn_id: str | None
    hint: str | None


@dataclass(frozen=True, slots=True)
class Steered:
    """A steering text that waits."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class SteeringUpdated:
    """The steering texts not delivered yet."""

    frame: ClassVar[str] = "steering_updated"
    pending: tuple[Steered, ...]


@dataclass(frozen=True, slots=True)
class TranscriptRewound:
    """The end of the transcript was taken back."""

    frame: ClassVar[str] = "transcript_rewound"
    to_message_id: str | None
    removed_message_ids: tuple[str, ...]
    cause: Literal["edit_resend", "retry", "regenerate"]


@dataclass(frozen=True, slots=True)
class PermissionRequested:
    """Answer it with `respond_permission`, or the turn waits."""

    frame: ClassVar[str] = "permission_requested"
    id: str
    always_patterns: tuple[str, ...]
    call_id: str | None
    turn_id: str
    tool: str
    action: str
    title: str
    description: str | None
    reason: str
    resources: tuple[str, ...]
    command: str | None
    cwd: str | None
    path: str | None
    diff: str | None
    replies: tuple[str, ...]
    persist_target: Literal["project"] | None
    created_at: str


@dataclass(frozen=True, slots=True)
class PermissionResolved:
    """A prompt is settled."""

    frame: ClassVar[str] = "permission_resolved"
    id: str
    reply: Literal["once", "always", "always_persist", "reject", "cancelled"]
    by: Literal["client", "auto_approve", "rule", "cancel", "close"]
    patterns_added: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Option:
    """One choice of a question."""

    label: str
    description: str


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """Answer it with `answer_question`, or the turn waits."""

    frame: ClassVar[str] = "question_asked"
    id: str
    call_id: str
    turn_id: str
    header: str
    question: str
    options: tuple[Option, ...]
    multiple: bool
    free_text: bool
    index: int
    total: int
    created_at: str


@dataclass(frozen=True, slots=True)
class Answered:
    """The user's answers to one question."""

    answered: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QuestionResolved:
    """A question is settled."""

    frame: ClassVar[str] = "question_resolved"
    id: str
    reply: Answered | Literal["cancelled"]
    by: Literal["client", "cancel", "close"]
