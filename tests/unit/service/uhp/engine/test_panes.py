from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from luvus_service.rpc.errors import RpcError
from luvus_service.uhp.domain.ports import Buffer, Fed
from luvus_service.uhp.engine.feeding import INLINE_BYTES
from tests.support.fake_world import FakeEmulator, Stage, subfolders


class BusyEmulator(FakeEmulator):
    """A screen whose output takes as long as a test wants."""

    def __init__(self, cols: int, rows: int, budget: int) -> None:
        super().__init__(cols, rows, budget)
        self.busy = threading.Event()
        self.may_go_on = threading.Event()
        self.freed = False

    def feed(self, data: Buffer) -> Fed:
        self.busy.set()
        assert self.may_go_on.wait(10)
        return Fed()

    def close(self) -> None:
        self.freed = True


def busy_emulator(
    cols: int, rows: int, *, history_bytes: int, fallback: bool = False
) -> BusyEmulator:
    """Make such a screen."""
    return BusyEmulator(cols, rows, history_bytes)


async def busy_pane(folder: Path) -> tuple[Stage, BusyEmulator]:
    """Return a session whose pane 2 is emulating a large piece of output."""
    stage = Stage(busy_emulator)
    await stage.call("workspace.open", {"path": subfolders(folder, 1)[0]})
    await stage.call("pane.split")
    terminal = stage.session.terminals[stage.session.structure.panes[2].terminal_id or ""]
    assert isinstance(terminal.emulator, BusyEmulator)
    stage.host.say(terminal.id, b"x" * (INLINE_BYTES + 1))
    await asyncio.to_thread(terminal.emulator.busy.wait, 10)
    return stage, terminal.emulator


async def answer(call: Coroutine[Any, Any, dict[str, Any]]) -> str:
    """Return the type of a result, or the code of a refusal."""
    try:
        return str((await call)["type"])
    except RpcError as error:
        return error.code


@pytest.mark.parametrize(
    ("method", "params", "expected"),
    [
        ("pane.read", {"pane": 2}, "not_found"),
        ("pane.send_input", {"pane": 2, "text": "x", "paste": True}, "not_found"),
        ("pane.status", {"pane": 2}, "pane_status"),
        ("pane.get", {"pane": 2}, "pane"),
        ("pane.list", {}, "pane_list"),
        ("wait.output", {"pane": "2", "match": "x"}, "wait"),
    ],
)
async def test_whoever_waits_for_a_busy_screen_gets_an_answer_when_the_pane_closes(
    tmp_path: Path, method: str, params: dict[str, Any], expected: str
) -> None:
    stage, emulator = await busy_pane(tmp_path)

    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(answer(stage.call(method, params)))
        await asyncio.sleep(0)
        await stage.call("pane.close", {"pane": 2})
        found = await asyncio.wait_for(waiting, 5)
        emulator.may_go_on.set()

    assert found == expected
    await stage.session.tasks.drain()
    assert emulator.freed
    await stage.close()


async def test_a_zoom_of_a_busy_pane_that_closes_leaves_no_failed_task(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    stage, emulator = await busy_pane(tmp_path)

    await stage.call("pane.zoom", {"pane": 2})
    await stage.call("pane.close", {"pane": 2})
    emulator.may_go_on.set()
    await stage.session.tasks.drain()

    assert caplog.records == []
    await stage.close()
