from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.fake_world import Stage, subfolders


async def opened(folder: Path, splits: int = 0) -> Stage:
    """Return a session of one workspace with some panes side by side."""
    stage = Stage()
    await stage.call("workspace.open", {"path": subfolders(folder, 1)[0]})
    for _ in range(splits):
        await stage.call("pane.split", {"pane": 1, "direction": "right", "focus": False})
    await stage.session.tasks.drain()
    return stage


def sizes(stage: Stage) -> dict[int, tuple[int, int]]:
    """Return each pane's size as its emulator has it."""
    session = stage.session
    return {
        pane: session.terminals[record.terminal_id or ""].emulator.size()
        for pane, record in session.structure.panes.items()
    }


async def test_of_two_sizes_that_wait_the_one_asked_for_last_is_made(tmp_path: Path) -> None:
    stage = await opened(tmp_path)

    await stage.call("pane.split", {"pane": 1, "direction": "right", "focus": False})
    await stage.call("pane.zoom", {"pane": 1})
    await stage.session.tasks.drain()

    assert sizes(stage) == {1: (120, 40), 2: (59, 40)}
    await stage.close()


async def test_a_zoomed_pane_gives_its_size_back_and_others_keep_theirs(tmp_path: Path) -> None:
    stage = await opened(tmp_path, splits=1)
    before = sizes(stage)

    await stage.call("pane.zoom", {"pane": 2})
    await stage.session.tasks.drain()
    assert sizes(stage) == {1: before[1], 2: (120, 40)}

    await stage.call("pane.focus", {"pane": 1})
    await stage.session.tasks.drain()
    assert sizes(stage) == before
    await stage.close()


async def test_counters_outlive_the_terminals_they_counted(tmp_path: Path) -> None:
    stage = await opened(tmp_path, splits=1)
    before = stage.session.performance()

    await stage.call("pane.close", {"pane": 2})
    await stage.session.tasks.drain()
    after = stage.session.performance()

    assert before["causes_resize"] == 1
    grown = {k: v for k, v in after.items() if k not in {"terminals", "subscribers"}}
    assert {k for k, v in grown.items() if v < before[k]} == set()
    assert (before["terminals"], after["terminals"]) == (2, 1)
    await stage.close()


async def test_screens_read_twice_at_one_revision_count_as_unchanged(tmp_path: Path) -> None:
    stage = await opened(tmp_path)
    read: dict[str, Any] = {"pane": 1}

    await stage.call("pane.read", read)
    await stage.call("pane.read", read)

    found = stage.session.performance()
    assert (found["projections_changed"], found["projections_unchanged"]) == (1, 1)
    await stage.close()


async def test_a_reader_that_falls_behind_is_counted(tmp_path: Path) -> None:
    stage = await opened(tmp_path)
    subscription, _ = stage.session.events.subscribe(None)

    for number in range(300):
        await stage.call("pane.rename", {"pane": 1, "name": f"n{number}"})

    found = stage.session.performance()
    assert (found["event_readers_overflowed"], found["subscribers"]) == (1, 1)
    subscription.close()
    await stage.close()
