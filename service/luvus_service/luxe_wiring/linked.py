"""`--worktree`: puts a new session into a linked worktree before it begins."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from luvus_service.adapters.session_files import project_key
from luvus_service.adapters.worktrees import WorktreeFault
from luvus_service.adapters.worktrees import entered as entered_worktree
from luvus_service.luxe_wiring.places import places
from luvus_service.luxe_wiring.wish import Wish
from luvus_service.luxe_wiring.words import EXIT_PROJECT, StartFault


async def entered(wish: Wish, home: Path, name: str | None) -> Wish:
    """Return the wish with the folder of its worktree, which is there.

    Raises:
        StartFault: It is no git project, or git refuses.
    """
    where = places(home, wish.cwd)
    if not where.is_git:
        raise StartFault(EXIT_PROJECT, f"--worktree: {wish.cwd} is in no git repository")
    # All worktrees of a repository are beside each other, whichever one this is started in.
    shared = where.shared.parent if where.shared.name == ".git" else where.shared
    folder = home / "worktrees" / project_key(str(shared))
    try:
        made = await entered_worktree(where.root, folder, name)
    except WorktreeFault as fault:
        raise StartFault(EXIT_PROJECT, f"--worktree: {fault}") from fault
    inside = Path(wish.cwd).relative_to(where.root)
    cwd = Path(made.path) / inside
    return replace(wish, cwd=str(cwd if cwd.is_dir() else Path(made.path)), worktree=made)
