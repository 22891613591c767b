"""The `plan_write` tool: the one file that plan mode may write."""

from __future__ import annotations

import asyncio
import os
import re
import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from luvus_service.adapters.tools import files
from luvus_service.adapters.tools.arguments import Arguments, Prepared, failed, schema, string
from luvus_service.luxe.domain.tool_ports import (
    InputRefused,
    Outcome,
    PreparedCall,
    Preview,
    Progress,
    Workbench,
)
from luvus_service.luxe.domain.values import Input, Mode, ToolKind

PLAN_BYTES = 256 * 1024
TITLE_CHARS = 120
FOLDER = ".luxe/plans"
BESIDE = "plan.md"
"""In the session's folder, where a read-only session keeps its plan."""
_REMEMBERED = "plan"
"""The file in the session's folder that names its plan, so that the next call replaces it."""


class PlanTool:
    """Writes the plan."""

    name = "plan_write"
    description = (
        "Write the plan as one Markdown file; calling it again replaces the plan. The only file"
        " that can be written in plan mode."
    )
    parameters: Mapping[str, Any] = schema(
        ("title", "content"),
        title=string("A short title."),
        content=string("The whole plan in Markdown."),
    )
    kind: ToolKind = "plan"
    reads_only = False
    modes: frozenset[Mode] = frozenset({"plan"})

    def __init__(self, folder: str = FOLDER) -> None:
        """`folder` is relative to the project's root."""
        self._folder = folder

    async def prepare(self, given: Input, bench: Workbench) -> PreparedCall:
        """Choose the file."""
        arguments = Arguments(given)
        title = " ".join(arguments.text("title", limit=4 * TITLE_CHARS).split())[:TITLE_CHARS]
        content = arguments.text("content", "plan", limit=PLAN_BYTES)
        if not title or not content.strip():
            raise InputRefused("`title` and `content` must not be empty")

        async def work(_progress: Progress) -> Outcome:
            try:
                if bench.read_only:
                    path, replaced = await asyncio.to_thread(_write_beside, bench, content)
                else:
                    path, replaced = await asyncio.to_thread(
                        _write, bench, self._folder, title, content
                    )
            except (files.FileFault, OSError) as fault:
                return failed(f"the plan cannot be written: {fault}")
            size = len(content.encode("utf-8"))
            bench.plan_written(path, title, size, replaced=replaced)
            changed = () if bench.read_only else (path,)
            return Outcome(f"The plan is in {path}.", changed=changed)

        return Prepared(Preview(f"Write the plan: {title}"), work)


def _write_beside(bench: Workbench, content: str) -> tuple[str, bool]:
    """Write the plan of a session that may change nothing of the project."""
    path = Path(os.path.realpath(bench.spill_folder())) / BESIDE
    old = files.whole(str(path), path.name) if path.exists() else None
    files.replace_whole(
        str(path),
        content.encode("utf-8"),
        mode=0o600,
        expected=old.stamp if old is not None else None,
    )
    return str(path), old is not None


def _write(bench: Workbench, folder: str, title: str, content: str) -> tuple[str, bool]:
    root = Path(bench.paths.root)
    remembered = Path(bench.spill_folder()) / _REMEMBERED
    path = _earlier(remembered, root, folder)
    if path is None:
        moment = datetime.fromtimestamp(bench.clock.time(), UTC)
        name = f"{moment:%Y%m%d-%H%M}-{_slug(title)}"
        path = _free_name(root / folder, name)
    if os.path.realpath(path) != str(path):
        raise files.FileFault(f"{folder} leads out of the project through a link")
    old = files.whole(str(path), path.name) if path.exists() else None
    files.replace_whole(
        str(path),
        content.encode("utf-8"),
        mode=old.mode if old is not None else None,
        expected=old.stamp if old is not None else None,
    )
    relative = path.relative_to(root).as_posix()
    remembered.unlink(missing_ok=True)
    files.replace_whole(
        os.path.realpath(remembered), relative.encode("utf-8"), mode=0o600, expected=None
    )
    return relative, old is not None


def _earlier(remembered: Path, root: Path, folder: str) -> Path | None:
    try:
        relative = remembered.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return root / relative if relative.startswith(folder + "/") else None


def _free_name(folder: Path, name: str) -> Path:
    for number in range(1, 100):
        path = folder / f"{name}{f'-{number}' if number > 1 else ''}.md"
        if not os.path.lexists(path):
            return path
    raise files.FileFault(f"too many plans are called {name}")


def _slug(title: str) -> str:
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "replace").decode("ascii")
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")[:50].strip("-") or "plan"
