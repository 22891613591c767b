"""The `glob` tool: files by pattern, newest first."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from luvus_service.adapters.tools.arguments import (
    Arguments,
    Prepared,
    integer,
    schema,
    string,
)
from luvus_service.adapters.tools.listing import PATTERN_CHARS, Listing, matcher, project_files
from luvus_service.luxe.domain.permission_units import PathUnit
from luvus_service.luxe.domain.permissions import shown
from luvus_service.luxe.domain.tool_ports import (
    InputRefused,
    Outcome,
    PreparedCall,
    Preview,
    Progress,
    Workbench,
)
from luvus_service.luxe.domain.values import Input, Mode, ToolKind

LIMIT = 200
LIMIT_MAX = 1_000


class GlobTool:
    """Finds files by name."""

    name = "glob"
    description = (
        "Find files by a glob such as `**/*.py` or `src/**/test_*.{ts,tsx}`; newest first. A"
        " pattern without `/` matches at any depth. What git ignores is left out."
    )
    parameters: Mapping[str, Any] = schema(
        ("pattern",),
        pattern=string("The glob, relative to `path`."),
        path=string("Folder to look in; the project folder if not given."),
        limit=integer(f"At most so many files, {LIMIT} if not given.", 1, LIMIT_MAX),
    )
    kind: ToolKind = "search"
    reads_only = True
    modes: frozenset[Mode] = frozenset({"build", "plan"})

    async def prepare(self, given: Input, bench: Workbench) -> PreparedCall:
        """Find the folder."""
        arguments = Arguments(given)
        pattern = arguments.text("pattern", "glob", limit=PATTERN_CHARS)
        written = arguments.optional_path("path", "dir", "directory") or "."
        limit = arguments.number("limit", "head_limit", default=LIMIT, most=LIMIT_MAX)
        unit = replace(bench.paths.locate(written, "read"), private=False)
        if not await asyncio.to_thread(Path(unit.resolved).is_dir):
            raise InputRefused(f"there is no folder {written}")

        async def work(_progress: Progress) -> Outcome:
            listing = await project_files(unit.resolved)
            found = await asyncio.to_thread(_newest, listing, pattern, unit)
            return _outcome(found, listing, unit, bench, limit)

        return Prepared(Preview(f"Find {pattern} in {shown(unit)}", (unit,), (shown(unit),)), work)


def _newest(listing: Listing, pattern: str, unit: PathUnit) -> list[str]:
    root = Path(unit.resolved)
    relative = pattern.removeprefix(unit.resolved + "/").removeprefix("./")
    fits = matcher(relative)
    dated: list[tuple[float, str]] = []
    for name in listing.files:
        if fits(name):
            try:
                dated.append((-(root / name).lstat().st_mtime, name))
            except OSError:
                continue  # deleted, but still known to git
    return [name for _, name in sorted(dated)]


def _outcome(
    found: list[str], listing: Listing, unit: PathUnit, bench: Workbench, limit: int
) -> Outcome:
    lines: list[str] = []
    hidden = 0
    for name in found:
        # The name of a secret file may be told, that of a denied one may not.
        place = replace(bench.paths.locate(name, "read", cwd=unit.resolved), private=False)
        if not bench.may_read(place, unit):
            hidden += 1
        elif len(lines) < limit:
            lines.append(shown(place))
        else:
            break
    cut = len(lines) + hidden < len(found) or not listing.whole
    if not lines:
        lines.append("[no file matches]")
    if cut:
        lines.append(f"[there are more than {limit}: narrow the pattern]")
    return Outcome("\n".join(lines), truncated=cut)
