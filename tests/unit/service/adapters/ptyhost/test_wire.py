"""Frames with descriptors, in every split, and what is refused."""

from __future__ import annotations

import os
import socket
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luvus_service.adapters.ptyhost.wire import (
    FRAME_LIMIT,
    Channel,
    FrameReader,
    FrameTooLarge,
    WireClosed,
    encode,
)

texts = st.text(alphabet='a"\\\n\u2028\U0001f980\udcff', max_size=20)
messages = st.lists(
    st.dictionaries(st.sampled_from("abc"), texts | st.integers(), max_size=3), max_size=5
)


@given(messages, st.lists(st.integers(1, 7), min_size=1))
def test_any_split_of_any_messages_reads_back_as_those_messages(
    sent: list[dict[str, Any]], sizes: list[int]
) -> None:
    stream = b"".join(encode(message) for message in sent)
    reader = FrameReader()
    got: list[dict[str, Any]] = []
    at = turn = 0
    while at < len(stream):
        size = sizes[turn % len(sizes)]
        got += [message for message, _ in reader.feed(stream[at : at + size])]
        at, turn = at + size, turn + 1

    assert got == sent


def test_bytes_that_are_no_text_survive_as_surrogates() -> None:
    name = os.fsdecode(b"\xff\xfe")

    [(message, _)] = FrameReader().feed(encode({"name": name}))

    assert os.fsencode(message["name"]) == b"\xff\xfe"


@pytest.mark.parametrize(
    "stream",
    [
        (FRAME_LIMIT + 1).to_bytes(4, "big"),
        b"\x00\x00\x00\x01{",
        b"\x00\x00\x00\x02[]",
        encode({"fds": 1}),
        encode({"fds": -1}),
        encode({"fds": "1"}),
    ],
)
def test_what_no_peer_of_ours_sends_is_refused(stream: bytes) -> None:
    with pytest.raises(WireClosed):
        FrameReader().feed(stream)


def test_descriptors_of_a_refused_stream_are_closed() -> None:
    read_fd, write_fd = os.pipe()

    with pytest.raises(WireClosed):
        FrameReader().feed(encode({"a": 1}) + b"\x00\x00\x00\x01{", [write_fd])

    assert os.read(read_fd, 1) == b""
    os.close(read_fd)


def test_a_message_over_the_limit_is_refused_and_sends_nothing() -> None:
    ours, theirs = socket.socketpair()
    channel = Channel(ours)

    with pytest.raises(FrameTooLarge, match="over the limit of 1048576 bytes"):
        channel.send({"text": "x" * FRAME_LIMIT})

    channel.send({"ok": 1})
    assert theirs.recv(100) == encode({"ok": 1})
    channel.close()
    theirs.close()


def test_descriptors_arrive_with_their_message_behind_a_long_queue() -> None:
    ours, theirs = socket.socketpair()
    sender, receiver = Channel(ours), Channel(theirs)
    read_fd, write_fd = os.pipe()
    text = "x" * 500_000
    sender.send({"n": 0, "text": text})
    sender.send({"n": 1}, (write_fd,))
    sender.send({"n": 2})
    os.close(write_fd)

    got: list[tuple[dict[str, Any], list[int]]] = []
    while len(got) < 3:
        sender.flush()
        got += receiver.receive()

    assert [message for message, _ in got] == [{"n": 0, "text": text}, {"n": 1}, {"n": 2}]
    assert [len(fds) for _, fds in got] == [0, 1, 0]
    os.write(got[1][1][0], b"through")
    assert os.read(read_fd, 10) == b"through"
    os.close(got[1][1][0])
    os.close(read_fd)
    sender.close()
    receiver.close()


def test_a_peer_that_does_not_read_is_given_up_at_the_limit() -> None:
    ours, theirs = socket.socketpair()
    channel = Channel(ours)

    with pytest.raises(WireClosed, match="the peer does not read"):
        for _ in range(100):
            channel.send({"text": "x" * 500_000})

    channel.close()
    theirs.close()
