"""Waits and captures of one terminal, also while it closes."""

from __future__ import annotations

import asyncio

import pytest

from luvus_service.uhp.engine.backend_waits import Echoes, screen_of, wait_change, wait_output
from luvus_service.uhp.engine.errors import TerminalGone, Timeout
from tests.support.fake_terminals import running

LARGE = b"x" * 10_000


async def test_a_capture_that_waits_for_the_screen_says_that_the_terminal_closed() -> None:
    async with running() as program:
        program.emulator.go_on.clear()
        program.prints_unseen(LARGE)
        await asyncio.to_thread(program.emulator.feeding.wait, 5)
        waiting = asyncio.get_running_loop().create_task(screen_of(program.terminal, "visible", 1))
        await asyncio.sleep(0)

        closing = asyncio.get_running_loop().create_task(program.terminal.close())
        with pytest.raises(TerminalGone):
            await waiting
        program.emulator.go_on.set()
        await closing
        with pytest.raises(TerminalGone):
            await screen_of(program.terminal, "visible", 1)


async def test_a_wait_is_answered_with_the_publication_that_has_the_text() -> None:
    async with running() as program:
        waiting = asyncio.get_running_loop().create_task(
            wait_output(program.terminal, "b", 0, 5.0, asyncio.Event(), Echoes())
        )
        await asyncio.sleep(0)

        await program.prints("a")
        found = await program.prints("b")
        program.prints_unseen(b"c")

        assert await waiting == found


async def test_after_an_input_a_later_wait_is_answered_with_the_first_echo() -> None:
    async with running() as program:
        echoes = Echoes()
        echoes.expect(program.terminal)
        first = await program.prints("echo")
        await program.prints(" answer")

        async def wait(text: str, after: int) -> int:
            gone = asyncio.Event()
            return await wait_output(program.terminal, text, after, 5.0, gone, echoes)

        assert await wait("echo", first - 1) == first
        assert await wait("answer", first - 1) == program.terminal.revision
        assert await wait("echo", first) == program.terminal.revision


async def test_a_text_that_is_there_already_counts_only_in_a_newer_state() -> None:
    async with running() as program:
        revision = await program.prints("old")

        with pytest.raises(Timeout):
            await wait_output(program.terminal, "old", revision, 0.05, asyncio.Event(), Echoes())


async def test_waits_end_when_the_terminal_closes_or_the_caller_leaves() -> None:
    async with running() as program:
        loop = asyncio.get_running_loop()
        gone = asyncio.Event()
        gone.set()
        with pytest.raises(Timeout):
            await wait_change(program.terminal, 0, 5.0, gone)
        waiting = loop.create_task(wait_change(program.terminal, 0, 5.0, asyncio.Event()))
        await asyncio.sleep(0)

        await program.terminal.close()

        with pytest.raises(TerminalGone):
            await waiting
