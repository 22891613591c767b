"""Streams over real sockets."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from pathlib import Path

import pytest

from luvus_bridge.limits import FRAME_BYTES, Limits
from tests.support.bridged import bridge, frame

ACK = {"id": "1", "result": {"type": "started"}}
INTERNAL = {"code": "internal", "message": "the call failed unexpectedly; see the server's log"}


async def test_a_stream_is_acknowledged_and_then_carries_lines_both_ways(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live, live.client() as client:
        await client.send(frame("stream.echo"))
        assert await client.line() == ACK
        await client.send(b'{"a":1}\n{"b":"\xc3\xa9"}\nclose\nlate\n')

        assert [await client.line() for _ in range(3)] == [
            {"you": '{"a":1}'},
            {"you": '{"b":"é"}'},
            {"you": "close"},
        ]
        assert await client.rest() == b""
        assert live.app.calls == ["stream.echo"]


async def test_lines_that_come_with_the_request_are_kept_for_the_stream(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live, live.client() as client:
        await client.send(frame("stream.echo") + b"one\nclose\n")

        assert [await client.line() for _ in range(3)] == [ACK, {"you": "one"}, {"you": "close"}]


async def test_lines_of_one_byte_writes_reach_the_stream(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live, live.client() as client:
        for byte in frame("stream.echo") + b"one\nclose\n":
            await client.send(bytes([byte]))

        assert [await client.line() for _ in range(3)] == [ACK, {"you": "one"}, {"you": "close"}]


@pytest.mark.parametrize("half_close", [True, False])
async def test_the_end_of_the_client_ends_its_stream(short_tmp: Path, half_close: bool) -> None:
    async with bridge(short_tmp) as live, live.client() as client:
        await client.send(frame("stream.echo"))
        assert await client.line() == ACK
        if half_close:
            client.close_sending_side()
            assert await client.rest() == b'{"event":"bye"}\n'
        else:
            await client.close()

        assert await live.app.disconnects.get() == 1000


async def test_a_line_over_the_cap_ends_the_stream_with_a_word(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live, live.client() as client:
        await client.send(frame("stream.echo"))
        await client.send(b"x" * FRAME_BYTES)

        assert await live.app.disconnects.get() == 1009
        *_, told, bye = (await client.rest()).splitlines()
        assert (json.loads(told)["id"], json.loads(told)["error"]["code"]) == (
            "0",
            "frame_too_large",
        )
        assert bye == b'{"event":"bye"}'


async def test_the_largest_line_reaches_the_stream(short_tmp: Path) -> None:
    text = "x" * (FRAME_BYTES - 1)

    async with bridge(short_tmp) as live, live.client() as client:
        await client.send(frame("stream.lazy"))
        assert await client.line() == ACK
        live.app.release.set()
        await client.send(text.encode() + b"\n")

        assert await live.app.done.get() == "line"


async def test_a_stream_that_does_not_read_holds_its_client_up_and_loses_nothing(
    short_tmp: Path,
) -> None:
    lines = 3000
    async with bridge(short_tmp) as live, live.client() as client:
        await client.send(frame("stream.lazy"))
        assert await client.line() == ACK
        sending = asyncio.get_running_loop().create_task(client.send((b"x" * 999 + b"\n") * lines))
        await live.ask(frame("call.echo"))
        held_up = not sending.done() and live.stats.bytes_in < 1_000_000
        live.app.release.set()
        await sending
        client.close_sending_side()

        assert held_up
        assert [await live.app.done.get() for _ in range(lines + 1)] == ["line"] * lines + ["end"]


async def test_the_end_of_a_client_is_noticed_while_its_input_is_not_read(
    short_tmp: Path,
) -> None:
    limits = Limits(hang_up_check_s=0.05)
    async with bridge(short_tmp, limits=limits) as live:
        with live.socket() as sock:
            sock.sendall(frame("stream.lazy"))
            await live.app.started.get()
            sock.setblocking(False)
            sock.send(b"x\n" * 90_000)
        live.app.release.set()
        while await live.app.done.get() != "end":
            pass


async def test_a_subscriber_that_stops_reading_is_cut_off_and_counted(short_tmp: Path) -> None:
    async with bridge(short_tmp, limits=Limits(stream_write_s=0.1)) as live:
        with live.socket() as sock:
            sock.sendall(frame("stream.flood", size=10_000))

            assert await live.app.done.get() == "the client does not read"
            assert await live.ask(frame("call.echo"))
            assert (live.stats.write_timeouts, live.stats.streams) == (1, 0)


async def test_a_subscriber_that_leaves_ends_the_writing(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live:
        with live.socket() as sock:
            sock.sendall(frame("stream.flood", size=100))
            await asyncio.to_thread(sock.recv, 1000)

        assert await live.app.done.get() == "the client left"


async def test_a_slow_reader_gets_every_line(short_tmp: Path) -> None:
    def read_slowly(sock: socket.socket) -> list[bytes]:
        with sock.makefile("rb", buffering=512) as stream:
            return [stream.readline() for _ in range(500)]

    async with bridge(short_tmp) as live:
        with live.socket() as sock:
            sock.sendall(frame("stream.flood", size=5000))
            lines = await asyncio.to_thread(read_slowly, sock)

    assert json.loads(lines[0]) == ACK
    assert {*map(json.dumps, map(json.loads, lines[1:]))} == {json.dumps({"event": "x" * 5000})}


async def test_a_stream_that_is_refused_answers_with_the_error(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live:
        found = await live.ask(frame("stream.deny"))

    assert json.loads(found) == {
        "id": "1",
        "error": {"code": "unavailable", "message": "no place left"},
    }


async def test_a_stream_that_crashes_early_is_answered(
    short_tmp: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)

    async with bridge(short_tmp) as live:
        early = await live.ask(frame("stream.crash"))
        late = await live.ask(frame("stream.crash", late=True))

    assert json.loads(early) == {"id": "1", "error": INTERNAL}
    assert json.loads(late) == ACK
    assert caplog.text.count("the app raised for stream.crash") == 2


async def test_sixty_four_streams_at_once_leave_the_server_working(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live:
        sockets = [live.socket() for _ in range(64)]
        for sock in sockets:
            sock.sendall(frame("stream.echo"))
        for sock in sockets:
            found = await asyncio.to_thread(sock.recv, 1000)
            assert json.loads(found) == ACK
        assert (live.stats.streams, live.stats.active) == (64, 64)
        for sock in sockets:
            sock.close()
        codes = {await live.app.disconnects.get() for _ in sockets}

        assert codes == {1000}
        assert await live.ask(frame("call.echo"))
        assert live.stats.streams == 0
