from __future__ import annotations

import asyncio
import logging

import pytest

from luvus_service.rpc.call import UNGUARDED, check_revision, expect_revision
from luvus_service.uhp.engine.causes import asked
from luvus_service.uhp.engine.tasks import Tasks


async def test_draining_waits_for_everything_including_what_starts_meanwhile() -> None:
    tasks, done = Tasks(), list[str]()

    async def second() -> None:
        await asyncio.sleep(0)
        done.append("second")

    async def first() -> None:
        await asyncio.sleep(0)
        tasks.start(second(), "second")
        done.append("first")

    tasks.start(first(), "first")
    await tasks.drain()

    assert done == ["first", "second"]


async def test_draining_when_nothing_runs_returns_at_once() -> None:
    await Tasks().drain()


async def test_a_failure_is_logged_under_its_name_and_hurts_nobody_else(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tasks, done = Tasks(), asyncio.Event()

    async def fail() -> None:
        raise ZeroDivisionError

    async def work() -> None:
        await asyncio.sleep(0)
        done.set()

    with caplog.at_level(logging.ERROR):
        tasks.start(fail(), "the failing one")
        tasks.start(work(), "the other one")
        await tasks.drain()

    assert done.is_set()
    (record,) = caplog.records
    assert record.getMessage() == "the failing one failed"
    assert record.exc_info is not None
    assert record.exc_info[0] is ZeroDivisionError


async def test_closing_cancels_what_runs_and_waits_until_it_has_ended(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tasks, begun, ended = Tasks(), asyncio.Event(), list[str]()

    async def work() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append("work")

    tasks.start(work(), "work")
    await begun.wait()
    await tasks.close()

    assert (ended, caplog.records) == (["work"], [])


async def test_after_closing_nothing_more_is_started() -> None:
    tasks, begun = Tasks(), list[str]()

    async def work() -> None:
        begun.append("work")

    await tasks.close()
    tasks.start(work(), "work")
    await tasks.drain()

    assert begun == []


async def test_background_work_has_neither_the_guard_nor_the_cause_of_whoever_started_it() -> None:
    tasks, found = Tasks(), list[bool]()

    async def work() -> None:
        check_revision(2)
        found.append(asked())

    expect_revision(1)
    tasks.start(work(), "work")
    await tasks.drain()

    assert (found, asked()) == ([False], True)
    expect_revision(UNGUARDED)
