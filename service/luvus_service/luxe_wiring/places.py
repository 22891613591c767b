"""Where the agent's own files are, and which project a folder belongs to."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from luvus_service.settings import Settings


def luxe_home(settings: Settings) -> Path:
    """Return the folder of Luxe's own files."""
    found = settings.env.get("LUXE_HOME")
    return Path(found) if found else Path(settings.env.get("HOME") or "/") / ".luxe"


def top_level(folder: Path) -> Path | None:
    """Return the work tree a folder is in."""
    return next((f for f in (folder, *folder.parents) if (f / ".git").exists()), None)


@dataclass(frozen=True, slots=True)
class Places:
    """The folders of one project."""

    home: Path
    cwd: str
    root: Path
    is_git: bool
    state: Path
    """What is remembered about the project; all worktrees of a repository share it."""
    shared: Path
    """The repository that all worktrees share, or the root."""

    @property
    def rules(self) -> tuple[Path, Path, Path]:
        """The user's, the project's and the stored permission rules."""
        return (
            self.home / "permissions.toml",
            self.root / ".luxe/permissions.toml",
            self.state / "permissions.toml",
        )


def places(home: Path, cwd: str) -> Places:
    """Return the folders of the project of a real path."""
    found = top_level(Path(cwd))
    root = found or Path(cwd)
    shared = _common_folder(root)
    key = hashlib.sha256(os.fsencode(shared)).hexdigest()[:16]
    return Places(home, cwd, root, found is not None, home / "state" / key, shared)


def _common_folder(root: Path) -> Path:
    sign = root / ".git"
    if sign.is_dir():
        return sign.resolve()
    try:
        link = Path(sign.read_text(encoding="utf-8").removeprefix("gitdir:").strip())
        linked = root / link
        return (linked / (linked / "commondir").read_text(encoding="utf-8").strip()).resolve()
    except (OSError, UnicodeDecodeError):
        return root
