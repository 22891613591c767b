from __future__ import annotations

import pytest

from luvus_service.luxe_wiring.keeper import KIND, Keeper
from luvus_service.luxe_wiring.register import Register
from luvus_service.uhp.domain.storage import StoreFailed
from tests.support.kept_sessions import Live
from tests.support.memory_store import MemoryStore


async def test_only_what_has_changed_is_written_and_all_of_it_at_once() -> None:
    store, register = MemoryStore(), Register()
    keeper = Keeper(store, register.kept)
    await keeper.read()
    one, two = Live("one"), Live("two")
    register.add(one)
    register.add(two)
    assert await keeper.settled() is None
    register.drop(one)
    register.add(Live("three"))
    assert await keeper.settled() is None
    assert await keeper.settled() is None

    assert [len(changes) for changes in store.writes] == [2, 2]
    places, _ = await Keeper(store, dict).read()
    assert [found.row.session_id for found in places.values()] == ["two", "three"]


async def test_a_record_that_cannot_be_read_is_left_alone_and_its_place_too() -> None:
    store = MemoryStore({(KIND, "0000000003"): b'{"of": "a later version"}'})
    register = Register()
    keeper = Keeper(store, register.kept)
    found, last = await keeper.read()
    register.begin_after(last)
    register.add(Live("new"))
    await keeper.settled()

    assert (found, last) == ({}, 3)
    assert sorted(key for _, key in store.records) == ["0000000003", "0000000004"]


async def test_nothing_is_written_over_a_list_that_could_not_be_read() -> None:
    class Broken(MemoryStore):
        async def read(self, kind: str) -> dict[str, bytes]:
            raise StoreFailed("the disk is away")

    store, register = Broken(), Register()
    keeper = Keeper(store, register.kept)
    await keeper.read()
    register.add(Live("new"))

    assert await keeper.settled() == "the disk is away"
    assert store.writes == []


async def test_a_write_that_fails_is_said_and_made_up_for() -> None:
    store, register = MemoryStore(), Register()
    keeper = Keeper(store, register.kept)
    await keeper.read()
    register.add(Live("new"))
    store.fault = "no space"
    said = await keeper.settled()
    store.fault = None
    again = await keeper.settled()
    await keeper.close()

    assert (said, again) == ("no space", None)
    assert len(store.records) == 1


async def test_after_the_last_list_nothing_is_taken_into_it() -> None:
    store, register = MemoryStore(), Register()
    keeper = Keeper(store, register.kept)
    await keeper.read()
    live = Live("one")
    register.add(live)
    await keeper.freeze()
    register.drop(live)
    said = await keeper.settled()
    keeper.changed()
    await keeper.close()

    assert said == "the server is shutting down"
    assert len(store.records) == 1


async def test_a_change_of_a_row_is_stored_without_anybody_asking(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("luvus_service.luxe_wiring.keeper.GAP_S", 0.01)
    store, register = MemoryStore(), Register()
    keeper = Keeper(store, register.kept)
    await keeper.read()
    register.add(Live("one"))
    keeper.changed()
    await store.until(lambda: len(store.records) == 1)
    await keeper.close()

    assert len(store.writes) == 1
