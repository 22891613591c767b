"""`luxe -p` and `luxe --list-models` as a script runs them: what they print and how they end."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.support.luxe_program import real_environment
from tests.support.provider_script import Call, Counts, Reply, Say, calls, says
from tests.support.provider_server import ProviderServer, provider_server

Ended: TypeAlias = tuple[int, str, str]
NO_KEYS = (
    "no model is set up; set ANTHROPIC_API_KEY or OPENAI_API_KEY and start Luxe again, "
    "or write a key to keys/anthropic in Luxe's folder, which is ~/.luxe"
)


@pytest.fixture
async def provider() -> AsyncIterator[ProviderServer]:
    async with provider_server() as server:
        yield server


class Shell:
    """Runs `luxe` in a project as a script does."""

    def __init__(self, folder: Path, url: str) -> None:
        self.project = folder / "project"
        self.project.mkdir()
        self.env = real_environment(folder, url)
        self.url = url

    def only_local(self) -> None:
        """Leave nothing but an endpoint whose models nobody knows before it is asked."""
        for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
            self.env.pop(name, None)
        self.env["OLLAMA_HOST"] = self.url

    async def run(self, *words: str, stdin: str = "") -> Ended:
        def work() -> Ended:
            done = subprocess.run(
                ["luxe", *words],
                env=self.env,
                cwd=self.project,
                input=stdin,
                capture_output=True,
                text=True,
                timeout=30,
            )
            return done.returncode, done.stdout, done.stderr

        return await asyncio.to_thread(work)

    async def shell(self, text: str) -> str:
        def work() -> str:
            done = subprocess.run(
                ["bash", "-c", text],
                env=self.env,
                cwd=self.project,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=30,
            )
            return done.stdout

        return await asyncio.to_thread(work)


@pytest.fixture
def sh(tmp_path: Path, provider: ProviderServer) -> Shell:
    return Shell(tmp_path, provider.url)


async def test_the_answer_is_printed_and_nothing_else(sh: Shell, provider: ProviderServer) -> None:
    provider.replies += [says("Hello."), says("Read.")]

    assert await sh.run("-p", "hi") == (0, "Hello.\n", "")
    assert await sh.run("-p", "-", stdin="from a pipe") == (0, "Read.\n", "")
    assert "from a pipe" in provider.asked[-1].raw.decode()


async def test_a_script_is_told_everything_as_json(sh: Shell, provider: ProviderServer) -> None:
    provider.replies += [
        calls(Call("bash", {"command": "make x"})),
        says("It was not run.", counts=Counts(fresh=10, output=5)),
    ]

    code, out, _ = await sh.run("-p", "make it", "--output", "json")

    told = json.loads(out)
    assert (code, told["outcome"], told["text"]) == (0, "end_turn", "It was not run.")
    assert (told["rejected"], told["error"]) == (["make x"], None)
    assert told["turn"]["model_calls"] == told["session_usage"]["calls"] == 2


async def test_approving_is_a_decision_of_the_command_line(
    sh: Shell, provider: ProviderServer
) -> None:
    command = calls(Call("bash", {"command": "touch made"}))
    provider.replies += [command, says("No."), command, says("Yes.")]

    assert (await sh.run("-p", "x"))[1] == "No.\n"
    assert not (sh.project / "made").exists()
    assert (await sh.run("-p", "x", "--on-ask", "approve"))[1] == "Yes.\n"
    assert (sh.project / "made").exists()


@pytest.mark.parametrize(
    ("reply", "code", "out", "err"),
    [
        (
            Reply(status=401, error=("authentication_error", "bad key")),
            4,
            "",
            "luxe: anthropic (401): bad key\n",
        ),
        (
            Reply(status=400, error=("invalid_request_error", "odd")),
            1,
            "",
            "luxe: anthropic (400): odd\n",
        ),
        (Reply((Say("Half an ans"),), stop="max_tokens"), 6, "Half an ans\n", ""),
        (Reply((Say("I will not."),), stop="refusal"), 6, "I will not.\n", ""),
    ],
    ids=["no credential", "failure", "cut", "refused"],
)
async def test_the_exit_code_says_how_the_turn_ended(
    sh: Shell, provider: ProviderServer, reply: Reply, code: int, out: str, err: str
) -> None:
    provider.replies += [reply]

    assert await sh.run("-p", "hi") == (code, out, err)


async def test_waiting_for_a_busy_provider_is_said(sh: Shell, provider: ProviderServer) -> None:
    busy = Reply(status=529, error=("overloaded", "Busy"), headers={"retry-after-ms": "20"})
    provider.replies += [busy, says("Here.")]

    code, out, err = await sh.run("-p", "hi")

    assert (code, out) == (0, "Here.\n")
    assert err == "luxe: anthropic (529): Busy; trying again in 0 s\n"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("-p", ""), 2, "the prompt is empty"),
        (("-p", "-"), 2, "the prompt is empty"),
        (("-p", "hi", "--model", "nobody/x"), 4, "there is no provider 'nobody'"),
        (("-p", "hi", "--model", "nothing-like-it"), 4, "fits no model; see --list-models"),
        (("-p", "hi", "--model", "claude"), 4, "fits several models"),
        (("-p", "hi", "--on-ask", "maybe"), 2, "use deny or approve"),
        (("-p", "hi", "--rpc"), 2, "use one of"),
        (("-p", "hi", "--resume", "00000000"), 5, "there is no session '00000000'"),
        (("-p", "hi", "--cwd", "/nowhere"), 3, "/nowhere does not exist"),
        (("-p", "hi", "--config", "/nowhere"), 2, "there is no such file"),
    ],
)
async def test_what_cannot_be_done_is_said_and_nothing_is_printed(
    sh: Shell, words: tuple[str, ...], code: int, said: str
) -> None:
    found, out, err = await sh.run(*words)

    assert (found, out) == (code, "")
    assert err.startswith("luxe: ") and said in err
    assert err.count("\n") == 1


async def test_without_a_key_the_one_to_set_is_named(sh: Shell) -> None:
    del sh.env["ANTHROPIC_API_KEY"]
    missing = "luxe: anthropic has no credential; set ANTHROPIC_API_KEY\n"

    assert await sh.run("-p", "hi") == (4, "", f"luxe: {NO_KEYS}\n")
    assert await sh.run("-p", "hi", "--model", "claude-opus-5") == (4, "", missing)
    assert await sh.run("-p", "hi", "--model", "anthropic/claude-opus-5") == (4, "", missing)
    code, out, err = await sh.run("--list-models")
    assert (code, out) == (4, "")
    assert missing in err


async def test_an_endpoint_is_asked_for_its_models_when_none_is_known(
    sh: Shell, provider: ProviderServer
) -> None:
    sh.only_local()
    provider.replies += [says("First."), says("Named.")]

    assert (await sh.run("-p", "hi"))[:2] == (0, "First.\n")
    assert (await sh.run("-p", "hi", "--model", "scripted-2"))[:2] == (0, "Named.\n")
    models = [asked.json["model"] for asked in provider.asked if asked.format]
    assert models == ["scripted-1", "scripted-2"]
    assert (await sh.run("--list-models"))[:2] == (0, "ollama/scripted-1\nollama/scripted-2\n")


async def test_an_endpoint_that_cannot_be_reached_is_named(sh: Shell) -> None:
    sh.url = "http://127.0.0.1:1"
    sh.only_local()

    code, out, err = await sh.run("-p", "hi")

    assert (code, out) == (4, "")
    assert err == "luxe: no model is known; ollama: the connection was refused (127.0.0.1:1)\n"


@pytest.mark.parametrize("words", ["-p hi", "--list-models", "--rpc-schema", "trust"])
@pytest.mark.parametrize(
    ("to", "said"),
    [
        ("| true", ""),
        (">/dev/full", "luxe: the answer cannot be written: No space left on device\n"),
    ],
    ids=["a reader that left", "a full disk"],
)
async def test_output_that_nobody_takes_ends_the_program_without_a_trace(
    sh: Shell, provider: ProviderServer, words: str, to: str, said: str
) -> None:
    provider.replies += [says("x" * 200_000)]

    out = await sh.shell(f"luxe {words} 2>err {to}; echo code ${{PIPESTATUS[0]}}; cat err")

    assert out.replace("luxe: openai has no credential; set OPENAI_API_KEY\n", "") == (
        f"code 141\n{said}"
    )


async def test_a_closed_output_is_said(sh: Shell) -> None:
    out = await sh.shell("luxe -p hi >&-; echo code $?")

    assert out == "luxe: standard output is closed; there is nowhere to answer\ncode 2\n"
