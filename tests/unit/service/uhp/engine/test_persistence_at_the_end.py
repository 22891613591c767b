"""A good checkpoint is never replaced by a worse one because things end."""

from __future__ import annotations

import pytest

from luvus_service.uhp.domain import panes as pane_rules
from luvus_service.uhp.domain.ports import ExitStatus
from luvus_service.uhp.engine import persistence as module
from tests.support.machine import Machine


async def test_programs_that_end_before_the_machine_goes_down_are_not_taken_out(
    machine: Machine,
) -> None:
    first = await machine.start()
    await first.workspaces.open_home()
    await first.panes.split(1, "right", focus=True)
    await first.checkpoints.save()
    await first.exit(1)
    await first.exit(2)
    await first.session.tasks.drain()
    # The neutral workspace is there by now, opened by the server itself.
    assert list(first.session.structure.panes) == [3]
    await first.stop(asked=False)

    assert len(machine.stored().panes) == 2
    second = await machine.start()
    assert len(second.session.structure.panes) == 2


async def test_what_the_server_does_by_itself_does_not_show_that_an_end_was_meant(
    machine: Machine,
) -> None:
    first = await machine.start()
    await first.workspaces.open_home()
    await first.panes.split(1, "right", focus=True)

    async def tidy() -> None:
        first.session.commit(pane_rules.rename_pane, 1, "left")

    await first.exit(2)
    first.session.tasks.start(tidy(), "some work in the background")
    await first.session.tasks.drain()
    await first.stop(asked=False)

    assert list(machine.stored().panes) == [1, 2]


async def test_a_pane_that_ended_a_while_ago_does_not_come_back(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SETTLE_S", 0.01)
    first = await machine.start()
    await first.workspaces.open_home()
    await first.panes.split(1, "right", focus=True)
    await first.checkpoints.save()
    await first.exit(2, ExitStatus(0, None))
    await machine.store.until(lambda: len(machine.stored().panes) == 1)

    await first.stop(asked=False)

    assert list(machine.stored().panes) == [1]


@pytest.mark.parametrize("then", ["somebody acts", "somebody stops"])
async def test_what_somebody_does_after_a_program_ended_shows_that_it_was_meant(
    machine: Machine, then: str
) -> None:
    first = await machine.start()
    await first.workspaces.open_home()
    await first.panes.split(1, "right", focus=True)
    await first.exit(2, ExitStatus(0, None))

    if then == "somebody acts":
        first.session.commit(pane_rules.rename_pane, 1, "left")
    await first.stop(asked=then == "somebody stops")

    assert list(machine.stored().panes) == [1]


async def test_an_empty_session_never_replaces_a_full_one_unless_somebody_emptied_it(
    machine: Machine,
) -> None:
    first = await machine.start()
    await first.workspaces.open_home()
    await first.checkpoints.save()
    first.world.host.refuse = lambda _spec: True

    await first.exit(1)
    await first.session.tasks.drain()
    assert first.session.structure.workspaces == ()
    await first.stop()
    assert len(machine.stored().panes) == 1

    second = await machine.start()
    second.world.host.refuse = lambda _spec: True
    await second.workspaces.close(0)
    await second.stop()
    assert machine.stored().panes == {}


async def test_nothing_is_taken_into_the_checkpoint_once_the_end_has_begun(
    machine: Machine,
) -> None:
    first = await machine.start()
    await first.workspaces.open_home()
    first.checkpoints.freeze(asked=True)

    await first.panes.split(1, "right", focus=True)
    await first.exit(1)
    await first.checkpoints.close()

    assert list(machine.stored().panes) == [1]
