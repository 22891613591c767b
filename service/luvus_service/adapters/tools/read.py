"""The `read` tool: lines of a file with their numbers, a picture, or a folder's names."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from luvus_service.adapters.tools import files
from luvus_service.adapters.tools.arguments import (
    Arguments,
    Prepared,
    failed,
    integer,
    schema,
    string,
)
from luvus_service.adapters.tools.ls import listed
from luvus_service.luxe.domain.limits import IMAGE_BYTES, OUTPUT_BYTES, OUTPUT_LINES
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
from luvus_service.luxe.domain.values import Image, Input, Mode, ToolKind

LINE_CHARS = 2_000
WINDOW_BYTES = OUTPUT_BYTES - 16 * 1024
"""Of the text itself; the numbers of the lines and the last sentence come on top."""
LINES_MAX = OUTPUT_LINES - 4
OFFSET_MAX = 100_000_000
_PICTURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}


class ReadTool:
    """Reads files."""

    name = "read"
    description = (
        f"Read a file with line numbers, from `offset` on: at most {LINES_MAX} lines or"
        f" {WINDOW_BYTES // 1024} KB at a time. Shows png, jpeg, gif and webp pictures; lists a"
        " folder. A file must be read before it is edited."
    )
    parameters: Mapping[str, Any] = schema(
        ("path",),
        path=string("Path, relative to the project folder or absolute."),
        offset=integer("First line, from 1.", 1, OFFSET_MAX),
        limit=integer("How many lines.", 1, LINES_MAX),
    )
    kind: ToolKind = "read"
    reads_only = True
    modes: frozenset[Mode] = frozenset({"build", "plan"})

    async def prepare(self, given: Input, bench: Workbench) -> PreparedCall:
        """Find the file."""
        arguments = Arguments(given)
        unit = bench.paths.locate(arguments.path(), "read")
        first = arguments.number("offset", "start_line", default=1, least=0, most=OFFSET_MAX) or 1
        count = arguments.number("limit", "lines", default=LINES_MAX, most=OFFSET_MAX)
        # Whether a secret is there is not told either.
        if not unit.private and not await asyncio.to_thread(Path(unit.resolved).exists):
            raise InputRefused(f"there is no file {unit.written}")
        preview = Preview(f"Read {shown(unit)}", (unit,), (shown(unit),), path=shown(unit))

        async def work(_progress: Progress) -> Outcome:
            try:
                return await _read(unit, bench, first, min(count, LINES_MAX))
            except files.FileFault as fault:
                return failed(str(fault))

        return Prepared(preview, work)


async def _read(unit: PathUnit, bench: Workbench, first: int, count: int) -> Outcome:
    path = Path(unit.resolved)
    if await asyncio.to_thread(path.is_dir):
        return await listed(unit, bench, depth=1, ignored=False)
    mime = await asyncio.to_thread(_picture, unit)
    if mime is not None:
        return await asyncio.to_thread(_shown_picture, unit, mime)
    found = await asyncio.to_thread(
        files.window,
        unit.resolved,
        shown(unit),
        first=first,
        count=count,
        chars=LINE_CHARS,
        size=WINDOW_BYTES,
    )
    bench.files.note(unit.resolved, found.stamp)
    if found.empty:
        return Outcome("[the file is empty]")
    if not found.lines:
        return failed(f"{shown(unit)} has {found.seen_lines} lines; line {first} is after its end")
    numbered = "\n".join(f"{first + index:6}\t{line}" for index, line in enumerate(found.lines))
    if found.more:
        after = first + len(found.lines)
        numbered += f"\n[the file goes on: read it with offset {after}]"
    return Outcome(numbered, truncated=found.more or found.cut)


def _picture(unit: PathUnit) -> str | None:
    with files.opened(unit.resolved, shown(unit)) as descriptor:
        head = files.first_bytes(descriptor, 16)
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image/webp"
    return next((mime for sign, mime in _PICTURES.items() if head.startswith(sign)), None)


def _shown_picture(unit: PathUnit, mime: str) -> Outcome:
    raw = files.whole(unit.resolved, shown(unit)).raw
    if len(raw) > IMAGE_BYTES:
        raise files.FileFault(f"{shown(unit)} has {len(raw)} bytes; at most {IMAGE_BYTES} are sent")
    name = Path(unit.resolved).name
    image = Image(base64.b64encode(raw).decode("ascii"), mime, name)
    return Outcome(f"[{mime}, {len(raw)} bytes]", images=(image,))
