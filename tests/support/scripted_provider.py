"""A provider that answers as its script says: the far side of the agent, in process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from luvus_service.luxe.domain.ports import (
    AnswerEnded,
    BlockDelta,
    BlockEnded,
    BlockStarted,
    Delta,
    ModelRequest,
    ProviderFailure,
    TokensCounted,
)
from luvus_service.luxe.domain.values import CallUsage, Model, Pricing

MODEL = Model(
    provider="script",
    model="one",
    name="Script One",
    context_window=200_000,
    max_output_tokens=8_000,
    supports_images=True,
    supports_thinking=True,
    thinking_levels=("off", "low", "high"),
    pricing=Pricing(3.0, 15.0, 0.3, 3.75),
)
OTHER = Model("script", "two", "Script Two", 100_000, 4_000)
USAGE = CallUsage(prompt_tokens=100, completion_tokens=10, cached_prompt_tokens=40)

Step = Delta | ProviderFailure | asyncio.Event


def says(text: str, *, pieces: int = 2, usage: CallUsage | None = USAGE) -> list[Step]:
    """Return an answer of one text, streamed in pieces."""
    size = max(1, -(-len(text) // pieces))
    cut = [text[i : i + size] for i in range(0, len(text), size)]
    return [
        BlockStarted(0, "text"),
        *(BlockDelta(0, piece) for piece in cut),
        BlockEnded(0),
        *([TokensCounted(usage)] if usage is not None else []),
        AnswerEnded("end_turn"),
    ]


def calls(*made: tuple[str, str, dict[str, Any]], text: str = "") -> list[Step]:
    """Return an answer of calls (id, name, input), after a text if there is one."""
    steps: list[Step] = []
    index = 0
    if text:
        steps += [BlockStarted(0, "text"), BlockDelta(0, text), BlockEnded(0)]
        index = 1
    for call_id, name, given in made:
        steps += [
            BlockStarted(index, "tool_call", call_id, name),
            BlockDelta(index, json.dumps(given)),
            BlockEnded(index),
        ]
        index += 1
    return [*steps, TokensCounted(USAGE), AnswerEnded("tool_calls")]


@dataclass
class ScriptedProvider:
    """Plays one script for each call; an `asyncio.Event` in it is waited for."""

    scripts: list[Sequence[Step]] = field(default_factory=list[Sequence[Step]])
    name: str = "script"
    requests: list[ModelRequest] = field(default_factory=list[ModelRequest])
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    closed_streams: int = 0
    missing: str | None = None

    def models(self) -> Sequence[Model]:
        return (MODEL, OTHER)

    async def discover(self) -> Sequence[Model]:
        return self.models()

    def missing_credential(self) -> str | None:
        return self.missing

    async def answer(self, request: ModelRequest) -> AsyncIterator[Delta]:
        self.requests.append(request)
        self.asked.set()
        script = self.scripts.pop(0) if self.scripts else says("Done.")
        try:
            for step in script:
                if isinstance(step, ProviderFailure):
                    raise step
                if isinstance(step, asyncio.Event):
                    await step.wait()
                else:
                    yield step
        finally:
            self.closed_streams += 1

    async def close(self) -> None:
        return


@dataclass
class UnlistedProvider(ScriptedProvider):
    """One whose models nobody knows before it may list them, or that fails to."""

    may_list: asyncio.Event = field(default_factory=asyncio.Event)
    fault: ProviderFailure | None = None

    def models(self) -> Sequence[Model]:
        return super().models() if self.may_list.is_set() and self.fault is None else ()

    async def discover(self) -> Sequence[Model]:
        await self.may_list.wait()
        if self.fault is not None:
            raise self.fault
        return self.models()
