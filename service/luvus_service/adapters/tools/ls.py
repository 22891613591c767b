"""The `list` tool: the names in a folder, some levels deep."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from luvus_service.adapters.git_run import GitTimeout
from luvus_service.adapters.tools.arguments import (
    Arguments,
    Prepared,
    boolean,
    failed,
    integer,
    schema,
    string,
)
from luvus_service.adapters.tools.listing import ignored as ignored_names
from luvus_service.luxe.domain.permission_units import PathUnit
from luvus_service.luxe.domain.permissions import shown
from luvus_service.luxe.domain.tool_ports import (
    Outcome,
    PreparedCall,
    Preview,
    Progress,
    Workbench,
)
from luvus_service.luxe.domain.values import Input, Mode, ToolKind

ENTRIES = 500
SCANNED = 20_000
"""Entries looked at, those included that are not shown."""
DEPTH = 3


class ListTool:
    """Lists folders."""

    name = "list"
    description = (
        f"List a folder: folders end in `/`. At most {ENTRIES} entries; what git ignores is left"
        " out unless `ignored` is set."
    )
    parameters: Mapping[str, Any] = schema(
        path=string("Folder; the project folder if not given."),
        depth=integer("How many levels, 1 if not given.", 1, DEPTH),
        ignored=boolean("Show ignored files too."),
    )
    kind: ToolKind = "search"
    reads_only = True
    modes: frozenset[Mode] = frozenset({"build", "plan"})

    async def prepare(self, given: Input, bench: Workbench) -> PreparedCall:
        """Find the folder."""
        arguments = Arguments(given)
        written = arguments.optional_path("path", "dir", "directory") or "."
        depth = arguments.number("depth", default=1, most=DEPTH)
        everything = arguments.flag("ignored")
        # Names may be told; only contents of secret files are private.
        unit = replace(bench.paths.locate(written, "read"), private=False)

        async def work(_progress: Progress) -> Outcome:
            return await listed(unit, bench, depth=depth, ignored=everything)

        return Prepared(Preview(f"List {shown(unit)}", (unit,), (shown(unit),)), work)


async def listed(unit: PathUnit, bench: Workbench, *, depth: int, ignored: bool) -> Outcome:
    """Return the entries of a folder as an outcome."""
    try:
        found, whole = await asyncio.to_thread(_scan, unit.resolved, depth)
    except OSError as fault:
        return failed(f"{shown(unit)} cannot be listed: {fault.strerror}")
    if not ignored:
        try:
            left_out = {name.rstrip("/") for name in await ignored_names(unit.resolved, found)}
        except GitTimeout:
            left_out = set[str]()
        found = [
            name
            for name in found
            if not any(above in left_out for above in _itself_and_above(name.rstrip("/")))
        ]
    lines = found[:ENTRIES]
    if not lines:
        return Outcome("[the folder is empty]")
    cut = len(found) > ENTRIES or not whole
    if cut:
        lines.append(f"[only {len(lines)} entries are shown: list a folder below, or use glob]")
    return Outcome("\n".join(lines), truncated=cut)


def _scan(folder: str, depth: int) -> tuple[list[str], bool]:
    found: list[str] = []
    budget = [SCANNED]

    def into(place: str, prefix: str, left: int) -> None:
        with os.scandir(place) as entries:
            sorted_entries = sorted(
                entries, key=lambda e: (not e.is_dir(follow_symlinks=False), e.name)
            )
        for entry in sorted_entries:
            budget[0] -= 1
            if budget[0] < 0:
                return
            name = os.fsencode(entry.name).decode("utf-8", "replace")
            is_folder = entry.is_dir(follow_symlinks=False)
            sign = "/" if is_folder else "@" if entry.is_symlink() else ""
            if entry.name == ".git":
                continue
            found.append(f"{prefix}{name}{'/' if sign == '/' else ''}")
            if is_folder and left > 1:
                try:
                    into(entry.path, f"{prefix}{name}/", left - 1)
                except OSError:
                    continue

    into(folder, "", depth)
    return found, budget[0] >= 0


def _itself_and_above(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
