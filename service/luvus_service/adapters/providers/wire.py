"""What a wire format owes to the provider that speaks it, and what all formats share."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, Protocol, TypeAlias

from luvus_service.adapters.providers.sse import Event
from luvus_service.luxe.domain.ports import (
    Delta,
    MessageGiven,
    ModelRequest,
    ThinkingGiven,
)

FormatName: TypeAlias = Literal["anthropic", "openai-chat", "openai-responses"]
WayOfThinking: TypeAlias = Literal["effort", "openrouter", "none"]
WAYS_OF_THINKING: Final[Mapping[str, WayOfThinking]] = {
    "effort": "effort",
    "openrouter": "openrouter",
    "none": "none",
}

_PLAIN_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one endpoint differs from the format it speaks."""

    thinking: WayOfThinking = "effort"
    """How a chat endpoint is told how much to think."""
    output_limit_field: str = "max_tokens"
    """Of a chat request."""
    caching: bool = True
    """Whether cache marks (anthropic) or a cache key (openai-responses) are sent."""
    usage_in_stream: bool = True
    """Whether a chat endpoint is asked for usage in its stream."""
    extra_body: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Merged into the top level of every request."""


class StreamFault(Exception):
    """The provider said within its stream that the call failed."""

    def __init__(self, body: object) -> None:
        super().__init__("the provider reported an error in its stream")
        self.body = body
        """What it said, as decoded JSON."""


class Reader(Protocol):
    """Reads the events of one answer."""

    @property
    def complete(self) -> bool:
        """Whether the provider said that the answer is whole."""
        ...

    @property
    def closed(self) -> bool:
        """Whether nothing of interest follows any more; implies `complete`."""
        ...

    def read(self, event: Event) -> Sequence[Delta]:
        """Return what an event says.

        Raises:
            StreamFault: The provider reports an error.
            GarbledStream: The event is not of this format.
        """
        ...

    def finish(self) -> Sequence[Delta]:
        """Return the end of the answer; called once, when it is `complete`.

        Raises:
            GarbledStream: What came does not make an answer.
        """
        ...


class WireFormat(Protocol):
    """One way of speaking to models."""

    @property
    def name(self) -> FormatName:
        """As configuration names it."""
        ...

    @property
    def path(self) -> str:
        """Where calls go, below the base address."""
        ...

    @property
    def models_path(self) -> str:
        """Where the list of models is, below the base address."""
        ...

    def headers(self, key: str | None, *, bearer: bool) -> dict[str, str]:
        """Return the headers of a call."""
        ...

    def body(self, request: ModelRequest, dialect: Dialect) -> dict[str, Any]:
        """Return the body of a call."""
        ...

    def reader(self) -> Reader:
        """Return a reader for one answer."""
        ...


def wire_id(call_id: str) -> str:
    """Return a call's id in letters that every provider takes; equal ids stay equal."""
    if _PLAIN_ID.fullmatch(call_id):
        return call_id
    return "call_" + hashlib.sha256(call_id.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def joined(messages: Sequence[MessageGiven]) -> list[MessageGiven]:
    """Return the messages with neighbours of one role made one."""
    result: list[MessageGiven] = []
    for message in messages:
        if result and result[-1].role == message.role:
            result[-1] = replace(result[-1], parts=result[-1].parts + message.parts)
        else:
            result.append(message)
    return result


def own_thinking(part: ThinkingGiven, request: ModelRequest) -> bool:
    """Say whether the model about to be called wrote this reasoning."""
    model = request.model
    return part.opaque is not None and (part.provider, part.model) == (model.provider, model.model)


def without_thinking(request: ModelRequest) -> ModelRequest:
    """Return the request with no earlier reasoning in it."""
    messages = tuple(
        replace(message, parts=tuple(p for p in message.parts if not isinstance(p, ThinkingGiven)))
        for message in request.messages
    )
    return replace(request, messages=messages)
