"""The store: what is written stays, and no file is lost."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from luvus_service.adapters.store import sqlite as module
from luvus_service.adapters.store.sqlite import SqliteStore
from luvus_service.uhp.domain.storage import Delete, Put, StoreFailed


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    made = SqliteStore(path)
    yield made
    await made.close()


def database(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


async def test_what_is_written_is_read_again_also_by_a_later_server(path: Path) -> None:
    store = SqliteStore(path)
    await store.write([Put("a", "1", b"one"), Put("a", "2", b"\0\xff"), Put("b", "1", b"")])
    await store.write([Put("a", "1", b"uno"), Delete("a", "2"), Delete("a", "9")])
    await store.close()

    later = SqliteStore(path)
    assert await later.read("a") == {"1": b"uno"}
    assert await later.keys("b") == {"1"}
    assert await later.read("c") == {}
    await later.close()


async def test_all_files_are_readable_by_their_owner_only(path: Path, store: SqliteStore) -> None:
    await store.write([Put("a", "1", b"x")])

    modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in path.parent.iterdir()}
    assert modes == {"session.db": 0o600, "session.db-wal": 0o600, "session.db-shm": 0o600}


async def test_of_changes_that_fail_none_is_made(store: SqliteStore) -> None:
    await store.write([Put("a", "1", b"one")])

    with pytest.raises(StoreFailed):
        await store.write([Put("a", "1", b"two"), Put("a", "2", None)])  # type: ignore[arg-type]

    assert await store.read("a") == {"1": b"one"}


async def test_a_write_whose_caller_went_away_is_whole_and_harms_no_other(
    store: SqliteStore,
) -> None:
    writing = asyncio.get_running_loop().create_task(store.write([Put("a", "1", b"one")]))
    await asyncio.sleep(0)
    writing.cancel()

    await store.write([Put("a", "2", b"two")])

    assert await store.read("a") in ({"1": b"one", "2": b"two"}, {"2": b"two"})
    assert writing.cancelled() or writing.done()


@pytest.mark.parametrize("damage", ["no database", "header", "page", "empty", "garbage in the log"])
async def test_a_broken_file_is_put_aside_and_the_store_begins_anew(
    path: Path, damage: str
) -> None:
    store = SqliteStore(path)
    await store.write([Put("a", str(n), b"x" * 5000) for n in range(20)])
    await store.close()
    raw = bytearray(path.read_bytes())
    if damage == "no database":
        raw = bytearray(b"This is a text of more than one hundred bytes. " * 10)
    elif damage == "header":
        raw[:16] = bytes(16)
    elif damage == "page":
        raw[4096:12288] = b"\xff" * 8192
    elif damage == "empty":
        raw = bytearray()
    elif damage == "garbage in the log":
        path.with_name("session.db-wal").write_bytes(b"\xff" * 10000)
    path.write_bytes(raw)

    later = SqliteStore(path)
    found = await later.read("a")
    await later.write([Put("a", "new", b"y")])
    assert "new" in await later.keys("a")
    await later.close()

    if damage == "garbage in the log":
        assert len(found) == 20
    else:
        assert found == {}
    if damage in ("no database", "header", "page"):
        assert later.put_aside == path.with_name("session.db.broken-1")
        assert later.put_aside.read_bytes() == raw
    else:
        assert later.put_aside is None


async def test_a_database_of_another_program_is_put_aside_unchanged(path: Path) -> None:
    database(path, "CREATE TABLE meta (name TEXT, value TEXT)", "CREATE TABLE precious (x)")
    before = path.read_bytes()

    store = SqliteStore(path)
    await store.write([Put("a", "1", b"x")])
    await store.close()

    assert path.with_name("session.db.broken-1").read_bytes() == before


async def test_a_database_of_a_later_version_is_left_alone_and_nothing_is_stored(
    path: Path,
) -> None:
    store = SqliteStore(path)
    await store.write([Put("a", "1", b"x")])
    await store.close()
    database(path, "UPDATE meta SET value = '99' WHERE name = 'schema'")
    before = path.read_bytes()

    later = SqliteStore(path)
    for _ in range(2):
        with pytest.raises(StoreFailed, match="later version"):
            await later.write([Put("a", "1", b"y")])
    with pytest.raises(StoreFailed, match="later version"):
        await later.read("a")
    await later.close()

    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == ["session.db"]


async def test_broken_files_are_never_put_over_one_another(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "KEPT_ASIDE", 2)
    for number in range(2):
        path.write_bytes(b"broken %d " % number * 50)
        store = SqliteStore(path)
        assert await store.read("a") == {}
        await store.close()

    path.write_bytes(b"broken 2 " * 50)
    store = SqliteStore(path)
    with pytest.raises(StoreFailed, match="remove its broken copies"):
        await store.read("a")
    with pytest.raises(StoreFailed):
        await store.write([Put("a", "1", b"x")])
    await store.close()

    assert path.read_bytes() == b"broken 2 " * 50
    assert path.with_name("session.db.broken-1").read_bytes() == b"broken 0 " * 50


async def test_a_reader_of_the_file_does_not_hold_up_a_write(
    path: Path, store: SqliteStore
) -> None:
    await store.write([Put("a", "1", b"x")])

    with closing(sqlite3.connect(path)) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM record").fetchone() == (1,)
        await store.write([Put("a", "2", b"x")])

    assert await store.keys("a") == {"1", "2"}


async def test_calls_that_wait_for_the_disk_are_limited(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "QUEUED", 2)
    calls = [store.write([Put("a", str(n), b"x")]) for n in range(4)]

    results = await asyncio.gather(*calls, return_exceptions=True)

    assert [type(r) for r in results] == [type(None), type(None), StoreFailed, StoreFailed]


async def test_a_closed_store_stores_nothing(store: SqliteStore) -> None:
    await store.close()
    await store.close()

    with pytest.raises(StoreFailed):
        await store.write([Put("a", "1", b"x")])


async def test_a_folder_that_is_not_there_is_a_failure_and_not_an_end(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "missing" / "session.db")

    with pytest.raises(StoreFailed):
        await store.write([Put("a", "1", b"x")])

    (tmp_path / "missing").mkdir()
    await store.write([Put("a", "1", b"x")])
    await store.close()
