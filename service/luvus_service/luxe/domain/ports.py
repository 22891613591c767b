"""What the engine needs of the outside world: models, paths, a shell parser, a clock.

The engine names only these; `adapters` implements them and the wiring introduces the two. Tools
are in `tool_ports`, sessions on the disk in `store_ports`, the project in `project_ports`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from luvus_service.luxe.domain.permission_units import ParsedShell, PathUnit
from luvus_service.luxe.domain.values import (
    CallUsage,
    ErrorCode,
    ErrorInfo,
    Input,
    Model,
    PlanUsage,
    ThinkingLevel,
)

# What a model is given


@dataclass(frozen=True, slots=True)
class TextGiven:
    """Text for the model."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingGiven:
    """Earlier reasoning, to be handed back to the model that wrote it.

    An adapter drops it when `provider` and `model` are not those it is about to call, or when
    its wire format has no place for it.
    """

    text: str
    opaque: str | None
    """What the adapter gave in `BlockEnded.opaque`: a signature or encrypted reasoning."""
    provider: str
    model: str
    redacted: bool = False


@dataclass(frozen=True, slots=True)
class ImageGiven:
    """A picture for the model."""

    mime: str
    data: bytes


@dataclass(frozen=True, slots=True)
class CallGiven:
    """A call the model made earlier."""

    call_id: str
    name: str
    input: Input


@dataclass(frozen=True, slots=True)
class ResultGiven:
    """What came of a call; every `CallGiven` has exactly one, in the next message."""

    call_id: str
    name: str
    text: str
    is_error: bool = False
    images: tuple[ImageGiven, ...] = ()


PartGiven: TypeAlias = TextGiven | ThinkingGiven | ImageGiven | CallGiven | ResultGiven


@dataclass(frozen=True, slots=True)
class MessageGiven:
    """One message for the model. Roles alternate as written; `user` may hold results.

    Results always come first in their message. Two messages of one role may follow each other:
    an adapter whose provider refuses that joins them.
    """

    role: Literal["user", "assistant"]
    parts: tuple[PartGiven, ...]


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """A tool as the model is told of it."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """JSON Schema of an object."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call of a model. Equal beginnings of two requests are equal byte for byte."""

    model: Model
    system: tuple[str, ...]
    """Paragraph groups, the most stable first; a cache mark belongs after the last."""
    messages: tuple[MessageGiven, ...]
    tools: tuple[ToolSchema, ...] = ()
    thinking: ThinkingLevel = "off"
    max_output_tokens: int | None = None
    """None for the model's own limit."""
    force_tool: str | None = None
    """The one tool that must be called, for verdicts."""
    cache_key: str = ""
    """Equal for the calls of one session; some providers route by it."""


# What a model answers


@dataclass(frozen=True, slots=True)
class BlockStarted:
    """The model begins a block; `index` counts the blocks of this call from 0."""

    index: int
    kind: Literal["text", "thinking", "tool_call"]
    call_id: str | None = None
    """Of a tool call: the provider's id, or None when it gives none (the engine makes one)."""
    name: str | None = None


@dataclass(frozen=True, slots=True)
class BlockDelta:
    """More of a block: text, reasoning, or the JSON text of a call's arguments.

    The block has been started. Never empty. Arguments are joined as they come; a provider that
    sends them as an object gives one delta with its JSON.
    """

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class BlockEnded:
    """A block is complete; it gets no further delta."""

    index: int
    opaque: str | None = None
    """Of thinking: what must be handed back with it, in a form only the adapter understands."""
    redacted: bool = False


@dataclass(frozen=True, slots=True)
class TokensCounted:
    """What the provider counted so far, already in the convention of `CallUsage`.

    Later ones replace earlier ones. `cost_usd` only when the provider itself reports it
    (`cost_source` "reported"); pricing is the engine's.
    """

    usage: CallUsage


