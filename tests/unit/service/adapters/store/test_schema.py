"""How older databases become present ones."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from luvus_service.adapters.store.schema import MIGRATIONS, Newer, prepare


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        yield made


def version(connection: sqlite3.Connection) -> str:
    query = "SELECT value FROM meta WHERE name = 'schema'"
    return str(connection.execute(query).fetchone()[0])


def second(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE later (x TEXT)")


def failing(connection: sqlite3.Connection) -> None:
    connection.execute("DROP TABLE record")
    connection.execute("NO SQL AT ALL")


def test_only_the_missing_steps_are_made(connection: sqlite3.Connection) -> None:
    prepare(connection)
    assert version(connection) == str(len(MIGRATIONS))
    connection.execute("INSERT INTO record (kind, key, body) VALUES ('a', 'b', x'00')")

    prepare(connection, (*MIGRATIONS, second))
    prepare(connection, (*MIGRATIONS, second))

    assert version(connection) == str(len(MIGRATIONS) + 1)
    assert connection.execute("SELECT count(*) FROM record").fetchone() == (1,)


def test_a_step_that_fails_leaves_everything_as_it_was(connection: sqlite3.Connection) -> None:
    prepare(connection)

    with pytest.raises(sqlite3.Error):
        prepare(connection, (*MIGRATIONS, second, failing))

    assert version(connection) == str(len(MIGRATIONS))
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    assert sorted(tables) == [("meta",), ("record",)]


def test_a_later_version_is_refused(connection: sqlite3.Connection) -> None:
    prepare(connection, (*MIGRATIONS, second))

    with pytest.raises(Newer):
        prepare(connection)
