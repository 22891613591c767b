"""The shared scan of the process table."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, cast

from luvus_service.uhp.domain.ports import ProcessFacts, RootProcess
from luvus_service.uhp.engine import process_scans
from luvus_service.uhp.engine.process_scans import ProcessScans
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.world import World
from tests.support.fake_terminals import TERMINAL_ID, running


class Table:
    """A process table that counts its scans and waits until it may answer."""

    def __init__(self) -> None:
        self.scans = 0
        self.may = threading.Event()
        self.may.set()

    def scan(self, roots: Mapping[str, RootProcess]) -> dict[str, ProcessFacts]:
        self.scans += 1
        self.may.wait(10)
        return {name: ProcessFacts(observed=True, executables=(str(self.scans),)) for name in roots}

    def cwd(self, pid: int) -> str | None:
        return None

    def start_marker(self, pid: int) -> str | None:
        return None


class Clock:
    now = 0.0

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        return self.now


class Host:
    """The part of a pty host that a session without programs asks."""

    def on_exit(self, callback: Any) -> None: ...


@asynccontextmanager
async def scanning() -> AsyncGenerator[tuple[ProcessScans, Table, Clock, Session]]:
    table, clock, executor = Table(), Clock(), ThreadPoolExecutor(1)
    unused = cast("Any", None)
    world = World(
        host=cast("Any", Host()),
        make_emulator=unused,
        processes=table,
        git=unused,
        clock=clock,
        launcher=unused,
        executor=executor,
        set_size=unused,
    )
    session = Session("default", world)
    try:
        async with running() as program:
            session.terminals[TERMINAL_ID] = program.terminal
            yield ProcessScans(session), table, clock, session
    finally:
        table.may.set()
        await session.tasks.drain()
        executor.shutdown()


async def test_a_fresh_scan_answers_all_who_ask() -> None:
    async with scanning() as (scans, table, _, _session):
        answers = [await scans.facts(TERMINAL_ID) for _ in range(3)]
        assert [a.executables for a in answers] == [("1",)] * 3
        assert table.scans == 1


async def test_those_who_ask_together_share_one_scan() -> None:
    async with scanning() as (scans, table, _, _session):
        await asyncio.gather(*(scans.facts(TERMINAL_ID) for _ in range(10)))
        assert table.scans == 1


async def test_an_older_scan_answers_at_once_while_another_one_runs() -> None:
    async with scanning() as (scans, table, clock, session):
        await scans.facts(TERMINAL_ID)
        clock.now += process_scans.FRESH_S + 1
        table.may.clear()

        stale = await scans.facts(TERMINAL_ID)
        table.may.set()
        await session.tasks.drain()

        assert stale.executables == ("1",)
        assert (await scans.facts(TERMINAL_ID)).executables == ("2",)


async def test_a_scan_that_is_too_old_is_not_told() -> None:
    async with scanning() as (scans, _, clock, _session):
        await scans.facts(TERMINAL_ID)
        clock.now += process_scans.STALE_S + 1

        assert (await scans.facts(TERMINAL_ID)).executables == ("2",)


async def test_a_scan_that_never_ends_leaves_the_answer_open(monkeypatch: Any) -> None:
    monkeypatch.setattr(process_scans, "SCAN_WAIT_S", 0.05)
    async with scanning() as (scans, table, _, _session):
        table.may.clear()

        assert (await scans.facts(TERMINAL_ID)).observed is False


async def test_a_terminal_that_no_scan_saw_is_unknown() -> None:
    async with scanning() as (scans, table, _, _session):
        assert (await scans.facts("9" * 32)).observed is False
        assert table.scans == 2
