"""MCP servers as real processes: their tools, their faults, their end."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from luvus_service.adapters.tools import mcp
from luvus_service.adapters.tools.mcp import McpHub, tool_name
from luvus_service.adapters.tools.mcp_config import ServerSpec, configured_servers
from luvus_service.luxe.domain.permission_units import NamedUnit
from luvus_service.luxe.domain.permissions import Policy, decide
from luvus_service.luxe.domain.tool_ports import Tool
from tests.support.tool_bench import Said, ToolBench, bench_in

PROGRAM = str(Path(__file__).with_name("mcp_server.py"))


@pytest.fixture
def bench(short_tmp: Path) -> ToolBench:
    return bench_in(short_tmp)


@asynccontextmanager
async def hub_of(folder: Path, *specs: ServerSpec) -> AsyncIterator[McpHub]:
    """Start servers and wait until none is starting."""
    changed = asyncio.Event()
    hub = McpHub(specs, cwd=str(folder), changed=changed.set)
    hub.start()
    try:
        async with asyncio.timeout(15):
            while any(server.state == "starting" for server in hub.servers):
                changed.clear()
                await changed.wait()
        yield hub
    finally:
        await hub.close()


def spec(*args: str, name: str = "test") -> ServerSpec:
    return ServerSpec(name, "user", sys.executable, (PROGRAM, *args))


def named(hub: McpHub, name: str) -> Tool:
    return next(tool for tool in hub.tools() if tool.name == name)


async def test_the_tools_of_a_server_are_offered_and_called(bench: ToolBench) -> None:
    async with hub_of(bench.folder, spec()) as hub:
        tool = named(hub, "mcp__test__add")
        outcome = await bench.call(tool, a=2, b=3)
        failed = await bench.call(named(hub, "mcp__test__broken"))
        cut = await bench.call(named(hub, "mcp__test__long_text"))

    assert outcome.output == "5"
    assert tool.reads_only
    assert tool.description == "Add two numbers."
    assert set(tool.parameters["properties"]) == {"a", "b"}
    assert failed.status == "failed"
    assert cut.truncated
    assert len(cut.output) < 51_200
    assert not hub.tools()


async def test_calls_are_judged_by_server_and_tool(bench: ToolBench) -> None:
    async with hub_of(bench.folder, spec()) as hub:
        adding = (await named(hub, "mcp__test__add").prepare({}, bench)).preview.units
        broken = (await named(hub, "mcp__test__broken").prepare({}, bench)).preview.units

    assert adding == (NamedUnit("mcp", "test/add", reads_only=True),)
    assert decide(broken, Policy()).verdict == "ask"
    assert decide(broken, Policy("read_only")).verdict == "deny"


async def test_a_server_sees_no_key_of_a_provider(
    bench: ToolBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    async with hub_of(bench.folder, spec()) as hub:
        name = next(tool.name for tool in hub.tools() if "environment" in tool.name)
        outcome = await bench.call(named(hub, name))

    assert "PATH" in outcome.output
    assert "ANTHROPIC_API_KEY" not in outcome.output


async def test_a_server_that_cannot_start_is_failed_and_the_others_are_not(
    bench: ToolBench,
) -> None:
    missing = ServerSpec("gone", "user", "/nonexistent/server")
    async with hub_of(bench.folder, missing, spec()) as hub:
        states = [server.state for server in hub.servers]
        reason = hub.servers[0].reason

    assert states == ["failed", "ready"]
    assert reason is not None
    assert "/nonexistent/server" in reason


async def test_a_server_that_says_nothing_is_failed_in_time(
    bench: ToolBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp, "START_S", 1.0)
    async with hub_of(bench.folder, spec("--silent")) as hub:
        assert (hub.servers[0].state, hub.servers[0].reason) == (
            "failed",
            "it was not ready after 1 s",
        )


async def test_a_server_that_dies_in_a_call_fails_the_call(bench: ToolBench) -> None:
    async with hub_of(bench.folder, spec()) as hub:
        outcome = await bench.call(named(hub, "mcp__test__die"))

    assert outcome.status == "failed"


async def test_a_call_that_hangs_can_be_cancelled_and_times_out(
    bench: ToolBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp, "CALL_S", 0.3)
    async with hub_of(bench.folder, spec()) as hub:
        late = await bench.call(named(hub, "mcp__test__hang"))
        monkeypatch.setattr(mcp, "CALL_S", 60)
        prepared = await named(hub, "mcp__test__hang").prepare({}, bench)
        call = asyncio.get_running_loop().create_task(prepared.run(Said()))
        await asyncio.wait({call}, timeout=0.2)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    assert late.status == "timed_out"


async def test_closing_ends_servers_and_what_they_started_in_time(bench: ToolBench) -> None:
    loop = asyncio.get_running_loop()
    async with hub_of(bench.folder, spec("--with-child")) as hub:
        before = loop.time()
        await hub.close()
        took = loop.time() - before

    left = [
        item for item in psutil.process_iter(["cmdline"]) if "8881" in (item.info["cmdline"] or [])
    ]
    assert took < 5
    assert left == []


def test_names_are_what_providers_accept() -> None:
    assert tool_name("fs", "read") == "mcp__fs__read"
    assert tool_name("fs", "a.b") != tool_name("fs", "a_b")
    assert len(tool_name("server", "x" * 200)) <= 64


def test_a_projects_servers_count_only_with_trust_in_the_very_content(tmp_path: Path) -> None:
    path = tmp_path / ".mcp.json"
    path.write_text(json.dumps({"mcpServers": {"x": {"command": "evil", "args": ["1"]}}}))
    asked: list[tuple[str, str]] = []

    def trusted(name: str, digest: str) -> bool:
        asked.append((Path(name).name, digest))
        return len(asked) > 1 and digest == asked[0][1]

    first = configured_servers(None, str(tmp_path), trusted)
    second = configured_servers(None, str(tmp_path), trusted)
    path.write_text(path.read_text() + " ")
    third = configured_servers(None, str(tmp_path), trusted)

    assert (first.servers, first.untrusted) == ((), (str(path),))
    assert second.servers == (ServerSpec("x", "project", "evil", ("1",)),)
    assert third.servers == ()


def test_a_faulty_configuration_is_told_and_the_rest_counts(tmp_path: Path) -> None:
    user = tmp_path / "mcp.toml"
    user.write_text('[mcp.good]\ncommand = "a"\n[mcp.both]\ncommand = "a"\nurl = "b"\n')
    (tmp_path / ".mcp.json").write_text("{")

    found = configured_servers(str(user), str(tmp_path), lambda _path, _digest: True)

    assert [server.name for server in found.servers] == ["good"]
    assert len(found.faults) == 2
