"""Whether a project's own configuration counts: a decision of the user, bound to its content.

A changed file is untrusted again. The decision lies in Luxe's own folder, never in the project.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal, TypeAlias, cast

FILES: Final = (".luxe/permissions.toml", ".luxe/mcp.toml", ".mcp.json")
SKILLS: Final = (".agents/skills", ".luxe/skills", ".claude/skills")
FILE_BYTES: Final = 4 * 1024 * 1024
"""Of one covered file; a larger one is never trusted."""
COVERED: Final = 2_000
"""Files that are looked at; a project with more is never trusted."""

Standing: TypeAlias = Literal["trusted", "changed", "unknown"]


class Trust:
    """The stored decision about one project."""

    def __init__(self, stored: Path, root: Path, shared: Path) -> None:
        """`stored` is the file of the decision, `shared` what all worktrees have in common."""
        self._stored = stored
        self._root = root
        self._shared = shared

    def standing(self) -> Standing:
        """Say whether the project is trusted as it is now."""
        try:
            found: object = json.loads(self._stored.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return "unknown"
        decision = cast("dict[str, object]", found) if isinstance(found, dict) else {}
        if decision.get("project") != str(self._shared):
            return "unknown"
        now = self.content()
        return "trusted" if now is not None and decision.get("sha256") == now else "changed"

    def content(self) -> str | None:
        """Return the hash of everything that trust covers; None when it cannot be trusted."""
        whole = hashlib.sha256()
        for count, path in enumerate(self._covered()):
            try:
                if path.stat().st_size > FILE_BYTES or count >= COVERED:
                    return None
                data = path.read_bytes()
            except OSError:
                return None
            name = os.fsencode(path.relative_to(self._root))
            whole.update(b"%d %d " % (len(name), len(data)) + name + data)
        return whole.hexdigest()

    def trust(self) -> None:
        """Trust the project as it is now.

        Raises:
            OSError: The decision cannot be stored, or the project cannot be read.
        """
        now = self.content()
        if now is None:
            raise OSError("its configuration cannot be read whole")
        self._stored.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        unfinished = self._stored.with_suffix(f".{os.getpid()}")
        unfinished.write_text(
            json.dumps({"project": str(self._shared), "sha256": now}) + "\n", encoding="utf-8"
        )
        unfinished.replace(self._stored)

    def distrust(self) -> None:
        """Forget the decision."""
        self._stored.unlink(missing_ok=True)

    def _covered(self) -> Iterator[Path]:
        for name in FILES:
            if (self._root / name).is_file():
                yield self._root / name
        for name in SKILLS:
            for folder, below, files in os.walk(self._root / name):
                below.sort()
                for file in sorted(files):
                    yield Path(folder) / file
