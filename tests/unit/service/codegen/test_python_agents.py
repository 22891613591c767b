from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import get_args, get_type_hints

import pytest

import luvus_client
from luvus_service.codegen.python_agents import python_agents
from luvus_service.luxe.catalogue import kinds
from luvus_service.luxe_wiring.described import agent_api

PACKAGE = "luvus_client.generated"


@pytest.fixture
def generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """What is generated now, in place of what is in the repository."""
    folder = tmp_path / "generated"
    folder.mkdir()
    for name, text in {"__init__.py": "", **python_agents(agent_api())}.items():
        (folder / name).write_text(text)
    for name in [n for n in sys.modules if n == PACKAGE or n.startswith(f"{PACKAGE}.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(luvus_client, "__path__", [str(tmp_path), *luvus_client.__path__])
    return importlib.import_module(f"{PACKAGE}.luxe")


def test_every_action_is_a_method_that_sends_its_kind_and_content(generated: ModuleType) -> None:
    sent: list[tuple[str, object]] = []
    actions = generated.SyncActions(lambda kind, content: sent.append((kind, content)))

    actions.cancel()
    actions.compact_now()
    actions.set_mode("plan")
    actions.submit_user_message({"text": "hi"})

    assert sent == [
        ("cancel", None),
        ("compact_now", None),
        ("set_mode", "plan"),
        ("submit_user_message", {"text": "hi"}),
    ]
    for cls in (generated.SyncActions, generated.AsyncActions):
        assert {name for name in vars(cls) if not name.startswith("_")} == set(kinds())


async def test_the_same_actions_wait_on_a_loop(generated: ModuleType) -> None:
    sent: list[tuple[str, object]] = []

    async def act(kind: str, content: object) -> None:
        sent.append((kind, content))

    await generated.AsyncActions(act).steer_turn({"text": "left"})

    assert sent == [("steer_turn", {"text": "left"})]


def test_every_event_is_told_apart_by_its_kind(generated: ModuleType) -> None:
    names = [name.strip() for name in str(generated.Event).split("|")]
    hints = [get_type_hints(getattr(generated, name), vars(generated)) for name in names]

    found = [get_args(hint["kind"]) for hint in hints]
    assert len(set(found)) == len(found)
    assert {("ready",), ("token_delta",), ("turn_ended",)} <= set(found)
