"""A server that stops while clients are at work, over real sockets."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from luvus_bridge.limits import Limits
from luvus_bridge.server import BridgeServer
from tests.support.bridged import BridgedApp, bridge, frame, listening

HELD = b'{"id":"1","result":{"type": "held"}}\n'


async def test_calls_in_flight_are_answered_when_the_process_is_terminated(
    short_tmp: Path,
) -> None:
    loop = asyncio.get_running_loop()
    terminated = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, terminated.set)

    limits = Limits(stream_end_s=0.01)
    async with (
        bridge(short_tmp, limits=limits) as live,
        live.client() as first,
        live.client() as second,
    ):
        await first.send(frame("call.held"))
        await second.send(frame("call.held"))
        await live.app.started.get()
        os.kill(os.getpid(), signal.SIGTERM)
        await terminated.wait()
        stopping = loop.create_task(live.server.stop(5))
        loop.call_later(0.2, live.app.release.set)

        assert [await first.rest(), await second.rest()] == [HELD, HELD]
        await stopping


async def test_a_request_that_was_sent_before_the_stop_is_answered(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live:
        with live.socket() as sock:
            sock.sendall(frame("call.echo"))
            stopping = asyncio.get_running_loop().create_task(live.server.stop(5))

            assert (await asyncio.to_thread(sock.recv, 1000)).startswith(b'{"id":"1","result"')
        await stopping


async def test_a_stopped_server_accepts_nobody_and_closes_the_idle(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live, live.client() as idle:
        await idle.send(b'{"id"')

        await live.server.stop(5)

        assert await idle.rest() == b""
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_unix_connection(live.path)


async def test_a_stream_is_told_and_its_last_words_arrive(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live, live.client() as client:
        await client.send(frame("stream.echo"))
        await client.line()

        await live.server.stop(5)

        assert await client.rest() == b'{"event":"bye"}\n'
        assert live.app.disconnects.get_nowait() == 1012


async def test_a_waiting_call_ends_after_the_grace_and_is_answered(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live, live.client() as client:
        await client.send(frame("call.parked"))
        await live.app.started.get()

        await live.server.stop(0.05)

        assert live.app.done.get_nowait() == "http.disconnect"
        assert await client.rest() == b'{"id":"1","result":{"type": "parked"}}\n'


async def test_a_call_that_does_not_end_is_cancelled(short_tmp: Path) -> None:
    limits = Limits(stream_end_s=0.05)
    async with bridge(short_tmp, limits=limits) as live, live.client() as client:
        await client.send(frame("call.stuck"))
        await live.app.started.get()

        await live.server.stop(0.05)

        assert live.app.done.get_nowait() == "stuck"
        assert await client.rest() == b""


async def test_a_client_that_does_not_read_does_not_hold_up_the_stop(short_tmp: Path) -> None:
    limits = Limits(stream_end_s=0.05, drain_s=0.05)
    async with bridge(short_tmp, limits=limits) as live:
        with live.socket() as flooded, live.socket() as unread:
            flooded.sendall(frame("stream.flood", size=10_000))
            unread.sendall(frame("call.large", size=1_000_000))
            for _ in range(2):
                await live.app.started.get()

            async with asyncio.timeout(3):
                await live.server.stop(0.05)


async def test_stopping_twice_or_before_the_start_is_no_error(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live:
        await live.server.stop(1)
        await live.server.stop(1)
    sock = listening(short_tmp / "other")

    await BridgeServer(BridgedApp(), sock, authorize=lambda _peer: True).stop(1)

    assert sock.fileno() == -1


def test_the_bridge_works_on_the_standard_loop_too(short_tmp: Path) -> None:
    async def ask() -> bytes:
        async with bridge(short_tmp) as live, live.client() as client:
            await client.send(frame("stream.echo") + b"close\n")
            client.close_sending_side()
            answer = await client.rest()
            return answer + await live.ask(frame("call.echo"))

    assert asyncio.run(ask()) == (
        b'{"id":"1","result":{"type":"started"}}\n'
        b'{"you": "close"}\n'
        b'{"id":"1","result":{"type": "echo", "params": {}}}\n'
    )
