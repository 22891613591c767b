"""Input on its way to a program that reads when it likes, through a real pair of sockets."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator

import pytest

from luvus_service.uhp.engine.errors import SendFailed
from luvus_service.uhp.engine.input_queue import QUEUED_ACTIONS, QUEUED_BYTES, InputQueue

ENDED = {
    "code": "send_failed",
    "message": "the program of this pane has ended",
    "dispatch": "rejected",
}


class Typist:
    """A queue and the program's end of it."""

    def __init__(self) -> None:
        self.ours, self.theirs = socket.socketpair()
        for end in (self.ours, self.theirs):
            end.setblocking(False)
        # A small buffer, so that writes are taken in part.
        self.ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        self.queue = InputQueue(self.ours.fileno())

    async def read(self, size: int) -> bytes:
        """Read this many bytes as the program."""
        loop = asyncio.get_running_loop()
        found = bytearray()
        async with asyncio.timeout(10):
            while len(found) < size:
                found += await loop.sock_recv(self.theirs, size - len(found))
        return bytes(found)

    def fill(self) -> int:
        """Fill the kernel's buffer and return how much waits behind it."""
        self.queue.put(b"f" * 1_000_000)
        return self.queue.waiting_bytes

    def watched(self) -> bool:
        """Say whether the loop still watches the descriptor."""
        return asyncio.get_running_loop().remove_writer(self.ours.fileno())

    def close(self) -> None:
        """Close everything."""
        self.queue.close()
        self.ours.close()
        self.theirs.close()


@pytest.fixture
async def typist() -> AsyncIterator[Typist]:
    made = Typist()
    yield made
    made.close()


async def test_what_the_kernel_takes_is_written_at_once(typist: Typist) -> None:
    typist.queue.put(b"ls\r")

    assert typist.theirs.recv(10) == b"ls\r"
    assert typist.queue.waiting_bytes == 0
    assert not typist.watched()


async def test_actions_arrive_whole_and_in_order_however_they_are_taken(typist: Typist) -> None:
    actions = [bytes([65 + n % 26]) * (n * 7919 % 60_000 + 1) for n in range(40)]
    for action in actions:
        typist.queue.put(action)
    assert typist.queue.waiting_bytes > 0

    expected = b"".join(actions)
    assert await typist.read(len(expected)) == expected
    assert typist.queue.waiting_bytes == 0


async def test_an_action_that_comes_while_others_wait_keeps_its_place(typist: Typist) -> None:
    waiting = typist.fill()
    assert waiting > 0
    first = await typist.read(100_000)
    typist.queue.put(b"end")

    rest = await typist.read(1_000_003 - len(first))
    assert first + rest == b"f" * 1_000_000 + b"end"


async def test_the_descriptor_is_watched_only_while_something_waits(typist: Typist) -> None:
    typist.fill()
    await typist.read(1_000_000)
    await asyncio.sleep(0)

    assert typist.queue.waiting_bytes == 0
    assert not typist.watched()


async def test_nothing_is_an_action_that_costs_nothing(typist: Typist) -> None:
    for _ in range(QUEUED_ACTIONS + 1):
        typist.queue.put(b"")

    typist.queue.put(b"x")
    assert typist.theirs.recv(10) == b"x"


async def test_bytes_over_the_limit_are_refused_whole(typist: Typist) -> None:
    waiting = typist.fill()
    room = QUEUED_BYTES - waiting

    with pytest.raises(SendFailed) as refused:
        typist.queue.put(b"x" * (room + 1))
    assert refused.value.body() == {
        "code": "send_failed",
        "message": f"the input queue is full: {waiting} bytes in 1 actions "
        "wait for a program that does not read",
        "dispatch": "rejected",
    }
    assert typist.queue.waiting_bytes == waiting

    typist.queue.put(b"x" * room)
    assert typist.queue.waiting_bytes == QUEUED_BYTES


async def test_actions_over_the_limit_are_refused(typist: Typist) -> None:
    typist.fill()
    for _ in range(QUEUED_ACTIONS - 1):
        typist.queue.put(b"x")

    with pytest.raises(SendFailed, match=f"in {QUEUED_ACTIONS} actions"):
        typist.queue.put(b"y")

    read = await typist.read(1_000_000 + QUEUED_ACTIONS - 1)
    assert read.endswith(b"fx" + b"x" * (QUEUED_ACTIONS - 2))
    typist.queue.put(b"z")
    assert await typist.read(1) == b"z"


async def test_one_action_larger_than_the_queue_is_refused(typist: Typist) -> None:
    with pytest.raises(SendFailed):
        typist.queue.put(b"x" * (QUEUED_BYTES + 1))

    assert typist.queue.waiting_bytes == 0


async def test_closing_drops_what_waits_and_refuses_what_comes(typist: Typist) -> None:
    typist.fill()
    typist.queue.close()
    typist.queue.close()

    assert typist.queue.waiting_bytes == 0
    assert not typist.watched()
    with pytest.raises(SendFailed) as refused:
        typist.queue.put(b"x")
    assert refused.value.body() == ENDED


async def test_a_program_that_hangs_up_drops_what_waits_for_it(typist: Typist) -> None:
    typist.fill()
    typist.theirs.close()
    # A hang-up is there to be seen at the loop's next turn.
    for _ in range(3):
        await asyncio.sleep(0)

    assert typist.queue.waiting_bytes == 0
    assert not typist.watched()
    with pytest.raises(SendFailed) as refused:
        typist.queue.put(b"x")
    assert refused.value.body() == ENDED


async def test_input_for_a_program_that_is_gone_is_dropped_once_and_then_refused(
    typist: Typist,
) -> None:
    typist.theirs.close()

    typist.queue.put(b"x")

    assert typist.queue.waiting_bytes == 0
    with pytest.raises(SendFailed):
        typist.queue.put(b"x")
