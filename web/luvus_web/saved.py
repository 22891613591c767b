"""What a new server process needs to serve the same browsers again: an owner-only file.

It holds digests of cookies and never a secret. It is written whole or not at all.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import orjson

from luvus_web.browsers import BROWSERS, Browser

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Saved:
    """A dashboard that was on."""

    address: str
    port: int
    browsers: tuple[Browser, ...]


def save(path: Path, saved: Saved) -> None:
    """Write the file, 0600."""
    value = {
        "format": _FORMAT,
        "address": saved.address,
        "port": saved.port,
        "browsers": [_as_json(browser) for browser in saved.browsers],
    }
    new = path.with_suffix(".new")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(orjson.dumps(value))
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def load(path: Path) -> Saved | None:
    """Read the file; None when there is none, or none that this version understands."""
    try:
        found: Any = orjson.loads(path.read_bytes())
        if found["format"] != _FORMAT:
            return None
        listed = cast("Iterable[dict[str, Any]]", found["browsers"][:BROWSERS])
        browsers = tuple(_from_json(row) for row in listed)
        return Saved(str(found["address"]), int(found["port"]), browsers)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def forget(path: Path) -> None:
    """Remove the file."""
    path.unlink(missing_ok=True)


def _as_json(browser: Browser) -> dict[str, object]:
    return {
        "id": browser.id,
        "digest": browser.digest.hex(),
        "read_only": browser.read_only,
        "agent": browser.agent,
        "since": browser.since,
        "expires": browser.expires,
    }


def _from_json(row: dict[str, Any]) -> Browser:
    return Browser(
        id=str(row["id"]),
        digest=bytes.fromhex(row["digest"]),
        read_only=row["read_only"] is not False,
        agent=str(row["agent"]),
        since=int(row["since"]),
        expires=int(row["expires"]),
    )
