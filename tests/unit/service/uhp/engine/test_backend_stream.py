"""Streams of frames: nothing that was captured is lost, and a slow reader is told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from luvus_service.rpc.models import Result
from luvus_service.rpc.scopes import OWNER
from luvus_service.uhp.domain.locators import Locator
from luvus_service.uhp.engine.backend_stream import FrameStream, View
from tests.support.fake_terminals import TERMINAL_ID, Program, running

LOCATOR = Locator("1" * 32, TERMINAL_ID, 7)


class Reader:
    """A client whose reading a test holds up."""

    scopes = OWNER

    def __init__(self) -> None:
        self.reads = asyncio.Event()
        self.blocked = asyncio.Event()
        self.left = asyncio.Event()
        self.frames: list[dict[str, Any]] = []
        self.lines: asyncio.Queue[bytes] = asyncio.Queue()
        self.arrived = asyncio.Event()
        self.may = True

    async def acknowledge(self, result: Result) -> None:
        self.frames.append({"acknowledged": True})

    async def send(self, frame: bytes) -> None:
        found = json.loads(frame)
        if found.get("event") != "terminal.resync_required":
            self.blocked.set()
            await self.reads.wait()
        self.frames.append(found)
        self.arrived.set()

    async def incoming(self) -> AsyncIterator[bytes]:
        while not self.left.is_set():
            yield await self.lines.get()

    def allowed(self) -> bool:
        return self.may

    async def texts(self, count: int) -> list[tuple[int, str]]:
        """Return revision and text of this many frames once they are there."""
        while True:
            found = [f["data"] for f in self.frames if f.get("event") == "terminal.frame"]
            if len(found) >= count:
                return [(data["content_revision"], data["text"]) for data in found]
            self.arrived.clear()
            await self.arrived.wait()


def start(program: Program, reader: Reader, *, control: bool) -> asyncio.Task[None]:
    async def act(line: bytes) -> bytes:
        return json.dumps({"id": line.decode()}).encode()

    stream = FrameStream(
        reader,
        program.terminal,
        LOCATOR,
        View("visible", 80, ansi=False, cursor=False),
        sequence=lambda: 9,
        act=act if control else None,
    )
    return asyncio.get_running_loop().create_task(stream.run(Result()))


async def stop(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.mark.parametrize("control", [False, True])
async def test_output_during_a_blocked_write_is_sent_although_the_program_falls_silent(
    control: bool,
) -> None:
    async with running() as program:
        reader = Reader()
        first = await program.prints("one")
        task = start(program, reader, control=control)
        await reader.blocked.wait()

        second = await program.prints(" two")
        reader.reads.set()

        assert await reader.texts(2) == [(first, "one"), (second, "one two")]
        await stop(task)


async def test_a_reader_who_falls_behind_is_told_to_begin_anew_and_cut_off() -> None:
    async with running() as program:
        reader = Reader()
        task = start(program, reader, control=False)
        await reader.blocked.wait()

        for number in range(3):
            assert not task.done()
            await program.prints(f"{number}")
        await task

    assert reader.frames == [
        {"acknowledged": True},
        {
            "event": "terminal.resync_required",
            "sequence": 9,
            "data": {"reason": "subscriber_overflow"},
        },
    ]


async def test_two_frames_wait_for_a_reader_without_harm() -> None:
    async with running() as program:
        reader = Reader()
        task = start(program, reader, control=False)
        await reader.blocked.wait()

        for number in range(2):
            await program.prints(f"{number}")
        reader.reads.set()

        texts = await reader.texts(3)
        await stop(task)

    assert [text for _, text in texts] == ["", "0", "01"]


async def test_the_last_screen_of_a_closed_terminal_is_still_sent() -> None:
    async with running() as program:
        reader = Reader()
        task = start(program, reader, control=False)
        await reader.blocked.wait()
        await program.prints("last")

        await program.terminal.close()
        reader.reads.set()
        await task

    assert [text for _, text in await reader.texts(2)] == ["", "last"]


async def test_actions_are_answered_between_frames() -> None:
    async with running() as program:
        reader = Reader()
        reader.reads.set()
        task = start(program, reader, control=True)
        await reader.texts(1)

        for name in (b"a", b"b"):
            reader.lines.put_nowait(name)
        await program.prints("x")
        await reader.texts(2)
        await stop(task)

    assert [f["id"] for f in reader.frames if "id" in f] == ["a", "b"]


async def test_a_stream_without_its_right_sends_no_further_frame() -> None:
    async with running() as program:
        reader = Reader()
        reader.reads.set()
        task = start(program, reader, control=False)
        await reader.texts(1)

        reader.may = False
        program.prints_unseen(b"secret")
        await task

    assert len(await reader.texts(1)) == 1
