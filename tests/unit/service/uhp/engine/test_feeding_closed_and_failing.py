"""Who waits for a screen gets an answer, whatever becomes of the screen."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from luvus_service.uhp.engine.feeding import (
    FLOOD_DUMP_BYTES,
    INLINE_BYTES,
    QUIET_DUMP_BYTES,
    QUIET_JOURNAL_BYTES,
    TerminalClosed,
)
from tests.support.feeding_rig import LARGE, Rig


@pytest.fixture
async def rig() -> AsyncIterator[Rig]:
    with ThreadPoolExecutor(1, thread_name_prefix="worker") as executor:
        made = Rig(executor)
        yield made
        await made.close()


async def test_small_pieces_are_emulated_on_the_loop_and_large_ones_in_a_worker(rig: Rig) -> None:
    await rig.until_fed(b"x" * INLINE_BYTES)
    await rig.until_fed(LARGE)

    assert rig.screen.threads == [threading.main_thread().name, "worker_0"]
    assert (rig.feed.emulated, rig.feed.bytes_read) == (2 * INLINE_BYTES + 1,) * 2
    assert rig.log.marks == [True, False] * 2
    assert (rig.counters.output_bytes, rig.counters.worker_wakes) == (2 * INLINE_BYTES + 1, 1)


async def test_a_tap_gets_every_piece_once_it_is_on_the_screen(rig: Rig) -> None:
    taps: list[tuple[bytes, bytes]] = []
    rig.feed.tap = lambda data: taps.append((data, rig.screen.text[-len(data) :]))

    await rig.until_fed(b"small")
    await rig.until_fed(LARGE)
    await rig.hold(b"a" * (INLINE_BYTES + 1))
    os.write(rig.write_fd, b"behind")
    rig.screen.let.set()
    async with asyncio.timeout(5):
        await rig.feed.settle()
    await rig.until_fed(b"end")

    pieces = (b"small", LARGE, b"a" * (INLINE_BYTES + 1), b"behind", b"end")
    assert b"".join(tapped for tapped, _ in taps) == b"".join(pieces)
    assert all(tapped == shown for tapped, shown in taps)


async def test_a_tap_that_is_taken_away_while_a_piece_is_in_work_gets_nothing(rig: Rig) -> None:
    taps: list[bytes] = []
    rig.feed.tap = taps.append
    await rig.hold()

    rig.feed.tap = None
    rig.screen.let.set()
    await rig.feed.settle()

    assert taps == []


async def test_a_job_runs_at_once_while_the_screen_is_free(rig: Rig) -> None:
    assert rig.feed.idle
    assert await rig.feed.exclusive(lambda: 3) == 3
    assert await rig.feed.aside(lambda: threading.current_thread().name) == "worker_0"


@pytest.mark.parametrize("way", ["exclusive", "aside"])
@pytest.mark.parametrize("busy", [False, True])
async def test_a_job_that_fails_fails_for_whoever_asked_and_nobody_else(
    rig: Rig, way: str, busy: bool, caplog: pytest.LogCaptureFixture
) -> None:
    def job() -> None:
        raise ZeroDivisionError

    if busy:
        await rig.hold()
    waiting = asyncio.gather(getattr(rig.feed, way)(job), return_exceptions=True)
    await asyncio.sleep(0)
    rig.screen.let.set()
    (error,) = await asyncio.wait_for(waiting, 5)

    assert isinstance(error, ZeroDivisionError)
    await rig.until_fed(b"more")
    assert rig.screen.text.endswith(b"more")
    assert (rig.failures, caplog.records) == ([], [])


@pytest.mark.parametrize("way", ["exclusive", "aside"])
async def test_a_job_nobody_waits_for_any_more_holds_up_nothing(rig: Rig, way: str) -> None:
    ran: list[str] = []
    await rig.hold()
    async with asyncio.TaskGroup() as group:
        given_up = group.create_task(getattr(rig.feed, way)(lambda: ran.append("given up")))
        await asyncio.sleep(0)
        given_up.cancel()
        kept = group.create_task(getattr(rig.feed, way)(lambda: ran.append("kept")))
        await asyncio.sleep(0)
        rig.screen.let.set()
        await kept

    assert ran[-1] == "kept"
    assert rig.failures == []


async def test_output_that_cannot_be_emulated_is_logged_and_the_next_is_emulated(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        await rig.hold(b"!" + LARGE)
        waiting = asyncio.ensure_future(rig.feed.exclusive(lambda: rig.screen.text))
        await asyncio.sleep(0)
        rig.screen.let.set()
        assert await asyncio.wait_for(waiting, 5) == b""
    await rig.until_fed(b"next")

    assert [record.getMessage() for record in caplog.records] == ["output could not be emulated"]
    assert rig.failures == []
    assert (rig.screen.text, rig.feed.emulated) == (b"next", len(LARGE) + 5)
    assert rig.log.marks[-1] is False


async def test_small_output_that_cannot_be_emulated_is_reported_and_passed_over(rig: Rig) -> None:
    await rig.until_fed(b"!")
    await rig.until_fed(b"next")

    assert [type(error) for error in rig.failures] == [ZeroDivisionError]
    assert (rig.screen.text, rig.feed.emulated, rig.log.marks[-1]) == (b"next", 5, False)


@pytest.mark.parametrize("way", ["exclusive", "aside"])
async def test_a_closed_terminal_has_no_screen_for_anybody(rig: Rig, way: str) -> None:
    rig.feed.close()

    with pytest.raises(TerminalClosed):
        await getattr(rig.feed, way)(lambda: 3)


@pytest.mark.parametrize("way", ["exclusive", "aside"])
async def test_closing_answers_everybody_who_waits(rig: Rig, way: str) -> None:
    await rig.hold()
    waiting = asyncio.gather(
        *(getattr(rig.feed, way)(lambda: 3) for _ in range(3)), return_exceptions=True
    )
    await asyncio.sleep(0)

    rig.feed.close()

    assert [type(found) for found in await asyncio.wait_for(waiting, 5)] == [TerminalClosed] * 3
    rig.screen.let.set()


async def test_a_job_in_work_when_the_terminal_closes_is_still_answered(rig: Rig) -> None:
    begun, let = threading.Event(), threading.Event()

    def job() -> int:
        begun.set()
        assert let.wait(5)
        return 3

    waiting = asyncio.ensure_future(rig.feed.aside(job))
    await asyncio.to_thread(begun.wait, 5)
    rig.feed.close()
    let.set()

    assert await asyncio.wait_for(waiting, 5) == 3


async def test_a_quiet_terminal_gets_a_whole_checkpoint_when_its_journal_has_grown(
    rig: Rig,
) -> None:
    rig.feed.checkpoint_quietly()
    assert rig.log.checkpoints == []

    rig.log.head += QUIET_JOURNAL_BYTES + 1
    rig.feed.checkpoint_quietly()
    rig.feed.checkpoint_quietly()
    await rig.feed.settle()

    assert rig.log.checkpoints == [(QUIET_DUMP_BYTES, 0)]
    assert (rig.screen.compacted, rig.feed.history_at_risk) == (1, False)
    await rig.until_fed(b"read again")


async def test_a_dump_that_does_not_fit_is_made_again_smaller(rig: Rig) -> None:
    rig.log.accepts = QUIET_DUMP_BYTES // 20
    rig.log.head += QUIET_JOURNAL_BYTES + 1

    rig.feed.checkpoint_quietly()
    await rig.feed.settle()

    assert rig.log.checkpoints == [(QUIET_DUMP_BYTES // 64, 0)]


async def test_a_dump_of_which_not_even_the_screen_fits_is_given_up(rig: Rig) -> None:
    rig.log.accepts = -1
    rig.log.head += QUIET_JOURNAL_BYTES + 1

    rig.feed.checkpoint_quietly()
    await asyncio.wait_for(rig.feed.settle(), 5)

    assert rig.log.checkpoints == []


async def test_a_journal_that_gets_full_is_relieved_by_a_small_checkpoint(rig: Rig) -> None:
    rig.log.capacity = 100

    await rig.until_fed(b"x" * 80)

    assert rig.log.checkpoints == [(FLOOD_DUMP_BYTES, 80)]
    assert rig.feed.history_at_risk
    rig.feed.checkpoint_quietly()
    await rig.feed.settle()
    assert not rig.feed.history_at_risk


@pytest.mark.parametrize("way", ["output", "quiet"])
async def test_a_dump_that_fails_leaves_no_terminal_marked(rig: Rig, way: str) -> None:
    # The mark is what names the culprit when native code ends the server, perhaps hours later.
    rig.screen.dumps = False
    if way == "output":
        rig.log.capacity = 10
        await rig.until_fed(b"x" * 9)
    else:
        rig.log.head += QUIET_JOURNAL_BYTES + 1
        rig.feed.checkpoint_quietly()
        await rig.feed.settle()

    assert rig.log.checkpoints == []
    assert (rig.log.marks[-2:], rig.feed.idle) == ([True, False], True)


async def test_a_full_journal_is_relieved_before_more_is_read(rig: Rig) -> None:
    await rig.until_fed(b"x" * 10)
    rig.log.capacity = 10

    await rig.until_fed(b"yy")

    assert rig.log.checkpoints[0] == (FLOOD_DUMP_BYTES, 10)
    assert rig.screen.text == b"x" * 10 + b"yy"


async def tried(rig: Rig, marks: int) -> None:
    """Wait for a try to empty the journal, and let the loop go on for many turns."""
    async with asyncio.timeout(5):
        while len(rig.log.marks) < marks:  # noqa: ASYNC110 - a worker tries, and tells nobody
            await asyncio.sleep(0)
    for _ in range(200):
        await asyncio.sleep(0)
        await rig.feed.settle()


@pytest.mark.parametrize("way", ["refused", "raised"])
async def test_a_full_journal_that_cannot_be_emptied_is_not_tried_without_a_pause(
    rig: Rig, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rig.feed, "_relief_s", 60.0)
    await rig.until_fed(b"x" * 10)
    rig.log.capacity, rig.log.accepts, rig.screen.dumps = 10, -1, way == "refused"
    tries = len(rig.log.marks) + 2

    os.write(rig.write_fd, b"yy")
    await tried(rig, tries)

    assert (len(rig.log.marks), rig.feed.idle, rig.log.checkpoints) == (tries, True, [])


async def test_output_goes_on_once_a_full_journal_could_be_emptied(rig: Rig) -> None:
    await rig.until_fed(b"x" * 10)
    rig.log.capacity, rig.log.accepts = 10, -1
    os.write(rig.write_fd, b"yy")
    await tried(rig, len(rig.log.marks) + 2)

    rig.told.clear()
    rig.log.accepts = 1 << 30
    await asyncio.wait_for(rig.told.wait(), 5)

    assert rig.screen.text == b"x" * 10 + b"yy"


async def test_a_full_journal_waits_for_the_piece_in_work(rig: Rig) -> None:
    await rig.hold()
    rig.log.capacity = rig.log.head
    os.write(rig.write_fd, b"more")
    for _ in range(10):
        await asyncio.sleep(0)
    assert rig.counters.reading_pauses == 1

    rig.told.clear()
    rig.screen.let.set()
    await asyncio.wait_for(rig.told.wait(), 5)
    rig.log.capacity = 1 << 30
    await rig.until_fed(b"end")

    assert rig.screen.text.endswith(b"moreend")


async def test_a_program_has_to_wait_while_its_output_is_in_work(rig: Rig) -> None:
    await rig.hold()
    os.write(rig.write_fd, b"behind")
    for _ in range(10):
        await asyncio.sleep(0)
    assert (rig.feed.bytes_read, rig.counters.reading_pauses) == (len(LARGE), 1)

    rig.screen.let.set()
    async with asyncio.timeout(5):
        await rig.feed.settle()
    await rig.until_fed(b"end")

    assert rig.screen.text == LARGE + b"behindend"
