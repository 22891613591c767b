"""What is stored when, and what comes back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from luvus_service.uhp.domain import panes as pane_rules
from luvus_service.uhp.engine import persistence as module
from luvus_service.uhp.engine.restoring import Restored
from tests.support.machine import Machine, Server


def folders(home: Path, *names: str) -> Iterator[str]:
    for name in names:
        (home / name).mkdir()
        yield str(home / name)


async def test_a_session_comes_back_with_names_folders_order_and_focus(
    machine: Machine, tmp_path: Path
) -> None:
    api, web = folders(tmp_path, "api", "web")
    first = await machine.start()
    await first.workspaces.open(api, focus=True)
    await first.workspaces.open(web, focus=False)
    await first.panes.split(1, "down", focus=True)
    first.session.commit(pane_rules.rename_pane, 3, "tests")
    first.world.processes.folders[3] = str(tmp_path)
    before = first.session.structure
    await first.stop()

    second = await machine.start()

    after = second.session.structure
    assert [(w.workspace_id, w.name, w.cwd) for w in after.workspaces] == [
        (w.workspace_id, w.name, w.cwd) for w in before.workspaces
    ]
    assert [t.tab_id for t in after.workspaces[0].tabs] == [
        t.tab_id for t in before.workspaces[0].tabs
    ]
    # Panes are numbered anew in the order of the tabs: 1 and 3 of the first tab, then 2.
    assert [(r.pane, r.name, r.cwd) for r in after.panes.values()] == [
        (1, None, api),
        (2, "tests", str(tmp_path)),
        (3, None, web),
    ]
    assert (after.focused, after.next_pane) == (2, 4)
    old = {record.terminal_id for record in before.panes.values()}
    assert not old & {record.terminal_id for record in after.panes.values()}


async def test_each_pane_shows_its_own_old_screen_above_the_new_output(machine: Machine) -> None:
    first = await machine.start()
    await first.workspaces.open_home()
    for number in (2, 3):
        await first.panes.split(1, "right", focus=True)
        await first.show(number, b"I was pane %d\r\n$ " % number)
    # Tree order differs from the order of the ids: 1, 3, 2.
    assert first.session.structure.workspaces[0].active.panes == (1, 3, 2)
    await first.stop()

    second = await machine.start()
    for pane in (1, 2, 3):
        await second.show(pane, b"new shell\r\n")

    texts = [await second.text(pane) for pane in (1, 2, 3)]
    assert "I was" not in texts[0]
    assert texts[1].splitlines()[0] == "I was pane 3"
    assert texts[2].splitlines()[0] == "I was pane 2"
    for text in texts[1:]:
        lines = text.splitlines()
        assert lines[1] == "$"
        assert lines[2].startswith("── restored from ")
        assert lines[3] == "new shell"


async def test_what_an_old_program_had_switched_on_is_off_for_the_new_shell(
    machine: Machine,
) -> None:
    first = await machine.start()
    await first.workspaces.open_home()
    modes = b"\x1b[?1049h\x1b[?1003h\x1b[?1006h\x1b[?2004h\x1b[?1h\x1b[?25l\x1b[3;5r\x1b[31m"
    await first.show(1, b"below\r\n" + modes + b"an editor\x1b]0;half a tit")
    await first.stop()

    second = await machine.start()
    await second.show(1, b"plain\r\n")

    (terminal,) = second.session.terminals.values()
    modes_now = await terminal.modes()
    assert (modes_now.alternate_screen, modes_now.mouse, modes_now.bracketed_paste) == (
        False,
        "off",
        False,
    )
    assert not modes_now.application_cursor
    assert terminal.emulator.cursor().visible
    text = await second.text(1)
    assert "an editor" not in text
    assert text.splitlines()[0] == "below"
    assert text.splitlines()[-1] == "plain"


async def test_panes_that_are_not_to_come_back_are_left_out(machine: Machine) -> None:
    first = await machine.start()
    await first.workspaces.open_home()
    await first.panes.split(1, "right", focus=True)
    for pane, label, restore in ((1, "keep", True), (2, "drop", False)):
        record = replace(first.session.structure.panes[pane], label=label, restore=restore)
        first.session.commit(pane_rules.update_pane, record)
    await first.stop()

    second = await machine.start()

    assert [(r.label, r.restore) for r in second.session.structure.panes.values()] == [
        ("keep", True)
    ]


async def test_a_folder_that_has_gone_is_replaced_by_the_workspaces_and_then_by_home(
    machine: Machine, tmp_path: Path
) -> None:
    project, gone = folders(tmp_path, "project", "gone")
    first = await machine.start()
    await first.workspaces.open(project, focus=True)
    await first.workspaces.open(gone, focus=True)
    first.world.processes.folders[1] = gone
    await first.stop()
    Path(gone).rmdir()

    second = await machine.start()

    assert [spec.cwd for spec in second.world.host.specs] == [project, str(tmp_path)]


async def test_changes_are_stored_by_themselves_and_screens_only_when_they_changed(
    machine: Machine,
) -> None:
    first = await machine.start()
    await first.workspaces.open_home()
    key = ("screen", str(first.session.structure.panes[1].terminal_id))
    await first.show(1, b"hello")

    await machine.store.until(lambda: b"hello" in machine.store.records.get(key, b""))

    machine.store.writes.clear()
    first.session.commit(pane_rules.rename_pane, 1, "x")
    await machine.store.until(lambda: machine.stored().panes[1].name == "x")
    kinds = {change.kind for changes in machine.store.writes for change in changes}
    assert kinds == {"layout"}


async def test_the_screen_of_a_closed_pane_is_forgotten(machine: Machine) -> None:
    first = await machine.start()
    await first.workspaces.open_home()
    await first.panes.split(1, "right", focus=True)
    await first.show(2, b"secret")
    await first.checkpoints.save()
    assert len(await machine.store.keys("screen")) == 2

    await first.panes.close(2)
    await first.stop()

    assert len(await machine.store.keys("screen")) == 1
    assert not any(b"secret" in body for body in machine.store.records.values())


async def test_a_store_that_fails_is_reported_once_and_tried_again(
    machine: Machine, caplog: pytest.LogCaptureFixture
) -> None:
    first = await machine.start()
    machine.store.fault = "no space left"
    await first.workspaces.open_home()
    for _ in range(3):
        await first.checkpoints.save()
    assert first.checkpoints.failure == "no space left"

    machine.store.fault = None
    machine.store.wrote.clear()
    await machine.store.wrote.wait()

    assert first.checkpoints.failure is None
    assert [r.message for r in caplog.records if "not stored" in r.message] == [
        "the session is not stored, and tried again: no space left"
    ]


async def test_a_pane_whose_shell_cannot_start_does_not_keep_the_others_away(
    machine: Machine,
) -> None:
    first = await machine.start()
    await first.workspaces.open_home()
    await first.panes.split(1, "right", focus=True)
    await first.stop()

    second = Server(machine.store, machine.home)
    machine.servers.append(second)
    second.world.host.refuse = lambda _spec: len(second.world.host.specs) == 1
    await second.checkpoints.restore()

    assert len(second.session.structure.panes) == 1
    assert ("layout", "restored") in machine.store.records


async def test_what_else_is_kept_of_a_pane_comes_back_with_that_pane(machine: Machine) -> None:
    first = await machine.start()
    first.checkpoints.kept_with = lambda record: {"agent": f"of pane {record.pane}"}
    await first.workspaces.open_home()
    await first.panes.split(1, "right", focus=True)
    await first.panes.split(1, "right", focus=True)
    assert first.session.structure.workspaces[0].active.panes == (1, 3, 2)
    await first.stop()
    second = Server(machine.store, machine.home)
    machine.servers.append(second)
    told: list[tuple[int, int, Any]] = []

    async def resume(pane: Restored) -> None:
        told.append((pane.pane, pane.before.pane, pane.extra))

    second.checkpoints.on_restored.append(resume)
    await second.checkpoints.restore()

    assert told == [
        (1, 1, {"agent": "of pane 1"}),
        (2, 3, {"agent": "of pane 3"}),
        (3, 2, {"agent": "of pane 2"}),
    ]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"session":{"version":9},"extras":{}}'])
async def test_a_checkpoint_that_cannot_be_read_gives_way_to_the_one_before(
    machine: Machine, body: bytes
) -> None:
    first = await machine.start()
    await first.workspaces.open_home()
    await first.stop()
    second = await machine.start()
    await second.stop()
    machine.store.records["layout", "current"] = body

    third = await machine.start()

    assert len(third.session.structure.panes) == 1


async def test_old_screens_are_left_out_after_starts_that_did_not_survive_them(
    machine: Machine,
) -> None:
    first = await machine.start()
    await first.workspaces.open_home()
    await first.show(1, b"deadly")
    await first.stop()
    machine.store.records["attempt", "restored"] = b"x" * module.ATTEMPTS

    second = await machine.start()

    assert "deadly" not in await second.text(1)
    assert ("attempt", "restored") not in machine.store.records
