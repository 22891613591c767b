"""What the model is given of the project, with the whole agent as a program."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.luxe_program import Program, beside, run_turn
from tests.support.planted_bug import planted_bug
from tests.support.provider_script import Call, calls, says
from tests.support.provider_server import ProviderServer, provider_server


@pytest.fixture
async def provider() -> AsyncIterator[ProviderServer]:
    async with provider_server() as server:
        yield server


def results(provider: ProviderServer) -> dict[str, str]:
    """Return the results of the last request by the id of their call."""
    found: dict[str, str] = {}
    for message in provider.asked[-1].json["messages"]:
        for part in message["content"]:
            if isinstance(part, dict) and part["type"] == "tool_result":
                text: Any = part["content"]
                found[part["tool_use_id"]] = text if isinstance(text, str) else json.dumps(text)
    return found


async def test_instructions_below_the_folder_come_with_the_first_result_that_touches_it(
    tmp_path: Path, provider: ProviderServer
) -> None:
    root = planted_bug(tmp_path)
    (root / "lib/deep").mkdir(parents=True)
    (root / "lib/AGENTS.md").write_text("Word of lib.")
    (root / "lib/deep/CLAUDE.md").write_text("Word of deep.")
    (root / "lib/deep/a.txt").write_text("a\n")
    provider.replies.extend(
        [
            calls(Call("read", {"path": "stats.py"}, "c1")),
            calls(Call("bash", {"command": "cat lib/deep/a.txt"}, "c2")),
            calls(Call("read", {"path": "lib/deep/a.txt"}, "c3")),
            says("Read."),
        ]
    )

    def work() -> None:
        with Program(tmp_path, [], provider=provider.url) as luxe:
            run_turn(luxe, "look")
            luxe.send("close")
            luxe.rest()

    await beside(work)

    found = results(provider)
    assert ["Word of" in found[name] for name in ("c1", "c2", "c3")] == [False, True, False]
    assert found["c2"].index("Word of lib.") < found["c2"].index("Word of deep.")
    assert "Word of" not in json.dumps(provider.asked[-1].json["system"])
