"""Loads a session of the last server: in the state that its file says, with nothing running."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from luvus_service.adapters.session_files import FileStore
from luvus_service.luxe.domain.handshake import Worktree
from luvus_service.luxe_wiring.kept import CUT, CUT_WAITING, GONE, Kept
from luvus_service.luxe_wiring.opening import Opened, Opener
from luvus_service.luxe_wiring.wish import Wish
from luvus_service.luxe_wiring.words import EXIT_MODEL, EXIT_PROJECT, EXIT_SESSION, StartFault


@dataclass(frozen=True, slots=True)
class Woken:
    """A session that has come back, not begun yet."""

    opened: Opened
    kept: Kept
    notices: Sequence[tuple[str, str]]
    """Code and text of what whoever looks first is told."""


async def woken(opener: Opener, kept: Kept, now_ms: int) -> Woken:
    """Load a session.

    Raises:
        StartFault: Its file or its folder is gone, broken, or used by another process.
    """
    file = await FileStore(opener.home / "sessions").examined(kept.row.session_id)
    if file.missing and kept.started:
        raise StartFault(EXIT_SESSION, GONE)
    if file.open_turn and kept.row.state != "failed":
        kept = kept.failed(CUT, now_ms)
    if file.missing and not await asyncio.to_thread(Path(kept.row.cwd).is_dir):
        raise StartFault(EXIT_PROJECT, f"the folder {kept.row.cwd} of this session is gone")
    opened = await _opened(opener, wish_of(kept, fresh=file.missing))
    if kept.row.permission_mode == "read_only":
        # By somebody's choice, who may take it back; `bound` is for good.
        opened.session.state.permission_mode = "read_only"
    return Woken(opened, kept, tuple(_notices(kept)))


def wish_of(kept: Kept, *, fresh: bool) -> Wish:
    """Return the wish that opens a session again; `fresh` when it has no file."""
    row = kept.row
    # The values were a session's own; one that a later version no longer knows is refused.
    permission = "ask" if row.permission_mode in {"yolo", "read_only"} else row.permission_mode
    return Wish(
        cwd=row.cwd,
        model=row.model,
        thinking=cast("Any", kept.thinking),
        mode=cast("Any", row.mode),
        permission_mode=cast("Any", permission),
        read_only=kept.bound,
        github_writes=kept.github_writes,
        add_dirs=kept.add_dirs,
        resume=None if fresh else row.session_id,
        session_id=row.session_id if fresh else None,
        worktree=Worktree(*kept.worktree) if kept.worktree is not None else None,
    )


async def _opened(opener: Opener, wish: Wish) -> Opened:
    try:
        return await opener.open(wish)
    except StartFault as fault:
        if fault.code != EXIT_MODEL:
            raise
    # Its provider or its key is gone: the session is shown, and refuses turns until one is chosen.
    return await opener.open(replace(wish, model=None))


def _notices(kept: Kept) -> list[tuple[str, str]]:
    said: list[tuple[str, str]] = []
    if kept.row.error in {CUT, CUT_WAITING}:
        said.append(("turn_cut", str(kept.row.error)))
    if loosened := kept.loosened():
        text = "; ".join(loosened)
        said.append(("server_restarted", f"the server was started again: {text}"))
    return said
