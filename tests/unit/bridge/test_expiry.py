from __future__ import annotations

import asyncio

from luvus_bridge.expiry import Expiry


class Recorder:
    """Keeps what expired, and lets a test wait for it."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self._more = asyncio.Event()

    def __call__(self, key: str) -> None:
        self.keys.append(key)
        self._more.set()

    async def count(self, wanted: int) -> None:
        while len(self.keys) < wanted:
            self._more.clear()
            await self._more.wait()


async def test_keys_expire_in_the_order_in_which_they_started() -> None:
    expired = Recorder()
    expiry = Expiry(asyncio.get_running_loop(), 0.02, expired)

    for key in "abc":
        expiry.start(key)
    expiry.end("b")
    expiry.end("unknown")
    await expired.count(2)

    assert (expired.keys, len(expiry)) == (["a", "c"], 0)


async def test_a_key_that_is_started_again_has_its_whole_time() -> None:
    loop = asyncio.get_running_loop()
    expired = Recorder()
    expiry = Expiry(loop, 0.05, expired)

    expiry.start("a")
    expiry.start("b")
    expiry.start("a")
    await expired.count(2)

    assert expired.keys == ["b", "a"]


async def test_an_action_may_start_its_key_again_without_holding_up_others() -> None:
    loop = asyncio.get_running_loop()
    times: list[tuple[str, float]] = []
    done = asyncio.Event()

    def act(key: str) -> None:
        times.append((key, loop.time()))
        if key == "again" and len(times) == 1:
            expiry.start(key)
        if key == "later":
            done.set()

    expiry = Expiry(loop, 0.2, act)
    expiry.start("again")
    loop.call_later(0.05, expiry.start, "later")
    await done.wait()

    assert [key for key, _ in times] == ["again", "later"]
    expiry.close()


async def test_a_closed_expiry_expires_nothing() -> None:
    loop = asyncio.get_running_loop()
    expired = Recorder()
    later = Recorder()
    closed, other = Expiry(loop, 0.01, expired), Expiry(loop, 0.03, later)
    closed.start("a")
    other.start("b")

    closed.close()
    await later.count(1)

    assert expired.keys == []
