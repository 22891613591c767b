"""The values of a transcript and of its bookkeeping, in the shapes clients see.

A frame's `message` is a `Message` field by field; nothing here is private to the engine. What is
sent to a provider is in `ports`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

ThinkingLevel: TypeAlias = Literal["off", "minimal", "low", "medium", "high", "xhigh", "ultra"]
Mode: TypeAlias = Literal["build", "plan"]
PermissionMode: TypeAlias = Literal["ask", "accept_edits", "read_only", "yolo"]
Role: TypeAlias = Literal["user", "assistant", "tool", "system"]
MessageOrigin: TypeAlias = Literal[
    "client", "steering", "review_feedback", "second_opinion", "compaction", "engine"
]
TurnOrigin: TypeAlias = Literal[
    "client",
    "steering",
    "retry",
    "regenerate",
    "edit_resend",
    "review_feedback",
    "second_opinion",
    "reply_draft",
]
TurnEnd: TypeAlias = Literal[
    "end_turn", "cancelled", "max_tokens", "max_steps", "refusal", "error", "context_overflow"
]
ToolStatus: TypeAlias = Literal[
    "completed", "failed", "denied", "rejected", "cancelled", "skipped", "timed_out"
]
ToolKind: TypeAlias = Literal[
    "read", "edit", "search", "execute", "fetch", "plan", "question", "task", "mcp", "other"
]
Activity: TypeAlias = Literal[
    "idle",
    "model",
    "tool",
    "permission",
    "question",
    "retry_wait",
    "compacting",
    "reviewing",
    "cancelling",
]
CallPurpose: TypeAlias = Literal[
    "turn", "compaction", "second_opinion", "title", "review_guide", "reply_draft", "task"
]
ErrorCode: TypeAlias = Literal[
    "auth",
    "rate_limited",
    "overloaded",
    "provider_unavailable",
    "timeout",
    "invalid_request",
    "context_overflow",
    "content_filter",
    "stream_interrupted",
    "model_not_found",
    "quota_exhausted",
    "tool_protocol",
    "session_write_failed",
    "cancelled",
    "internal",
]
Input: TypeAlias = Mapping[str, Any]
"""A tool call's arguments: JSON values, checked by the tool that takes them."""


@dataclass(frozen=True, slots=True)
class PriceTier:
    """What every token of a call costs whose prompt is longer than `above_tokens`."""

    above_tokens: int
    input: float
    output: float
    cache_read: float
    cache_write: float


@dataclass(frozen=True, slots=True)
class Pricing:
    """USD for one million tokens, where no tier of longer prompts holds."""

    input: float
    output: float
    cache_read: float
    cache_write: float
    tiers: tuple[PriceTier, ...] = ()
    """In any order; the one with the highest bound that the prompt exceeds counts."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model that can be selected; `provider` and `model` are the pair that names it."""

    provider: str
    model: str
    name: str
    context_window: int
    max_output_tokens: int
    supports_images: bool = False
    supports_thinking: bool = False
    thinking_levels: tuple[ThinkingLevel, ...] = ("off",)
    pricing: Pricing | None = None


@dataclass(frozen=True, slots=True)
class ModelRef:
    """The name of a model."""

    provider: str
    model: str


@dataclass(frozen=True, slots=True)
class CallUsage:
    """Tokens and cost in one convention for all providers.

    `prompt_tokens` is the whole prompt; `cached_prompt_tokens` and `cache_write_tokens` are parts
    of it. `reasoning_tokens` is a part of `completion_tokens`. An unknown price is None, never 0.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_prompt_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    total_tokens: int = 0
    cost_usd: float | None = None
    cost_source: Literal["priced", "reported", "unknown"] = "unknown"


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    """What went wrong, for people; never holds a key, a header or a request body."""

    code: ErrorCode
    message: str
    retryable: bool = False
    status: int | None = None
    provider: str | None = None


@dataclass(frozen=True, slots=True)
class Todo:
    """One entry of the agent's list."""

    id: str
    content: str
    status: Literal["pending", "in_progress", "completed", "cancelled"]
    priority: Literal["high", "medium", "low"] | None = None


@dataclass(frozen=True, slots=True)
class Image:
    """A picture as it crosses the wire."""

    data: str
    """Base64."""
    mime: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class TextPart:
    """Text of a message."""

    text: str
    block: int | None = None
    type: Literal["text"] = "text"


@dataclass(frozen=True, slots=True)
class ThinkingPart:
    """Reasoning of the model; `redacted` when the provider hides it."""

    text: str
    block: int | None = None
    redacted: bool = False
    type: Literal["thinking"] = "thinking"


@dataclass(frozen=True, slots=True)
class ImagePart:
    """A picture of a message; its bytes are stored beside the session under `sha256`."""

    mime: str
    bytes: int
    sha256: str
    name: str | None = None
    type: Literal["image"] = "image"


@dataclass(frozen=True, slots=True)
class ToolCallPart:
    """A call that the model wants made."""

    call_id: str
    name: str
    input: Input
    block: int | None = None
    type: Literal["tool_call"] = "tool_call"


@dataclass(frozen=True, slots=True)
class ToolResultPart:
    """What came of a call, as the model reads it."""

    call_id: str
    name: str
    status: ToolStatus
    output: str
    truncated: bool = False
    images: tuple[ImagePart, ...] = ()
    type: Literal["tool_result"] = "tool_result"


@dataclass(frozen=True, slots=True)
class CompactionPart:
    """A summary that stands for older messages before the model."""

    summary: str
    tokens_before: int
    type: Literal["compaction"] = "compaction"


Part: TypeAlias = (
    TextPart | ThinkingPart | ImagePart | ToolCallPart | ToolResultPart | CompactionPart
)


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of the transcript."""

    id: str
    role: Role
    parts: tuple[Part, ...]
    created_at: str
    turn_id: str | None = None
    model: ModelRef | None = None
    usage: CallUsage | None = None
    stop_reason: str | None = None
    interrupted: bool = False
    origin: MessageOrigin = "client"

    def text(self) -> str:
        """Return its text parts joined."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))

    def calls(self) -> tuple[ToolCallPart, ...]:
        """Return the calls it holds, in order."""
        return tuple(part for part in self.parts if isinstance(part, ToolCallPart))


@dataclass(frozen=True, slots=True)
class Question:
    """One thing the agent asks the user."""

    question: str
    header: str = ""
    options: tuple[tuple[str, str], ...] = ()
    """(label, description)."""
    multiple: bool = False
    free_text: bool = True


@dataclass(frozen=True, slots=True)
class PlanWindow:
    """How much of a subscription's allowance is used."""

    name: str
    used_percent: float
    status: Literal["ok", "warning", "exhausted"]
    resets_at: str | None = None


@dataclass(frozen=True, slots=True)
class Credits:
    """What is left to spend."""

    remaining: float
    unit: str


@dataclass(frozen=True, slots=True)
class PlanUsage:
    """What a subscription has left, as the provider's headers tell it."""

    provider: str
    windows: tuple[PlanWindow, ...]
    updated_at: str
    plan: str | None = None
    credits: Credits | None = None
