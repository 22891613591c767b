"""Collects the blocks of one model answer as they stream, and shows them to the client."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, cast

from luvus_service.luxe.domain.events import ThinkingDelta, TokenDelta, ToolCallComposing
from luvus_service.luxe.domain.partial_json import early_string
from luvus_service.luxe.domain.ports import BlockDelta, BlockEnded, BlockStarted
from luvus_service.luxe.domain.values import (
    CallUsage,
    Part,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from luvus_service.luxe.engine.ids import new_id
from luvus_service.rpc.frame_lines import read_json

PATH_SEARCH_CHARS = 4_096
"""How far into a call's arguments its path is looked for."""
CUT_CALL: Final = (
    "Your last tool call was cut off at the output limit and was not made. Use smaller pieces."
)
"""What the model is told once in a turn."""
_REFUSED: Final = frozenset({"refusal", "content_filter"})
"""Ends after which a call of the answer must not be made."""


@dataclass(slots=True)
class Block:
    """One block as far as it has come."""

    number: int
    """Over the whole turn."""
    kind: Literal["text", "thinking", "tool_call"]
    call_id: str = ""
    name: str | None = None
    pieces: list[str] = field(default_factory=list[str])
    chars: int = 0
    path: str | None = None
    ended: bool = False
    opaque: str | None = None
    redacted: bool = False

    def text(self) -> str:
        """Return what came so far."""
        return "".join(self.pieces)


@dataclass(frozen=True, slots=True)
class Called:
    """A call of an answer; `fault` says why its arguments cannot be used."""

    part: ToolCallPart
    fault: str | None = None


class Answer:
    """The blocks of one answer."""

    def __init__(
        self,
        emit: Callable[[object], None],
        turn_id: str,
        first_block: int,
        taken: Container[str] = (),
    ) -> None:
        """`taken` are ids of earlier calls: some servers number the calls of each answer anew."""
        self._emit = emit
        self._taken = taken
        self._own: set[str] = set()
        self._turn_id = turn_id
        self._next = first_block
        self._blocks: dict[int, Block] = {}
        self.usage: CallUsage | None = None
        self.reason: str | None = None
        """Why the provider ended the answer; None while it has not."""

    @property
    def begun(self) -> bool:
        """Whether anything of the answer was passed on."""
        return bool(self._blocks)

    @property
    def next_block(self) -> int:
        """The number of the block after the last one."""
        return self._next

    def silence(self) -> None:
        """Show nothing more of it: its call was given up."""
        self._emit = _nowhere

    def start(self, started: BlockStarted) -> None:
        """Begin a block."""
        called = started.kind == "tool_call"
        call_id = self._call_id(started.call_id) if called else ""
        block = Block(self._next, started.kind, call_id, started.name)
        self._next += 1
        self._blocks[started.index] = block
        if called:
            self._emit(ToolCallComposing(block.number, block.call_id, block.name, "", 0))

    def extend(self, delta: BlockDelta) -> None:
        """Take more of a block."""
        block = self._blocks[delta.index]
        block.pieces.append(delta.text)
        block.chars += len(delta.text)
        if block.kind == "text":
            self._emit(TokenDelta(block.number, delta.text, self._turn_id))
        elif block.kind == "thinking":
            self._emit(ThinkingDelta(block.number, delta.text, self._turn_id))
        else:
            if block.path is None and block.chars <= PATH_SEARCH_CHARS:
                block.path = early_string(block.text(), ("path", "file_path", "filePath"))
            self._emit(
                ToolCallComposing(
                    block.number, block.call_id, block.name, delta.text, block.chars, block.path
                )
            )

    def end(self, ended: BlockEnded) -> None:
        """Take a block as complete."""
        block = self._blocks[ended.index]
        block.ended = True
        block.opaque = ended.opaque
        block.redacted = ended.redacted

    def calls(self) -> tuple[Called, ...]:
        """Return the calls to make, in the order the model began them."""
        return tuple(_called(block) for block in self._blocks.values() if self._whole_call(block))

    def cut_call(self) -> bool:
        """Say whether the answer stopped within a call."""
        if self.reason in _REFUSED:
            return False
        return any(b.kind == "tool_call" and not self._whole_call(b) for b in self._blocks.values())

    def parts(self, *, calls: bool) -> tuple[tuple[Part, ...], Mapping[str, str]]:
        """Return the parts to store, with or without its calls, and what only the provider reads.

        A call that is not made is left out with `calls` too: no result could be paired with it.
        """
        parts: list[Part] = []
        opaque: dict[str, str] = {}
        for block in self._blocks.values():
            part = self._part(block, calls=calls)
            if part is None:
                continue
            if block.opaque is not None:
                opaque[str(len(parts))] = block.opaque
            parts.append(part)
        return tuple(parts), opaque

    def _call_id(self, given: str | None) -> str:
        """Return an id that no other call of the session has."""
        call_id = given if given and given not in self._taken else new_id("call")
        call_id = call_id if call_id not in self._own else new_id("call")
        self._own.add(call_id)
        return call_id

    def _whole_call(self, block: Block) -> bool:
        """Say whether a block is a call to make: not cut, and not part of a refusal.

        Providers close a block that the output limit cut like any other; its arguments show it.
        """
        if block.kind != "tool_call" or not block.ended or not block.name:
            return False
        if self.reason == "max_tokens" and block.number == self._next - 1:
            return _readable(block)
        return self.reason not in _REFUSED

    def _part(self, block: Block, *, calls: bool) -> Part | None:
        if block.kind == "text":
            return TextPart(block.text(), block.number) if block.chars else None
        if block.kind == "thinking":
            if not block.chars and block.opaque is None:
                return None
            return ThinkingPart(block.text(), block.number, block.redacted)
        return _called(block).part if calls and self._whole_call(block) else None


def _nowhere(_event: object) -> None:
    return


def _called(block: Block) -> Called:
    fault: str | None = None
    given: dict[str, Any] = {}
    try:
        value: object = _arguments(block)
    except ValueError as error:
        fault = f"the arguments are no JSON: {error}"
    else:
        if isinstance(value, dict):
            given = cast("dict[str, Any]", value)
        else:
            fault = "the arguments must be a JSON object"
    return Called(ToolCallPart(block.call_id, block.name or "", given, block.number), fault)


def _arguments(block: Block) -> Any:
    text = block.text().strip()
    return read_json(text) if text else {}


def _readable(block: Block) -> bool:
    try:
        _arguments(block)
    except ValueError:
        return False
    return bool(block.chars)
