from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from luvus_service.adapters.instructions import Instructions
from luvus_service.luxe.domain.permission_units import Unit
from luvus_service.luxe.domain.tool_ports import Outcome, PreparedCall, Preview, Progress, Workbench
from luvus_service.luxe.domain.values import Input
from luvus_service.luxe.engine import tool_batch
from tests.support.luxe_client import luxe, world_of
from tests.support.luxe_tools import FakeTool, Prepared
from tests.support.scripted_provider import ScriptedProvider, calls, says


class Deaf(FakeTool):
    """A tool that works in a folder and does not hear that it is cancelled."""

    async def prepare(self, given: Input, bench: Workbench) -> PreparedCall:
        async def work(_progress: Progress) -> Outcome:
            self.running.begun("deaf").set()
            while not self.running.gate("deaf").is_set():
                try:
                    await self.running.gate("deaf").wait()
                except asyncio.CancelledError:
                    continue
            self.running.begun("over").set()
            return Outcome("done")

        units: tuple[Unit, ...] = (bench.paths.locate("lib/a.txt", "read"),)
        return Prepared(Preview("deaf", units), work)


async def test_instructions_are_told_with_the_next_result_when_a_call_was_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool_batch, "CANCEL_S", 0.01)
    root = (tmp_path / "project").resolve()
    (root / "lib").mkdir(parents=True)
    (root / "lib/AGENTS.md").write_text("Word of lib.")
    tool = Deaf("deaf")
    provider = ScriptedProvider([calls(("c1", "deaf", {})), calls(("c2", "deaf", {})), says("ok")])
    world = world_of(tmp_path, provider, [tool], beside=Instructions(tmp_path, root, root).beside)

    async with luxe(tmp_path, provider, world=world) as client:
        client.send("submit_user_message", {"text": "go"})
        await tool.running.begun("deaf").wait()
        client.send("cancel")
        await client.until("turn_ended")
        tool.running.gate("deaf").set()
        await tool.running.begun("over").wait()
        frames = await client.turn("submit_user_message", {"text": "again"})

    (told,) = [f["content"]["output"] for f in frames if f["kind"] == "tool_completed"]
    assert told.startswith("done") and told.endswith("Word of lib.")
