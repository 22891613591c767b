"""Frames that wait for the next one, so that a page is woken less often."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from luvus_web.asgi import Message, Receive, Scope, Send
from luvus_web.batches import HELD, HOLD_S, LINES, PATIENT, Batches
from luvus_web.browsers import Browser, Browsers
from luvus_web.streams import run_as
from tests.support.virtual_time import in_virtual_time

OUTPUT = PATIENT + ',"sequence":%d,"data":{}}'
STATUS = '{"event":"pane.agent_status_changed","sequence":%d,"data":{}}'


@dataclass
class Client:
    """What came, and when since the beginning."""

    began: float = field(default_factory=lambda: asyncio.get_running_loop().time())
    messages: list[tuple[float, str]] = field(default_factory=list[tuple[float, str]])
    gone: bool = False

    async def send(self, message: Message) -> None:
        """Take a message."""
        if self.gone:
            raise OSError("the client is gone")
        at = round(asyncio.get_running_loop().time() - self.began, 3)
        if message["type"] == "websocket.send":
            self.messages.append((at, message["text"]))
        else:
            said = {key: value for key, value in message.items() if key != "type"}
            self.messages.append((at, f"{message['type']} {said}"))


def sent(text: str) -> Message:
    """Return a message of one frame."""
    return {"type": "websocket.send", "text": text}


@in_virtual_time
async def test_output_waits_and_arrives_in_one_message() -> None:
    client = Client()
    batches = Batches(client.send)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(batches.run())

        for number in range(3):
            await batches.send(sent(OUTPUT % number))
            await asyncio.sleep(0.02)
        await asyncio.sleep(1)
        await batches.send(sent(OUTPUT % 3))
        await asyncio.sleep(1)

        running.cancel()
    assert client.messages == [
        (HOLD_S, "\n".join(OUTPUT % number for number in range(3))),
        (1.26, OUTPUT % 3),
    ]


@in_virtual_time
async def test_a_frame_that_cannot_wait_takes_along_those_before_it_in_order() -> None:
    client = Client()
    batches = Batches(client.send)

    await batches.send(sent(OUTPUT % 1))
    await batches.send(sent(STATUS % 2))
    await batches.send(sent(STATUS % 3))
    await batches.send(sent(OUTPUT % 4))
    await batches.send({"type": "websocket.close", "code": 1000})

    assert client.messages == [
        (0, f"{OUTPUT % 1}\n{STATUS % 2}"),
        (0, STATUS % 3),
        (0, OUTPUT % 4),
        (0, "websocket.close {'code': 1000}"),
    ]


@in_virtual_time
async def test_no_more_than_a_number_of_frames_wait() -> None:
    client = Client()
    batches = Batches(client.send)

    for number in range(HELD + 1):
        await batches.send(sent(OUTPUT % number))

    assert client.messages == [(0, "\n".join(OUTPUT % number for number in range(HELD)))]


@in_virtual_time
async def test_waiting_frames_of_a_client_that_is_gone_are_dropped() -> None:
    client = Client(gone=True)
    batches = Batches(client.send)

    await batches.send(sent(OUTPUT % 1))
    await batches.run()

    assert client.messages == []


async def two_frames(_scope: Scope, _receive: Receive, send: Send) -> None:
    """Be an app that accepts, announces output twice and waits."""
    await send({"type": "websocket.accept"})
    await send(sent(OUTPUT % 1))
    await send(sent(OUTPUT % 2))
    await asyncio.sleep(1)
    await send({"type": "websocket.close", "code": 1000})


async def streamed(offered: list[str]) -> list[tuple[float, str]]:
    """Return what a client gets that offers these subprotocols."""
    client = Client()
    scope: dict[str, Any] = {"type": "websocket", "headers": [], "subprotocols": offered}

    async def nothing() -> Message:
        return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]

    await run_as(logged_in(), "token", two_frames, scope, nothing, client.send, left_s=60)
    return client.messages


def logged_in() -> Browser:
    """Return a browser."""
    browsers = Browsers(lambda: 1000.0)
    entered = browsers.redeem(browsers.issue(read_only=False), "Firefox")
    assert entered is not None
    return entered[0]


@in_virtual_time
async def test_a_client_that_offers_lines_gets_several_frames_in_one_message() -> None:
    assert await streamed(["other", LINES]) == [
        (0, f"websocket.accept {{'subprotocol': '{LINES}'}}"),
        (HOLD_S, f"{OUTPUT % 1}\n{OUTPUT % 2}"),
        (1, "websocket.close {'code': 1000}"),
    ]


@in_virtual_time
async def test_a_client_that_offers_nothing_gets_a_frame_a_message() -> None:
    assert await streamed([]) == [
        (0, "websocket.accept {}"),
        (0, OUTPUT % 1),
        (0, OUTPUT % 2),
        (1, "websocket.close {'code': 1000}"),
    ]
