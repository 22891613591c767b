"""The tables of a session's database, and how older ones become them.

The SQL keeps to what PostgreSQL understands too, so that a shared ledger can follow.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

PRODUCT = "luvus-session"


class Foreign(Exception):
    """A database of somebody else."""


class Newer(Exception):
    """A database of a later version of this program."""


def _first(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
    connection.execute(
        "CREATE TABLE record (kind TEXT NOT NULL, key TEXT NOT NULL, body BLOB NOT NULL, "
        "PRIMARY KEY (kind, key))"
    )
    connection.execute("INSERT INTO meta (name, value) VALUES ('product', ?)", (PRODUCT,))
    connection.execute("INSERT INTO meta (name, value) VALUES ('schema', '0')")


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (_first,)
"""The step at index N makes version N+1 of version N."""


def prepare(
    connection: sqlite3.Connection,
    migrations: tuple[Callable[[sqlite3.Connection], None], ...] = MIGRATIONS,
) -> None:
    """Bring a database to the present version, in one transaction.

    Raises:
        Foreign: It holds tables that are not ours.
        Newer: A later version made it.
        sqlite3.Error: It is broken or cannot be written.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        found = _version(connection)
        if found > len(migrations):
            raise Newer(f"it has version {found}, this program knows {len(migrations)}")
        for step in migrations[found:]:
            step(connection)
        if found < len(migrations):
            version = str(len(migrations))
            connection.execute("UPDATE meta SET value = ? WHERE name = 'schema'", (version,))
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection) -> int:
    query = "SELECT name FROM sqlite_master WHERE type = 'table'"
    tables = {str(row[0]) for row in connection.execute(query)}
    if not tables:
        return 0
    if "meta" not in tables:
        raise Foreign("it holds other tables")
    try:
        meta = dict(connection.execute("SELECT name, value FROM meta").fetchall())
    except sqlite3.OperationalError as fault:
        raise Foreign("its table meta is not ours") from fault
    version = str(meta.get("schema", ""))
    if meta.get("product") != PRODUCT or not version.isdecimal():
        raise Foreign("it is of another program")
    return int(version)