@dataclass(frozen=True, slots=True)
class AllowanceRead:
    """What the response headers said about a subscription."""

    plan: PlanUsage


@dataclass(frozen=True, slots=True)
class AnswerEnded:
    """The provider said that the answer is complete; nothing follows.

    `tool_calls` is not required for calls to be made: the engine looks at the blocks.
    """

    reason: Literal["end_turn", "tool_calls", "max_tokens", "refusal", "content_filter"]


Delta: TypeAlias = (
    BlockStarted | BlockDelta | BlockEnded | TokensCounted | AllowanceRead | AnswerEnded
)


class ProviderFailure(Exception):
    """A model call failed.

    `retryable` is about the fault alone (connection, 408, 409 of an overloaded gateway, 429, 5xx,
    529); whether to retry is the engine's, which never does once a block was started. The message
    holds no key, no header value and no request body.
    """

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        *,
        provider: str,
        retryable: bool = False,
        status: int | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.info = ErrorInfo(code, message, retryable, status, provider)
        self.retry_after_s = retry_after_s
        """What `retry-after-ms` or `retry-after` (seconds or date) asked for."""


class Provider(Protocol):
    """One configured endpoint that serves models.

    Heavy libraries are imported at the first `answer`, never when the object is made: `ready`
    waits for the object.
    """

    @property
    def name(self) -> str:
        """What stands in `Model.provider`; letters, digits, `-`, `_`."""
        ...

    def models(self) -> Sequence[Model]:
        """Return the models known without asking the network."""
        ...

    async def discover(self) -> Sequence[Model]:
        """Ask the endpoint for its models; those of `models()` where it has no list.

        Raises:
            ProviderFailure: It cannot be reached or refuses.
        """
        ...

    def missing_credential(self) -> str | None:
        """Return the name of the variable to set, or None when calls can be made."""
        ...

    def answer(self, request: ModelRequest) -> AsyncIterator[Delta]:
        """Call the model once, without retrying, and yield its answer as it comes.

        Blocks may interleave; each is started, gets deltas, and is ended. The iterator ends after
        `AnswerEnded`. Closing it (`aclose`) or cancelling the reader drops the connection at
        once. A stream that stops without the provider's last event raises
        `stream_interrupted`; garbage in it raises `stream_interrupted` too. 15 s to connect,
        120 s of silence are a `timeout`.

        Raises:
            ProviderFailure: Anything that went wrong; no other exception leaves.
        """
        ...

    async def close(self) -> None:
        """Drop idle connections."""
        ...


# Paths, shell and time


class Paths(Protocol):
    """The file system as permissions see it."""

    @property
    def root(self) -> str:
        """The project's root: the git top level, or the working folder; real and absolute."""
        ...

    @property
    def cwd(self) -> str:
        """The working folder, real and absolute."""
        ...

    def locate(
        self, written: str, action: Literal["read", "edit"], *, cwd: str | None = None
    ) -> PathUnit:
        """Say where a written path leads: `~`, `.`, `..` and links resolved, nothing opened."""
        ...


class ShellParser(Protocol):
    """A real grammar of POSIX shell and bash."""

    def parse(self, text: str) -> ParsedShell:
        """Return every simple command of a text, those in substitutions and branches included.

        Never raises: what cannot be parsed is opaque.
        """
        ...


class Clock(Protocol):
    """Wall and monotonic time."""

    def time(self) -> float:
        """Return seconds since the epoch."""
        ...

    def monotonic(self) -> float:
        """Return seconds that only grow."""
        ...


@dataclass(frozen=True, slots=True)
class InstructionFile:
    """A project or user instruction file."""

    path: str
    bytes: int
    text: str = field(repr=False)
    truncated: bool = False


class InstructionSource(Protocol):
    """Finds AGENTS.md and its like."""

    def read(self, root: str, cwd: str) -> Iterable[InstructionFile]:
        """Return them from the farthest to the nearest, within their limit."""
        ...
