"""Requests to models and the reading of answers, for tests of the wire formats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from luvus_service.adapters.providers.sse import EventStream
from luvus_service.adapters.providers.wire import Reader
from luvus_service.luxe.domain.ports import (
    BlockDelta,
    BlockEnded,
    BlockStarted,
    CallGiven,
    Delta,
    ImageGiven,
    MessageGiven,
    ModelRequest,
    ResultGiven,
    TextGiven,
    ThinkingGiven,
    TokensCounted,
    ToolSchema,
)
from luvus_service.luxe.domain.values import CallUsage, Model
from tests.support.provider_script import Cut, Format, Pause, Reply, frames

MODEL = Model(
    provider="p",
    model="claude-opus-4-8",
    name="One",
    context_window=200_000,
    max_output_tokens=64_000,
    supports_images=True,
    supports_thinking=True,
    thinking_levels=("off", "low", "medium", "high", "xhigh", "ultra"),
)
TOOL = ToolSchema("ls", "Lists a folder.", {"type": "object", "properties": {}})
PICTURE = ImageGiven("image/png", b"\x89PNG")


def asked(*messages: MessageGiven, model: Model = MODEL, **rest: Any) -> ModelRequest:
    """Return a request; without messages the user says hi."""
    return ModelRequest(model, ("Be brief.",), messages or (user("hi"),), **rest)


def user(*parts: Any) -> MessageGiven:
    """Return a message of the user; strings are text."""
    return MessageGiven("user", tuple(TextGiven(p) if isinstance(p, str) else p for p in parts))


def assistant(*parts: Any) -> MessageGiven:
    """Return a message of the model; strings are text."""
    return replace(user(*parts), role="assistant")


def conversation(opaque: str, model: Model = MODEL) -> tuple[MessageGiven, ...]:
    """Return a conversation that holds one of everything."""
    thought = ThinkingGiven("I must look.", opaque, model.provider, model.model)
    foreign = ThinkingGiven("Elsewhere.", "foreign", "other", "model")
    return (
        user("What is here?", PICTURE),
        assistant(
            thought,
            foreign,
            "Let me look.",
            CallGiven("c1", "ls", {"path": "."}),
            CallGiven("bad id:2", "ls", {"path": "ä"}),
        ),
        user(
            ResultGiven("c1", "ls", "a.py"),
            ResultGiven("bad id:2", "ls", "no such folder", True, (PICTURE,)),
        ),
    )


def read_all(reader: Reader, stream: Iterable[bytes]) -> list[Delta]:
    """Return what a reader makes of a stream, its end included."""
    events = EventStream()
    deltas: list[Delta] = []
    for piece in stream:
        for event in events.feed(piece):
            deltas += reader.read(event)
    for event in events.finish():
        deltas += reader.read(event)
    return [*deltas, *reader.finish()]


def streamed(form: Format, reply: Reply) -> bytes:
    """Return the whole stream of a reply."""
    found = frames(form, reply, "m")
    return b"".join(frame for frame in found if not isinstance(frame, Pause | Cut))


def blocks(deltas: Sequence[Delta]) -> list[tuple[str, str, str | None, str | None]]:
    """Return the blocks as (kind, text, name, opaque), after checking their order."""
    kinds: dict[int, BlockStarted] = {}
    texts: dict[int, str] = {}
    ended: dict[int, BlockEnded] = {}
    for delta in deltas:
        if isinstance(delta, BlockStarted):
            assert delta.index == len(kinds)
            kinds[delta.index] = delta
            texts[delta.index] = ""
        elif isinstance(delta, BlockDelta):
            assert delta.text
            assert delta.index not in ended
            texts[delta.index] += delta.text
        elif isinstance(delta, BlockEnded):
            assert delta.index not in ended
            ended[delta.index] = delta
    assert set(ended) == set(kinds)
    return [(kinds[i].kind, texts[i], kinds[i].name, ended[i].opaque) for i in kinds]


def usage(deltas: Sequence[Delta]) -> CallUsage | None:
    """Return the last count."""
    counted = [delta.usage for delta in deltas if isinstance(delta, TokensCounted)]
    return counted[-1] if counted else None
