"""Requests with one answer, over real sockets."""

from __future__ import annotations

import asyncio
import json
import logging
import select
import socket
import sys
from pathlib import Path

import pytest

from luvus_bridge.limits import FRAME_BYTES, Limits
from luvus_bridge.stats import BridgeStats
from tests.support.bridged import bridge, frame

ECHO = b'{"id":"1","result":{"type": "echo", "params": {}}}\n'


def read_all(sock: socket.socket) -> bytes:
    with sock.makefile("rb") as stream:
        return stream.read()


def drip_until_closed(sock: socket.socket) -> None:
    """Send a byte now and then until the other side has gone."""
    poll = select.poll()
    poll.register(sock, 0)
    try:
        while not poll.poll(10):
            sock.sendall(b" ")
    except OSError:
        return


async def test_a_request_gets_one_line_and_a_clean_end(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live:
        assert await live.ask(frame("call.echo")) == ECHO


async def test_an_error_of_the_app_is_passed_on(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live:
        found = await live.ask(frame("call.refuse", request_id="x:9"))

    assert json.loads(found) == {
        "id": "x:9",
        "error": {"code": "not_found", "message": "no such pane: 42"},
    }


async def test_a_crash_of_the_app_tells_the_client_nothing_and_the_log_all(
    short_tmp: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)

    async with bridge(short_tmp) as live:
        found = await live.ask(frame("call.crash"))

    assert json.loads(found) == {
        "id": "1",
        "error": {
            "code": "internal",
            "message": "the call failed unexpectedly; see the server's log",
        },
    }
    assert "a secret detail" in caplog.text


async def test_a_request_of_one_byte_writes_is_answered(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live, live.client() as client:
        for byte in frame("call.echo"):
            await client.send(bytes([byte]))

        assert await client.rest() == ECHO


async def test_a_request_without_line_end_is_dropped_without_a_word(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live, live.client() as client:
        await client.send(frame("call.echo").rstrip(b"\n"))
        client.close_sending_side()

        assert await client.rest() == b""
        assert live.app.calls == []


@pytest.mark.parametrize("half_close", [True, False])
async def test_a_second_frame_in_the_same_write_is_ignored(
    short_tmp: Path, half_close: bool
) -> None:
    async with bridge(short_tmp) as live, live.client() as client:
        await client.send(frame("call.echo") + frame("call.echo", request_id="2"))
        if half_close:
            client.close_sending_side()

        assert await client.rest() == ECHO
        assert live.app.calls == ["call.echo"]


async def test_a_repeated_key_is_refused_without_a_call(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live:
        found = await live.ask(b'{"id":"1","id":"2","method":"call.echo","params":{}}\n')

        assert json.loads(found) == {
            "id": "0",
            "error": {"code": "invalid_request", "message": "bad json"},
        }
        assert live.app.calls == []


@pytest.mark.parametrize("size", [70_000, 400_000])
async def test_large_requests_are_read_whole(short_tmp: Path, size: int) -> None:
    text = "é:" * (size // 3)

    async with bridge(short_tmp) as live:
        found = await live.ask(frame("call.echo", text=text))

    assert json.loads(found)["result"]["params"] == {"text": text}


async def test_a_large_frame_that_is_no_request_is_refused(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live:
        found = await live.ask(b"[" + b" " * 100_000 + b"\n")

        assert json.loads(found)["error"]["message"] == "bad json"
        assert live.stats.active == 0


async def test_the_largest_frame_is_read_and_one_more_byte_is_refused(short_tmp: Path) -> None:
    request = frame("call.echo")
    padding = b" " * (FRAME_BYTES - len(request))

    async with bridge(short_tmp) as live:
        full = await live.ask(padding + request)
        over = await live.ask(padding + b" " + request)

    assert full == ECHO
    assert (json.loads(over)["id"], json.loads(over)["error"]["code"]) == ("0", "frame_too_large")


async def test_a_client_that_sends_too_much_reads_its_refusal_and_a_clean_end(
    short_tmp: Path,
) -> None:
    def send_and_read(path: Path) -> bytes:
        with socket.socket(socket.AF_UNIX) as sock:
            sock.connect(str(path))
            sock.sendall(b" " * (FRAME_BYTES + 1) + b"\n")
            received = b""
            while piece := sock.recv(65536):
                received += piece
            return received

    async with bridge(short_tmp) as live:
        found = await asyncio.to_thread(send_and_read, live.path)

    assert json.loads(found)["error"]["code"] == "frame_too_large"


async def test_a_client_that_never_stops_sending_is_cut_off(short_tmp: Path) -> None:
    def flood(path: Path) -> int:
        sent = 0
        with socket.socket(socket.AF_UNIX) as sock:
            sock.connect(str(path))
            try:
                while sent < 64 * FRAME_BYTES:
                    sent += sock.send(b"x" * 65536)
            except OSError:
                return sent
        return sent

    limits = Limits(drain_s=10)
    async with bridge(short_tmp, limits=limits) as live:
        sent = await asyncio.to_thread(flood, live.path)

    assert sent < 8 * FRAME_BYTES


async def test_an_answered_client_that_stays_is_closed_after_the_drain_time(
    short_tmp: Path,
) -> None:
    async with bridge(short_tmp, limits=Limits(drain_s=0.05)) as live:
        with live.socket() as sock:
            sock.sendall(frame("call.echo"))
            assert await asyncio.to_thread(read_all, sock) == ECHO

            await asyncio.to_thread(drip_until_closed, sock)


async def test_the_answered_no_longer_hold_a_place(short_tmp: Path) -> None:
    limits = Limits(connections=1, lingering=2)

    async with bridge(short_tmp, limits=limits) as live:
        clients: list[socket.socket] = []
        for _ in range(4):
            sock = live.socket()
            clients.append(sock)
            await asyncio.to_thread(sock.sendall, frame("call.echo"))
            assert await asyncio.to_thread(read_all, sock) == ECHO
        for sock in clients:
            sock.close()

    assert (live.stats.accepted, live.stats.rejected) == (4, 0)


async def test_a_silent_client_is_closed_without_a_word_and_counted(short_tmp: Path) -> None:
    async with bridge(short_tmp, limits=Limits(first_frame_s=0.05)) as live:
        assert await live.ask(b"") == b""
        assert await live.ask(b'{"id":"1"') == b""

        assert (live.stats.initial_frame_timeouts, live.stats.active) == (2, 0)


async def test_a_dripping_client_does_not_gain_time(short_tmp: Path) -> None:
    async with bridge(short_tmp, limits=Limits(first_frame_s=0.1)) as live:
        with live.socket() as sock:
            await asyncio.to_thread(drip_until_closed, sock)

        assert live.stats.initial_frame_timeouts == 1


async def test_the_eighty_first_connection_is_told_that_the_server_is_busy(
    short_tmp: Path,
) -> None:
    async with bridge(short_tmp) as live:
        silent = [live.socket() for _ in range(80)]
        found = await live.ask(b"")
        for sock in silent:
            sock.close()
        after = await live.ask(frame("call.echo"))

    assert json.loads(found) == {
        "id": "0",
        "error": {
            "code": "server_busy",
            "message": "all 80 connections are in use; try again in a moment",
            "retryable": True,
        },
    }
    assert (after, live.stats.rejected, live.stats.accepted) == (ECHO, 1, 81)


async def test_a_busy_server_answers_also_a_client_that_has_already_sent(short_tmp: Path) -> None:
    async with bridge(short_tmp, limits=Limits(connections=1)) as live:
        with live.socket():
            found = await live.ask(frame("call.echo", text="x" * 100_000))

    assert json.loads(found)["error"]["code"] == "server_busy"


async def test_an_answer_over_the_cap_becomes_a_small_error(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live:
        found = await live.ask(frame("call.large", size=FRAME_BYTES))

    assert json.loads(found)["error"]["code"] == "internal"
    assert len(found) < 200


async def test_a_large_answer_arrives_whole(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live:
        found = await live.ask(frame("call.large", size=1_000_000))

    assert json.loads(found)["result"]["text"] == "x" * 1_000_000


async def test_a_client_that_never_reads_its_answer_is_cut_off_and_counted(
    short_tmp: Path,
) -> None:
    def until_hung_up(sock: socket.socket) -> None:
        # Never reading: only the end of the connection makes writing fail.
        try:
            while True:
                sock.sendall(b"x")
        except OSError:
            return

    limits = Limits(reply_write_s=0.1, drain_bytes=1 << 40)
    async with bridge(short_tmp, limits=limits) as live:
        with live.socket() as sock:
            sock.sendall(frame("call.large", size=1_000_000))
            await asyncio.to_thread(until_hung_up, sock)
            assert await live.ask(frame("call.echo")) == ECHO

        assert (live.stats.write_timeouts, live.stats.active) == (1, 0)


async def test_a_slow_reader_of_a_large_answer_keeps_its_place_until_it_has_it(
    short_tmp: Path,
) -> None:
    async with bridge(short_tmp) as live:
        with live.socket() as sock:
            sock.sendall(frame("call.large", size=1_000_000))
            await live.app.started.get()
            assert live.stats.active == 1
            received = await asyncio.to_thread(read_all, sock)

        assert len(json.loads(received)["result"]["text"]) == 1_000_000


async def test_a_stranger_is_closed_silently(short_tmp: Path) -> None:
    async with (
        bridge(short_tmp, authorize=lambda _peer: False) as live,
        live.client() as client,
    ):
        assert await client.rest() == b""
        assert (live.stats.unauthorized, live.stats.active, live.app.calls) == (1, 0, [])


async def test_a_check_that_fails_lets_nobody_in(short_tmp: Path) -> None:
    def broken(_peer: socket.socket) -> bool:
        raise LookupError("no such credentials")

    failures: list[BaseException | None] = []
    asyncio.get_running_loop().set_exception_handler(
        lambda _loop, context: failures.append(context.get("exception"))
    )

    async with bridge(short_tmp, authorize=broken) as live, live.client() as client:
        assert await client.rest() == b""
        assert live.app.calls == []

    assert [type(failure) for failure in failures] == [LookupError]


async def test_the_check_sees_the_real_peer(short_tmp: Path) -> None:
    seen: list[tuple[socket.AddressFamily, int]] = []

    def authorize(peer: socket.socket) -> bool:
        seen.append((peer.family, peer.getsockopt(socket.SOL_SOCKET, socket.SO_TYPE)))
        return True

    async with bridge(short_tmp, authorize=authorize) as live:
        assert await live.ask(frame("call.echo")) == ECHO

    assert seen == [(socket.AF_UNIX, socket.SOCK_STREAM)]


async def test_the_counters_count(short_tmp: Path) -> None:
    request = frame("call.echo")
    async with bridge(short_tmp) as live:
        for _ in range(3):
            await live.ask(request)
        bad = await live.ask(b"[]\n")

    stats = live.stats
    assert stats.latency_us_total > 0
    assert stats.mean_latency_us == stats.latency_us_total // 4
    stats.latency_us_total = 0
    assert stats == BridgeStats(
        capacity=80,
        accepted=4,
        completed=4,
        bytes_in=3 * len(request) + 3,
        bytes_out=3 * len(ECHO) + len(bad),
    )
    assert BridgeStats().mean_latency_us == 0


@pytest.mark.skipif(sys.platform != "linux", reason="counts open descriptors in /proc")
async def test_two_hundred_requests_leave_no_descriptor_behind(short_tmp: Path) -> None:
    def descriptors() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    async with bridge(short_tmp) as live:
        await live.ask(frame("call.echo"))
        before = descriptors()
        for _ in range(200):
            assert await live.ask(frame("call.echo")) == ECHO

        assert descriptors() <= before + 2
