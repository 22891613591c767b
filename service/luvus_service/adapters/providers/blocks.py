"""Numbers the blocks of one answer and turns what happens to them into deltas.

Shared by the wire formats, which name blocks by keys of their own.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final, Literal

from luvus_service.adapters.providers.sse import GarbledStream
from luvus_service.luxe.domain.ports import BlockDelta, BlockEnded, BlockStarted, Delta

BLOCKS: Final = 1_000
"""Blocks of one answer."""
ANSWER_CHARS: Final = 64 * 1024 * 1024
"""Characters of one answer."""


class Blocks:
    """The blocks of one answer."""

    def __init__(self) -> None:
        self._indexes: dict[Hashable, int] = {}
        self._open: dict[Hashable, str] = {}
        """By key: half a surrogate pair that waits for its other half."""
        self._chars = 0

    def __contains__(self, key: Hashable) -> bool:
        return key in self._open

    def start(
        self,
        key: Hashable,
        kind: Literal["text", "thinking", "tool_call"],
        call_id: str | None = None,
        name: str | None = None,
    ) -> Delta:
        """Begin a block."""
        if key in self._indexes:
            raise GarbledStream(f"block {key!r} began twice")
        if len(self._indexes) >= BLOCKS:
            raise GarbledStream(f"more than {BLOCKS} blocks")
        self._indexes[key] = index = len(self._indexes)
        self._open[key] = ""
        return BlockStarted(index, kind, call_id or None, name or None)

    def more(self, key: Hashable, text: str) -> list[Delta]:
        """Add to a block; nothing comes of an empty text."""
        if key not in self._open:
            raise GarbledStream(f"more of block {key!r}, which is not open")
        self._chars += len(text)
        if self._chars > ANSWER_CHARS:
            raise GarbledStream(f"an answer of more than {ANSWER_CHARS} characters")
        half = self._open[key]
        if half or not text.isascii():
            text = self._whole(key, half + text)
        return [BlockDelta(self._indexes[key], text)] if text else []

    def end(self, key: Hashable, opaque: str | None = None, *, redacted: bool = False) -> Delta:
        """Complete a block."""
        if key not in self._open:
            raise GarbledStream(f"end of block {key!r}, which is not open")
        del self._open[key]
        return BlockEnded(self._indexes[key], opaque, redacted)

    def open_keys(self) -> tuple[Hashable, ...]:
        """Return the keys of the open blocks, the earliest first."""
        return tuple(self._open)

    def _whole(self, key: Hashable, text: str) -> str:
        """Join surrogate pairs that were split between two deltas; lone halves are replaced."""
        last = text[-1:]
        self._open[key] = last if last and "\ud800" <= last <= "\udbff" else ""
        if self._open[key]:
            text = text[:-1]
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
