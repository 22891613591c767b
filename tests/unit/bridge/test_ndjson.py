from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luvus_bridge.ndjson import FrameTooLarge, LineBuffer, one_line

LINES = st.lists(st.binary(max_size=40).map(lambda line: line.replace(b"\n", b"")), max_size=12)


def lines_of(buffer: LineBuffer) -> list[bytes]:
    found: list[bytes] = []
    while (line := buffer.next_line()) is not None:
        found.append(line)
    return found


@given(lines=LINES, tail=st.sampled_from([b"", b"rest"]), data=st.data())
def test_any_chunking_of_lines_gives_back_the_lines(
    lines: list[bytes], tail: bytes, data: st.DataObject
) -> None:
    stream = b"".join(line + b"\n" for line in lines) + tail
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    buffer = LineBuffer(limit=64)
    found: list[bytes] = []

    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        buffer.feed(stream[start:end])
        found += lines_of(buffer)

    assert (found, len(buffer)) == (lines, len(tail))


@given(lines=LINES, data=st.data())
def test_any_chunking_gives_back_the_lines_that_fit_when_the_others_are_skipped(
    lines: list[bytes], data: st.DataObject
) -> None:
    stream = b"".join(line + b"\n" for line in lines)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    buffer = LineBuffer(limit=16)
    found: list[bytes] = []

    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        buffer.feed(stream[start:end])
        while True:
            try:
                line = buffer.next_line()
            except FrameTooLarge:
                buffer.skip_line()
                continue
            if line is None:
                break
            found.append(line)

    assert (found, len(buffer)) == ([line for line in lines if len(line) < 16], 0)


def test_a_frame_of_one_byte_pieces_is_read_whole() -> None:
    buffer = LineBuffer(limit=64)

    for byte in b'{"id":"1"}\nx':
        buffer.feed(bytes([byte]))

    assert buffer.has_line()
    assert lines_of(buffer) == [b'{"id":"1"}']
    assert not buffer.has_line()


def test_a_line_may_fill_the_limit_with_its_line_end() -> None:
    buffer = LineBuffer(limit=8)

    buffer.feed(b"1234567\n")

    assert buffer.next_line() == b"1234567"


@pytest.mark.parametrize("received", [b"12345678", b"12345678\n", b"12345678901\nx"])
def test_a_longer_line_is_refused_with_and_without_its_line_end(received: bytes) -> None:
    buffer = LineBuffer(limit=8)

    buffer.feed(received)

    assert buffer.has_line()
    with pytest.raises(FrameTooLarge):
        buffer.next_line()


def test_lines_before_a_line_that_is_too_long_are_still_given() -> None:
    buffer = LineBuffer(limit=4)
    buffer.feed(b"a\nb\ntoo long")

    assert [buffer.next_line(), buffer.next_line()] == [b"a", b"b"]
    with pytest.raises(FrameTooLarge):
        buffer.next_line()


def test_a_cleared_buffer_starts_anew() -> None:
    buffer = LineBuffer(limit=8)
    buffer.feed(b"abc")
    assert buffer.next_line() is None

    buffer.clear()
    buffer.feed(b"x\n")

    assert buffer.next_line() == b"x"


def test_line_ends_between_members_become_blanks() -> None:
    assert one_line(b'{\n"a": 1\n}') == b'{ "a": 1 }'
    assert one_line(b"{}") == b"{}"
