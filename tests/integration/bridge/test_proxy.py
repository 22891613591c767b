"""The stdio profile against a running bridge."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import BinaryIO

import pytest

from luvus_bridge.limits import FRAME_BYTES, Limits
from luvus_bridge.proxy import PENDING_BYTES, run_proxy
from tests.support.bridged import bridge, frame

ECHO = b'{"id":"1","result":{"type": "echo", "params": {}}}\n'
ACK = b'{"id":"1","result":{"type":"started"}}\n'
PROGRAM = (
    "import sys; from luvus_bridge.proxy import run_proxy; sys.exit(run_proxy(sys.argv[1], 0, 1))"
)


class Proxied:
    """A proxy in a thread of this process, with our ends of its pipes."""

    def __init__(self, stdin: BinaryIO, stdout: BinaryIO, ended: asyncio.Task[int]) -> None:
        self.stdin = stdin
        self.stdout = stdout
        self.ended = ended

    async def send(self, received: bytes) -> None:
        await asyncio.to_thread(self.stdin.write, received)

    async def line(self) -> bytes:
        return await asyncio.to_thread(self.stdout.readline)

    async def rest(self) -> bytes:
        return await asyncio.to_thread(self.stdout.read)


@contextmanager
def pipe() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    read_fd, write_fd = os.pipe()
    with os.fdopen(read_fd, "rb") as reader, os.fdopen(write_fd, "wb", buffering=0) as writer:
        yield reader, writer


@asynccontextmanager
async def proxy(path: Path) -> AsyncIterator[Proxied]:
    with pipe() as (stdin, to_stdin), pipe() as (from_stdout, stdout):

        def run() -> int:
            try:
                return run_proxy(str(path), stdin.fileno(), stdout.fileno())
            finally:
                stdout.close()

        ended = asyncio.get_running_loop().create_task(asyncio.to_thread(run))
        try:
            yield Proxied(to_stdin, from_stdout, ended)
        finally:
            to_stdin.close()
            await asyncio.wait({ended}, timeout=5)
            assert ended.done()


async def test_a_request_is_forwarded_and_its_answer_printed(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live, proxy(live.path) as proxied:
        await proxied.send(frame("call.echo"))

        # Standard input stays open: one answer is enough to end.
        assert await proxied.rest() == ECHO
        assert await proxied.ended == 0


async def test_a_request_that_is_piped_in_whole_is_answered(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live, proxy(live.path) as proxied:
        await proxied.send(frame("call.echo"))
        proxied.stdin.close()

        assert await proxied.rest() == ECHO
        assert await proxied.ended == 0


async def test_an_error_answer_is_an_answer(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live, proxy(live.path) as proxied:
        await proxied.send(b"nonsense\n")

        assert json.loads(await proxied.rest())["error"]["message"] == "bad json"
        assert await proxied.ended == 0


async def test_large_frames_pass_in_both_directions(short_tmp: Path) -> None:
    text = "x" * 1_000_000
    async with bridge(short_tmp) as live, proxy(live.path) as proxied:
        await proxied.send(frame("call.echo", text=text))

        assert json.loads(await proxied.rest())["result"]["params"] == {"text": text}


async def test_a_request_that_is_too_long_is_refused_by_the_server(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live, proxy(live.path) as proxied:
        await proxied.send(b" " * FRAME_BYTES + b" \n")

        assert json.loads(await proxied.rest())["error"]["code"] == "frame_too_large"
        assert await proxied.ended == 0


async def test_a_stream_carries_further_lines_of_input(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live, proxy(live.path) as proxied:
        await proxied.send(frame("stream.echo"))
        assert await proxied.line() == ACK
        await proxied.send(b"one\n")
        assert json.loads(await proxied.line()) == {"you": "one"}
        proxied.stdin.close()

        assert await proxied.rest() == b'{"event":"bye"}\n'
        assert await proxied.ended == 0


async def test_a_stream_that_was_piped_in_as_one_line_goes_on(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live, proxy(live.path) as proxied:
        await proxied.send(frame("stream.flood", size=10))
        proxied.stdin.close()
        assert await proxied.line() == ACK

        for _ in range(100):
            assert await proxied.line() == b'{"event": "xxxxxxxxxx"}\n'
        proxied.stdout.close()

        assert await proxied.ended == 0
        assert await live.app.done.get() == "the client left"


async def test_a_reader_that_goes_away_ends_a_silent_stream(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live, proxy(live.path) as proxied:
        await proxied.send(frame("stream.echo"))
        assert await proxied.line() == ACK
        proxied.stdout.close()

        assert await proxied.ended == 0
        assert await live.app.disconnects.get() == 1000


async def test_a_reader_that_stops_holds_the_server_up(short_tmp: Path) -> None:
    limits = Limits(stream_write_s=0.2)
    async with bridge(short_tmp, limits=limits) as live, proxy(live.path) as proxied:
        await proxied.send(frame("stream.flood", size=2000))

        # The server finds its client unwilling, because the proxy keeps only so much.
        assert await live.app.done.get() == "the client does not read"
        assert PENDING_BYTES < live.stats.bytes_out < 8 * PENDING_BYTES
        assert await proxied.line() == ACK
        *lines, _last = (await proxied.rest()).split(b"\n")
        assert {*lines} == {b'{"event": "' + b"x" * 2000 + b'"}'}


@pytest.mark.parametrize("received", [b"", frame("call.echo").rstrip(b"\n")])
async def test_no_whole_request_is_a_failure(
    short_tmp: Path, received: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    async with bridge(short_tmp) as live, proxy(live.path) as proxied:
        await proxied.send(received)
        proxied.stdin.close()

        assert await proxied.rest() == b""
        assert await proxied.ended == 1
        assert live.app.calls == []
    assert capsys.readouterr().err in {
        "luvus: there is no request on standard input\n",
        "luvus: the server closed the connection without an answer\n",
    }


@pytest.mark.parametrize("name", ["missing", "stale", "x" * 120])
async def test_without_a_server_the_exit_code_says_so(
    short_tmp: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = short_tmp / name
    if name == "stale":
        path.touch()

    async with proxy(path) as proxied:
        await proxied.send(frame("call.echo"))
        assert await proxied.ended == 1

    assert capsys.readouterr().err.startswith(f"luvus: no server answers at {path}: ")


async def test_the_program_ends_with_the_code_and_is_interrupted_quietly(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live:
        program = await asyncio.create_subprocess_exec(
            *[sys.executable, "-c", PROGRAM, str(live.path)],
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert program.stdin is not None
        assert program.stdout is not None
        program.stdin.write(frame("stream.echo"))
        assert await program.stdout.readline() == ACK
        program.send_signal(signal.SIGINT)
        out, err = await program.communicate()

        assert (program.returncode, out, err) == (0, b"", b"")
        assert await live.app.disconnects.get() == 1000


def test_the_proxy_imports_little() -> None:
    program = (
        "import sys; before = {*sys.modules}; import luvus_bridge.proxy;"
        "sys.stdout.write(' '.join({*sys.modules} - before))"
    )

    found = subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        capture_output=True,
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
        text=True,
    )

    assert {"luvus_bridge", "luvus_bridge.proxy"} <= {*found.stdout.split()}
    assert not {"asyncio", "orjson", "json", "luvus_bridge.envelope"} & {*found.stdout.split()}
