"""Patching, applying, saving and reloading the configuration."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from luvus_service.rpc.errors import InvalidRequest
from luvus_service.uhp.engine import config as module
from luvus_service.uhp.engine.config import ConfigKeeper
from luvus_service.uhp.engine.config_model import Config
from luvus_service.uhp.engine.workspaces import Workspaces
from tests.support.engine_world import EngineWorld
from tests.support.memory_store import MemoryConfig


@pytest.fixture
async def world() -> AsyncIterator[EngineWorld]:
    made = EngineWorld()
    yield made
    await made.close()


@pytest.fixture
def file() -> MemoryConfig:
    return MemoryConfig()


@pytest.fixture
async def keeper(
    world: EngineWorld, file: MemoryConfig, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[ConfigKeeper]:
    monkeypatch.setattr(module, "RETRY_S", 0.01)
    monkeypatch.setattr(module, "SAVE_WAIT_S", 0.2)
    monkeypatch.setattr(module, "LAST_SAVE_S", 0.05)
    made = ConfigKeeper(world.session, file)
    await made.load()
    yield made
    await made.close()


async def test_a_patch_is_in_force_at_once_and_told_and_saved(
    world: EngineWorld, keeper: ConfigKeeper, file: MemoryConfig
) -> None:
    told: list[Config] = []
    keeper.on_change.append(told.append)

    config = keeper.patch({"layout": {"col_gap": 2}, "keybindings": {"pane.zoom": "z"}})

    assert keeper.current == config == told[0]
    assert world.session.area.col_gap == 2
    assert world.session.events.sequence == 1
    assert await keeper.reload() == config
    assert file.stored == config.document()


@pytest.mark.parametrize(
    ("patch", "text"),
    [
        ({"nothing": 1}, "'nothing'"),
        ({"layout": {"nothing": 1}}, "'layout.nothing'"),
        ({"layout": {"col_gap": "1"}}, "`layout.col_gap` must be an integer"),
        ({"layout": []}, "`layout` must be an object"),
        ({"prefix": "x"}, "`prefix` must be F1"),
        ({"direct_keybindings": {"pane.zoom": "z"}}, "`direct_keybindings`"),
        ({"theme": "missing"}, "'missing' is not installed"),
        ({"shell": "'"}, "`shell` must be a command line"),
        ({"shell": "  "}, "`shell` must be a command line"),
    ],
)
async def test_a_patch_with_a_fault_changes_nothing(
    world: EngineWorld, keeper: ConfigKeeper, file: MemoryConfig, patch: dict[str, Any], text: str
) -> None:
    with pytest.raises(InvalidRequest, match=text):
        keeper.patch({"language": "de", **patch})

    assert keeper.current == Config()
    assert (world.session.events.sequence, file.tries) == (0, 0)


async def test_a_locked_file_does_not_hold_up_a_patch_and_gets_it_when_it_is_free(
    keeper: ConfigKeeper, file: MemoryConfig
) -> None:
    file.locked = True
    keeper.patch({"language": "de"})
    keeper.patch({"layout": {"row_gap": 3}})
    await asyncio.to_thread(file.refused.wait, 10)

    reloaded = await keeper.reload()
    assert (reloaded.language, reloaded.layout.row_gap, file.stored) == ("de", 3, {})

    file.locked = False
    await keeper.reload()
    assert (file.stored["language"], file.stored["layout"]["row_gap"]) == ("de", 3)


async def test_a_save_keeps_what_other_sessions_and_versions_have_written_meanwhile(
    keeper: ConfigKeeper, file: MemoryConfig
) -> None:
    file.stored = {"language": "fr", "later": {"x": 1}, "layout": {"row_gap": 4, "later": 2}}

    keeper.patch({"layout": {"col_gap": 5}})
    config = await keeper.reload()

    assert (config.language, config.layout.row_gap, config.layout.col_gap) == ("fr", 4, 5)
    assert (file.stored["later"], file.stored["layout"]["later"]) == ({"x": 1}, 2)


async def test_more_patches_than_are_kept_apart_are_joined_and_none_is_lost(
    keeper: ConfigKeeper, file: MemoryConfig
) -> None:
    file.locked = True
    for number in range(3 * module.PENDING):
        keeper.patch({"keybindings": {f"command.{chr(97 + number % 26)}{number}": "x"}})

    file.locked = False
    await keeper.reload()

    assert len(file.stored["keybindings"]) == 3 * module.PENDING


async def test_a_broken_file_gives_the_defaults_and_is_kept_aside(
    world: EngineWorld, caplog: pytest.LogCaptureFixture
) -> None:
    file = MemoryConfig()
    file.broken = True
    keeper = ConfigKeeper(world.session, file)

    await keeper.load()

    assert keeper.current == Config()
    assert "config.json.broken-1" in caplog.text
    await keeper.close()


async def test_a_reload_of_a_broken_file_is_refused_and_changes_nothing(
    keeper: ConfigKeeper, file: MemoryConfig
) -> None:
    keeper.patch({"language": "de"})
    await keeper.reload()
    file.broken = True

    with pytest.raises(InvalidRequest, match=r"config\.json"):
        await keeper.reload()

    assert keeper.current.language == "de"
    file.broken = False


async def test_the_scrollback_of_every_pane_follows(
    world: EngineWorld, keeper: ConfigKeeper
) -> None:
    await Workspaces(world.session).open("/", focus=True)
    (terminal,) = world.session.terminals.values()

    keeper.patch({"layout": {"scrollback_bytes": 3 << 20}})
    await world.session.tasks.drain()

    assert (await terminal.history()).budget_bytes == 3 << 20
    await Workspaces(world.session).new()
    budgets = [(await t.history()).budget_bytes for t in world.session.terminals.values()]
    assert budgets == [3 << 20, 3 << 20]


@pytest.mark.parametrize(
    ("shell", "fixed", "argv"),
    [
        ("default", False, ("/bin/sh",)),
        ("/bin/bash -l", False, ("/bin/bash", "-l")),
        ("/bin/bash -l", True, ("/bin/sh",)),
        ("powershell", False, ("pwsh",)),
        ("cmd", False, ("/bin/sh",)),
    ],
)
async def test_new_panes_run_the_shell_that_is_configured(
    world: EngineWorld, shell: str, fixed: bool, argv: tuple[str, ...]
) -> None:
    keeper = ConfigKeeper(world.session, MemoryConfig({"shell": shell}), shell_is_fixed=fixed)

    await keeper.load()
    await Workspaces(world.session).open("/", focus=True)

    assert world.host.specs[0].argv == argv
    await keeper.close()


async def test_what_cannot_be_saved_before_the_end_is_reported(
    keeper: ConfigKeeper, file: MemoryConfig, caplog: pytest.LogCaptureFixture
) -> None:
    file.locked = True
    keeper.patch({"language": "de"})

    await keeper.close()

    assert "1 changes of the configuration could not be saved" in caplog.text
