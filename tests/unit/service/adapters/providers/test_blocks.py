"""Blocks of an answer as deltas."""

from __future__ import annotations

import pytest

from luvus_service.adapters.providers.blocks import ANSWER_CHARS, BLOCKS, Blocks
from luvus_service.adapters.providers.sse import GarbledStream
from luvus_service.luxe.domain.ports import BlockDelta, BlockEnded, BlockStarted


def test_blocks_are_numbered_in_the_order_they_begin() -> None:
    blocks = Blocks()

    assert blocks.start("b", "text") == BlockStarted(0, "text")
    assert blocks.start("a", "tool_call", "", "ls") == BlockStarted(1, "tool_call", None, "ls")
    assert blocks.more("b", "x") == [BlockDelta(0, "x")]
    assert blocks.more("b", "") == []
    assert blocks.end("b") == BlockEnded(0)
    assert blocks.open_keys() == ("a",)


def test_halves_of_a_surrogate_pair_are_joined_across_deltas() -> None:
    blocks = Blocks()
    blocks.start(0, "text")

    assert blocks.more(0, "a\ud83d") == [BlockDelta(0, "a")]
    assert blocks.more(0, "\ude00b") == [BlockDelta(0, "😀b")]


def test_a_lone_half_never_leaves_as_it_is() -> None:
    blocks = Blocks()
    blocks.start(0, "text")
    blocks.more(0, "\ud83d")

    [delta] = blocks.more(0, "x\ude00")

    assert isinstance(delta, BlockDelta)
    assert delta.text.encode("utf-8") == "\ufffdx\ufffd".encode()


def test_blocks_that_are_not_open_are_garbage() -> None:
    blocks = Blocks()
    blocks.start(0, "text")
    blocks.end(0)

    for wrong in (lambda: blocks.more(0, "x"), lambda: blocks.end(0)):
        with pytest.raises(GarbledStream, match="not open"):
            wrong()
    with pytest.raises(GarbledStream, match="began twice"):
        blocks.start(0, "text")


def test_more_blocks_than_the_limit_are_garbage() -> None:
    blocks = Blocks()
    for number in range(BLOCKS):
        blocks.start(number, "text")

    with pytest.raises(GarbledStream, match=str(BLOCKS)):
        blocks.start(BLOCKS, "text")


def test_an_answer_without_end_is_garbage() -> None:
    blocks = Blocks()
    blocks.start(0, "text")
    piece = "x" * (ANSWER_CHARS // 4)
    for _ in range(4):
        blocks.more(0, piece)

    with pytest.raises(GarbledStream, match=str(ANSWER_CHARS)):
        blocks.more(0, "y")
