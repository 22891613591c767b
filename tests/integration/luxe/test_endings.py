"""However an agent ends in the middle of a tool: nothing of what it started is left."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from tests.support.leaks import processes_of
from tests.support.live import LiveServer
from tests.support.luxe_program import Program, beside, real_environment
from tests.support.provider_script import Call, Reply, calls
from tests.support.provider_server import ProviderServer, provider_server

GONE_S = 8.0
COMMAND = "trap '' HUP TERM; (setsid sleep 300 &); sleep 300 & echo up > up; sleep 300"


def script() -> list[Reply]:
    job = {"command": "sleep 300", "background": True}
    return [calls(Call("bash", job, "c1")), calls(Call("bash", {"command": COMMAND}, "c2"))]


@pytest.fixture
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="le-", dir="/tmp"))
    (made / "project").mkdir()
    yield made
    shutil.rmtree(made, ignore_errors=True)


def begun(folder: Path) -> None:
    """Wait until the command runs: it wrote its file."""
    words = ["timeout", "15", "tail", "-F", "-n1", str(folder / "project/up")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as tail:
        assert tail.stdout is not None
        line = tail.stdout.readline()
        tail.terminate()
    assert line == b"up\n"


def left(folder: Path) -> list[str]:
    """Return the command lines of what is still there after a moment."""
    _, alive = psutil.wait_procs(processes_of(folder), timeout=GONE_S)
    return [" ".join(process.cmdline()) for process in alive]


def by_end_of_input(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()
    process.stdin = None


def by_close(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.write(b'{"kind":"close"}\n')
    process.stdin.flush()


def by_signal(number: signal.Signals) -> Callable[[subprocess.Popen[bytes]], None]:
    def send(process: subprocess.Popen[bytes]) -> None:
        os.kill(process.pid, number)

    return send


def by_leaving(process: subprocess.Popen[bytes]) -> None:
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    by_end_of_input(process)


WAYS = {
    "close": (by_close, 0),
    "end of input": (by_end_of_input, 0),
    "leaving": (by_leaving, 0),
    "term": (by_signal(signal.SIGTERM), 0),
    "kill": (by_signal(signal.SIGKILL), -9),
}


async def served(provider: ProviderServer, work: Callable[[], None]) -> None:
    provider.replies.extend(script())
    await beside(work)


@pytest.mark.parametrize("way", ["close", "leaving", "term", "kill"])
async def test_over_rpc_nothing_is_left(folder: Path, way: str) -> None:
    end, code = WAYS[way]

    def work() -> None:
        with Program(folder, [], "--yolo", provider=provider.url) as luxe:
            luxe.send("submit_user_message", {"text": "go"})
            begun(folder)
            end(luxe.process)
            assert luxe.process.wait(10) == code

    async with provider_server() as provider:
        await served(provider, work)
    assert left(folder) == []


async def test_of_a_printed_turn_nothing_is_left(folder: Path) -> None:
    def work() -> None:
        env = real_environment(folder, provider.url)
        words = ["luxe", "-p", "go", "--yolo"]
        with subprocess.Popen(
            words, env=env, cwd=folder / "project", stdout=subprocess.PIPE
        ) as process:
            begun(folder)
            process.terminate()
            assert process.wait(10) == 130

    async with provider_server() as provider:
        await served(provider, work)
    assert left(folder) == []


@pytest.mark.parametrize("way", ["end of input", "kill"])
async def test_of_an_editors_agent_nothing_is_left(folder: Path, way: str) -> None:
    project = folder / "project"
    end, code = WAYS[way]

    def work() -> None:
        env = real_environment(folder, provider.url)
        words = ["luxe", "acp", "--yolo"]
        with subprocess.Popen(
            words, env=env, cwd=project, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as process:
            ask(process, 0, "initialize", protocolVersion=1, clientCapabilities={})
            opened = ask(process, 1, "session/new", cwd=str(project), mcpServers=[])
            prompt = [{"type": "text", "text": "go"}]
            send(process, 2, "session/prompt", sessionId=opened["sessionId"], prompt=prompt)
            begun(folder)
            end(process)
            assert process.wait(10) == code

    async with provider_server() as provider:
        await served(provider, work)
    assert left(folder) == []


def send(process: subprocess.Popen[bytes], number: int, method: str, **params: object) -> None:
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    assert process.stdin is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def ask(process: subprocess.Popen[bytes], number: int, method: str, **params: object) -> Any:
    send(process, number, method, **params)
    assert process.stdout is not None
    while True:
        answer = json.loads(process.stdout.readline())
        if answer.get("id") == number and "method" not in answer:
            return answer["result"]


@pytest.mark.parametrize("way", ["delete", "stop", "kill"])
async def test_of_a_hosted_session_nothing_is_left(folder: Path, way: str) -> None:
    async with provider_server(*script()) as provider:
        live = LiveServer(folder)
        live.extra = {
            "LUXE_HOME": str(folder / "luxe"),
            "ANTHROPIC_API_KEY": "k",
            "ANTHROPIC_BASE_URL": provider.url,
        }
        await asyncio.to_thread(live.start)
        transport = httpx.AsyncHTTPTransport(uds=str(live.http))
        async with httpx.AsyncClient(transport=transport, base_url="http://luvus") as http:
            wish = {"cwd": str(folder / "project"), "permission_mode": "yolo"}
            opened = (await http.post("/luxe/v2/sessions", json=wish)).json()["content"]
            path = f"/luxe/v2/sessions/{opened['session_id']}"
            await http.post(f"{path}/submit_user_message", json={"text": "go"})
            await asyncio.to_thread(begun, folder)
            mine = {p for p in processes_of(folder) if "sleep" in p.name()}
            assert mine
            if way == "delete":
                assert (await http.delete(path, timeout=10)).status_code == 200
            elif way == "kill":
                await asyncio.to_thread(live.kill)
            else:
                await asyncio.to_thread(live.stop)
            _, alive = await asyncio.to_thread(psutil.wait_procs, mine, GONE_S)
        await asyncio.to_thread(live.stop)
    assert alive == []
