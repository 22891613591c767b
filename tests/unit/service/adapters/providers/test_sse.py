"""Server-sent events, cut anywhere."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luvus_service.adapters.providers.sse import Event, EventStream, GarbledStream

STREAM = (
    '\ufeff: a comment\r\nevent: first\r\ndata: {"a": "äöü😀"}\r\n\r\n'
    "data: one\ndata: two\n\n:ping\n\nid: 7\nretry: 5\ndata:no space\n\n"
    "event: dropped\n\ndata: last\r\r"
).encode()
EVENTS = [
    Event("first", '{"a": "äöü😀"}'.encode()),
    Event("", b"one\ntwo"),
    Event("", b"no space"),
    Event("", b"last"),
]


def read(pieces: list[bytes]) -> list[Event]:
    stream = EventStream()
    events = [event for piece in pieces for event in stream.feed(piece)]
    return events + stream.finish()


def test_a_stream_of_one_byte_pieces_is_read_whole() -> None:
    assert read([STREAM[i : i + 1] for i in range(len(STREAM))]) == EVENTS


@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_a_stream_cut_anywhere_gives_the_same_events(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(STREAM)]

    pieces = [STREAM[a:b] for a, b in pairwise(places)]

    assert read(pieces) == EVENTS


@given(st.lists(st.binary(max_size=40), max_size=20))
def test_no_bytes_at_all_make_the_reader_fail(pieces: list[bytes]) -> None:
    assert read(pieces) == read([b"".join(pieces)])


def test_the_last_event_is_read_without_its_empty_line() -> None:
    assert read([b"data: [DONE]"]) == [Event("", b"[DONE]")]


def test_an_event_beyond_the_limit_is_garbage() -> None:
    stream = EventStream(limit=10)

    with pytest.raises(GarbledStream, match="larger than 10 bytes"):
        for _ in range(20):
            stream.feed(b"x")


def test_an_event_of_many_short_lines_beyond_the_limit_is_garbage() -> None:
    stream = EventStream(limit=10)

    with pytest.raises(GarbledStream, match="larger than 10 bytes"):
        for _ in range(20):
            stream.feed(b"data: xx\n")
