"""`luvus mcp`, driven by the client of the `mcp` package over standard input and output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.integration.agents.conftest import Crew

pytest.importorskip("mcp")
from mcp import ClientSession, StdioServerParameters, stdio_client

COMMAND = ["-m", "luvus_client.cli"]


@pytest.fixture(scope="module")
def panes(shared: Crew) -> tuple[str, str]:
    return shared.start("one", "claude"), shared.start("two", "codex")


@asynccontextmanager
async def client(crew: Crew, *words: str, **variables: str) -> AsyncIterator[ClientSession]:
    """Start `luvus mcp` and greet it."""
    server = StdioServerParameters(
        command=sys.executable,
        args=[*COMMAND, *words, "mcp"],
        env={**crew.server.env, **variables},
        cwd=crew.server.home,
    )
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        await session.initialize()
        yield session


def inside(crew: Crew, pane: str) -> dict[str, str]:
    """Return the variables of a program that runs in a pane."""
    return {"LUVUS_SOCKET_PATH": str(crew.server.socket), "LUVUS_PANE_ID": pane}


async def done(session: ClientSession, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool that must succeed."""
    answer = await session.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    return dict(answer.structured_content)


async def refused(session: ClientSession, tool: str, **arguments: Any) -> str:
    """Call a tool that must fail and return what it says."""
    answer = await session.call_tool(tool, arguments)
    assert answer.is_error, answer
    return str(getattr(answer.content[0], "text", "")).removeprefix(
        f"Error executing tool {tool}: "
    )


async def test_the_tools_are_few_and_say_which_of_them_only_look(shared: Crew) -> None:
    async with client(shared) as session:
        tools = (await session.list_tools()).tools

    assert {tool.name: tool.annotations and tool.annotations.read_only_hint for tool in tools} == {
        "list_agents": True,
        "read_agent": True,
        "prompt_agent": False,
        "wait_agent": True,
    }
    assert all(tool.description and tool.output_schema for tool in tools)


async def test_an_agent_in_a_pane_sees_its_neighbours_and_itself(
    shared: Crew, panes: tuple[str, str]
) -> None:
    async with client(shared, **inside(shared, panes[0])) as session:
        agents = (await done(session, "list_agents"))["agents"]
        agents.sort(key=lambda agent: str(agent["pane"]))

    assert [(a["pane"], a["name"], a["agent"], a["you"]) for a in agents] == [
        (panes[0], "one", "claude", True),
        (panes[1], "two", "codex", False),
    ]
    assert set(agents[0]) == {
        "pane", "name", "agent", "status", "folder", "branch", "workspace", "you",
    }  # fmt: skip


async def test_a_neighbour_is_prompted_waited_for_and_read(
    shared: Crew, panes: tuple[str, str]
) -> None:
    async with client(shared, **inside(shared, panes[0])) as session:
        sent = await done(session, "prompt_agent", agent="two", text="work 0.5", wait_seconds=20)
        waited = await done(session, "wait_agent", agent="two", statuses=["done", "idle"])
        read = await done(session, "read_agent", agent=panes[1], lines=20)

    assert (sent["pane"], sent["sent"], sent["finished"]) == (panes[1], True, True)
    assert (waited["matched"], waited["status"]) == (True, sent["status"])
    assert read["text"].startswith("worked")


async def test_a_prompt_that_does_not_wait_says_how_to_go_on(
    shared: Crew, panes: tuple[str, str]
) -> None:
    async with client(shared) as session:
        sent = await done(session, "prompt_agent", agent="two", text="hello")
        await asyncio.to_thread(shared.server.wait_text, panes[1], "5 characters: hello")

    assert sent["finished"] is False
    assert sent["advice"].startswith("It was sent; do not send it again.")


async def test_an_agent_neither_prompts_nor_waits_for_itself(
    shared: Crew, panes: tuple[str, str]
) -> None:
    before = shared.received()

    async with client(shared, **inside(shared, panes[0])) as session:
        prompt = await refused(session, "prompt_agent", agent="one", text="hi")
        wait = await refused(session, "wait_agent", agent=panes[0])

    assert prompt == f"one is you (pane {panes[0]}): you cannot prompt yourself"
    assert wait == f"{panes[0]} is you (pane {panes[0]}): you cannot wait for yourself"
    assert shared.received() == before


async def test_a_pane_of_another_server_is_not_taken_for_its_own(
    shared: Crew, panes: tuple[str, str]
) -> None:
    elsewhere = {"LUVUS_SOCKET_PATH": "/nowhere/luvus.sock", "LUVUS_PANE_ID": panes[0]}

    async with client(shared, "--session", "default", **elsewhere) as session:
        agents = (await done(session, "list_agents"))["agents"]

    assert [agent["you"] for agent in agents] == [False, False]


@pytest.mark.usefixtures("panes")
async def test_a_token_that_may_only_read_sees_agents_and_cannot_prompt(shared: Crew) -> None:
    token = shared.call("uhp.token.create", {"scopes": ["read"]})["token"]
    file = Path(shared.server.home, "token")
    file.touch(0o600)
    file.write_text(token)
    before = shared.received()

    async with client(shared, "--token-file", str(file)) as session:
        agents = (await done(session, "list_agents"))["agents"]
        said = await refused(session, "prompt_agent", agent="two", text="hi")
    async with client(shared, "--token-env", "T", T=token) as session:
        again = await refused(session, "prompt_agent", agent="two", text="hi")

    assert len(agents) == 2
    assert said == again
    assert said.startswith("not allowed: ")
    assert "The token of this MCP server does not cover this; nothing was sent." in said
    assert shared.received() == before


async def test_a_neighbour_that_asks_something_gets_no_prompt(
    shared: Crew, panes: tuple[str, str]
) -> None:
    async with client(shared) as session:
        asked = await done(session, "prompt_agent", agent="two", text="ask", wait_seconds=20)
        before = shared.received()
        said = await refused(session, "prompt_agent", agent="two", text="go on")
    after = shared.received()
    shared.call("agent.keys", {"target": "two", "keys": ["1"]})
    shared.server.wait_text(panes[1], "answered 1")

    assert asked["advice"] == (
        "The agent asks something; read_agent shows what. A person must answer it."
    )
    assert said.startswith("agent_not_ready: ")
    assert after == before


MALFORMED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("read_agent", {"agent": "nobody"}),
    ("read_agent", {"agent": "two", "lines": 1001}),
    ("prompt_agent", {"agent": "two", "text": ""}),
    ("prompt_agent", {"agent": "two", "text": "a\x03"}),
    ("prompt_agent", {"agent": "two", "text": "x", "wait_seconds": 3601}),
    ("wait_agent", {"agent": "two", "statuses": []}),
    ("wait_agent", {"agent": "two", "statuses": ["unknown"]}),
)


@pytest.mark.usefixtures("panes")
async def test_a_malformed_call_is_refused_and_nothing_is_sent(shared: Crew) -> None:
    before = shared.received()

    async with client(shared) as session:
        said = [await refused(session, tool, **arguments) for tool, arguments in MALFORMED]

    assert all(said)
    assert shared.received() == before


async def test_a_session_that_does_not_run_is_said_and_the_tools_stay(shared: Crew) -> None:
    async with client(shared, "--session", "nowhere") as session:
        said = await refused(session, "list_agents")
        still = (await session.list_tools()).tools

    assert said.startswith("no server: ")
    assert len(still) == 4
