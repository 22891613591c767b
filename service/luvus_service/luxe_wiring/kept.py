"""What is remembered of an open agent session, so that the next server has it too.

Knows no store and no live session. What was allowed to one process only is told, not given back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import orjson
from pydantic import TypeAdapter, ValidationError

from luvus_service.luxe_wiring.rows import SessionRow

CUT: Final = (
    "the server ended during a turn: the turn is closed, and nothing of it runs again by itself"
)
CUT_WAITING: Final = (
    "the server ended while a turn waited for an answer: the turn is closed, what it asked for "
    "is withdrawn, and nothing of it runs again by itself"
)
GONE: Final = "the file of this session is gone from the disk"


class Unreadable(Exception):
    """A record that this program cannot read; the text says why."""


@dataclass(frozen=True, slots=True)
class Kept:
    """One session, as far as its own file does not say it."""

    row: SessionRow
    """How it stood, without what lasts for a moment only."""
    first_id: str
    """Of the session it was opened with, which finds it too."""
    started: bool
    """Whether it has a file: it has had a message."""
    thinking: str
    bound: bool
    """Whether it is read-only for good."""
    add_dirs: tuple[str, ...] = ()
    github_writes: bool = False
    auto_approve: bool = False
    trusted_once: bool = False
    worktree: tuple[str, str, str] | None = None
    """Path, branch and base."""

    def back(self, now_ms: int) -> Kept:
        """Return it as the next server has it: nothing runs, and nothing waits."""
        if self.row.state not in {"working", "blocked"}:
            return self
        why = CUT_WAITING if self.row.state == "blocked" else CUT
        return self.failed(why, now_ms)

    def failed(self, why: str, now_ms: int) -> Kept:
        """Return it as it stands after a failure."""
        return replace(self, row=replace(self.row, state="failed", error=why, since_ms=now_ms))

    def loosened(self) -> tuple[str, ...]:
        """Say what was allowed to the process that ended, and is not to the next one."""
        said = {
            "auto-approve is off": self.auto_approve,
            "the permission mode is ask, no longer yolo": self.row.permission_mode == "yolo",
            "the project's own configuration counts only after `luxe trust`": self.trusted_once,
        }
        return tuple(text for text, so in said.items() if so)


def lasting(row: SessionRow) -> SessionRow:
    """Return a row without what lasts for a moment only."""
    return replace(
        row,
        streaming=False,
        activity="idle",
        pending_permissions=0,
        pending_questions=0,
        prompts=(),
        viewers=0,
    )


def encoded(kept: Kept) -> bytes:
    """Return it as the body of a record."""
    return orjson.dumps(kept)


def decoded(body: bytes) -> Kept:
    """Read the body of a record.

    Raises:
        Unreadable: Another version wrote it, or it is broken.
    """
    try:
        return _reader().validate_json(body)
    except ValidationError as fault:
        first = fault.errors(include_url=False, include_input=False)[0]
        raise Unreadable(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from fault


def _reader() -> TypeAdapter[Kept]:
    return TypeAdapter(Kept)
