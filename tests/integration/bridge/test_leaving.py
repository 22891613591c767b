"""Clients that leave, half-close or wait while a call runs, over real sockets."""

from __future__ import annotations

import asyncio
from pathlib import Path

from luvus_bridge.limits import Limits
from tests.support.bridged import bridge, frame

HELD = b'{"id":"1","result":{"type": "held"}}\n'
QUICK = Limits(hang_up_check_s=0.05)


async def test_a_half_closed_client_still_gets_its_answer(short_tmp: Path) -> None:
    async with bridge(short_tmp, limits=QUICK) as live, live.client() as client:
        await client.send(frame("call.held"))
        client.close_sending_side()
        await live.app.started.get()
        live.app.release.set()

        assert await client.rest() == HELD


async def test_a_half_closed_client_is_not_taken_for_gone(short_tmp: Path) -> None:
    async with bridge(short_tmp, limits=QUICK) as live, live.client() as client:
        await client.send(frame("call.parked"))
        client.close_sending_side()
        await live.app.started.get()

        # A held call of somebody else lets several of the slow looks at the first one pass.
        async with live.client() as other:
            await other.send(frame("call.held"))
            asyncio.get_running_loop().call_later(0.2, live.app.release.set)
            assert await other.rest() == HELD

        assert [live.app.done.get_nowait(), live.app.done.empty()] == ["held", True]
        await client.close()
        assert await live.app.done.get() == "http.disconnect"


async def test_a_waiting_call_learns_at_once_that_its_client_left(short_tmp: Path) -> None:
    async with bridge(short_tmp, limits=Limits(hang_up_check_s=60)) as live:
        async with live.client() as client:
            await client.send(frame("call.parked"))
            await live.app.started.get()

        assert await live.app.done.get() == "http.disconnect"


async def test_a_waiting_call_learns_that_a_half_closed_client_left(short_tmp: Path) -> None:
    async with bridge(short_tmp, limits=QUICK) as live:
        async with live.client() as client:
            await client.send(frame("call.parked"))
            client.close_sending_side()
            await live.app.started.get()

        assert await live.app.done.get() == "http.disconnect"


async def test_a_waiting_call_learns_that_a_client_left_whose_input_is_not_read(
    short_tmp: Path,
) -> None:
    async with bridge(short_tmp, limits=QUICK) as live:
        async with live.client() as client:
            await client.send(frame("call.parked"))
            await client.send(b"x" * 200_000)
            await live.app.started.get()

        assert await live.app.done.get() == "http.disconnect"


async def test_an_accepted_call_is_finished_without_its_client(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live:
        async with live.client() as client:
            await client.send(frame("call.held"))
            await live.app.started.get()
        live.app.release.set()

        assert await live.app.done.get() == "held"
        assert await live.ask(frame("call.held")) == HELD


async def test_a_request_whose_client_leaves_right_after_sending_is_run(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live:
        with live.socket() as sock:
            sock.sendall(frame("call.held"))

        assert await live.app.started.get() == "call.held"
        live.app.release.set()
        assert await live.app.done.get() == "held"


async def test_calls_without_a_client_keep_their_places(short_tmp: Path) -> None:
    async with bridge(short_tmp, limits=Limits(connections=2)) as live:
        for _ in range(2):
            with live.socket() as sock:
                sock.sendall(frame("call.held"))
                await live.app.started.get()
        refused = await live.ask(b"")
        live.app.release.set()
        for _ in range(2):
            await live.app.done.get()

        assert b"server_busy" in refused
        assert await live.ask(frame("call.held")) == HELD


async def test_a_call_keeps_little_of_what_its_client_goes_on_sending(short_tmp: Path) -> None:
    async with bridge(short_tmp) as live:
        with live.socket() as sock:
            sock.sendall(frame("call.held"))
            await live.app.started.get()
            sock.setblocking(False)
            sent = 0
            # The socket's own buffers fill up, because the bridge has stopped reading.
            while live.stats.bytes_in < 65_536 or sent < 4 * 1024 * 1024:
                try:
                    sent += sock.send(b"x" * 65_536)
                except BlockingIOError:
                    break
                await asyncio.sleep(0)
            live.app.release.set()
            assert sent < 2 * 1024 * 1024
            sock.setblocking(True)
            assert await asyncio.to_thread(sock.recv, 1000) == HELD
            assert await asyncio.to_thread(sock.recv, 1000) == b""
