"""Installs agents from npm, each into a folder of its own outside the checkout."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.agents.kinds import Kind

INSTALL_S = 600


def cache() -> Path:
    """Return where agents are kept: LUVUS_AGENTS_DIR, or a folder in the user's cache."""
    named = os.environ.get("LUVUS_AGENTS_DIR")
    return Path(named).absolute() if named else Path.home() / ".cache" / "luvus-agents"


def installed(kind: Kind) -> Path:
    """Install an agent unless this version is there, and return its folder of programs."""
    folder = cache() / f"{kind.name}-{kind.version}"
    programs = folder / "node_modules" / ".bin"
    if not (programs / kind.name).exists():
        words = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"]
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            [*words, "--prefix", str(folder), f"{kind.package}@{kind.version}"],
            check=True,
            timeout=INSTALL_S,
            stdout=subprocess.DEVNULL,
        )
    return programs
