from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from luvus_service.asgi.admitted import Admitted
from luvus_service.rpc.errors import Forbidden
from luvus_service.rpc.scopes import Access


class Recorded:
    """The frames of one client."""

    def __init__(self) -> None:
        self.delivered: list[bytes] = []
        self.own: list[bytes] = []
        self.left = False

    def deliver(self, line: bytes) -> None:
        self.delivered.append(line)

    def deliver_too_long(self, limit: int) -> None:
        self.delivered.append(b"%d" % limit)

    def put(self, line: bytes) -> None:
        self.own.append(line)

    async def lines(self) -> AsyncIterator[bytes]:
        for line in (b"one", b"two", b"three"):
            yield line

    def shut(self) -> None:
        self.left = True


def looks_only(access: Access) -> None:
    if access is Access.WRITE:
        raise Forbidden("this token may look only")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            b'{"kind":"load_file_diff","content":{"request_id":"r1"}}',
            {
                "kind": "load_file_diff",
                "reason": "load_file_diff: this token may look only",
                "code": "forbidden",
                "request_id": "r1",
            },
        ),
        (
            b'{"kind":"cancel"}',
            {
                "kind": "cancel",
                "reason": "cancel: this token may look only",
                "code": "forbidden",
            },
        ),
        (b"{", {"kind": None, "reason": "this token may look only", "code": "forbidden"}),
    ],
)
def test_an_action_of_one_who_may_only_look_is_answered_to_that_one_alone(
    line: bytes, said: dict[str, object]
) -> None:
    frames = Recorded()

    Admitted(frames, looks_only).deliver(line)

    assert frames.delivered == []
    assert [json.loads(own) for own in frames.own] == [{"kind": "action_rejected", "content": said}]


def test_a_line_of_white_space_is_not_answered() -> None:
    frames = Recorded()

    Admitted(frames, looks_only).deliver(b"  ")

    assert (frames.delivered, frames.own) == ([], [])


async def test_a_right_that_is_taken_away_counts_from_the_next_frame_on() -> None:
    frames, allowed = Recorded(), [True, True, False]

    def admit(access: Access) -> None:
        if access is Access.READ and not allowed.pop(0):
            raise Forbidden("the token is not live")

    seen = [line async for line in Admitted(frames, admit).lines()]

    assert (seen, frames.left) == ([b"one", b"two"], True)


def test_one_who_may_act_is_let_through() -> None:
    frames = Recorded()
    admitted = Admitted(frames, lambda _access: None)

    admitted.deliver(b'{"kind":"cancel"}')
    admitted.deliver_too_long(9)
    admitted.shut()

    assert (frames.delivered, frames.left) == ([b'{"kind":"cancel"}', b"9"], True)
